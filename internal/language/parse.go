package language

import (
	"strconv"

	"github.com/dop251/goja"
)

// jsonParser reads JSON over UTF-16 units, so that lone surrogates survive.
type jsonParser struct {
	lib    *Library
	text   goja.String
	units  []uint16
	pos    int
	depth  int
	values int
}

func (l *Library) parse(call goja.FunctionCall) goja.Value {
	text := l.toText(call.Argument(0))
	p := &jsonParser{lib: l, text: text, units: unitsOf(text)}
	v := p.value()
	p.space()
	if p.pos < len(p.units) {
		p.fault(p.at("Unexpected non-whitespace character after JSON"))
	}
	if reviver, ok := goja.AssertFunction(call.Argument(1)); ok {
		root := l.rt.NewObject()
		l.put(root, "", v)
		return l.revive(reviver, root, "")
	}
	return v
}

func (p *jsonParser) space() {
	for p.pos < len(p.units) {
		switch p.units[p.pos] {
		case ' ', '\n', '\r', '\t':
			p.pos++
		default:
			return
		}
	}
}

// next is the unit at hand behind white space, 0 at the end.
func (p *jsonParser) next() uint16 {
	p.space()
	if p.pos == len(p.units) {
		return 0
	}
	return p.units[p.pos]
}

func (p *jsonParser) value() goja.Value {
	if p.values++; p.values%4096 == 0 {
		p.lib.ask()
	}
	switch c := p.next(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		return p.string()
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	case c == 't':
		return p.word("true", true)
	case c == 'f':
		return p.word("false", false)
	case c == 'n':
		return p.word("null", nil)
	}
	p.unexpected()
	return nil
}

func (p *jsonParser) word(word string, v any) goja.Value {
	for i := range word {
		if p.pos == len(p.units) || p.units[p.pos] != uint16(word[i]) {
			p.unexpected()
		}
		p.pos++
	}
	if v == nil {
		return goja.Null()
	}
	return p.lib.rt.ToValue(v)
}

func (p *jsonParser) enter() {
	p.pos++
	if p.depth++; p.depth > p.lib.host.MaxDepth {
		p.lib.throw("RangeError", "JSON.parse: the text nests too deeply")
	}
}

func (p *jsonParser) object() goja.Value {
	p.enter()
	o := p.lib.rt.NewObject()
	for first := true; ; first = false {
		c := p.next()
		switch {
		case c == '}' && first:
			p.pos++
			p.depth--
			return o
		case c == '"':
		case first:
			p.fault(p.at("Expected property name or '}' in JSON"))
		default:
			p.fault(p.at("Expected double-quoted property name in JSON"))
		}
		key := p.string().String()
		if p.next() != ':' {
			p.fault(p.at("Expected ':' after property name in JSON"))
		}
		p.pos++
		p.lib.put(o, key, p.value())
		switch p.next() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			p.depth--
			return o
		default:
			p.fault(p.at("Expected ',' or '}' after property value in JSON"))
		}
	}
}

func (p *jsonParser) array() goja.Value {
	p.enter()
	var items []any
	if p.next() == ']' {
		p.pos++
		p.depth--
		return p.lib.rt.NewArray()
	}
	for {
		items = append(items, p.value())
		switch p.next() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			p.depth--
			return p.lib.rt.NewArray(items...)
		default:
			p.fault(p.at("Expected ',' or ']' after array element in JSON"))
		}
	}
}

func (p *jsonParser) string() goja.Value {
	p.pos++
	start := p.pos
	for ; p.pos < len(p.units); p.pos++ {
		switch c := p.units[p.pos]; {
		case c == '"':
			p.pos++
			return p.text.Substring(start, p.pos-1)
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			p.fault(p.at("Bad control character in string literal in JSON"))
		}
	}
	p.fault(p.at("Unterminated string in JSON"))
	return nil
}

// escaped reads a string from its first escape on.
func (p *jsonParser) escaped(start int) goja.Value {
	out := append([]uint16(nil), p.units[start:p.pos]...)
	for p.pos < len(p.units) {
		c := p.units[p.pos]
		p.pos++
		switch {
		case c == '"':
			return goja.StringFromUTF16(out)
		case c == '\\':
			out = append(out, p.escape())
		case c < 0x20:
			p.pos--
			p.fault(p.at("Bad control character in string literal in JSON"))
		default:
			out = append(out, c)
		}
	}
	p.fault(p.at("Unterminated string in JSON"))
	return nil
}

func (p *jsonParser) escape() uint16 {
	if p.pos == len(p.units) {
		p.unexpected()
	}
	c := p.units[p.pos]
	p.pos++
	switch c {
	case '"', '\\', '/':
		return c
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		return p.hex()
	}
	p.pos--
	p.fault(p.at("Bad escaped character in JSON"))
	return 0
}

func (p *jsonParser) hex() uint16 {
	var n uint16
	for range 4 {
		if p.pos == len(p.units) {
			p.unexpected()
		}
		switch c := p.units[p.pos]; {
		case '0' <= c && c <= '9':
			n = n<<4 + c - '0'
		case 'a' <= c && c <= 'f':
			n = n<<4 + c - 'a' + 10
		case 'A' <= c && c <= 'F':
			n = n<<4 + c - 'A' + 10
		default:
			p.fault(p.at("Bad Unicode escape in JSON"))
		}
		p.pos++
	}
	return n
}

func (p *jsonParser) digits() bool {
	start := p.pos
	for p.pos < len(p.units) && '0' <= p.units[p.pos] && p.units[p.pos] <= '9' {
		p.pos++
	}
	return p.pos > start
}

func (p *jsonParser) is(set string) bool {
	for i := range set {
		if p.pos < len(p.units) && p.units[p.pos] == uint16(set[i]) {
			return true
		}
	}
	return false
}

func (p *jsonParser) number() goja.Value {
	start := p.pos
	if p.is("-") {
		p.pos++
	}
	switch {
	case p.is("0"):
		p.pos++
		if p.is("0123456789") {
			p.fault(p.at("Unexpected number in JSON"))
		}
	case !p.digits():
		p.fault(p.at("No number after minus sign in JSON"))
	}
	if p.is(".") {
		p.pos++
		if !p.digits() {
			p.fault(p.at("Unterminated fractional number in JSON"))
		}
	}
	if p.is("eE") {
		p.pos++
		if p.is("+-") {
			p.pos++
		}
		if !p.digits() {
			p.fault(p.at("Exponent part is missing a number in JSON"))
		}
	}
	n, _ := strconv.ParseFloat(p.text.Substring(start, p.pos).String(), 64) // too large is infinite, as in the language
	return p.lib.rt.ToValue(n)
}

// revive is InternalizeJSONProperty of the language.
func (l *Library) revive(f goja.Callable, holder *goja.Object, key string) goja.Value {
	v := holder.Get(key)
	if o, ok := v.(*goja.Object); ok {
		keys := []string{}
		if l.isArray(o) {
			for i := range l.length(o) {
				keys = append(keys, itoa(i))
			}
		} else {
			keys = o.Keys()
		}
		for _, k := range keys {
			made := l.revive(f, o, k)
			if goja.IsUndefined(made) {
				_ = o.Delete(k) // one that cannot be deleted stays
			} else {
				_ = o.DefineDataProperty(k, made, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			}
		}
	}
	return l.call(f, holder, l.rt.ToValue(key), v)
}
