package vm

import (
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
)

// The engine's errors are put into V8's words when a script first sees one: it may
// have been written to look for those words, and models know them. What the
// engine's text does not say comes from the source at the place of the error.

// seen tidies an error of the engine that the script is about to look at: its
// stack reads as in Node, and its message as V8's.
func (r *realm) seen(v goja.Value) {
	obj, ok := v.(*goja.Object)
	if !ok || isProxy(obj) || obj.ClassName() != "Error" || r.fatals[obj] != nil {
		return
	}
	stack, ok := obj.Get("stack").(goja.String)
	if !ok {
		return
	}
	raw := stack.String()
	first, frames, found := strings.Cut(raw, "\n\tat ")
	if !found {
		return
	}
	tidy := first + "\n" + tidyStack("\n\tat " + frames)[1:]
	message, isText := obj.Get("message").(goja.String)
	if isText {
		if better := r.reword(message.String(), frames); better != "" {
			tidy = strings.Replace(tidy, message.String(), better, 1)
			r.hide(obj, "message", better)
		}
	}
	r.hide(obj, "stack", tidy)
}

func (r *realm) hide(obj *goja.Object, name, text string) {
	// One that is frozen keeps what it has.
	_ = obj.DefineDataProperty(name, r.rt.ToValue(text), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// seenValue is seen as a function of the realm, which gives its argument back.
func (r *realm) seenValue(call goja.FunctionCall) goja.Value {
	r.seen(call.Argument(0))
	return call.Argument(0)
}

var (
	readOfMissing = regexp.MustCompile(`^Cannot read property '(.*)' of undefined( or null)?$`)
	notCallable   = regexp.MustCompile(`^Value is not callable: (.*)$`)
	notObject     = regexp.MustCompile(`^(Value is not an object: |Object has no member '|Not a function: )`)
)

// reword gives V8's text for one of the engine's, "" to leave it.
func (r *realm) reword(message, frames string) string {
	if m := readOfMissing.FindStringSubmatch(message); m != nil {
		return "Cannot read properties of undefined (reading '" + m[1] + "')"
	}
	if m := notCallable.FindStringSubmatch(message); m != nil {
		return valueWord(m[1]) + " is not a function"
	}
	for _, w := range words {
		if message == w.engine || w.prefix && strings.HasPrefix(message, w.engine) {
			return w.v8
		}
	}
	if !strings.HasPrefix(message, "Value is not") && !strings.HasPrefix(message, "Object has no") && !strings.HasPrefix(message, "Cannot ") &&
		message != "object is not iterable" && message != "Not a function" {
		return ""
	}
	frame, _, _ := strings.Cut(frames, "\n")
	if !strings.Contains(frame, r.file+":") {
		return ""
	}
	pos := r.byteOffset(frame)
	if pos < 0 {
		return ""
	}
	at := r.source()[pos]
	switch {
	case message == "Cannot access a variable before initialization":
		if id, ok := at.(*ast.Identifier); ok {
			return "Cannot access '" + id.Name.String() + "' before initialization"
		}
	case message == "Value is not a constructor", notObject.MatchString(message):
		switch n := at.(type) {
		case *ast.CallExpression:
			return printed(n.Callee) + " is not a function"
		case *ast.NewExpression:
			return wordsOfNew(printed(n.Callee), message)
		}
	case message == "Cannot convert undefined or null to object":
		if key, ok := assigned(at); ok {
			return "Cannot set properties of undefined (setting '" + key + "')"
		}
	}
	return ""
}

// wordsOfNew is what went wrong behind new. The constructors of the language say
// with the same text of the engine what is wrong with their arguments.
func wordsOfNew(callee, message string) string {
	value, isValue := strings.CutPrefix(message, "Value is not an object: ")
	switch {
	case strings.HasSuffix(callee, "Error"):
		return "" // the script made it, with a text like the engine's
	case !isValue:
	case callee == "Promise":
		return "Promise resolver " + valueWord(value) + " is not a function"
	case callee == "Map" || callee == "WeakMap":
		return "Iterator value " + valueWord(value) + " is not an entry object"
	case strings.Contains(" Set WeakSet WeakRef Proxy Date RegExp Array Object Error ", " "+callee+" "):
		return ""
	}
	return callee + " is not a constructor"
}

// words are texts that need nothing but another wording.
var words = []struct {
	engine, v8 string
	prefix     bool
}{
	{"Could not convert &{", "Cannot convert object to primitive value", true}, // it shows addresses
	{"Malformed URI", "URI malformed", false},
	{"Promise self-resolution", "Chaining cycle detected for promise #<Promise>", false},
	{"RegExp doesn't have global flag set", "String.prototype.matchAll called with a non-global RegExp argument", false},
	{"Must call super constructor in derived class before ", "Must call super constructor in derived class before accessing 'this' or returning from derived constructor", true},
}

// valueWord is how V8 shows a value in a message.
func valueWord(text string) string {
	if strings.HasPrefix(text, "[object ") {
		return "#<" + strings.TrimSuffix(text[len("[object "):], "]") + ">"
	}
	return text
}

// byteOffset is the place of a frame in the body, -1 if it has none.
func (r *realm) byteOffset(frame string) int {
	_, place, _ := strings.Cut(frame, r.file+":")
	line := leadingInt(place)
	_, place, _ = strings.Cut(place, ":")
	column := leadingInt(place)
	if line < 1 || column < 1 {
		return -1
	}
	start := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(r.script.Body[start:], '\n')
		if n < 0 {
			return -1
		}
		start += n + 1
	}
	return start + column - 1
}

// source finds the nodes that errors point to, by their offset.
func (r *realm) source() map[int]any {
	if r.js.nodes != nil {
		return r.js.nodes
	}
	r.js.nodes = map[int]any{}
	tree, err := treeOf(r.script.Body, r.file, r.opts)
	if err != nil {
		return r.js.nodes
	}
	walkTree(tree.Program, 0, func(node any) {
		switch n := node.(type) {
		case *ast.CallExpression:
			r.js.nodes[int(n.LeftParenthesis)-1] = n
		case *ast.NewExpression:
			r.js.nodes[int(n.Idx0())-1] = n
		case *ast.Identifier:
			if at := int(n.Idx) - 1; r.js.nodes[at] == nil {
				r.js.nodes[at] = n
			}
		case *ast.AssignExpression:
			switch left := n.Left.(type) {
			case *ast.DotExpression:
				r.js.nodes[int(left.Identifier.Idx)-1] = n
			case *ast.BracketExpression:
				r.js.nodes[int(left.LeftBracket)-1] = n
			}
		}
	})
	return r.js.nodes
}

// assigned is the key of the member that an assignment writes, where the source
// has it.
func assigned(node any) (string, bool) {
	n, ok := node.(*ast.AssignExpression)
	if !ok {
		return "", false
	}
	switch left := n.Left.(type) {
	case *ast.DotExpression:
		return left.Identifier.Name.String(), true
	case *ast.BracketExpression:
		switch key := left.Member.(type) {
		case *ast.StringLiteral:
			return key.Value.String(), true
		case *ast.NumberLiteral:
			return key.Literal, true
		}
	}
	return "", false
}
