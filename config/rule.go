package config

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
)

// rule says what a value may be. read gives the value, or what is wrong with it
// and what to write instead.
type rule struct {
	read   func(*yaml.Node) (value any, problem string)
	schema jsonschema.Schema
}

// rules are the words of the tag is.
func rules() map[string]rule {
	return map[string]rule{
		"url":      {text(urlProblem), jsonschema.Schema{Type: "string", Pattern: `^https?://`}},
		"variable": {text(variableProblem), jsonschema.Schema{Type: "string", Pattern: variableName.String()}},
		"provider": {text(refProblem), jsonschema.Schema{Type: "string", MinLength: jsonschema.Ptr(1)}},
		"model":    {text(modelProblem), jsonschema.Schema{Type: "string", MinLength: jsonschema.Ptr(1)}},
		"profile":  {text(among(profiles)), enum(profiles)},
		"realm":    {text(among(realms)), enum(realms)},
		"count":    {whole(1), jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(float64(maxWhole))}},
		"whole":    {whole(0), jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(0.0), Maximum: jsonschema.Ptr(float64(maxWhole))}},
		"size":     {size, jsonschema.Schema{Types: []string{"integer", "string"}, Minimum: jsonschema.Ptr(1.0), Pattern: sizeText.String()}},
		"duration": {duration, jsonschema.Schema{Type: "string", Pattern: `^([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`}},
		"dollars":  {dollars, jsonschema.Schema{Type: "number", Minimum: jsonschema.Ptr(0.0)}},
	}
}

// What the enumerations hold. TestProfiles of package dsh holds the first against
// what the client of the protocol knows.
var (
	profiles = []string{"deepseek", "openai", "generic"}
	realms   = []string{"process", "inprocess"}
)

func enum(words []string) jsonschema.Schema {
	s := jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// text reads a string and asks check what is wrong with it.
func text(check func(string) string) func(*yaml.Node) (any, string) {
	return func(n *yaml.Node) (any, string) {
		if n.Tag != "!!str" {
			return nil, "must be a text, not " + what(n) + "; put it in quotes if it is one"
		}
		return n.Value, check(n.Value)
	}
}

// what names the kind of a value.
func what(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "an object"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!str":
		return "the text " + shown(n.Value)
	case "!!int", "!!float":
		return "the number " + shown(n.Value)
	case "!!bool":
		return "the truth value " + shown(n.Value)
	case "!!null":
		return "nothing"
	case "!!timestamp":
		return "the date " + shown(n.Value)
	}
	return "a value of the type " + shown(n.Tag)
}

func among(words []string) func(string) string {
	return func(s string) string {
		if slices.Contains(words, s) {
			return ""
		}
		return "must be one of " + strings.Join(words, ", ") + ", not " + shown(s)
	}
}

func urlProblem(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "must be an http or https URL such as http://127.0.0.1:8080/v1"
	case u.User != nil:
		return "must not hold credentials: put the key into a variable and write the variable's name after keyEnv (on the command line: --api-key-env)"
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "must have a scheme, a host and a path only: leave out what begins with ? or #"
	case looksSecret(s):
		return "holds what looks like a key: put it into a variable and write the variable's name after keyEnv"
	}
	return ""
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func variableProblem(s string) string {
	switch {
	case looksSecret(s):
		return "looks like a key; a key does not belong here: put it into a variable and write the variable's name, such as MY_API_KEY (and revoke the key: it has been in a file)"
	case strings.HasPrefix(s, "$"):
		return "must be the name of a variable, without the $"
	case !variableName.MatchString(s) || len(s) > 128:
		return "must be the name of a variable, such as MY_API_KEY"
	}
	return ""
}

func refProblem(s string) string {
	if s == "" {
		return "must be the name of a provider"
	}
	return ""
}

// maxName is the longest name of a model, in bytes.
const maxName = 200

func modelProblem(s string) string {
	switch {
	case s == "":
		return "must be the name of a model"
	case looksSecret(s):
		return "looks like a key, not like the name of a model"
	case len(s) > maxName || strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }):
		return "must be the name of a model: at most 200 bytes, without blanks"
	}
	return ""
}

// maxWhole is more than any machine can use, and safe for arithmetic.
const maxWhole = math.MaxInt32

func whole(least int) func(*yaml.Node) (any, string) {
	return func(n *yaml.Node) (any, string) {
		v, ok := integer(n)
		switch {
		case !ok:
			return nil, "must be a whole number, not " + what(n)
		case v < int64(least):
			return nil, "must be at least " + strconv.Itoa(least) + ", not " + shown(n.Value)
		case v > maxWhole:
			return nil, "is too large: at most " + strconv.Itoa(maxWhole)
		}
		return int(v), ""
	}
}

func integer(n *yaml.Node) (int64, bool) {
	var v int64
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || n.Decode(&v) != nil {
		return 0, false
	}
	return v, true
}

var sizeText = regexp.MustCompile(`^[0-9]{1,9} ?(B|KiB|MiB|GiB)$`)

func size(n *yaml.Node) (any, string) {
	v, ok := integer(n)
	if m := sizeText.FindStringSubmatch(n.Value); !ok && n.Tag == "!!str" && m != nil {
		digits := strings.TrimRight(n.Value, " BKMGi")
		count, err := strconv.ParseInt(digits, 10, 64)
		v, ok = count<<map[string]int{"B": 0, "KiB": 10, "MiB": 20, "GiB": 30}[m[1]], err == nil
	}
	switch {
	case !ok:
		return nil, "must be a number of bytes, such as 524288 or 512KiB, not " + what(n)
	case v < 1:
		return nil, "must be at least 1 byte, not " + shown(n.Value)
	case v > maxWhole:
		return nil, "is too large: at most 2GiB"
	}
	return int(v), ""
}

func duration(n *yaml.Node) (any, string) {
	if n.Tag == "!!int" || n.Tag == "!!float" {
		return nil, "needs a unit: write " + n.Value + "s for seconds, or a text such as 500ms, 90s, 2h"
	}
	if n.Tag != "!!str" {
		return nil, "must be a length of time such as 500ms, 90s or 2h, not " + what(n)
	}
	d, err := time.ParseDuration(n.Value)
	switch {
	case err != nil:
		return nil, "must be a length of time such as 500ms, 90s or 2h, not " + shown(n.Value)
	case d <= 0:
		return nil, "must be more than 0, not " + shown(n.Value)
	}
	return Duration(d), ""
}

func dollars(n *yaml.Node) (any, string) {
	var v float64
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" || n.Decode(&v) != nil {
		return nil, "must be a number of US dollars a million tokens, not " + what(n)
	}
	if math.IsNaN(v) || v < 0 || v > 1e9 {
		return nil, "must be a price from 0 up, not " + shown(n.Value)
	}
	return v, ""
}

// maxPlainName is the longest name of a provider or an alias.
const maxPlainName = 64

// nameProblem says what is wrong with a name that a file gives to something.
func nameProblem(kind, name string) string {
	if kind == "model" {
		return modelProblem(name)
	}
	switch {
	case looksSecret(name):
		return "a name that looks like a key"
	case name == "" || len(name) > maxPlainName || !utf8.ValidString(name) || !plainName.MatchString(name):
		return "a name has letters, digits and . _ -, begins with a letter or digit, and is at most 64 long"
	}
	return ""
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
