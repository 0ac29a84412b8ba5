package regex

import (
	_ "embed"
	"strings"
	"sync"
)

// sequences.txt has a line for each string of the properties of strings, made by
// tables.mjs: the short name of the property, a space, and the string.
//
//go:embed sequences.txt
var sequencesFile string

var sequenceTable = sync.OnceValue(func() map[string]class {
	table := map[string]class{}
	for line := range strings.Lines(sequencesFile) {
		name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok {
			continue
		}
		c := table[name]
		if runes := []rune(text); len(runes) == 1 {
			c.set = append(c.set, span{runes[0], runes[0]})
		} else {
			c.strings = append(c.strings, text)
		}
		table[name] = c
	}
	for name, c := range table {
		c.set = setOf(c.set...)
		table[name] = c
	}
	return table
})

// sequences finds a property of strings. RGI_Emoji is all of the others.
func sequences(name string) (class, bool) {
	table := sequenceTable()
	if name != "RGI_Emoji" {
		c, ok := table[name]
		return c, ok
	}
	var all class
	for _, c := range table {
		all.set = all.set.union(c.set)
		all.strings = append(all.strings, c.strings...)
	}
	return all, true
}
