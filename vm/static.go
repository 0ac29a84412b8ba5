package vm

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// static is a value that stands in the source. It is never changed once made:
// a constant that is named twice is one value in two places.
type static struct {
	kind  byte // '{', '[', '"', 'j' for other JSON, 'u' for undefined
	text  string
	keys  []string
	index map[string]int // of keys
	items []*static
}

const (
	// maxStatic bounds the bytes of one value, and maxStatics the bytes and members
	// of all values of a script together: constants inside of constants can double at
	// every step.
	maxStatic      = 1 << 20
	maxStatics     = 8 << 20
	maxStaticDepth = 200
)

// statics evaluates expressions without running anything. It knows the constants
// of the outermost level of one script.
type statics struct {
	constants map[string]ast.Expression
	values    map[string]*static
	busy      map[string]bool // constants that are being evaluated
	depth     int
	spent     int
}

// value gives nil for what only running could tell.
func (e *statics) value(x ast.Expression) *static {
	if e.depth >= maxStaticDepth || !e.spend(1) {
		return nil
	}
	e.depth++
	defer func() { e.depth-- }()
	switch n := x.(type) {
	case *ast.ObjectLiteral:
		return e.object(n)
	case *ast.ArrayLiteral:
		return e.array(n)
	case *ast.StringLiteral:
		return &static{kind: '"', text: n.Value.String()}
	case *ast.TemplateLiteral:
		return e.template(n)
	case *ast.NumberLiteral:
		return plainJSON(n.Value)
	case *ast.BooleanLiteral:
		return plainJSON(n.Value)
	case *ast.NullLiteral:
		return plainJSON(nil)
	case *ast.UnaryExpression:
		return e.negative(n)
	case *ast.BinaryExpression:
		return e.sum(n)
	case *ast.Identifier:
		return e.constant(n.Name.String())
	case *ast.DotExpression:
		return e.value(n.Left).member(n.Identifier.Name.String())
	case *ast.BracketExpression:
		if key := e.value(n.Member); key != nil && key.kind == '"' {
			return e.value(n.Left).member(key.text)
		}
	case *ast.CallExpression:
		if isFreeze(n) {
			return e.value(n.ArgumentList[0])
		}
	}
	return nil
}

// spend reports whether n more bytes or members are within the bound.
func (e *statics) spend(n int) bool {
	e.spent += n
	return e.spent <= maxStatics
}

// plainJSON is a number, a boolean or null.
func plainJSON(v any) *static {
	if _, ok := v.(*big.Int); ok {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil // not finite
	}
	return &static{kind: 'j', text: string(b)}
}

func isFreeze(n *ast.CallExpression) bool {
	dot, ok := n.Callee.(*ast.DotExpression)
	if !ok || dot.Identifier.Name != "freeze" || len(n.ArgumentList) != 1 {
		return false
	}
	id, ok := dot.Left.(*ast.Identifier)
	return ok && id.Name == "Object"
}

func (e *statics) constant(name string) *static {
	if v, ok := e.values[name]; ok {
		return v
	}
	x, ok := e.constants[name]
	if !ok {
		if name == "undefined" {
			return &static{kind: 'u'}
		}
		return nil
	}
	if e.busy[name] {
		return nil
	}
	e.busy[name] = true
	v := e.value(x)
	e.values[name] = v
	return v
}

func (e *statics) object(n *ast.ObjectLiteral) *static {
	out := &static{kind: '{'}
	for _, p := range n.Value {
		if !e.property(out, p) {
			return nil
		}
	}
	return out
}

// property adds one property of a literal, or says that it cannot.
func (e *statics) property(out *static, p ast.Property) bool {
	switch p := p.(type) {
	case *ast.PropertyShort:
		v := e.constant(p.Name.Name.String())
		out.set(p.Name.Name.String(), v)
		return v != nil
	case *ast.PropertyKeyed:
		key := e.value(p.Key)
		if key == nil || p.Kind != ast.PropertyKindValue || key.kind != '"' && key.kind != 'j' {
			return false
		}
		if key.text == "__proto__" && !p.Computed {
			return false
		}
		v := e.value(p.Value)
		out.set(key.text, v)
		return v != nil
	case *ast.SpreadElement:
		from := e.value(p.Expression)
		if from == nil || from.kind != '{' || !e.spend(len(from.keys)) {
			return false
		}
		for i, key := range from.keys {
			out.set(key, from.items[i])
		}
		return true
	}
	return false
}

