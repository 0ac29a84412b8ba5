package schema

import (
	"strings"
)

// hoistEvery is how many path tokens deep a schema may stand before it is moved.
// The compiler's time grows with the cube of the depth, so deep schemas are laid
// out flat: every schema below that depth becomes a definition of its own.
const hoistEvery = 40

// flatten gives the document for the compiler: the schema as it is when it is
// shallow, else an equal one that is.
//
// The second result is where each schema stands in that document.
func flatten(l *linter) (document any, where map[*node]string) {
	f := &flattener{linter: l, moved: map[*node]string{}, definitions: map[string]any{}}
	f.locate(l.root, "")
	if len(f.moved) == 0 {
		return l.root.plain(), f.where
	}
	root, _ := f.schema(l.root).(map[string]any)
	own, _ := root["$defs"].(map[string]any)
	if own == nil {
		own = map[string]any{}
		root["$defs"] = own
	}
	for name, d := range f.definitions {
		own[name] = d
	}
	return root, f.where
}

type flattener struct {
	*linter
	moved       map[*node]string // schemas that became definitions, with the name
	where       map[*node]string // pointer of every schema in the new document
	definitions map[string]any
	named       int // names that were tried
}

// locate says where each schema will stand.
func (f *flattener) locate(root *node, pointer string) {
	type step struct {
		node    *node
		pointer string
		depth   int
	}
	f.where = map[*node]string{}
	todo := []step{{root, pointer, 0}}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		f.where[s.node] = s.pointer
		for _, c := range children(s.node, f.draft) {
			next := step{c.node, s.pointer, s.depth + len(c.tokens)}
			for _, t := range c.tokens {
				next.pointer += "/" + escape(t)
			}
			if next.depth >= hoistEvery && c.node.kind == '{' {
				name := f.name()
				f.moved[c.node] = name
				next.pointer, next.depth = "/$defs/"+name, 2
			}
			todo = append(todo, next)
		}
	}
	for n, name := range f.moved {
		f.definitions[name] = f.schema(n)
	}
}

// name gives a definition name that neither the schema nor a moved one uses.
func (f *flattener) name() string {
	own := f.root.member("$defs")
	for {
		name := "deep" + itoa(f.named)
		f.named++
		if own == nil || own.member(name) == nil {
			return name
		}
	}
}

func escape(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// schema builds one schema with what stays inside it.
func (f *flattener) schema(n *node) any {
	if n.kind != '{' {
		return n.plain()
	}
	inside := map[*node]bool{}
	for _, c := range children(n, f.draft) {
		inside[c.node] = true
	}
	m := make(map[string]any, len(n.keys))
	for i, key := range n.keys {
		v := n.items[i]
		if k, _ := keywordOf(key, f.draft); k.shape == reference {
			m[key] = f.reference(v.text)
			continue
		}
		m[key] = f.value(v, inside)
	}
	return m
}

// value builds the value of a keyword, in which the schemas of inside stand at
// most one level deep.
func (f *flattener) value(v *node, inside map[*node]bool) any {
	if inside[v] {
		return f.place(v)
	}
	found := false
	for _, item := range v.items {
		found = found || inside[item]
	}
	if !found {
		return v.plain()
	}
	if v.kind == '[' {
		list := make([]any, len(v.items))
		for i, item := range v.items {
			list[i] = f.place(item)
		}
		return list
	}
	m := make(map[string]any, len(v.keys))
	for i, key := range v.keys {
		if inside[v.items[i]] {
			m[key] = f.place(v.items[i])
		} else {
			m[key] = v.items[i].plain()
		}
	}
	return m
}

func (f *flattener) place(n *node) any {
	if name, ok := f.moved[n]; ok {
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	return f.schema(n)
}

func (f *flattener) reference(target string) string {
	n, anchor, ok := f.target(target)
	if anchor || !ok {
		return target
	}
	return "#" + strings.ReplaceAll(f.where[n], "%", "%25")
}
