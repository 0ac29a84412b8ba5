package lint

import (
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// use looks at what is done with the value of an expression.
func (l *linter) use(n *syntax.Node) {
	p := n.Parent
	if p == nil || n.Kind == syntax.Name && n.Written() {
		return
	}
	if !p.Is(syntax.Member, syntax.Index, syntax.Template, syntax.Binary, syntax.Unary, syntax.If, syntax.Choice, syntax.While, syntax.Spread,
		syntax.ForEach, syntax.Declarator, syntax.Assign, syntax.Call) {
		return
	}
	v := l.valueOf(n)
	switch v.kind {
	case promise:
		l.usePromise(n)
		return
	case settled, data:
		l.fields(n, v)
	}
	if v.missing() {
		l.unchecked(n, v)
	}
	l.inText(n, v)
	l.callbackPattern(n)
}

// unchecked looks for uses that throw when the value is null.
func (l *linter) unchecked(n *syntax.Node, v value) {
	if how := throwsOnNull(n); how != "" {
		l.sayUnchecked(n, v, how)
	}
}

// throwsOnNull says what is done with an expression that cannot be done with
// null.
func throwsOnNull(n *syntax.Node) string {
	p := n.Parent
	switch p.Kind {
	case syntax.Member:
		if !p.Optional {
			return "its ." + p.Text + " is used"
		}
	case syntax.Index:
		if p.Kids[0] == n && !p.Optional {
			return "a part of it is used"
		}
	case syntax.Spread:
		if !p.Parent.Is(syntax.Object) {
			return "it is spread"
		}
	case syntax.ForEach:
		if p.Kids[1] == n && p.Text == "of" {
			return "it is looped over"
		}
	case syntax.Declarator, syntax.Assign:
		if p.Kids[1] == n && p.Kids[0].Is(syntax.ObjectShape, syntax.ArrayShape) {
			return "it is taken apart"
		}
	}
	return ""
}

func (l *linter) sayUnchecked(n *syntax.Node, v value, how string) {
	key := any(n)
	if n.Kind == syntax.Name {
		key = l.scopes.Of(n)
	}
	if l.told[key] || !l.ends(n) {
		return
	}
	l.told[key] = true
	if v.slot {
		l.say("unchecked-slots", n, "filter the list first: .filter((r) => r !== null), and say what is missing",
			"a slot is null when its agent failed, and here %s", how)
		return
	}
	l.say("unchecked-result", n, "test it first: if (r === null) …", "an agent that failed gives null, and here %s", how)
}

// callbackPattern looks at callbacks and loops that take a slot apart before
// anything can test it.
func (l *linter) callbackPattern(n *syntax.Node) {
	p := n.Parent
	switch {
	case p.Kind == syntax.ForEach && p.Kids[1] == n && p.Text == "of" && p.Kids[0].Kind == syntax.Declaration:
		target := p.Kids[0].Kids[0].Kids[0]
		l.takenApart(target, l.valueOf(n).elements())
	case p.Kind == syntax.Member && p.Parent.Kind == syntax.Call && p.Parent.Kids[0] == p && len(p.Parent.Args()) > 0:
		f := p.Parent.Args()[0]
		if f.Kind == syntax.Function && len(f.Params()) > 0 {
			l.takenApart(f.Params()[0], l.argument(f, f.Params()[0]))
		}
	}
}

func (l *linter) takenApart(target *syntax.Node, v value) {
	if target.Is(syntax.ObjectShape, syntax.ArrayShape) && v.missing() {
		l.sayUnchecked(target, v, "it is taken apart")
	}
}

// inText looks at values that become text.
func (l *linter) inText(n *syntax.Node, v value) {
	p := n.Parent
	if !(p.Kind == syntax.Template || p.Kind == syntax.Binary && p.Text == "+" && l.isText(p)) {
		return
	}
	switch {
	case l.reads(n, v):
		l.say("object-in-text", n, "JSON.stringify() it, or name the part that is meant", "this goes into the text as [object Object]")
	case v.nullable && (v.kind == prose || v.kind == answer) && !l.told[n] && !l.onlyLogged(n):
		l.say("null-in-text", n, "test it first, or give a text for that case: ${r ?? '…'}",
			"an agent that failed gives null, and the text then reads \"null\"")
	}
}

// reads reports whether a value becomes [object Object] as a text.
func (l *linter) reads(n *syntax.Node, v value) bool {
	switch v.kind {
	case data, settled:
		return true
	case object:
		c := l.constant(n)
		own := c.Kind == syntax.Object && (c.Get("toString") != nil || slices.ContainsFunc(c.Kids, func(k *syntax.Node) bool { return k.Kind == syntax.Spread }))
		return v.what == "" && !own || v.what == "Map" || v.what == "Set"
	case list:
		of := v.elements()
		return of.kind == data || of.kind == settled || of.kind == object && of.what == ""
	}
	return false
}

// onlyLogged reports whether a text is for people only, who can tell.
func (l *linter) onlyLogged(n *syntax.Node) bool {
	for p := n.Parent; p != nil && !p.Is(syntax.Function, syntax.Block); p = p.Parent {
		if p.Is(syntax.Call, syntax.New) {
			path := l.path(p.Kids[0])
			return path == "log" || path == "Error" || strings.HasPrefix(path, "console.")
		}
	}
	return false
}

// settledFields are what agent.settled() gives.
func settledFields() []string { return []string{"status", "value", "error", "usage", "sessionId"} }

// fields checks the members of an answer that are read.
func (l *linter) fields(n *syntax.Node, v value) {
	rule, known := RuleID("settled-field"), settledFields()
	if v.kind == data {
		rule = "unknown-field"
		if known = l.properties(v.shape); known == nil {
			return
		}
	}
	if n.Kind == syntax.Name && l.changed(n) {
		return // it may have been given more
	}
	p := n.Parent
	switch {
	case p.Kind == syntax.Member && !(p.Parent.Kind == syntax.Assign && p.Parent.Kids[0] == p):
		l.field(rule, p, p.Text, known)
	case p.Kind == syntax.Declarator && p.Kids[1] == n && p.Kids[0].Kind == syntax.ObjectShape:
		for _, k := range p.Kids[0].Kids {
			if k.Kind == syntax.Property && k.Text != "" {
				l.field(rule, k, k.Text, known)
			}
		}
	}
}

func (l *linter) field(rule RuleID, at *syntax.Node, name string, known []string) {
	if slices.Contains(known, name) || slices.Contains(inherited(), name) {
		return
	}
	hint := "its fields are " + strings.Join(known, ", ")
	if meant, ok := similar.Closest(name, known, 2); ok {
		hint = "write " + meant
	}
	if rule == "settled-field" {
		l.say(rule, at, hint, "agent.settled() gives no %q: what the agent said is in its value", name)
		return
	}
	l.say(rule, at, hint, "the schema of this answer has no field %q", name)
}

// inherited are members that every object has.
func inherited() []string {
	return []string{"hasOwnProperty", "toString", "valueOf", "constructor", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"}
}

// properties are the fields that a schema allows, nil when it may allow others.
func (l *linter) properties(shape *syntax.Node) []string {
	if shape == nil {
		return nil
	}
	for _, p := range shape.Kids {
		if p.Kind != syntax.Property || p.Kids[0].Kind != syntax.Missing && p.Text == "" {
			return nil
		}
		switch p.Text {
		case "anyOf", "oneOf", "allOf", "if", "$ref", "patternProperties", "dependentSchemas", "propertyNames":
			return nil
		case "additionalProperties", "unevaluatedProperties":
			if c := l.constant(p.Kids[1]); c.Kind != syntax.Keyword || c.Text != "false" {
				return nil
			}
		}
	}
	all := shape.Get("properties")
	if all == nil {
		return nil
	}
	if all = l.constant(all); all.Kind != syntax.Object {
		return nil
	}
	known := []string{}
	for _, p := range all.Kids {
		if p.Kind != syntax.Property || p.Text == "" {
			return nil
		}
		known = append(known, p.Text)
	}
	return known
}

// fieldValue is what a field of an answer holds by its schema.
func (l *linter) fieldValue(from value, name string) value {
	if from.kind == settled {
		if name == "status" || name == "sessionId" {
			return value{kind: str}
		}
		return value{}
	}
	if from.shape == nil {
		return value{}
	}
	all := from.shape.Get("properties")
	if all == nil {
		return value{}
	}
	if shape := l.constant(all).Get(name); shape != nil {
		return l.described(shape)
	}
	return value{}
}

// described is a value that fits a schema.
func (l *linter) described(shape *syntax.Node) value {
	shape = l.constant(shape)
	of := shape.Get("type")
	if of == nil {
		return value{}
	}
	text, _ := l.constant(of).Static()
	switch text {
	case "object":
		return value{kind: data, shape: shape}
	case "array":
		if items := shape.Get("items"); items != nil {
			return listOf(l.described(items))
		}
		return value{kind: list}
	case "string":
		return value{kind: str}
	case "number", "integer":
		return value{kind: number}
	case "boolean":
		return value{kind: boolean}
	}
	return value{}
}

// droppedResult looks for answers that were asked for in a form and are thrown
// away.
func (l *linter) droppedResult(call *syntax.Node) {
	p := call.Parent
	if p.Kind != syntax.Await || p.Parent.Kind != syntax.Expression || l.optionsOf(call).get("schema") == nil {
		return
	}
	l.say("dropped-result", call, "keep it in a constant, or leave the schema out", "the answer was asked for with a schema and is thrown away")
}

// parseCall looks at JSON.parse().
func (l *linter) parseCall(call *syntax.Node) {
	arg := call.Kid(1)
	switch v := l.valueOf(arg); {
	case v.kind == prose:
		l.say("json-parse-result", call, "give agent() a schema: the answer then is an object that was checked",
			"an agent's prose is parsed as JSON: one word around it, and this throws")
	case v.kind == data:
		l.sayError("json-parse-result", call, "use it as it is", "an answer with a schema is an object already")
	case l.path(arg) == "args" && !l.known.typeofs["args"] && l.ends(call):
		l.say("args-parse", call, "write typeof args === 'string' ? JSON.parse(args) : args",
			"args that were given as JSON are parsed already, and then this throws")
	}
}
