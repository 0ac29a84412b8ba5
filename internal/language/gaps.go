package language

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/dop251/goja"
)

//go:embed gaps.js
var gapsSource string

//go:embed iterator.js
var iteratorSource string

var (
	gapsProgram     = sync.OnceValue(func() *goja.Program { return goja.MustCompile(file, gapsSource, false) })
	iteratorProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile(file, iteratorSource, false) })
)

// gap is a function that the engine lacks. It is put in place where its name
// stands in the script, so that a script pays only for what it names.
type gap struct {
	owner, name string
	prototype   bool
}

var gaps = []gap{
	{"Object", "groupBy", false}, {"Map", "groupBy", false}, {"Promise", "withResolvers", false}, {"Promise", "try", false},
	{"Array", "fromAsync", false}, {"Error", "captureStackTrace", false}, {"RegExp", "escape", false},
	{"String", "isWellFormed", true}, {"String", "toWellFormed", true},
	{"Object", "__defineGetter__", true}, {"Object", "__defineSetter__", true}, {"Object", "__lookupGetter__", true}, {"Object", "__lookupSetter__", true},
	{"String", "anchor", true}, {"String", "big", true}, {"String", "blink", true}, {"String", "bold", true}, {"String", "fixed", true},
	{"String", "fontcolor", true}, {"String", "fontsize", true}, {"String", "italics", true}, {"String", "link", true}, {"String", "small", true},
	{"String", "strike", true}, {"String", "sub", true}, {"String", "sup", true}, {"String", "substr", true},
}

// iterates finds scripts that may hold an iterator and call a helper of it.
var iterates = regexp.MustCompile(`\.(values|entries|keys)\(\)|\byield\b|Iterator|matchAll|Symbol\.iterator|\bnext\b`)

// fill puts in place what the script names.
func (l *Library) fill() error {
	source := l.host.Source
	var parts *goja.Object
	for _, g := range gaps {
		if !strings.Contains(source, g.name) || (g.name == "try" || g.name == "escape") && !strings.Contains(source, g.owner+"."+g.name) {
			continue
		}
		if parts == nil {
			made, err := l.run(gapsProgram(), l.gapHost())
			if err != nil {
				return err
			}
			parts = made.ToObject(l.rt)
		}
		owner, key := l.rt.Get(g.owner).ToObject(l.rt), g.owner
		if g.prototype {
			owner, key = owner.Get("prototype").ToObject(l.rt), key+"Prototype"
		}
		if owner.Get(g.name) == nil {
			l.define(owner, g.name, parts.Get(key).ToObject(l.rt).Get(g.name), true)
		}
	}
	if strings.Contains(source, "stackTraceLimit") {
		if err := l.rt.Get("Error").ToObject(l.rt).Set("stackTraceLimit", 10); err != nil {
			return err
		}
	}
	for _, name := range []string{"WeakRef", "FinalizationRegistry"} {
		if strings.Contains(source, name) {
			if parts == nil {
				made, err := l.run(gapsProgram(), l.gapHost())
				if err != nil {
					return err
				}
				parts = made.ToObject(l.rt)
			}
			l.define(l.rt.GlobalObject(), name, parts.Get(name), true)
		}
	}
	if !iterates.MatchString(source) {
		return nil
	}
	return l.fillIterators()
}

func (l *Library) fillIterators() error {
	made, err := l.run(iteratorProgram(), l.gapHost())
	if err != nil {
		return err
	}
	both := made.ToObject(l.rt)
	constructor := both.Get("Iterator").ToObject(l.rt)
	l.define(l.rt.GlobalObject(), "Iterator", constructor, true)
	proto, methods := constructor.Get("prototype").ToObject(l.rt), both.Get("methods").ToObject(l.rt)
	for _, name := range methods.Keys() {
		l.define(proto, name, methods.Get(name), true)
	}
	return nil
}

