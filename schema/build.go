package schema

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// maxBuilt bounds how many items or members an example gets.
const maxBuilt = 1000

// bound gives the largest value of a counting keyword, or fallback.
func bound(all []*node, key string, fallback int) int {
	found := -1
	for _, n := range all {
		if v := n.member(key); v != nil {
			if f, err := strconv.ParseFloat(v.text, 64); err == nil {
				found = max(found, int(f))
			}
		}
	}
	if found < 0 {
		return fallback
	}
	return found
}

// under gives the schemas of a keyword that apply to one member.
func under(all []*node, key, name string) []*node {
	var found []*node
	for _, n := range all {
		if v := n.member(key); v != nil {
			if s := v.member(name); s != nil {
				found = append(found, s)
			}
		}
	}
	return found
}

func (g *generator) object(all []*node, depth, salt int) []string {
	names := g.required(all)
	for i := 0; len(names) < min(maxBuilt, bound(all, "minProperties", 0)) && i < 2*maxBuilt; i++ {
		if name := g.spare(all, names, i); name != "" {
			names = append(names, name)
		}
	}
	parts := make([]string, 0, len(names))
	for _, name := range names {
		values := g.instances(g.memberSchemas(all, name), depth+1, salt)
		if len(values) == 0 {
			return nil
		}
		parts = append(parts, compact(name)+":"+values[0])
	}
	return []string{"{" + strings.Join(parts, ",") + "}"}
}

// required lists the members that must be there, in the order of properties.
func (g *generator) required(all []*node) []string {
	var want []string
	add := func(v *node) {
		if v == nil {
			return
		}
		for _, item := range v.items {
			if !slices.Contains(want, item.text) {
				want = append(want, item.text)
			}
		}
	}
	for _, n := range all {
		add(n.member("required"))
	}
	for i := 0; i < len(want) && len(want) < maxBuilt; i++ {
		for _, v := range under(all, "dependentRequired", want[i]) {
			add(v)
		}
		for _, v := range under(all, "dependencies", want[i]) {
			if v.kind == '[' {
				add(v)
			}
		}
	}
	order := map[string]int{}
	for _, n := range all {
		if v := n.member("properties"); v != nil {
			for _, key := range v.keys {
				if _, known := order[key]; !known {
					order[key] = len(order) - maxSubschemas
				}
			}
		}
	}
	slices.SortStableFunc(want, func(a, b string) int { return order[a] - order[b] })
	return want
}

// spare gives the i-th member that may be there besides those that must, or "".
func (g *generator) spare(all []*node, have []string, i int) string {
	var names []string
	for _, n := range all {
		if v := n.member("properties"); v != nil {
			names = append(names, v.keys...)
		}
	}
	name := "key" + itoa(i-len(names)+1)
	if i < len(names) {
		name = names[i]
	}
	if i >= len(names) {
		for _, n := range all {
			if v := n.member("patternProperties"); v != nil && len(v.keys) > 0 && closed(n) {
				name = matching(v.keys[0], i-len(names))
			}
		}
	}
	if slices.Contains(have, name) {
		return ""
	}
	return name
}

func closed(n *node) bool {
	v := n.member("additionalProperties")
	return v != nil && v.text == "false"
}

// memberSchemas gives all schemas that a member must satisfy.
func (g *generator) memberSchemas(all []*node, name string) []*node {
	found := under(all, "properties", name)
	for _, n := range all {
		declared := n.member("properties") != nil && n.member("properties").member(name) != nil
		if v := n.member("patternProperties"); v != nil {
			for i, pattern := range v.keys {
				if re, err := compileExpression(pattern, nil); err == nil && matches(re, name) {
					found = append(found, v.items[i])
					declared = true
				}
			}
		}
		if v := n.member("additionalProperties"); v != nil && !declared {
			found = append(found, v)
		}
	}
	return found
}

