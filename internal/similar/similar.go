// Package similar finds the known word that somebody probably meant.
package similar

// Closest returns the word of known that is nearest to word, if its edit
// distance is at most limit. Of words equally near the first wins.
func Closest(word string, known []string, limit int) (string, bool) {
	best, found := "", false
	for _, k := range known {
		if d := Distance(word, k); d <= limit {
			best, found, limit = k, true, d-1
		}
	}
	return best, found
}

// Distance is the Levenshtein distance of two words, in runes.
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			cost := diagonal
			if r != s {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(to)]
}
