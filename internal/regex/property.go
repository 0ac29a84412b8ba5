package regex

import (
	_ "embed"
	"encoding/binary"
	"strings"
	"sync"
)

// properties.bin has one entry a property, made by tables.mjs: the length of the
// name and the name, the number of spans, and for each the distance from the end
// of the last one and the length less one, all as variable-length numbers.
//
//go:embed properties.bin
var propertiesFile []byte

// propertyIndex is where the spans of each property begin in the file.
var propertyIndex = sync.OnceValue(func() map[string][]byte {
	index := map[string][]byte{}
	rest := propertiesFile
	next := func() int {
		n, size := binary.Uvarint(rest)
		rest = rest[size:]
		return int(n)
	}
	for len(rest) > 0 {
		size := next()
		name := string(rest[:size])
		rest = rest[size:]
		index[name] = rest
		for range 2 * next() {
			next()
		}
	}
	return index
})

var propertySets sync.Map // of sets that were read, by name: at most all there are

// tableOf reads the characters of one property.
func tableOf(name string) (set, bool) {
	if s, ok := propertySets.Load(name); ok {
		return s.(set), true
	}
	rest, ok := propertyIndex()[name]
	if !ok {
		return nil, false
	}
	next := func() rune {
		n, size := binary.Uvarint(rest)
		rest = rest[size:]
		return rune(n)
	}
	s := make(set, next())
	last := rune(0)
	for i := range s {
		lo := last + next()
		last = lo + next()
		s[i] = span{lo, last}
	}
	propertySets.Store(name, s)
	return s, true
}

// property reads what follows \p or \P.
func (p *parser) property(negative bool) class {
	reason := "Invalid property name"
	if !p.eat('{') {
		p.fault(reason)
	}
	start := p.pos
	for p.peek() != '}' {
		if p.peek() == none {
			p.fault(reason)
		}
		p.pos++
	}
	text := string(p.src[start:p.pos])
	p.pos++
	if list, ok := sequences(text); ok && p.flags.Sets {
		if negative {
			p.fault(reason)
		}
		return class{set: p.fold(list.set), strings: list.strings}
	}
	s, ok := propertySet(text)
	if !ok {
		p.fault(reason)
	}
	if p.flags.Sets {
		s = p.fold(s)
	}
	if negative {
		s = p.inverse(s)
	}
	return class{set: s}
}

// propertySet finds a property by any of its names.
func propertySet(text string) (set, bool) {
	name, value, keyed := strings.Cut(text, "=")
	if !keyed {
		if s, ok := category(text); ok {
			return s, true
		}
		return binaryProperty(text)
	}
	switch name {
	case "General_Category", "gc":
		return category(value)
	case "Script", "sc":
		return script("sc=", value)
	case "Script_Extensions", "scx":
		return script("scx=", value)
	}
	return nil, false
}

func script(prefix, name string) (set, bool) {
	if short, ok := scriptNames()[name]; ok {
		name = short
	}
	return tableOf(prefix + name)
}

func category(name string) (set, bool) {
	parts, ok := categoryNames[name]
	if !ok {
		return nil, false
	}
	var all set
	for _, part := range strings.Fields(parts) {
		s, _ := tableOf("gc=" + part)
		all = all.union(s)
	}
	return all, true
}

func binaryProperty(name string) (set, bool) {
	switch name {
	case "Any":
		return set{{0, maxRune}}, true
	case "ASCII":
		return set{{0, 0x7f}}, true
	case "Assigned":
		s, _ := tableOf("gc=Cn")
		return s.complement(), true
	}
	if long, ok := binaryNames[name]; ok {
		name = long
	}
	if strings.Contains(name, "=") {
		return nil, false
	}
	return tableOf(name)
}
