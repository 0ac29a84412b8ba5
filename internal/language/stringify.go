package language

import (
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// stringifier is one call of JSON.stringify. Unlike the engine's it puts the
// indent back after an empty array or object, and names the members of a circle.
type stringifier struct {
	lib      *Library
	out      buffer
	gap      string
	indent   string
	replacer goja.Callable
	only     []string // the keys that a list of them lets through
	listed   bool
	path     []step
	values   int
}

// step is one level of the way down: how the object was reached.
type step struct {
	object  *goja.Object
	key     string
	isIndex bool
}

func (l *Library) stringify(call goja.FunctionCall) goja.Value {
	s := &stringifier{lib: l}
	s.readReplacer(call.Argument(1))
	s.gap = l.gapOf(call.Argument(2))
	var holder *goja.Object
	if s.replacer != nil {
		holder = l.rt.NewObject()
		l.put(holder, "", call.Argument(0))
	}
	if !s.value(holder, "", call.Argument(0), false) {
		return goja.Undefined()
	}
	return l.rt.ToValue(string(s.out.bytes))
}

func (s *stringifier) readReplacer(v goja.Value) {
	obj, ok := v.(*goja.Object)
	if !ok {
		return
	}
	if f, ok := goja.AssertFunction(obj); ok {
		s.replacer = f
		return
	}
	if !s.lib.isArray(obj) {
		return
	}
	s.listed = true
	seen := map[string]bool{}
	for i := range s.lib.length(obj) {
		key, ok := keyOf(obj.Get(itoa(i)))
		if ok && !seen[key] {
			seen[key] = true
			s.only = append(s.only, key)
		}
	}
}

// keyOf is a member of the list of keys: a string or a number, boxed or not.
func keyOf(v goja.Value) (string, bool) {
	if obj, ok := v.(*goja.Object); ok {
		class := obj.ClassName()
		return obj.String(), class == "String" || class == "Number"
	}
	if v == nil || !goja.IsString(v) && !goja.IsNumber(v) {
		return "", false
	}
	return v.String(), true
}

func (l *Library) gapOf(v goja.Value) string {
	if obj, ok := v.(*goja.Object); ok {
		switch obj.ClassName() {
		case "Number":
			v = obj.ToNumber()
		case "String":
			v = obj.ToString()
		}
	}
	switch {
	case goja.IsNumber(v):
		return strings.Repeat(" ", int(max(0, min(10, v.ToInteger()))))
	case goja.IsString(v):
		if s := textOf(v); s.Length() > 10 {
			return s.Substring(0, 10).String()
		}
		return v.String()
	}
	return ""
}

// value writes one value, and reports false for one that JSON has not.
func (s *stringifier) value(holder *goja.Object, key string, v goja.Value, isIndex bool) bool {
	l := s.lib
	if s.values++; s.values%4096 == 0 {
		l.ask()
	}
	v = s.prepared(holder, key, v)
	switch t := v.(type) {
	case *goja.Object:
		if _, isFunction := goja.AssertFunction(t); isFunction {
			return false
		}
		switch t.ClassName() {
		case "Number":
			v = t.ToNumber()
		case "String":
			v = t.ToString()
		case "Boolean", "BigInt":
			v = l.rt.ToValue(t.Export())
			if t.ClassName() == "BigInt" {
				l.typeError("Do not know how to serialize a BigInt")
			}
		default:
			s.object(t, step{t, key, isIndex})
			return true
		}
	case *goja.Symbol:
		return false
	}
	return s.primitive(v)
}

func (s *stringifier) primitive(v goja.Value) bool {
	switch {
	case v == nil || goja.IsUndefined(v):
		return false
	case goja.IsString(v):
		quote(&s.out, textOf(v))
	case goja.IsNull(v) || goja.IsNaN(v) || goja.IsInfinity(v):
		s.out.text("null")
	case goja.IsBigInt(v):
		s.lib.typeError("Do not know how to serialize a BigInt")
	default:
		s.out.text(v.String())
	}
	return true
}

// prepared asks toJSON and the replacer.
func (s *stringifier) prepared(holder *goja.Object, key string, v goja.Value) goja.Value {
	l := s.lib
	var method goja.Value
	if obj, ok := v.(*goja.Object); ok {
		method = obj.Get("toJSON")
	} else if goja.IsBigInt(v) {
		method = v.ToObject(l.rt).Get("toJSON")
	}
	if method != nil {
		if f, ok := goja.AssertFunction(method); ok {
			v = l.call(f, v, l.rt.ToValue(key))
		}
	}
	if s.replacer != nil {
		if holder == nil { // only the root has none
			holder = l.rt.NewObject()
		}
		v = l.call(s.replacer, holder, l.rt.ToValue(key), v)
	}
	return v
}

func (s *stringifier) object(o *goja.Object, how step) {
	for i := range s.path {
		if s.path[i].object == o {
			s.circle(i, how)
		}
	}
	if len(s.path) > s.lib.host.MaxDepth {
		s.lib.throw("RangeError", "Maximum call stack size exceeded")
	}
	s.path = append(s.path, how)
	before := s.indent
	s.indent += s.gap
	if s.lib.isArray(o) {
		s.elements(o, before)
	} else {
		s.members(o, before)
	}
	s.indent = before
	s.path = s.path[:len(s.path)-1]
}

func (s *stringifier) elements(o *goja.Object, before string) {
	n := s.lib.length(o)
	s.out.add('[')
	for i := range n {
		s.separate(i > 0)
		key := itoa(i)
		if !s.value(o, key, o.Get(key), true) {
			s.out.text("null")
		}
	}
	s.close(']', n > 0, before)
}

func (s *stringifier) members(o *goja.Object, before string) {
	keys := s.only
	if !s.listed {
		keys = o.Keys()
	}
	s.out.add('{')
	any := false
	for _, key := range keys {
		mark := len(s.out.bytes)
		s.separate(any)
		quote(&s.out, textOf(s.lib.rt.ToValue(key)))
		s.out.add(':')
		if s.gap != "" {
			s.out.add(' ')
		}
		if s.value(o, key, o.Get(key), false) {
			any = true
			continue
		}
		s.out.bytes = s.out.bytes[:mark] // what is left out leaves nothing behind
	}
	s.close('}', any, before)
}

func (s *stringifier) separate(more bool) {
	if more {
		s.out.add(',')
	}
	if s.gap != "" {
		s.out.add('\n')
		s.out.text(s.indent)
	}
}

func (s *stringifier) close(bracket byte, any bool, before string) {
	if any && s.gap != "" {
		s.out.add('\n')
		s.out.text(before)
	}
	s.out.add(bracket)
}

// circle throws V8's description of a circle: the object that it starts at, the
// first and the last objects on it, and the member that closes it.
func (s *stringifier) circle(from int, last step) {
	var b strings.Builder
	b.WriteString("Converting circular structure to JSON\n    --> starting at object with constructor " + constructorOf(s.path[from].object))
	ring := s.path[from+1:]
	for i, one := range ring {
		switch {
		case i < 3 || i == len(ring)-1:
			b.WriteString("\n    |     " + one.how() + " -> object with constructor " + constructorOf(one.object))
		case i == 3:
			b.WriteString("\n    |     ...")
		}
	}
	b.WriteString("\n    --- " + last.how() + " closes the circle")
	s.lib.typeError(b.String())
}

func (s step) how() string {
	if s.isIndex {
		return "index " + s.key
	}
	return "property '" + s.key + "'"
}

func constructorOf(o *goja.Object) string {
	if c, ok := o.Get("constructor").(*goja.Object); ok {
		if name := c.Get("name"); name != nil {
			return "'" + name.String() + "'"
		}
	}
	return "'Object'"
}

// buffer is a text that can be cut back.
type buffer struct{ bytes []byte }

func (b *buffer) add(c byte)    { b.bytes = append(b.bytes, c) }
func (b *buffer) text(s string) { b.bytes = append(b.bytes, s...) }
func (b *buffer) rune(r rune)   { b.bytes = utf8.AppendRune(b.bytes, r) }

// quote writes a string as JSON, a lone surrogate as an escape.
func quote(b *buffer, s goja.String) {
	b.add('"')
	for i := 0; i < s.Length(); i++ {
		u := s.CharAt(i)
		switch {
		case u < 0x20 || u == '"' || u == '\\':
			escapeUnit(b, u)
		case u < utf8.RuneSelf:
			b.add(byte(u))
		case u >= 0xd800 && u < 0xdc00 && i+1 < s.Length() && s.CharAt(i+1) >= 0xdc00 && s.CharAt(i+1) < 0xe000:
			i++
			b.rune((rune(u)-0xd800)<<10 + (rune(s.CharAt(i)) - 0xdc00) + 0x10000)
		case u >= 0xd800 && u < 0xe000:
			escapeUnit(b, u)
		default:
			b.rune(rune(u))
		}
	}
	b.add('"')
}

func escapeUnit(b *buffer, u uint16) {
	const short, names, hex = "\"\\\b\f\n\r\t", `"\bfnrt`, "0123456789abcdef"
	b.add('\\')
	if u < utf8.RuneSelf {
		if i := strings.IndexByte(short, byte(u)); i >= 0 {
			b.add(names[i])
			return
		}
	}
	b.add('u')
	for shift := 12; shift >= 0; shift -= 4 {
		b.add(hex[u>>shift&15])
	}
}
