package vm

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// boundaryFault says which part of a value cannot leave the realm.
type boundaryFault struct{ path, reason string }

func (f *boundaryFault) Error() string { return f.path + ": " + f.reason }

const undefinedMember = "undefined was dropped: JSON has no undefined"
const undefinedElement = "undefined became null: JSON has no undefined"

// coercion is one place where a value changed on its way out.
type coercion struct{ path, what string }

// encoder writes a value of the realm as JSON text. It runs no code of the
// script: accessors and proxies are refused before they are asked.
// Loop only.
type encoder struct {
	realm   *realm
	out     strings.Builder
	path    []string // segments; the first is the label of the root
	open    map[*goja.Object]bool
	nodes   int
	changes []coercion
}

// encode is the JSON text of v, "" for undefined, and what had to be changed.
// The error is a *boundaryFault, or the reason why the realm must stop.
func (r *realm) encode(v goja.Value, label string) (string, []coercion, error) {
	if v == nil || goja.IsUndefined(v) {
		return "", nil, nil
	}
	e := &encoder{realm: r, path: []string{label}, open: map[*goja.Object]bool{}}
	if name := r.polluted(); name != "" {
		return "", nil, e.fault("Object.prototype was changed (" + name + "), so no value can be read without running code")
	}
	if err := e.value(v); err != nil {
		return "", nil, err
	}
	return e.out.String(), e.changes, nil
}

// polluted names a member of Object.prototype that would turn a look at a
// property descriptor into a call of the script: the engine fills descriptors
// by plain assignment, which finds inherited setters.
func (r *realm) polluted() string {
	if r.js.objectProto.Prototype() != nil {
		return "prototype"
	}
	for _, key := range r.js.objectProto.GetOwnPropertyNames() {
		switch key {
		case "value", "writable", "get", "set", "enumerable", "configurable":
			return key
		}
	}
	return ""
}

func (e *encoder) fault(reason string) error {
	return &boundaryFault{path: strings.Join(e.path, ""), reason: reason}
}

func (e *encoder) value(v goja.Value) error {
	if e.nodes++; e.nodes%1024 == 0 {
		// A native walk cannot be interrupted, so it asks.
		if err := e.realm.guard.dead(); err != nil {
			return err
		}
	}
	if e.out.Len() > e.realm.opts.MaxValue {
		return e.fault(fmt.Sprintf("the value is larger than %d bytes", e.realm.opts.MaxValue))
	}
	switch t := v.(type) {
	case *goja.Object:
		return e.object(t)
	case *goja.Symbol:
		return e.fault("symbols are not plain JSON data")
	case goja.String:
		quoteInto(&e.out, t)
		return nil
	}
	switch {
	case goja.IsNull(v) || v.ExportType() == boolType:
		e.out.WriteString(v.String())
	case goja.IsBigInt(v):
		return e.fault("bigints are not JSON data")
	case goja.IsNaN(v) || goja.IsInfinity(v):
		return e.fault("non-finite numbers are not JSON data")
	case goja.IsNumber(v):
		e.out.WriteString(v.String()) // the language's own form; -0 is "0"
	default:
		return e.fault("unknown kind of value")
	}
	return nil
}

var (
	boolType  = reflect.TypeFor[bool]()
	proxyType = reflect.TypeFor[goja.Proxy]()
)

func isProxy(o *goja.Object) bool { return o.ExportType() == proxyType }

func (e *encoder) object(o *goja.Object) error {
	if isProxy(o) {
		return e.fault("proxies are not plain JSON data")
	}
	if _, callable := goja.AssertFunction(o); callable {
		return e.fault("functions are not plain JSON data")
	}
	if e.open[o] {
		return e.fault("circular references are not JSON data")
	}
	if len(e.open) >= e.realm.opts.MaxValueDepth {
		return e.fault(fmt.Sprintf("the value nests deeper than %d levels", e.realm.opts.MaxValueDepth))
	}
	if len(o.Symbols()) > 0 {
		return e.fault("symbol-keyed properties are not plain JSON data")
	}
	e.open[o] = true
	defer delete(e.open, o)
	if o.ClassName() == "Array" {
		return e.array(o)
	}
	if o.ExportType() == promiseType {
		return e.fault("a promise is not JSON data: put await before the call that gave it")
	}
	if !plainPrototype(o) {
		return e.fault("only plain objects and arrays are JSON data (exotic prototype)")
	}
	return e.members(o)
}

// plainPrototype: null, or a prototype that has none itself, as every realm's
// Object.prototype.
func plainPrototype(o *goja.Object) bool {
	proto := o.Prototype()
	return proto == nil || !isProxy(proto) && proto.Prototype() == nil
}

func (e *encoder) members(o *goja.Object) error {
	e.out.WriteByte('{')
	first := true
	for _, key := range o.Keys() {
		e.path = append(e.path, keySegment(key))
		v, err := e.read(o, key)
		if err != nil {
			return err
		}
		if goja.IsUndefined(v) {
			e.change(undefinedMember)
		} else {
			if !first {
				e.out.WriteByte(',')
			}
			first = false
			quoteInto(&e.out, e.realm.rt.ToValue(key).(goja.String))
			e.out.WriteByte(':')
			if err := e.value(v); err != nil {
				return err
			}
		}
		e.path = e.path[:len(e.path)-1]
	}
	e.out.WriteByte('}')
	return nil
}

