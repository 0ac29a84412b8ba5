package vm

import "strings"

// Types in a script are told from other mistakes by their shape and their place,
// and by the proof: without them the parser must get further.

const typesHint = "this version runs JavaScript only: take the types out and keep the script as .js"

// typed explains syntax of TypeScript.
func (s *scene) typed() *finding {
	from, to, what := s.typeSyntax()
	if what == "" {
		return nil
	}
	f := &finding{family: "typescript", offset: from, reason: what + " is TypeScript, not JavaScript", hint: typesHint,
		mended: blanked(s.text, from, to)}
	if !s.proven(f) {
		return nil
	}
	return f
}

// typeSyntax finds what may be a piece of TypeScript at the stumble: the region
// without which the rest is JavaScript, and what it is.
func (s *scene) typeSyntax() (from, to int, what string) {
	for _, look := range []func() (int, int, string){
		s.declaration, s.annotation, s.assertion, s.typeArguments, s.modifier,
	} {
		if from, to, what := look(); what != "" && from < to {
			return from, to, what
		}
	}
	return 0, 0, ""
}

func (s *scene) typeWord(i int) bool {
	return s.isAny(i, " interface type enum declare namespace abstract ") && s.isName(i+1)
}

// declaration is a statement that declares types only.
func (s *scene) declaration() (from, to int, what string) {
	i := s.tok
	if s.is(i, "export") {
		i++
	}
	if !s.typeWord(i) && s.typeWord(i-1) {
		i--
	}
	if i >= len(s.tokens) || !s.typeWord(i) {
		return 0, 0, ""
	}
	start := i
	if s.is(i-1, "export") {
		start = i - 1
	}
	from = s.tokens[start].start
	switch word := s.word(i); word {
	case "interface", "enum", "namespace":
		for j := i + 1; j < len(s.tokens); j++ {
			if s.is(j, "{") {
				if shut := s.shut(j); shut >= 0 {
					return from, s.tokens[shut].end, "a declaration with \"" + word + "\""
				}
			}
		}
	case "type":
		for j := i + 2; j < i+40 && j < len(s.tokens); j++ {
			if s.is(j, "=") {
				return from, s.typeEnd(j + 1), "a type declaration"
			}
		}
	case "abstract":
		return from, s.tokens[i].end, `the word "abstract"`
	case "declare":
		return from, lineEndAt(s.text, from), `the word "declare"`
	}
	return 0, 0, ""
}

// annotation is a colon and a type behind a name, a pattern or parameters.
func (s *scene) annotation() (from, to int, what string) {
	i := s.tok
	if s.is(i, "?") && (s.is(i+1, ",") || s.is(i+1, ")")) && s.inParameters(i) {
		return s.tokens[i].start, s.tokens[i].end, "an optional parameter"
	}
	if (s.is(i, "?") || s.is(i, "!")) && s.is(i+1, ":") {
		i++
	}
	if !s.is(i, ":") || i == 0 || !s.typeLike(i+1) {
		return 0, 0, ""
	}
	from, to = s.tokens[i].start, s.typeEnd(i+1)
	name := i - 1
	if s.is(name, "?") || s.is(name, "!") {
		from = s.tokens[name].start
		name--
	}
	after := s.at(to)
	switch {
	case s.is(name, ")") && (s.is(after, "{") || s.is(after, "=") && s.is(after+1, ">")):
		return from, to, "a return type"
	case s.isName(name) && s.inParameters(i), s.isPattern(name) && s.inParameters(i):
		return from, to, "the type of a parameter"
	case (s.isName(name) || s.isPattern(name)) && s.inDeclaration(name):
		return from, to, "a type annotation"
	case s.isName(name) && s.inClass(i) && (s.is(after, "=") || s.is(after, ";") || s.is(after, "}") || after < len(s.tokens) && s.tokens[after].newline):
		return from, to, "the type of a field"
	}
	return 0, 0, ""
}

func (s *scene) isPattern(i int) bool { return s.is(i, "}") || s.is(i, "]") }

// inParameters tells whether token i stands in the parameters of a function.
func (s *scene) inParameters(i int) bool {
	open := s.tokens[i].parent
	if !s.is(open, "(") {
		return false
	}
	if s.is(open-1, "catch") || s.is(open-1, "function") || s.is(open-2, "function") || s.is(open-1, "constructor") {
		return true
	}
	shut := s.shut(open)
	if shut < 0 {
		return false
	}
	if s.is(shut+1, ":") { // a return type
		shut = s.at(s.typeEnd(shut+2)) - 1
	}
	return s.is(shut+1, "=") && s.is(shut+2, ">") || s.is(shut+1, "{") && s.isName(open-1)
}

// inDeclaration tells whether a name or pattern is declared by const, let or var
// on the same line.
func (s *scene) inDeclaration(i int) bool {
	if s.tokens[i].opener >= 0 {
		i = s.tokens[i].opener
	}
	if s.isAny(i-1, " const let var ") {
		return true
	}
	for j := i; s.is(i-1, ",") && j > 0 && !s.tokens[j].newline; {
		if j = s.before(j); s.isAny(j, " const let var ") {
			return true
		}
	}
	return false
}

func (s *scene) inClass(i int) bool {
	open := s.tokens[i].parent
	if !s.is(open, "{") {
		return false
	}
	for j := open - 1; j >= 0 && j > open-8; j-- {
		if s.is(j, "class") {
			return true
		}
	}
	return false
}

