package regex

import (
	"sync"
	"unicode"
)

// canonical is the character that stands for all that are equal to r where case
// is ignored. With whole set it goes by simple case folding, without by upper
// case, as the language does.
func canonical(r rune, whole bool) rune {
	if whole {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}
	if r < 0x80 {
		if 'a' <= r && r <= 'z' {
			return r - 32
		}
		return r
	}
	up := unicode.ToUpper(r)
	if up < 0x80 || up > 0xffff && r <= 0xffff || growsInUpper(r) {
		return r
	}
	return up
}

// growsInUpper tells whether the upper case of a character is more than one
// character, although there is a simple one.
func growsInUpper(r rune) bool {
	return 0x1f80 <= r && r <= 0x1faf || r == 0x1fb3 || r == 0x1fbc || r == 0x1fc3 || r == 0x1fcc || r == 0x1ff3 || r == 0x1ffc
}

// folding lists the characters that have others equal to them, by canonical form.
type folding map[rune][]rune

func makeFolding(whole bool) folding {
	all := folding{}
	add := func(r rune) {
		c := canonical(r, whole)
		if c != r {
			if len(all[c]) == 0 {
				all[c] = []rune{c}
			}
			all[c] = append(all[c], r)
		}
	}
	for _, t := range []*unicode.RangeTable{unicode.L, unicode.M, unicode.Nl, unicode.So} {
		for _, r := range t.R16 {
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				add(c)
			}
		}
		for _, r := range t.R32 {
			if r.Hi > 0x1ffff { // nothing beyond has case
				break
			}
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				add(c)
			}
		}
	}
	return all
}

var foldings = [2]func() folding{
	sync.OnceValue(func() folding { return makeFolding(false) }),
	sync.OnceValue(func() folding { return makeFolding(true) }),
}

func foldingOf(whole bool) folding {
	if whole {
		return foldings[1]()
	}
	return foldings[0]()
}

// closed adds to a set all that is equal to a member where case is ignored.
func (s set) closed(whole bool) set {
	var more []span
	for _, class := range foldingOf(whole) {
		hit := false
		for _, r := range class {
			hit = hit || s.has(r)
		}
		if !hit {
			continue
		}
		for _, r := range class {
			if !s.has(r) {
				more = append(more, span{r, r})
			}
		}
	}
	return s.union(more)
}

// folded keeps one member for all that are equal where case is ignored.
func (s set) folded() set {
	closed := s.closed(true)
	var drop []span
	for c, class := range foldingOf(true) {
		for _, r := range class {
			if r != c {
				drop = append(drop, span{r, r})
			}
		}
	}
	return closed.minus(setOf(drop...))
}
