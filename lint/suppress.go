package lint

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// suppression is one comment that silences one rule.
type suppression struct {
	rule       RuleID
	line       int // of the comment
	last       int // last line that it speaks of; 0 for the whole file
	start, end int
	used       bool
}

var ignoreComment = regexp.MustCompile(`(//|/\*)[ \t*]*dsh-ignore(-file)?\b[ \t]*([^\n]*)`)

// suppressions reads the comments of a script.
func (l *linter) suppressions() []*suppression {
	var all []*suppression
	quoted := l.quoted()
	for _, m := range ignoreComment.FindAllStringSubmatchIndex(l.script.Source, -1) {
		if quoted.holds(m[0]) {
			continue
		}
		text := l.script.Source[m[6]:m[7]]
		if l.script.Source[m[2]:m[3]] == "/*" {
			text, _, _ = strings.Cut(text, "*/")
		}
		line := l.text.line(m[0])
		last := line + 1
		if m[4] >= 0 {
			last = 0
		}
		for _, id := range ruleList(text) {
			all = append(all, &suppression{rule: RuleID(id), line: line, last: last, start: m[0], end: m[6] + len(text)})
		}
	}
	l.stack(all)
	return all
}

// quotes are parts of a source that do not overlap, in its order.
type quotes []*syntax.Node

// quoted are the parts of the source that are text of the script.
func (l *linter) quoted() quotes {
	var all quotes
	l.root.Walk(func(n *syntax.Node) bool {
		if n.Is(syntax.String, syntax.Regexp) {
			all = append(all, n)
		}
		return true
	})
	slices.SortFunc(all, func(a, b *syntax.Node) int { return a.Start - b.Start })
	return all
}

func (s quotes) holds(offset int) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i].End > offset })
	return i < len(s) && s[i].Start <= offset
}

// ruleList reads "RULE, RULE reason".
func ruleList(text string) []string {
	var ids []string
	for {
		text = strings.TrimLeft(text, " \t")
		end := strings.IndexFunc(text, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
		if end < 0 {
			end = len(text)
		}
		ids = append(ids, text[:end])
		rest := strings.TrimLeft(text[end:], " \t")
		if !strings.HasPrefix(rest, ",") {
			return ids
		}
		text = rest[1:]
	}
}

// stack lets comments that stand above each other speak of the same line.
func (l *linter) stack(all []*suppression) {
	below := map[int]int{} // what a line with nothing but a comment speaks of
	for _, s := range slices.Backward(all) {
		if s.last == 0 {
			continue
		}
		if to, ok := below[s.last]; ok {
			s.last = to
		}
		if strings.HasPrefix(strings.TrimSpace(l.text.lineText(s.line)), "/") {
			below[s.line] = s.last
		}
	}
}

// spot is a rule on a line; line 0 is the whole file.
type spot struct {
	rule RuleID
	line int
}

// suppress takes away what comments silence, and adds what is wrong with them.
func (l *linter) suppress(found []Finding) (kept []Finding, silenced int) {
	all := l.suppressions()
	about := map[spot][]*suppression{}
	for _, s := range all {
		about[spot{s.rule, s.last}] = append(about[spot{s.rule, s.last}], s)
		if s.last > 0 {
			about[spot{s.rule, s.line}] = append(about[spot{s.rule, s.line}], s)
		}
	}
	for _, f := range found {
		by := slices.Concat(about[spot{f.Rule, f.Pos.Line}], about[spot{f.Rule, 0}])
		for _, s := range by {
			s.used = true
		}
		if len(by) > 0 {
			silenced++
		} else {
			kept = append(kept, f)
		}
	}
	before := len(l.found)
	for _, s := range all {
		l.judgeSuppression(s)
	}
	return append(kept, l.found[before:]...), silenced
}

func (l *linter) judgeSuppression(s *suppression) {
	var ids []string
	for _, r := range Rules() {
		ids = append(ids, string(r.ID))
	}
	severity := l.severities[UnusedSuppression]
	switch {
	case s.rule == "":
		l.sayAs(severity, UnusedSuppression, span{s.start, s.end}, "write // dsh-ignore RULE reason", "this comment names no rule, so it silences nothing")
	case !slices.Contains(ids, string(s.rule)):
		hint := "docs/rules lists the rules"
		if meant, ok := similar.Closest(string(s.rule), ids, 3); ok {
			hint = "write " + meant
		}
		l.sayAs(severity, UnusedSuppression, span{s.start, s.end}, hint, fmt.Sprintf("there is no rule %q, so this comment silences nothing", s.rule))
	case !s.used && l.severities[s.rule] != Off:
		l.sayAs(severity, UnusedSuppression, span{s.start, s.end}, "leave it out", fmt.Sprintf("this comment silences nothing: %s finds nothing here", s.rule))
	}
}
