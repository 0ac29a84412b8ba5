package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	jstoken "github.com/dop251/goja/token"
)

type valueKind uint8

const (
	isRefused valueKind = iota // a fault was reported for it
	isScalar                   // null, a boolean or a number
	isText
	isList
	isObject
)

// value is data with the place it came from.
type value struct {
	kind    valueKind
	text    string          // of isText
	raw     json.RawMessage // of isScalar
	items   []*value
	members []member
	place   map[string]int // of keys in members
	at      int
}

type member struct {
	key   string
	value *value
	at    int // offset of the key
}

// json gives the value as JSON text, keys in source order.
func (v *value) json() json.RawMessage {
	switch v.kind {
	case isScalar:
		return v.raw
	case isText:
		raw, _ := json.Marshal(v.text) // a string always encodes
		return raw
	case isList:
		parts := make([]string, len(v.items))
		for i, item := range v.items {
			parts[i] = string(item.json())
		}
		return json.RawMessage("[" + strings.Join(parts, ",") + "]")
	case isObject:
		parts := make([]string, len(v.members))
		for i, m := range v.members {
			key, _ := json.Marshal(m.key)
			parts[i] = string(key) + ":" + string(m.value.json())
		}
		return json.RawMessage("{" + strings.Join(parts, ",") + "}")
	}
	return json.RawMessage("null")
}

// sound reports whether no part of the value was refused.
func (v *value) sound() bool {
	for _, item := range v.items {
		if !item.sound() {
			return false
		}
	}
	for _, m := range v.members {
		if !m.value.sound() {
			return false
		}
	}
	return v.kind != isRefused
}

// literal parses the object literal src[from:to] and reads its tree. It gives
// nil when there is none.
func (r *reader) literal(from, to int) *value {
	const open = "("
	shift := from - len(open) - 1 // a node's index counts from 1
	program, err := parser.ParseFile(nil, "", open+r.text.src[from:to]+"\n)", 0, parser.WithDisableSourceMaps)
	if err != nil {
		r.parseFault(err, from, to)
		return nil
	}
	if len(program.Body) == 1 {
		if statement, ok := program.Body[0].(*ast.ExpressionStatement); ok {
			if lit, ok := statement.Expression.(*ast.ObjectLiteral); ok {
				w := &walk{r: r, offset: func(i file.Idx) int { return int(i) + shift }}
				return w.object(lit, "meta")
			}
		}
	}
	r.fault(CodeParse, from, mustObject)
	return nil
}

func (r *reader) parseFault(err error, from, to int) {
	var all parser.ErrorList
	if !errors.As(err, &all) || len(all) == 0 {
		r.fault(CodeParse, from, "meta block does not parse: %v", err)
		return
	}
	first := all[0]
	lit := newText("(" + r.text.src[from:to] + "\n)")
	at := from
	if l := first.Position.Line; l >= 1 && l <= len(lit.starts) {
		at = min(to, from+max(0, lit.starts[l-1]+first.Position.Column-2))
	}
	r.fault(CodeParse, at, "meta block does not parse: %s", first.Message)
}

// walk turns a tree into a value.
type walk struct {
	r      *reader
	offset func(file.Idx) int
}

func (w *walk) refuse(at file.Idx, format string, args ...any) *value {
	w.r.fault(CodeInvalid, w.offset(at), format, args...)
	return &value{at: w.offset(at)}
}

func (w *walk) value(e ast.Expression, path string) *value {
	if e == nil {
		return &value{}
	}
	at := w.offset(e.Idx0())
	switch e := e.(type) {
	case *ast.NullLiteral:
		return &value{kind: isScalar, raw: json.RawMessage("null"), at: at}
	case *ast.BooleanLiteral:
		return &value{kind: isScalar, raw: json.RawMessage(e.Literal), at: at}
	case *ast.StringLiteral:
		return &value{kind: isText, text: e.Value.String(), at: at}
	case *ast.NumberLiteral:
		return w.number(e.Value, false, e.Idx, path)
	case *ast.UnaryExpression:
		if n, ok := e.Operand.(*ast.NumberLiteral); ok && e.Operator == jstoken.MINUS && !e.Postfix {
			return w.number(n.Value, true, e.Idx, path)
		}
	case *ast.TemplateLiteral:
		return w.template(e, path)
	case *ast.ArrayLiteral:
		return w.list(e, path)
	case *ast.ObjectLiteral:
		return w.object(e, path)
	}
	if isCode(e) {
		return w.refuse(e.Idx0(), "%s is %s: meta must be pure JSON data", path, describe(e))
	}
	return w.refuse(e.Idx0(), "%s is %s: meta must be a pure literal, nothing in it is evaluated", path, describe(e))
}

func (w *walk) number(v any, negative bool, at file.Idx, path string) *value {
	if i, ok := v.(int64); ok && !(negative && i == 0) {
		if negative {
			i = -i
		}
		return &value{kind: isScalar, raw: json.RawMessage(fmt.Sprint(i)), at: w.offset(at)}
	}
	f, ok := v.(float64)
	if i, is := v.(int64); is {
		f, ok = float64(i), true
	}
	if !ok {
		return w.refuse(at, "%s is a bigint: meta must be pure JSON data", path)
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return w.refuse(at, "%s is not a finite number: meta must be pure JSON data", path)
	}
	if negative && f != 0 {
		f = -f
	}
	raw, _ := json.Marshal(f) // finite numbers always encode
	return &value{kind: isScalar, raw: raw, at: w.offset(at)}
}