func (g *generator) array(all []*node, depth, salt int) []string {
	size := min(maxBuilt, bound(all, "minItems", 0))
	var contained []*node
	for _, n := range all {
		if v := n.member("contains"); v != nil {
			contained = append(contained, v)
			size = max(size, min(maxBuilt, bound(all, "minContains", 1)))
		}
	}
	unique := slices.ContainsFunc(all, func(n *node) bool {
		v := n.member("uniqueItems")
		return v != nil && v.text == "true"
	})
	var parts []string
	for i := range size {
		schemas := itemSchemas(all, i)
		if len(contained) > 0 {
			schemas = append(schemas, contained...)
		}
		part, ok := g.item(schemas, depth, salt+i, parts, unique)
		if !ok {
			return nil
		}
		parts = append(parts, part)
	}
	return []string{"[" + strings.Join(parts, ",") + "]"}
}

// item gives one element, unlike those before when they must differ.
func (g *generator) item(schemas []*node, depth, salt int, before []string, unique bool) (string, bool) {
	if !unique {
		salt = 0
	}
	for try := range 4 {
		for _, v := range g.instances(schemas, depth+1, salt+try) {
			if !unique || !slices.Contains(before, v) {
				return v, true
			}
		}
	}
	return "", false
}

func itemSchemas(all []*node, i int) []*node {
	var found []*node
	for _, n := range all {
		list := n.member("prefixItems")
		rest := n.member("items")
		if rest != nil && rest.kind == '[' {
			list, rest = rest, n.member("additionalItems")
		}
		switch {
		case list != nil && i < len(list.items):
			found = append(found, list.items[i])
		case rest != nil:
			found = append(found, rest)
		}
	}
	return found
}

// limit gives the tightest bound of a numeric keyword, upper or lower.
func limit(all []*node, key string, lower bool) *big.Rat {
	var found *big.Rat
	for _, n := range all {
		v := n.member(key)
		if v == nil || v.kind != '0' {
			continue
		}
		r, ok := new(big.Rat).SetString(v.text)
		if ok && (found == nil || (r.Cmp(found) > 0) == lower) {
			found = r
		}
	}
	return found
}

// numbers gives numbers around the bounds.
func numbers(all []*node, typ string, salt int) []string {
	step := limit(all, "multipleOf", true)
	exact := typ == "number" && step == nil
	if step == nil || step.Sign() <= 0 {
		step = big.NewRat(1, 1)
	}
	low, above := limit(all, "minimum", true), limit(all, "exclusiveMinimum", true)
	high, below := limit(all, "maximum", false), limit(all, "exclusiveMaximum", false)
	tries := []*big.Rat{new(big.Rat)}
	for _, r := range []*big.Rat{low, high} {
		if r != nil && exact {
			tries = append(tries, r)
		}
	}
	for _, r := range []*big.Rat{low, above} {
		if r != nil {
			up := multiple(r, step, true)
			tries = append(tries, up, new(big.Rat).Add(up, step))
		}
	}
	for _, r := range []*big.Rat{high, below} {
		if r != nil {
			down := multiple(r, step, false)
			tries = append(tries, down, new(big.Rat).Sub(down, step))
		}
	}
	if a, b := first(above, low), first(below, high); a != nil && b != nil && typ == "number" {
		middle := new(big.Rat).Add(a, b)
		tries = append(tries, middle.Quo(middle, big.NewRat(2, 1)))
	}
	shift := new(big.Rat).Mul(step, big.NewRat(int64(salt), 1))
	var out []string
	for _, t := range tries {
		if salt > 0 {
			out = append(out, decimal(new(big.Rat).Add(t, shift)), decimal(new(big.Rat).Sub(t, shift)))
		}
	}
	for _, t := range tries {
		out = append(out, decimal(t))
	}
	return out
}

func first(rs ...*big.Rat) *big.Rat {
	for _, r := range rs {
		if r != nil {
			return r
		}
	}
	return nil
}

// multiple gives the multiple of step next to r, above or below.
func multiple(r, step *big.Rat, up bool) *big.Rat {
	q := new(big.Rat).Quo(r, step)
	whole, rest := new(big.Int).DivMod(q.Num(), q.Denom(), new(big.Int))
	if up && rest.Sign() != 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(whole), step)
}
