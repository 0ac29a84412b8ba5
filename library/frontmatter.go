package library

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// split parts a definition into its front matter and its body. A file without
// front matter has a body only.
func split(text string) (head, body string, err error) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", strings.TrimSpace(text), nil
	}
	if body, ok := strings.CutPrefix(rest, "---\n"); ok {
		return "", strings.TrimSpace(body), nil
	}
	head, body, ok = strings.Cut(rest, "\n---\n")
	if !ok {
		head, ok = strings.CutSuffix(rest, "\n---")
	}
	if !ok {
		return "", "", errors.New("the front matter has no end: a line --- is missing")
	}
	return head + "\n", strings.TrimSpace(body), nil
}

// fields are the values of a front matter: strings, or lists of strings.
type fields map[string]any

// readFields reads YAML. What is written by hand is often none, since a
// description holds a colon: then each line "key: text" is taken as it stands.
func readFields(head string) (fields, error) {
	values := fields{}
	var node yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader([]byte(head))).Decode(&node); err != nil || hasAlias(&node) {
		return plainFields(head), nil
	}
	if len(node.Content) != 1 || node.Content[0].Kind != yaml.MappingNode {
		if strings.TrimSpace(head) == "" {
			return values, nil
		}
		return nil, errors.New("the front matter is no list of `key: value` lines")
	}
	m := node.Content[0]
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i].Value, m.Content[i+1]
		switch value.Kind {
		case yaml.ScalarNode:
			values[key] = value.Value
		case yaml.SequenceNode:
			list := []string{}
			for _, item := range value.Content {
				list = append(list, item.Value)
			}
			values[key] = list
		case yaml.DocumentNode, yaml.MappingNode, yaml.AliasNode:
			values[key] = nil // of other products; nothing that we know has this form
		}
	}
	return values, nil
}

// hasAlias finds references to other parts of the document. Nobody needs them
// here, and a few lines of them can stand for gigabytes.
func hasAlias(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		return true
	}
	for _, c := range n.Content {
		if hasAlias(c) {
			return true
		}
	}
	return false
}

var fieldLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*):[ \t]*(.*)$`)

func plainFields(head string) fields {
	values := fields{}
	for line := range strings.Lines(head) {
		m := fieldLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		if _, twice := values[m[1]]; !twice {
			values[m[1]] = strings.Trim(strings.TrimSpace(m[2]), `"'`)
		}
	}
	return values
}

// text is a value that must be a string.
func (f fields) text(key string) (string, error) {
	switch v := f[key].(type) {
	case nil:
		return "", nil
	case string:
		return strings.TrimSpace(v), nil
	}
	return "", fmt.Errorf("%s must be a text", key)
}

// words is a value that is a list, or a text with commas. It tells whether the
// key is there.
func (f fields) words(key string) (list []string, there bool) {
	switch v := f[key].(type) {
	case []string:
		list = v
	case string:
		list = strings.Split(strings.Trim(v, "[]"), ",")
	default:
		return nil, false
	}
	out := []string{}
	for _, w := range list {
		if w = strings.Trim(strings.TrimSpace(w), `"'`); w != "" {
			out = append(out, w)
		}
	}
	return out, true
}

// count is a value that must be a whole number from 1.
func (f fields) count(key string) (int, error) {
	text, err := f.text(key)
	if err != nil || text == "" {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s must be a whole number from 1, got %q", key, text)
	}
	return n, nil
}