func (w *walk) template(e *ast.TemplateLiteral, path string) *value {
	if e.Tag != nil {
		return w.refuse(e.Idx0(), "%s is a tagged template: meta must be a pure literal, nothing in it is evaluated", path)
	}
	if len(e.Expressions) > 0 || len(e.Elements) != 1 {
		w.r.fault(CodeParse, w.offset(e.Idx0()), "template interpolation (`${...}`) is not allowed in the meta block — meta must be a pure literal")
		return &value{at: w.offset(e.Idx0())}
	}
	return &value{kind: isText, text: e.Elements[0].Parsed.String(), at: w.offset(e.Idx0())}
}

func (w *walk) list(e *ast.ArrayLiteral, path string) *value {
	v := &value{kind: isList, at: w.offset(e.Idx0()), items: []*value{}}
	for i, item := range e.Value {
		where := fmt.Sprintf("%s[%d]", path, i)
		if item == nil {
			w.r.fault(CodeInvalid, v.at, "%s is a hole: meta must be pure JSON data", where)
			v.items = append(v.items, &value{at: v.at})
			continue
		}
		v.items = append(v.items, w.value(item, where))
	}
	return v
}

func (w *walk) object(e *ast.ObjectLiteral, path string) *value {
	v := &value{kind: isObject, at: w.offset(e.Idx0())}
	for _, p := range e.Value {
		key, at, ok := w.key(p, path)
		if !ok {
			continue
		}
		where := join(path, key)
		m := member{key: key, at: w.offset(at), value: w.property(p, where)}
		if forbidden(key) {
			w.refuse(at, "%s is not allowed as a key", where)
			continue
		}
		v.set(m, func() { w.r.warn(CodeDuplicateKey, m.at, "%s is given twice, the last one counts", where) })
	}
	return v
}

// set adds a member; as in JavaScript a key keeps its first place and takes its
// last value.
func (v *value) set(m member, twice func()) {
	if i, known := v.place[m.key]; known {
		v.members[i].value, v.members[i].at = m.value, m.at
		twice()
		return
	}
	if v.place == nil {
		v.place = map[string]int{}
	}
	v.place[m.key] = len(v.members)
	v.members = append(v.members, m)
}

// key gives the name of a property that is one of plain data.
func (w *walk) key(p ast.Property, path string) (string, file.Idx, bool) {
	switch p := p.(type) {
	case *ast.PropertyShort:
		return p.Name.Name.String(), p.Name.Idx, true
	case *ast.PropertyKeyed:
		if p.Computed {
			w.refuse(p.Key.Idx0(), "%s has a computed key: meta must be a pure literal, nothing in it is evaluated", path)
			return "", 0, false
		}
		switch k := p.Key.(type) {
		case *ast.StringLiteral:
			return k.Value.String(), k.Idx, true
		case *ast.Identifier:
			return k.Name.String(), k.Idx, true
		case *ast.NumberLiteral:
			return fmt.Sprint(k.Value), k.Idx, true
		}
		w.refuse(p.Key.Idx0(), "%s has a key that is no name", path)
	case *ast.SpreadElement:
		w.refuse(p.Expression.Idx0(), "%s has a spread: meta must be a pure literal, nothing in it is evaluated", path)
	default:
		w.refuse(p.Idx0(), "%s has a member that is not plain data", path)
	}
	return "", 0, false
}

func (w *walk) property(p ast.Property, path string) *value {
	switch p := p.(type) {
	case *ast.PropertyShort:
		return w.refuse(p.Name.Idx, "%s is a variable: meta must be a pure literal, nothing in it is evaluated", path)
	case *ast.PropertyKeyed:
		switch p.Kind {
		case ast.PropertyKindValue:
			return w.value(p.Value, path)
		case ast.PropertyKindMethod:
			return w.refuse(p.Key.Idx0(), "%s is a method: meta must be pure JSON data", path)
		default:
			return w.refuse(p.Key.Idx0(), "%s is a getter or setter: meta must be pure JSON data", path)
		}
	}
	return &value{}
}

func forbidden(key string) bool {
	return key == "__proto__" || key == "constructor" || key == "prototype"
}

var plainName = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*$`)

// join is the path of a member.
func join(path, key string) string {
	if plainName.MatchString(key) {
		return path + "." + key
	}
	return fmt.Sprintf("%s[%q]", path, key)
}

func isCode(e ast.Expression) bool {
	switch e.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral, *ast.RegExpLiteral:
		return true
	}
	return false
}

// describe names what stands where data should.
func describe(e ast.Expression) string {
	switch e := e.(type) {
	case *ast.Identifier:
		return fmt.Sprintf("a variable (`%s`)", e.Name.String())
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return "a function"
	case *ast.ClassLiteral:
		return "a class"
	case *ast.RegExpLiteral:
		return "a regular expression"
	case *ast.CallExpression, *ast.NewExpression:
		return "a call"
	case *ast.SpreadElement:
		return "a spread"
	case *ast.DotExpression, *ast.BracketExpression, *ast.OptionalChain, *ast.Optional:
		return "a member access"
	}
	return "an expression"
}
