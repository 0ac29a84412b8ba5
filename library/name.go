package library

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the length of the longest name, in characters.
const MaxName = 128

// CheckName refuses what cannot name a workflow or its file: the empty name, "."
// and "..", names with a separator of any system, with control or formatting
// characters, with blanks around them or a hyphen before them, names that are not
// UTF-8 and those over [MaxName]. The error is an [Error] of kind [InvalidName].
func CheckName(name string) error {
	why := ""
	switch {
	case name == "":
		why = "is empty"
	case !utf8.ValidString(name):
		why = "is not UTF-8"
	case utf8.RuneCountInString(name) > MaxName:
		why = fmt.Sprintf("has more than %d characters", MaxName)
	case name == "." || name == "..":
		why = "names a folder"
	case strings.ContainsAny(name, `/\`):
		why = "contains a path separator"
	case strings.IndexFunc(name, hidden) >= 0:
		why = "contains a character that is not printed"
	case strings.TrimSpace(name) != name:
		why = "begins or ends with a blank"
	case name[0] == '-':
		why = "begins with a hyphen, as flags do"
	}
	if why == "" {
		return nil
	}
	return &Error{Kind: InvalidName, Subject: shorten(name), Reason: "the name " + why}
}

// hidden tells what a reader of a listing would not see, or not see in its place.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// shorten bounds what an error repeats of a name.
func shorten(name string) string {
	const most = 60
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most]) + "…"
}