// assertion is "as T", "satisfies T", "<T>x", or an exclamation mark behind a value.
func (s *scene) assertion() (from, to int, what string) {
	i := s.tok
	switch {
	case (s.is(i, "as") || s.is(i, "satisfies")) && s.isValueEnd(i-1) && s.typeLike(i+1):
		return s.tokens[i].start, s.typeEnd(i + 1), `the word "` + s.word(i) + `" behind a value`
	case s.is(i, "!") && s.isValueEnd(i-1) && !s.is(i+1, "="):
		return s.tokens[i].start, s.tokens[i].end, "an exclamation mark behind a value"
	case s.is(i, "implements") && s.isName(i+1):
		for j := i; j < len(s.tokens); j++ {
			if s.is(j, "{") {
				return s.tokens[i].start, s.tokens[j].start, `the word "implements"`
			}
		}
	}
	return 0, 0, ""
}

// typeArguments is a list of types between angle brackets: at the stumble, or in
// front of it on the same line.
func (s *scene) typeArguments() (from, to int, what string) {
	for i := min(s.tok, len(s.tokens)-1); i >= 0 && s.tok-i < 40; i-- {
		if s.is(i, "<") {
			end := s.anglesEnd(i)
			if end < 0 || strings.Contains(s.text[s.tokens[i].end:lineEndAt(s.text, s.tokens[i].start)], "</") || s.is(end, "<") || end+1 < s.tok && !s.is(end, "(") {
				continue
			}
			if i < s.tok && !(s.isName(i-1) && s.is(end, "(")) {
				continue
			}
			if s.is(end, "(") || s.isName(end) && i == s.tok && s.is(i-1, "=") || s.is(end, "{") || s.is(end, "extends") {
				return s.tokens[i].start, s.tokens[end-1].end, "a list of types between < and >"
			}
		}
		if s.tokens[i].newline {
			break
		}
	}
	return 0, 0, ""
}

// modifier is a word of TypeScript in front of a member or a parameter.
func (s *scene) modifier() (from, to int, what string) {
	i := s.tok
	if !s.isAny(i, " private public protected readonly override ") {
		i--
	}
	if s.isAny(i, " private public protected readonly override ") && s.isName(i+1) && (s.inClass(i) || s.inParameters(i)) {
		return s.tokens[i].start, s.tokens[i].end, `the word "` + s.word(i) + `" before a name`
	}
	return 0, 0, ""
}

// typeLike tells whether a type may begin with token i. A number may not: what
// stands behind a colon is then more likely a value.
func (s *source) typeLike(i int) bool {
	switch {
	case s.isName(i), s.isKind(i, tokenString):
		return true
	case s.is(i, "{"), s.is(i, "["), s.is(i, "("), s.is(i, "|"):
		return true
	}
	return false
}

const typePrefixes = " keyof typeof readonly unique infer asserts new "

// typeEnd is the offset behind the type that begins with token i.
func (s *source) typeEnd(i int) int {
	if s.is(i, "|") || s.is(i, "&") {
		i++
	}
	for i < len(s.tokens) {
		for s.isAny(i, typePrefixes) {
			i++
		}
		end := s.primaryEnd(i)
		if end == i {
			break
		}
		i = end
		switch {
		case s.is(i, "|"), s.is(i, "&"), s.is(i, "is"):
			i++
			continue
		case s.is(i, "=") && s.is(i+1, ">") && s.is(i-1, ")") && s.functionType(i):
			i += 2
			continue
		}
		break
	}
	if i < 1 {
		return 0
	}
	return s.tokens[min(i, len(s.tokens))-1].end
}

// functionType tells whether the arrow at i belongs to a type: then a type and not
// a body follows, and behind that an end.
func (s *source) functionType(i int) bool {
	open := s.tokens[i-1].opener
	return open > 0 && (s.is(open-1, ":") || s.is(open-1, "|") || s.is(open-1, "=")) && !s.is(i+2, "{")
}

// primaryEnd is the index behind one type without operators.
func (s *source) primaryEnd(i int) int {
	switch {
	case s.isKind(i, tokenWord) && !s.isAny(i, " function return if for while "):
		i++
		for s.is(i, ".") && s.isName(i+1) {
			i += 2
		}
		if s.is(i, "<") {
			if end := s.anglesEnd(i); end > 0 {
				i = end
			}
		}
	case s.isKind(i, tokenString), s.isKind(i, tokenTemplate):
		i++
	case s.is(i, "{"), s.is(i, "["), s.is(i, "("):
		shut := s.shut(i)
		if shut < 0 {
			return i
		}
		i = shut + 1
	default:
		return i
	}
	for s.is(i, "[") && !s.tokens[i].newline {
		shut := s.shut(i)
		if shut < 0 {
			break
		}
		i = shut + 1
	}
	return i
}

// anglesEnd is the index behind the angle bracket that closes the one at i, or -1
// when what is between is no list of types.
func (s *source) anglesEnd(i int) int {
	depth := 0
	for j := i; j < len(s.tokens) && j < i+200; j++ {
		switch {
		case s.is(j, "<"):
			depth++
		case s.is(j, ">") && s.is(j-1, "="): // an arrow
		case s.is(j, ">"):
			depth--
			if depth == 0 && j > i+1 {
				return j + 1
			}
		case s.isKind(j, tokenWord), s.isKind(j, tokenString):
		case s.isKind(j, tokenPunct) && strings.Contains(",.|&[](){}:;?=", s.word(j)):
		default:
			return -1
		}
	}
	return -1
}
