package lint

import (
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// phaseUse collects which phases a script enters.
type phaseUse struct {
	entered map[string]bool
	// open says that there are titles which only running can tell.
	open bool
}

func (l *linter) titles() []string {
	var all []string
	for _, p := range l.script.Meta.Phases {
		all = append(all, p.Title)
	}
	return all
}

// enterPhase looks at a call of phase().
func (l *linter) enterPhase(call *syntax.Node) {
	if len(call.Args()) > 0 {
		l.phaseAt(call.Args()[0])
	}
}

// usePhase looks at the option phase.
func (l *linter) usePhase(o options) {
	if p := o.get("phase"); p != nil {
		l.phaseAt(p)
	} else if !o.whole {
		l.phases.open = true
	}
}

// phaseAt notes a title where it is used.
func (l *linter) phaseAt(n *syntax.Node) {
	if l.phases.entered == nil {
		l.phases.entered = map[string]bool{}
	}
	c := l.constant(n)
	if c.Kind == syntax.Choice {
		l.phaseAt(c.Kids[1])
		l.phaseAt(c.Kids[2])
		return
	}
	title, ok := c.Static()
	if !ok {
		l.phases.open = true
		return
	}
	known := l.titles()
	again := l.phases.entered[title]
	l.phases.entered[title] = true
	if again || len(known) == 0 || slices.Contains(known, title) {
		return
	}
	hint := "declare it in meta.phases"
	if meant, ok := closestTitle(title, known); ok {
		hint = "write '" + meant + "', as meta.phases does"
	}
	l.say("undeclared-phase", n, hint, "meta.phases does not declare the phase %q, so it gets a group of its own", title)
}

func closestTitle(title string, known []string) (string, bool) {
	for _, k := range known {
		if strings.EqualFold(strings.TrimSpace(k), strings.TrimSpace(title)) {
			return k, true
		}
	}
	return similar.Closest(title, known, 2)
}

// phaseTitles compares what meta declares with what was entered.
func (l *linter) phaseTitles() {
	seen := map[string]int{}
	for _, title := range l.titles() {
		at := l.inMeta(title, seen[title])
		if seen[title]++; seen[title] == 2 {
			l.sayAs(l.severities["duplicate-phase"], "duplicate-phase", at, "give each phase a title of its own",
				"meta.phases declares this phase twice")
		}
		if seen[title] == 1 && !l.phases.open && !l.phases.entered[title] && l.asksAgents(l.root) {
			l.sayAs(l.severities["unused-phase"], "unused-phase", at, "enter it with phase(), or leave it out",
				"nothing in the script enters this phase")
		}
	}
}

// inMeta finds the n-th place of a title in the meta statement: where the source
// and the body differ.
func (l *linter) inMeta(title string, n int) span {
	src, body := l.script.Source, l.script.Body
	if l.script.MetaApart || len(src) != len(body) {
		return span{}
	}
	at := 0
	for {
		i := strings.Index(src[at:], title)
		if i < 0 || title == "" {
			return span{}
		}
		at += i
		end := at + len(title)
		quoted := at > 0 && end < len(src) && strings.IndexByte("'\"`", src[at-1]) >= 0 && src[end] == src[at-1]
		if quoted && body[at-1] == ' ' {
			if n == 0 {
				return span{at - 1, end + 1}
			}
			n--
		}
		at = end
	}
}