func (e *encoder) array(o *goja.Object) error {
	length := int(o.Get("length").ToInteger()) // an own data property of every array
	keys := o.Keys()
	for i, key := range keys {
		// Index keys come first and in order, so the first that differs is a hole
		// or a name.
		if i < length && key == strconv.Itoa(i) {
			continue
		}
		if n, err := strconv.ParseUint(key, 10, 32); err == nil && int(n) < length && strconv.FormatUint(n, 10) == key {
			e.path = append(e.path, indexSegment(i))
			return e.fault("sparse arrays are not JSON data")
		}
		e.path = append(e.path, keySegment(key))
		return e.fault("arrays with non-index properties are not JSON data")
	}
	if len(keys) < length {
		e.path = append(e.path, indexSegment(len(keys)))
		return e.fault("sparse arrays are not JSON data")
	}
	e.out.WriteByte('[')
	for i, key := range keys {
		if i > 0 {
			e.out.WriteByte(',')
		}
		e.path = append(e.path, indexSegment(i))
		v, err := e.read(o, key)
		if err != nil {
			return err
		}
		if goja.IsUndefined(v) {
			e.change(undefinedElement)
			e.out.WriteString("null")
		} else if err := e.value(v); err != nil {
			return err
		}
		e.path = e.path[:len(e.path)-1]
	}
	e.out.WriteByte(']')
	return nil
}

// read takes an own enumerable property without running its getter.
func (e *encoder) read(o *goja.Object, key string) (goja.Value, error) {
	got, err := e.realm.js.descriptor(goja.Undefined(), o, e.realm.rt.ToValue(key))
	if err != nil {
		return nil, err
	}
	desc, ok := got.(*goja.Object)
	if !ok {
		return nil, e.fault("the property name is not valid Unicode")
	}
	// Without a prototype an absent "value" cannot be looked up elsewhere.
	if err := desc.SetPrototype(nil); err != nil {
		return nil, err
	}
	v := desc.Get("value")
	if v == nil {
		return nil, e.fault("accessor properties cannot cross the workflow realm boundary")
	}
	return v, nil
}

func (e *encoder) change(what string) {
	e.changes = append(e.changes, coercion{strings.Join(e.path, ""), what})
}

func indexSegment(i int) string { return "[" + strconv.Itoa(i) + "]" }

func keySegment(key string) string {
	for i, c := range key {
		if c != '_' && c != '$' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') && c != '-' {
			return "[" + strconv.Quote(key) + "]"
		}
	}
	return "." + key
}

// quoteInto writes a JSON string as JSON.stringify does: short escapes, no
// escapes for what JSON allows, lone surrogates as \udXXX.
func quoteInto(b *strings.Builder, s goja.String) {
	text := s.String()
	if strings.ContainsRune(text, utf8.RuneError) {
		quoteUnits(b, s)
		return
	}
	b.WriteByte('"')
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b.WriteString(text[start:i])
		writeEscape(b, c)
		start = i + 1
	}
	b.WriteString(text[start:])
	b.WriteByte('"')
}

// quoteUnits goes by UTF-16 units, because Go's strings cannot hold a lone
// surrogate.
func quoteUnits(b *strings.Builder, s goja.String) {
	b.WriteByte('"')
	for i := 0; i < s.Length(); i++ {
		u := rune(s.CharAt(i))
		switch {
		case u < 0x20 || u == '"' || u == '\\':
			writeEscape(b, byte(u))
		case u >= 0xd800 && u < 0xdc00 && i+1 < s.Length() && isLow(s.CharAt(i+1)):
			i++
			b.WriteRune((u-0xd800)<<10 + (rune(s.CharAt(i)) - 0xdc00) + 0x10000)
		case u >= 0xd800 && u < 0xe000:
			fmt.Fprintf(b, `\u%04x`, u)
		default:
			b.WriteRune(u)
		}
	}
	b.WriteByte('"')
}

func isLow(u uint16) bool { return u >= 0xdc00 && u < 0xe000 }

func writeEscape(b *strings.Builder, c byte) {
	switch c {
	case '"', '\\':
		b.WriteByte('\\')
		b.WriteByte(c)
	case '\b':
		b.WriteString(`\b`)
	case '\f':
		b.WriteString(`\f`)
	case '\n':
		b.WriteString(`\n`)
	case '\r':
		b.WriteString(`\r`)
	case '\t':
		b.WriteString(`\t`)
	default:
		fmt.Fprintf(b, `\u%04x`, c)
	}
}

// jsonDepth is how deep brackets nest in a JSON text, up to limit+1.
func jsonDepth(text string, limit int) int {
	depth, deepest := 0, 0
	for i := 0; i < len(text) && deepest <= limit; i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
	}
	return deepest
}
