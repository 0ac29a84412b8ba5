package proc

import "strings"

// markPrefix starts the name of a mark. It does not start with DSH_, so that a
// harness inside a harness passes the marks of the outer one on.
const markPrefix = "_DSH_TREE_"

// Mark is the environment entry that puts a process and everything that it
// starts under a name of the caller, for [EndMarked]. Characters of the name
// other than letters, digits and - become _.
func Mark(name string) string { return markPrefix + safe(name) + "=1" }

func safe(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
			return c
		}
		return '_'
	}, name)
}

// Scrub returns the entries of an environment that a tool's process may see.
// Entries whose name holds KEY, PASSWORD, SECRET or TOKEN or begins with DSH_,
// whatever the case, are left out, and so is what is no NAME=value entry. It
// does not change env.
func Scrub(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		name, _, ok := strings.Cut(entry, "=")
		if ok && name != "" && !private(name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

func private(name string) bool {
	if strings.HasPrefix(name, markPrefix) {
		return false
	}
	upper := strings.ToUpper(name)
	if strings.HasPrefix(upper, "DSH_") {
		return true
	}
	for _, word := range []string{"KEY", "PASSWORD", "SECRET", "TOKEN"} {
		if strings.Contains(upper, word) {
			return true
		}
	}
	return false
}

// variable is the last value of a name in an environment.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if n, value, ok := strings.Cut(env[i], "="); ok && n == name {
			return value
		}
	}
	return ""
}
