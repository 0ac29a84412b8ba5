package config

import (
	"regexp"
	"strings"
	"unicode"
)

// keyLike matches what the well-known services give out as keys.
var keyLike = regexp.MustCompile(`(?i)(^|[^a-z0-9])(sk|pk|rk|gsk|xai|hf|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|aiza|akia|eyj)[-_a-z0-9.]{12,}|bearer\s+\S{6,}`)

// secretNames are keys that people look for when they want to write a key down.
var secretNames = []string{"key", "apikey", "token", "secret", "password", "authtoken", "accesstoken", "bearertoken", "credential", "credentials"}

// namesSecret says whether a key of a file asks for a secret.
func namesSecret(name string) bool {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	for _, s := range secretNames {
		if plain == s {
			return true
		}
	}
	return false
}

// looksSecret says whether text is probably a key: it has the beginning of one,
// or a long word that is mixed as only chance mixes.
func looksSecret(text string) bool {
	if keyLike.MatchString(text) {
		return true
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return classOf(r) == other }) {
		if random(word) {
			return true
		}
	}
	return false
}

// minRandom is from which length on a mixed word is no name any more.
const minRandom = 20

// random says whether letters and digits of a word alternate too often for a word
// that somebody made.
func random(word string) bool {
	if len(word) < minRandom {
		return false
	}
	count := map[class]int{}
	turns, last := 0, other
	for _, r := range word {
		c := classOf(r)
		count[c]++
		if c != last {
			turns++
		}
		last = c
	}
	return count[digit] >= 3 && count[lower]+count[upper] >= 3 && turns >= len(word)/4
}

type class int

const (
	other class = iota
	digit
	lower
	upper
)

func classOf(r rune) class {
	switch {
	case r >= '0' && r <= '9':
		return digit
	case r >= 'a' && r <= 'z':
		return lower
	case r >= 'A' && r <= 'Z':
		return upper
	}
	return other
}

// maxShown bounds what a fault repeats of a file.
const maxShown = 60

// shown quotes a text of the user for a fault. What could be a secret is not
// repeated.
func shown(text string) string {
	if looksSecret(text) {
		return "a text that looks like a key"
	}
	runes := []rune(text)
	if len(runes) > maxShown {
		text = string(runes[:maxShown]) + "…"
	}
	return quote(text)
}

// quote is %q for people: what is printable stays as it is.
func quote(text string) string {
	return `"` + strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text) + `"`
}
