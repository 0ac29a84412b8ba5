package regex

import "slices"

// span is a range of characters, both ends included.
type span struct{ lo, hi rune }

// set is a sorted list of spans that neither touch nor overlap.
type set []span

const maxRune = 0x10ffff

func (s set) has(r rune) bool {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case r < s[mid].lo:
			hi = mid
		case r > s[mid].hi:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

// setOf makes a set of spans in any order.
func setOf(spans ...span) set {
	list := slices.Clone(spans)
	slices.SortFunc(list, func(a, b span) int { return int(a.lo) - int(b.lo) })
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, s.hi)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (s set) union(o set) set { return setOf(append(slices.Clone(s), o...)...) }

func (s set) complement() set {
	var out set
	next := rune(0)
	for _, one := range s {
		if one.lo > next {
			out = append(out, span{next, one.lo - 1})
		}
		next = one.hi + 1
	}
	if next <= maxRune {
		out = append(out, span{next, maxRune})
	}
	return out
}

func (s set) intersect(o set) set {
	var out set
	for i, j := 0, 0; i < len(s) && j < len(o); {
		lo, hi := max(s[i].lo, o[j].lo), min(s[i].hi, o[j].hi)
		if lo <= hi {
			out = append(out, span{lo, hi})
		}
		if s[i].hi < o[j].hi {
			i++
		} else {
			j++
		}
	}
	return out
}

func (s set) minus(o set) set { return s.intersect(o.complement()) }

var (
	digits = set{{'0', '9'}}
	words  = set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	spaces = set{{9, 13}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
		{0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}}
	lineEnds = set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
	// foldedWords is what \w matches where case is ignored in whole characters.
	foldedWords = words.union(set{{0x17f, 0x17f}, {0x212a, 0x212a}})
)
