package schema

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// matches is MatchString without its panic: false when the match takes too long.
func matches(re jsonschema.Regexp, s string) (ok bool) {
	e, is := re.(*expr)
	if !is {
		return false
	}
	ok, err := e.re.MatchString(s)
	return ok && err == nil
}

// strings gives strings that fit the format, pattern and length of all schemas,
// as JSON.
func (g *generator) strings(all []*node, salt int) []string {
	var out []string
	add := func(s string) { out = append(out, compact(s)) }
	low, high := min(bound(all, "minLength", 0), 1<<20), 1<<30
	if r := limit(all, "maxLength", false); r != nil {
		high = int(r.Num().Int64())
	}
	for _, n := range all {
		if v := n.member("format"); v != nil {
			add(formatSample(v.text, salt))
		}
	}
	for _, n := range all {
		if v := n.member("pattern"); v != nil {
			for more := range 4 {
				add(matching(v.text, salt+more))
			}
			add(lengthen(matching(v.text, salt), low))
		}
	}
	for _, n := range all {
		if v := n.member("contentMediaType"); v != nil {
			add("null")
			add("bnVsbA==") // null in base64
		}
	}
	word := "text"
	if salt > 0 {
		word += itoa(salt + 1)
	}
	word = lengthen(word, low)
	if len(word) > high {
		word = word[:high]
	}
	add(word)
	return out
}

// lengthen repeats the end of s until it has n characters.
func lengthen(s string, n int) string {
	missing := n - utf8.RuneCountInString(s)
	if missing <= 0 {
		return s
	}
	last := "x"
	if r, size := utf8.DecodeLastRuneInString(s); size > 0 {
		last = string(r)
	}
	return s + strings.Repeat(last, missing)
}

func formatSample(name string, salt int) string {
	n := itoa(salt % 10)
	switch name {
	case "date":
		return "2000-01-0" + itoa(1+salt%9)
	case "date-time":
		return "2000-01-01T00:00:0" + n + "Z"
	case "time":
		return "00:00:0" + n + "Z"
	case "duration":
		return "P" + itoa(1+salt) + "D"
	case "email":
		return "user" + itoa(salt+1) + "@example.com"
	case "hostname":
		return "host" + itoa(salt+1) + ".example.com"
	case "ipv4":
		return "192.0.2." + itoa(1+salt%250)
	case "ipv6":
		return "2001:db8::" + itoa(1+salt%250)
	case "uri", "iri":
		return "https://example.com/" + itoa(salt+1)
	case "uri-reference", "iri-reference", "uri-template", "json-pointer":
		return "/" + itoa(salt+1)
	case "relative-json-pointer":
		return itoa(salt)
	case "uuid":
		return "00000000-0000-4000-8000-00000000000" + n
	case "regex":
		return "a" + itoa(salt)
	}
	return ""
}

// matching gives a short string that matches an expression, when the syntax is
// one that Go knows; higher salts take other characters and branches.
func matching(pattern string, salt int) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	spell(&b, tree, salt)
	return b.String()
}

// maxSpelled bounds the length of a string made from an expression.
const maxSpelled = 4096

func spell(b *strings.Builder, re *syntax.Regexp, salt int) {
	if b.Len() > maxSpelled {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(fromClass(re.Rune, salt))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune(rune('a' + salt%26))
	case syntax.OpCapture, syntax.OpPlus:
		spell(b, re.Sub[0], salt)
	case syntax.OpStar, syntax.OpQuest:
		for range min(salt, 1) {
			spell(b, re.Sub[0], salt-1)
		}
	case syntax.OpRepeat:
		for range min(re.Min, maxSpelled) {
			spell(b, re.Sub[0], salt)
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			spell(b, sub, salt)
		}
	case syntax.OpAlternate:
		spell(b, re.Sub[salt%len(re.Sub)], salt)
	}
}

// fromClass picks a character of a class, a plain letter when there is one.
func fromClass(ranges []rune, salt int) rune {
	for _, from := range []rune{'a', 'A', '0'} {
		for i := range rune(26) {
			r := from + (i+rune(salt))%26
			if from == '0' && r > '9' {
				continue
			}
			if inRanges(ranges, r) {
				return r
			}
		}
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1] && r < ranges[i]+128; r++ {
			if unicode.IsPrint(r) {
				return r
			}
		}
	}
	if len(ranges) > 0 {
		return ranges[0]
	}
	return 'a'
}

func inRanges(ranges []rune, r rune) bool {
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] <= r && r <= ranges[i+1] {
			return true
		}
	}
	return false
}
