package lint

import (
	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// notFunctions names what an element that should be a function is instead.
func notFunctions(v value) (what, hint string) {
	switch v.kind {
	case promise:
		return "a promise, so the call has already begun", "wrap it in a function: () => agent(…)"
	case answer, prose, data, settled:
		return "an answer that was waited for", "give functions instead: () => agent(…)"
	case str, number, boolean, object, list, nothing:
		return "no function", "give functions: () => agent(…)"
	}
	return "", ""
}

// parallel checks the argument of parallel().
func (l *linter) parallel(call *syntax.Node) {
	arg := call.Kid(1)
	c := l.constant(arg)
	v := l.valueOf(arg)
	switch {
	case len(call.Args()) > 1 && v.kind != list:
		l.say("parallel-thunks", arg, "write parallel([() => agent(…), () => agent(…)])", "parallel() takes one list of functions, not several arguments")
	case v.kind == promise && v.of != nil && v.of.kind == list:
		l.say("parallel-thunks", arg, "", "parallel() is given a promise of a list")
	case v.kind != list && v.kind != unknown:
		_, hint := notFunctions(v)
		l.say("parallel-thunks", arg, hint, "parallel() takes a list of functions")
	case arg.Kind == syntax.Array:
		l.thunks(arg)
	case v.kind == list:
		if what, hint := notFunctions(v.elements()); what != "" {
			l.say("parallel-thunks", l.offender(c, arg), hint, "parallel() takes functions, but each element is %s", what)
		}
	}
	if arg.Kind == syntax.Array && len(arg.Kids) == 0 {
		l.say("empty-list", arg, "give it functions, or leave the call out", "parallel() of an empty list does nothing")
	}
	l.cap(call, "parallel")
	if v := l.function(arg); v == nil {
		l.valueless(call, l.thunkOf(c))
	}
}

// offender is the part of a list that makes its elements.
func (l *linter) offender(c, arg *syntax.Node) *syntax.Node {
	if f := l.mapper(c); f != nil && f.Body().Kind != syntax.Block && arg.Holds(f) {
		return f.Body()
	}
	return arg
}

func (l *linter) thunks(array *syntax.Node) {
	for _, k := range array.Kids {
		v := l.valueOf(k)
		if k.Kind == syntax.Spread {
			v = l.valueOf(k.Kids[0]).elements()
		}
		if what, hint := notFunctions(v); what != "" {
			l.say("parallel-thunks", k, hint, "parallel() takes functions, but this is %s", what)
		}
	}
}

// thunkOf is the function that makes one slot of parallel(), when all are made
// by one.
func (l *linter) thunkOf(list *syntax.Node) *syntax.Node {
	if list.Kind == syntax.Array && len(list.Kids) == 1 {
		return l.function(list.Kids[0])
	}
	return l.mapped(list)
}

// valueless looks for a thunk that gives nothing, although the slots are used.
func (l *linter) valueless(call, thunk *syntax.Node) {
	if thunk == nil || !l.givesNothing(thunk) || !l.used(call) {
		return
	}
	l.say("missing-return", thunk, "return the answer", "this function returns nothing, so its slot is undefined")
}

// givesNothing reports whether a function with agents in it never returns a
// value.
func (l *linter) givesNothing(f *syntax.Node) bool {
	if f.Body().Kind != syntax.Block || f.Generator {
		return false
	}
	for _, r := range returnsOf(f) {
		if r.Kids[0].Kind != syntax.Missing {
			return false
		}
	}
	return l.asksAgents(f)
}

// asksAgents reports whether a hook that starts agents is called anywhere in n.
func (l *linter) asksAgents(n *syntax.Node) bool {
	known, ok := l.known.agents[n]
	if !ok {
		n.Walk(func(k *syntax.Node) bool {
			known = known || k.Kind == syntax.Call && startsAgents(l.path(k.Kids[0]))
			return !known
		})
		l.known.agents[n] = known
	}
	return known
}

func startsAgents(path string) bool {
	switch path {
	case "agent", "agent.settled", "parallel", "pipeline", "workflow":
		return true
	}
	return false
}

// used reports whether somebody looks at what a call gives.
func (l *linter) used(call *syntax.Node) bool {
	p := call.Parent
	if p.Kind == syntax.Await {
		p = p.Parent
	}
	switch p.Kind {
	case syntax.Call:
		if path := l.path(p.Kids[0]); path == "Promise.all" || path == "Promise.allSettled" {
			return l.used(p)
		}
	case syntax.Expression:
		return false
	case syntax.Declarator:
		b := l.scopes.Declared(p.Kids[0])
		return b == nil || len(b.Refs) > 0
	case syntax.Function: // an arrow function that gives it on
		return false
	}
	return true
}

// pipeline checks the arguments of pipeline().
func (l *linter) pipeline(call *syntax.Node) {
	args := call.Args()
	for _, a := range args {
		if a.Kind == syntax.Spread {
			return
		}
	}
	items := call.Kid(1)
	switch v := l.valueOf(items); v.kind {
	case promise:
		l.say("pipeline-stages", items, "put await before it", "pipeline() takes a list of items, but this is a promise")
	case unknown, list, answer:
	default:
		l.say("pipeline-stages", items, "", "pipeline() takes a list of items first, then its stages")
	}
	if len(args) == 1 {
		l.say("pipeline-stages", call, "add at least one function", "pipeline() needs a stage")
	}
	if items.Kind == syntax.Array && len(items.Kids) == 0 {
		l.say("empty-list", items, "give it items, or leave the call out", "pipeline() of an empty list does nothing")
	}
	for _, s := range args[min(1, len(args)):] {
		l.stage(s)
	}
	l.cap(call, "pipeline")
	l.silentStages(call)
}

func (l *linter) stage(s *syntax.Node) {
	switch v := l.valueOf(s); v.kind {
	case unknown, callable:
	case list:
		l.say("pipeline-stages", s, "write pipeline(items, first, second)", "the stages of pipeline() are arguments of their own, not a list")
	case promise:
		l.say("pipeline-stages", s, "wrap it in a function: (item) => agent(…)", "a stage must be a function, but this is a promise, so the call has already begun")
	default:
		l.say("pipeline-stages", s, "wrap it in a function: (previous, item, index) => …", "a stage must be a function")
	}
}

// silentStages looks for stages that give nothing, although the next one, or the
// caller, looks at it.
func (l *linter) silentStages(call *syntax.Node) {
	args := call.Args()
	for i := 1; i < len(args); i++ {
		f := l.function(args[i])
		if f == nil || !l.givesNothing(f) {
			continue
		}
		if i+1 == len(args) {
			l.valueless(call, f)
			continue
		}
		if next := l.function(args[i+1]); next != nil && l.looks(next) {
			l.say("missing-return", f, "return what the next stage needs", "this stage returns nothing, but the next one uses what it is given")
		}
	}
}

// cap compares the length of a list with the longest that one call takes.
func (l *linter) cap(call *syntax.Node, hook string) {
	n := l.length(call.Kid(1), maxAlias)
	if n > l.opts.MaxItems {
		l.say("item-cap", call.Kid(1), "split it into several calls", "%s() takes at most %d items, and this list has %d", hook, l.opts.MaxItems, n)
	}
}

// length is the length of a list that the source tells, else 0.
func (l *linter) length(n *syntax.Node, more int) int {
	n = l.constant(n)
	switch {
	case more == 0:
	case n.Kind == syntax.Array:
		for _, k := range n.Kids {
			if k.Kind == syntax.Spread {
				return 0
			}
		}
		return len(n.Kids)
	case n.Is(syntax.Call, syntax.New) && len(n.Args()) > 0:
		return l.made(n, more)
	}
	return 0
}

// made is the length of a list that a call makes.
func (l *linter) made(n *syntax.Node, more int) int {
	switch path := l.path(n.Kids[0]); path {
	case "Array":
		if v, ok := l.constant(n.Args()[0]).Value(); ok && len(n.Args()) == 1 {
			return int(v)
		}
	case "Array.from":
		from := l.constant(n.Args()[0])
		if size := from.Get("length"); size != nil {
			v, _ := l.constant(size).Value()
			return int(v)
		}
		return l.length(from, more-1)
	}
	if c := n.Kids[0]; c.Kind == syntax.Member {
		switch c.Text {
		case "map", "fill", "sort", "reverse":
			return l.length(c.Kids[0], more-1)
		}
	}
	return 0
}
