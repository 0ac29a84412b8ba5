package vm

import (
	"fmt"
	"regexp"
)

var unknownName = regexp.MustCompile(`^ReferenceError: ([\w$]+) is not defined\n`)

// advise adds a hint to a rendered error: a name that nobody declared, right
// inside of ${…}, is more often text for a shell than a slip.
func (r *realm) advise(rendered string) string {
	m := unknownName.FindStringSubmatch(rendered)
	if m == nil {
		return rendered
	}
	name, line := m[1], r.placeIn(rendered).Line
	src := tokenize(r.script.Body)
	for i, t := range src.tokens {
		if t.parent < 0 || !src.is(i, name) || !src.substitutes(src.tokens[t.parent]) || src.is(i-1, ".") ||
			bytePosition(src.text, t.start).Line != line {
			continue
		}
		return rendered + fmt.Sprintf("\nhint: line %d: ${…} in a template is an expression, and nothing in the script is called %s; "+
			"for the text itself write \\${%s}", line, name, name)
	}
	return rendered
}
