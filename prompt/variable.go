package prompt

import (
	"fmt"
	"regexp"
	"strings"
)

// Variable is a value that a section may refer to as {{name}}.
type Variable struct {
	Name  string // lower-case letters, digits and _, a letter first
	Value string
	// Absent variables are known, but have no value for this text.
	Absent bool
}

// excerptRunes is how much of a text an error shows of a bad reference.
const excerptRunes = 16

var (
	variableName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	simpleGroup  = regexp.MustCompile(`^\{\{([^{}]*)\}\}`)
)

// table looks variables up and remembers the order of their names for errors.
type table struct {
	names  []string
	values map[string]Variable
}

func newTable(vars []Variable) (*table, error) {
	t := &table{values: make(map[string]Variable, len(vars))}
	for _, v := range vars {
		if !variableName.MatchString(v.Name) {
			return nil, fmt.Errorf("prompt variable name %q must match %s", v.Name, variableName)
		}
		if _, ok := t.values[v.Name]; ok {
			return nil, fmt.Errorf("prompt variable %q is already registered", v.Name)
		}
		t.names = append(t.names, v.Name)
		t.values[v.Name] = v
	}
	return t, nil
}

// interpolate replaces every complete {{name}} group of text once; what was put
// in is not looked at again. Braces that cannot be a reference stay.
func (t *table) interpolate(section, text string) (string, error) {
	var out strings.Builder
	for {
		at := strings.Index(text, "{{")
		if at < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		out.WriteString(text[:at])
		text = text[at:]
		group := simpleGroup.FindStringSubmatch(text)
		switch {
		case group != nil:
			value, err := t.lookup(section, text, group[1])
			if err != nil {
				return "", err
			}
			out.WriteString(value)
			text = text[len(group[0]):]
		case strings.Contains(text, "}}"):
			return "", malformed(section, text)
		default:
			out.WriteString("{{")
			text = text[len("{{"):]
		}
	}
}

func (t *table) lookup(section, text, name string) (string, error) {
	if !variableName.MatchString(name) {
		return "", malformed(section, text)
	}
	v, ok := t.values[name]
	if !ok {
		known := "(none)"
		if len(t.names) > 0 {
			known = strings.Join(t.names, ", ")
		}
		return "", fmt.Errorf(`unknown prompt variable "{{%s}}" in section %q; registered variables: %s`, name, section, known)
	}
	if v.Absent {
		return "", fmt.Errorf(`prompt variable "{{%s}}" has no value for this assembly (section %q)`, name, section)
	}
	return v.Value, nil
}

func malformed(section, text string) error {
	excerpt := []rune(text)
	if len(excerpt) > excerptRunes {
		excerpt = excerpt[:excerptRunes]
	}
	return fmt.Errorf(`malformed prompt variable reference at "%s…" in section %q (references are complete simple {{name}} groups)`, string(excerpt), section)
}
