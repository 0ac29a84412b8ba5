package lint

import (
	"fmt"

	"github.com/dsh-go/dsh-workflow/internal/syntax"
	"github.com/dsh-go/dsh-workflow/meta"
	"github.com/dsh-go/dsh-workflow/vm"
)

// Script is what is looked at.
type Script struct {
	// Source is the text as the author wrote it, Body the same with the meta
	// statement blanked: see [meta.Script].
	Source, Body string
	Meta         meta.Meta
	// MetaApart says that the meta does not stand in the source.
	MetaApart bool
}

// Options change what is said. The zero value is the usual.
type Options struct {
	// Severities take the place of those of the rules.
	Severities map[RuleID]Severity
	// Strict makes every warning an error.
	Strict bool
	// MaxItems is the longest list of one call; default 4096.
	MaxItems int
}

// Check looks at a script. The error is that of [vm.Check]: what does not parse
// is not looked at.
func Check(s Script, o Options) (Report, error) {
	root, err := vm.Parse(vm.Script{Name: s.Meta.Name, Body: s.Body})
	if err != nil {
		return Report{}, err
	}
	if o.MaxItems <= 0 {
		o.MaxItems = 4096
	}
	l := &linter{
		script: s, opts: o, text: newText(s.Source), root: root, scopes: syntax.Resolve(root),
		severities: severities(o), known: newKnown(), told: map[any]bool{},
	}
	l.look()
	return l.report(), nil
}

func severities(o Options) map[RuleID]Severity {
	out := map[RuleID]Severity{}
	for _, r := range Rules() {
		out[r.ID] = r.Severity
	}
	for id, s := range o.Severities {
		out[id] = s
	}
	return out
}

// linter looks at one script.
type linter struct {
	script     Script
	opts       Options
	text       *text
	root       *syntax.Node
	scopes     *syntax.Scopes
	severities map[RuleID]Severity

	known  known
	told   map[any]bool // bindings and nodes that were spoken of
	phases phaseUse

	found []Finding
}

// known is what was worked out so far, so that nothing is worked out twice.
type known struct {
	values   map[*syntax.Node]value // what expressions give
	given    map[*syntax.Node]value // what functions give when they are called
	guards   map[*syntax.Binding][]*region
	crashing map[*syntax.Node]verdict // functions a throw of which ends the run
	mutable  map[*syntax.Binding]bool // names whose objects something writes into
	keeping  map[*syntax.Node]bool    // functions that put promises away
	agents   map[*syntax.Node]bool    // whether agents are started in a part
	typeofs  map[string]bool          // names that the script asks for with typeof
}

func newKnown() known {
	return known{
		values: map[*syntax.Node]value{}, given: map[*syntax.Node]value{}, guards: map[*syntax.Binding][]*region{},
		crashing: map[*syntax.Node]verdict{}, mutable: map[*syntax.Binding]bool{}, agents: map[*syntax.Node]bool{}, keeping: map[*syntax.Node]bool{}, typeofs: map[string]bool{},
	}
}

// span is a part of the source, in bytes.
type span struct{ start, end int }

// look walks over the tree once.
func (l *linter) look() {
	l.root.Walk(func(n *syntax.Node) bool {
		if n.Kind == syntax.Unary && n.Text == "typeof" && n.Kids[0].Kind == syntax.Name {
			l.known.typeofs[n.Kids[0].Text] = true
		}
		return true
	})
	l.root.Walk(func(n *syntax.Node) bool {
		l.node(n)
		return true
	})
	l.names()
	l.phaseTitles()
	l.result()
}

// node runs the rules that begin at a node of this kind.
func (l *linter) node(n *syntax.Node) {
	switch n.Kind {
	case syntax.Call, syntax.New:
		l.call(n)
	case syntax.While, syntax.DoWhile, syntax.For, syntax.ForEach:
		l.loop(n)
	case syntax.Block, syntax.Case:
		l.unreachable(n)
	case syntax.Member:
		l.member(n)
	}
	switch n.Kind {
	case syntax.Name, syntax.Await, syntax.Index, syntax.Call, syntax.Object, syntax.New, syntax.Array, syntax.Member:
		l.use(n)
	}
}

// call runs the rules about one call.
func (l *linter) call(n *syntax.Node) {
	path := l.path(n.Kid(0))
	l.clock(n, path)
	l.floating(n, path)
	l.methods(n)
	switch path {
	case "agent", "agent.settled":
		l.options(n)
		l.prompt(n)
		l.askedJSON(n)
		l.droppedResult(n)
		l.order(n)
	case "parallel":
		l.parallel(n)
	case "pipeline":
		l.pipeline(n)
	case "phase":
		l.enterPhase(n)
	case "JSON.parse":
		l.parseCall(n)
	}
	if n.Kind == syntax.Call {
		l.shadowed(n)
	}
}

// say notes a finding about a node, at the severity of its rule.
func (l *linter) say(rule RuleID, n *syntax.Node, suggestion, format string, args ...any) {
	l.sayAs(l.severities[rule], rule, span{n.Start, n.End}, suggestion, fmt.Sprintf(format, args...))
}

// sayError notes a finding that is an error unless the user said otherwise.
func (l *linter) sayError(rule RuleID, n *syntax.Node, suggestion, format string, args ...any) {
	severity := l.severities[rule]
	if _, chosen := l.opts.Severities[rule]; !chosen {
		severity = Error
	}
	l.sayAs(severity, rule, span{n.Start, n.End}, suggestion, fmt.Sprintf(format, args...))
}

// sayAs notes a finding at a severity.
func (l *linter) sayAs(severity Severity, rule RuleID, at span, suggestion, message string) {
	if severity == Off {
		return
	}
	if l.opts.Strict {
		severity = Error
	}
	pos := l.text.position(at.start)
	l.found = append(l.found, Finding{
		Rule: rule, Severity: severity, Message: message, Suggestion: suggestion,
		Pos: pos, End: l.text.position(at.end),
	})
}

// maxFindings bounds a report: more help nobody.
const maxFindings = 500

// report takes away what comments silence and shows the lines of the rest.
func (l *linter) report() Report {
	Sort(l.found)
	kept, suppressed := l.suppress(l.found)
	Sort(kept)
	kept = kept[:min(len(kept), maxFindings)]
	for i := range kept {
		kept[i].Excerpt = l.text.excerpt(kept[i].Pos)
	}
	return Report{Findings: kept, Suppressed: suppressed}
}