// gapHost is what the functions written in JavaScript ask of ours.
func (l *Library) gapHost() *goja.Object {
	host := l.rt.NewObject()
	l.put(host, "show", l.rt.ToValue(func(call goja.FunctionCall) goja.Value { return l.rt.ToValue(l.show(call.Argument(0))) }))
	l.put(host, "length", l.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		return l.rt.ToValue(toLength(call.Argument(0).ToObject(l.rt).Get("length")))
	}))
	l.put(host, "stack", l.rt.ToValue(l.stackText))
	l.put(host, "wellFormed", l.rt.ToValue(l.wellFormed))
	l.put(host, "quoted", l.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		return l.rt.ToValue(strings.ReplaceAll(call.Argument(0).String(), `"`, "&quot;"))
	}))
	l.put(host, "escape", l.rt.ToValue(func(call goja.FunctionCall) goja.Value { return l.rt.ToValue(escapePattern(call.Argument(0).String())) }))
	return host
}

// escapePattern makes a pattern that matches a text: a letter or digit at its
// start and what has a meaning are escaped.
func escapePattern(text string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	for i, r := range text {
		c := byte(r)
		switch {
		case i == 0 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'), r < 0x80 && strings.IndexByte(",-=<>#&!%:;@~'`\" ", c) >= 0:
			b.WriteString(`\x`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		case r < 0x80 && strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteString(shortEscape(r))
		}
	}
	return b.String()
}

func shortEscape(r rune) string {
	switch r {
	case '\t':
		return `\t`
	case '\n':
		return `\n`
	case '\v':
		return `\v`
	case '\f':
		return `\f`
	case '\r':
		return `\r`
	}
	return string(r)
}

// show is a value as V8 has it in messages.
func (l *Library) show(v goja.Value) string {
	switch t := v.(type) {
	case *goja.Symbol:
		return "Symbol(" + t.String() + ")"
	case *goja.Object:
		if _, ok := goja.AssertFunction(t); ok {
			return t.String()
		}
		if t.ClassName() == "Array" {
			return t.String()
		}
		if c, ok := t.Get("constructor").(*goja.Object); ok {
			return "#<" + c.Get("name").String() + ">"
		}
		return "#<Object>"
	}
	return v.String()
}

// stackText is a stack as Error.captureStackTrace makes it: (head, constructor).
// The frames above the constructor are left out.
func (l *Library) stackText(call goja.FunctionCall) goja.Value {
	var b strings.Builder
	b.WriteString(call.Argument(0).String())
	skip := ""
	if f, ok := call.Argument(1).(*goja.Object); ok {
		skip = f.Get("name").String()
	}
	frames := l.rt.CaptureCallStack(0, nil)
	start := 0
	for i := range frames {
		if skip != "" && frames[i].FuncName() == skip {
			start = i + 1
			break
		}
	}
	for i := range frames[start:] {
		f := &frames[start+i]
		if f.SrcName() == file || f.SrcName() == "<native>" {
			continue
		}
		p := f.Position()
		place := f.SrcName() + ":" + itoa(p.Line) + ":" + itoa(p.Column)
		if name := f.FuncName(); name != "" && name != "<anonymous>" {
			place = name + " (" + place + ")"
		}
		b.WriteString("\n    at " + place)
	}
	return l.rt.ToValue(b.String())
}

// wellFormed is isWellFormed and toWellFormed: (text, name, whether to mend it).
func (l *Library) wellFormed(call goja.FunctionCall) goja.Value {
	v := call.Argument(0)
	if goja.IsUndefined(v) || goja.IsNull(v) {
		l.typeError("String.prototype." + call.Argument(1).String() + " called on null or undefined")
	}
	units := unitsOf(l.toText(v))
	fine := true
	for i := 0; i < len(units); i++ {
		high, low := units[i]&0xfc00 == 0xd800, units[i]&0xfc00 == 0xdc00
		if high && i+1 < len(units) && units[i+1]&0xfc00 == 0xdc00 {
			i++
		} else if high || low {
			fine, units[i] = false, 0xfffd
		}
	}
	if call.Argument(2).ToBoolean() {
		return goja.StringFromUTF16(units)
	}
	return l.rt.ToValue(fine)
}
