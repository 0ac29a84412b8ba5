package language

import (
	"math"
	"unicode/utf16"

	"github.com/dop251/goja"

	"github.com/dsh-go/dsh-workflow/internal/regex"
)

// patterns are the expressions of a realm that our own matcher matches, because
// the engine would match them otherwise or not at all.
type patterns struct {
	list  []pattern
	index map[string]int // by flags, a slash and the source

	text  goja.String // the last text that was searched, and its units
	units []uint16
}

type pattern struct {
	re    *regex.Regexp
	flags regex.Flags
}

// maxPatterns bounds how many expressions are kept; a script that makes new ones
// without end pays for compiling them again.
const maxPatterns = 1000

// RegExp makes the constructor of the language, and the function that makes an
// expression from a literal: (source, flags).
func (l *Library) RegExp(native *goja.Object) (constructor, literal goja.Value, err error) {
	host := l.rt.NewObject()
	for name, f := range map[string]func(goja.FunctionCall) goja.Value{"verdict": l.verdict, "exec": l.exec} {
		if err := host.Set(name, f); err != nil {
			return nil, nil, err
		}
	}
	made, err := l.run(regexpProgram(), host, native)
	if err != nil {
		return nil, nil, err
	}
	both := made.ToObject(l.rt)
	return both.Get("RegExp"), both.Get("literal"), nil
}

// Foreign tells whether a literal must be matched by our own matcher. An error is
// a reason why it is none, in V8's words.
func Foreign(source, flags string) (bool, error) {
	f, ok := regex.ParseFlags(flags)
	if !ok {
		return false, &regex.SyntaxError{Reason: "Invalid regular expression flags"}
	}
	re, err := regex.Compile(utf16.Encode([]rune(source)), f)
	if err != nil {
		return false, err
	}
	return !re.Plain, nil
}

// verdict looks at a source and flags: a text says why they are no expression, a
// number is that of our own, and undefined leaves it to the engine.
func (l *Library) verdict(call goja.FunctionCall) goja.Value {
	source, flags := textOf(call.Argument(0)), textOf(call.Argument(1))
	key := flags.String() + "/" + source.String()
	if n, ok := l.patterns.index[key]; ok {
		return l.rt.ToValue(n)
	}
	f, ok := regex.ParseFlags(flags.String())
	if !ok {
		return l.rt.ToValue("Invalid flags supplied to RegExp constructor '" + flags.String() + "'")
	}
	re, err := regex.Compile(unitsOf(source), f)
	if err != nil {
		return l.rt.ToValue("Invalid regular expression: /" + source.String() + "/" + flags.String() + ": " + err.Error())
	}
	if re.Plain {
		return goja.Undefined()
	}
	l.patterns.list = append(l.patterns.list, pattern{re, f})
	if len(l.patterns.index) < maxPatterns {
		l.patterns.index[key] = len(l.patterns.list) - 1
	}
	return l.rt.ToValue(len(l.patterns.list) - 1)
}

// textOf is ToString of the language, for what is no symbol.
func textOf(v goja.Value) goja.String {
	s, ok := v.ToString().(goja.String)
	if !ok {
		return goja.StringFromUTF16(utf16.Encode([]rune(v.String())))
	}
	return s
}

func unitsOf(s goja.String) []uint16 {
	units := make([]uint16, s.Length())
	for i := range units {
		units[i] = s.CharAt(i)
	}
	return units
}

// unitsOf keeps the units of the last text: a global search asks for the same one
// again and again.
func (p *patterns) unitsOf(s goja.String) []uint16 {
	if p.text == nil || !p.text.SameAs(s) {
		p.text, p.units = s, unitsOf(s)
	}
	return p.units
}

// exec is RegExpBuiltinExec of the language: (number, expression, text).
func (l *Library) exec(call goja.FunctionCall) goja.Value {
	p := l.patterns.list[call.Argument(0).ToInteger()]
	this, text := call.Argument(1).ToObject(l.rt), textOf(call.Argument(2))
	at := toLength(this.Get("lastIndex"))
	if !p.flags.Global && !p.flags.Sticky {
		at = 0
	}
	if at > int64(text.Length()) {
		l.setLastIndex(this, 0)
		return goja.Null()
	}
	search := p.re.Find
	if p.flags.Sticky {
		search = p.re.Match
	}
	loc, err := search(l.patterns.unitsOf(text), int(at), l.host.Stop)
	if err != nil {
		l.stop(err)
		return goja.Null()
	}
	if loc == nil {
		if p.flags.Global || p.flags.Sticky {
			l.setLastIndex(this, 0)
		}
		return goja.Null()
	}
	if p.flags.Global || p.flags.Sticky {
		l.setLastIndex(this, loc[1])
	}
	return l.match(p, text, loc)
}

func (l *Library) setLastIndex(this *goja.Object, n int) {
	if err := this.Set("lastIndex", n); err != nil {
		panic(err)
	}
}

func toLength(v goja.Value) int64 {
	if v == nil {
		return 0
	}
	n := v.ToNumber().ToFloat()
	switch {
	case !(n > 0):
		return 0
	case n > 1<<53-1:
		return 1<<53 - 1
	}
	return int64(math.Trunc(n))
}

// match builds the array of a match.
func (l *Library) match(p pattern, text goja.String, loc []int) goja.Value {
	values, places := make([]any, len(loc)/2), make([]any, len(loc)/2)
	for i := range values {
		from, to := loc[2*i], loc[2*i+1]
		if from < 0 {
			values[i], places[i] = goja.Undefined(), goja.Undefined()
			continue
		}
		values[i] = text.Substring(from, to)
		if p.flags.Indices {
			places[i] = l.rt.NewArray(from, to)
		}
	}
	m := l.rt.NewArray(values...)
	l.put(m, "index", l.rt.ToValue(loc[0]))
	l.put(m, "input", text)
	l.put(m, "groups", l.groups(p, values))
	if p.flags.Indices {
		indices := l.rt.NewArray(places...)
		l.put(indices, "groups", l.groups(p, places))
		l.put(m, "indices", indices)
	}
	return m
}

// groups is the object of the named groups, undefined where there are none.
func (l *Library) groups(p pattern, values []any) goja.Value {
	if len(p.re.Groups) == 0 {
		return goja.Undefined()
	}
	made := l.rt.CreateObject(nil)
	for _, g := range p.re.Groups {
		l.put(made, g.Name, l.rt.ToValue(values[g.Index]))
	}
	return made
}

// put adds an ordinary property without asking setters.
func (l *Library) put(to *goja.Object, name string, v goja.Value) {
	if err := to.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		panic(err)
	}
}
