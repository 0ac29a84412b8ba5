package language

import (
	"fmt"

	"github.com/dop251/goja"
)

// fault throws a SyntaxError.
func (p *jsonParser) fault(text string) { p.lib.throw("SyntaxError", text) }

// at adds the place at hand to a text.
func (p *jsonParser) at(text string) string {
	line, column := 1, 1
	for i, u := range p.units[:p.pos] {
		column++
		if u == '\n' || u == '\r' && !(i+1 < len(p.units) && p.units[i+1] == '\n') {
			line++
			column = 1
		}
	}
	return fmt.Sprintf("%s at position %d (line %d column %d)", text, p.pos, line, column)
}

// unexpected is a fault for which V8 shows the text around it: up to ten units on
// either side.
func (p *jsonParser) unexpected() {
	const around = 10
	if p.pos == len(p.units) {
		p.fault("Unexpected end of JSON input")
	}
	whole := p.text.String()
	switch whole {
	case "undefined", "NaN", "Infinity", "[object Object]":
		p.fault(`"` + whole + `" is not valid JSON`)
	}
	token := p.text.Substring(p.pos, p.pos+1).String()
	from, to, before, after := 0, len(p.units), "", ""
	if len(p.units) > 2*around {
		if p.pos >= around {
			from, before = p.pos-around, "..."
		}
		if p.pos < len(p.units)-around {
			to, after = p.pos+around, "..."
		}
	}
	p.fault(fmt.Sprintf(`Unexpected token '%s', %s"%s"%s is not valid JSON`, token, before, p.text.Substring(from, to), after))
}

// toText is ToString of the language.
func (l *Library) toText(v goja.Value) goja.String {
	if _, ok := v.(*goja.Symbol); ok {
		l.typeError("Cannot convert a Symbol value to a string")
	}
	return textOf(v)
}