func (e *statics) array(n *ast.ArrayLiteral) *static {
	out := &static{kind: '['}
	for _, x := range n.Value {
		if spread, ok := x.(*ast.SpreadElement); ok {
			from := e.value(spread.Expression)
			if from == nil || from.kind != '[' || !e.spend(len(from.items)) {
				return nil
			}
			out.items = append(out.items, from.items...)
			continue
		}
		v := e.value(x) // nil for a hole
		if v == nil {
			return nil
		}
		out.items = append(out.items, v)
	}
	return out
}

func (e *statics) template(n *ast.TemplateLiteral) *static {
	if n.Tag != nil {
		return nil
	}
	var b strings.Builder
	for i, part := range n.Elements {
		b.WriteString(part.Parsed.String())
		if i >= len(n.Expressions) {
			continue
		}
		v := e.value(n.Expressions[i])
		if v == nil || v.kind != '"' && v.kind != 'j' || b.Len() > maxStatic {
			return nil
		}
		b.WriteString(v.text)
	}
	if !e.spend(b.Len()) {
		return nil
	}
	return &static{kind: '"', text: b.String()}
}

func (e *statics) negative(n *ast.UnaryExpression) *static {
	v := e.value(n.Operand)
	if n.Operator != token.MINUS || v == nil || v.kind != 'j' || v.text[0] < '0' || v.text[0] > '9' {
		return nil
	}
	return &static{kind: 'j', text: "-" + v.text}
}

// sum joins strings.
func (e *statics) sum(n *ast.BinaryExpression) *static {
	if n.Operator != token.PLUS {
		return nil
	}
	left, right := e.value(n.Left), e.value(n.Right)
	if left == nil || right == nil || left.kind != '"' || right.kind != '"' || !e.spend(len(left.text)+len(right.text)) {
		return nil
	}
	return &static{kind: '"', text: left.text + right.text}
}

// set keeps the place of a key that is there already, as the language does.
func (v *static) set(key string, item *static) {
	if i, ok := v.index[key]; ok {
		v.items[i] = item
		return
	}
	if v.index == nil {
		v.index = map[string]int{}
	}
	v.index[key] = len(v.keys)
	v.keys, v.items = append(v.keys, key), append(v.items, item)
}

// member is nil also for keys that are not the object's own.
func (v *static) member(key string) *static {
	if v == nil || v.kind != '{' {
		return nil
	}
	if i, ok := v.index[key]; ok {
		return v.items[i]
	}
	return nil
}

// json writes the value as JSON.stringify would, or nothing when it is too long.
func (e *statics) json(v *static) json.RawMessage {
	out, ok := v.appendJSON(nil, 0)
	if !ok || !e.spend(len(out)) {
		return nil
	}
	return out
}

func (v *static) appendJSON(out []byte, depth int) ([]byte, bool) {
	if depth > maxStaticDepth || len(out) > maxStatic {
		return nil, false
	}
	switch v.kind {
	case 'j':
		return append(out, v.text...), true
	case 'u':
		return append(out, "null"...), true
	case '"':
		return appendText(out, v.text), true
	}
	out = append(out, v.kind)
	first := true
	for i, item := range v.items {
		if v.kind == '{' && item.kind == 'u' {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		if v.kind == '{' {
			out = append(appendText(out, v.keys[i]), ':')
		}
		var ok bool
		if out, ok = item.appendJSON(out, depth+1); !ok {
			return nil, false
		}
	}
	return append(out, v.kind+2), true // { and }, [ and ] are two apart
}

func appendText(out []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return append(out, `""`...)
	}
	return append(out, b...)
}
