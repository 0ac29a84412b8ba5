package vm

import "fmt"

// misplacedAwait explains a value right behind the word await, which is but a name
// in a function that is not async.
func (s *scene) misplacedAwait() *finding {
	i := s.tok - 1
	if !s.is(i, "await") || s.tok >= len(s.tokens) {
		return nil
	}
	f := s.awaitFinding(i)
	if !s.proven(&f) {
		return nil
	}
	return &f
}

// awaitFinding is about the word await at token i.
func (s *source) awaitFinding(i int) finding {
	f := finding{family: "await", offset: s.tokens[i].start, reason: awaitReason, hint: awaitHint,
		mended: blanked(s.text, s.tokens[i].start, s.tokens[i].end)}
	if head := s.functionAround(i); head >= 0 {
		p := bytePosition(s.text, s.tokens[head].start)
		f.hint = fmt.Sprintf("make the function that begins at line %d, column %d async: async %s", p.Line, p.Column, s.headText(head))
	}
	return f
}

// functionAround is the first token of the innermost function around token i, or
// -1.
func (s *source) functionAround(i int) int {
	for j := i; j >= 0; j = s.tokens[j].parent {
		if head := s.arrowBefore(j); head >= 0 {
			return head
		}
		if s.is(j, "{") {
			if head := s.headBefore(j); head >= 0 {
				return head
			}
		}
	}
	return -1
}

// arrowBefore is the head of the arrow function whose one expression token j
// stands in.
func (s *source) arrowBefore(j int) int {
	for k := s.before(j); k > 0 && s.tokens[k].parent == s.tokens[j].parent; k = s.before(k) {
		switch {
		case s.is(k, ","), s.is(k, ";"):
			return -1
		case s.is(k, ">") && s.is(k-1, "="):
			return s.before(k - 1)
		}
	}
	return -1
}

// headBefore is the head of the function whose body begins with token open, or -1
// when that is no body.
func (s *source) headBefore(open int) int {
	if s.is(open-1, ">") && s.is(open-2, "=") {
		return s.before(open - 2)
	}
	if !s.is(open-1, ")") {
		return -1
	}
	name := s.before(open) - 1
	switch {
	case s.is(name, "function"):
		return name
	case s.isAny(name, " if for while switch catch with await ") || !s.isKind(name, tokenWord):
		return -1
	case s.is(name-1, "function"):
		return name - 1
	}
	return name
}

// headText is a short form of the head of a function.
func (s *source) headText(head int) string {
	switch {
	case s.is(head, "function"):
		return "function"
	case s.is(head, "("):
		if shut := s.shut(head); shut >= 0 && s.tokens[shut].end-s.tokens[head].start < 40 {
			return s.text[s.tokens[head].start:s.tokens[shut].end] + " => …"
		}
		return "(…) => …"
	case s.is(head+1, "="):
		return s.word(head) + " => …"
	}
	return s.word(head) + "(…) { … }"
}
