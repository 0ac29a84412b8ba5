package vm

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	awaitReason = "await in a function that is not async"
	awaitHint   = "make the function around it async, as in: async (x) => { … }"
)

var fenceStart = regexp.MustCompile("^\\s*(```+|~~~+)[ \t]*[A-Za-z]*[ \t]*\r?(\n|$)")

// fence finds a Markdown fence around the whole body.
func fence(text string) *finding {
	m := fenceStart.FindStringSubmatchIndex(text)
	if m == nil {
		return nil
	}
	mended := blanked(text, m[2], m[1])
	if end := strings.LastIndex(mended, text[m[2]:m[3]]); end >= 0 && lineStartAt(mended, end) == end {
		mended = blanked(mended, end, lineEndAt(mended, end))
	}
	return &finding{family: "fence", offset: m[2], reason: "a Markdown code fence stands around the script",
		hint: "give the script without the lines of the fence", mended: mended}
}

var fenceLine = regexp.MustCompile("(?m)^(```+|~~~+)[ \t]*[A-Za-z]*[ \t]*\r?$")

// prose finds a Markdown fence that stands around the script together with text
// before it.
func (s *scene) prose() *finding {
	lines := fenceLine.FindAllStringIndex(s.text, 2)
	if len(lines) == 0 || lines[0][0] < s.offset || strings.Contains(s.text[:lines[0][0]], "`") {
		return nil
	}
	mended := blanked(s.text, 0, lines[0][1])
	if len(lines) == 2 {
		mended = blanked(mended, lines[1][0], len(mended))
	}
	if s.reach(mended) <= len(mended) {
		return nil
	}
	return &finding{family: "fence", offset: lines[0][0], reason: "text and a Markdown code fence stand around the script",
		hint: "give the script without the text and the lines of the fence", mended: mended}
}

const quoteMarks = "“”„‟‘’‚‛«»"

// strayCharacter explains characters that no token begins with.
func (s *scene) strayCharacter() *finding {
	if !strings.Contains(s.message, "ILLEGAL") || s.offset >= len(s.text) {
		return nil
	}
	if n := len(numberAndBackslash.FindString(s.text[s.offset:])); n > 0 {
		s.offset += n - 1
	}
	rest := s.text[s.offset:]
	c, size := utf8.DecodeRuneInString(rest)
	f := finding{offset: s.offset, mended: blanked(s.text, s.offset, s.offset+size)}
	switch {
	case strings.ContainsRune(quoteMarks, c):
		return s.smartQuote(c, size)
	case c == '"' || c == '\'':
		return &finding{offset: s.offset, reason: "the string that begins here does not end on its line",
			hint: fmt.Sprintf("close it with %c, or put text of several lines between back-ticks", c)}
	case c == '@':
		f.family, f.reason = "decorator", "decorators are not supported by this version"
		f.hint = "call the function on the class or method instead"
		f.mended = blanked(s.text, s.offset, s.offset+len(decorator.FindString(rest)))
	case strings.HasPrefix(rest, "\\`"):
		f.family, f.reason, f.hint = "escape", "a back-tick that begins a template must not be escaped", "remove the backslash"
		f.mended = strings.NewReplacer("\\`", " `", `\$`, " $").Replace(s.text)
	case strings.HasPrefix(rest, `\n`), strings.HasPrefix(rest, `\"`), strings.HasPrefix(rest, `\'`):
		f.family, f.reason, f.hint = "escape", "a backslash outside of strings", "the source seems to be escaped twice: give it with real line ends and quotes"
		if rest[1] == 'n' {
			f.mended = blanked(s.text, s.offset, s.offset+2)
		}
	case '0' <= c && c <= '9':
		return &finding{offset: s.offset, reason: "malformed number"}
	case !unicode.IsPrint(c):
		f.family, f.reason, f.hint = "invisible", fmt.Sprintf("an invisible character, %U", c), "remove it"
	default:
		f.family, f.reason = "character", fmt.Sprintf("unexpected character %c", c)
	}
	return s.certain(f)
}

// numberAndBackslash is where the parser points to the number.
var numberAndBackslash = regexp.MustCompile(`^[0-9.]+\\`)

var decorator = regexp.MustCompile(`^@[\w$.]*(\([^()]*\))?`)

// smartQuote mends one text in typographic quotes.
func (s *scene) smartQuote(c rune, size int) *finding {
	plain := `"`
	if strings.ContainsRune("‘’‚‛", c) {
		plain = "'"
	}
	f := finding{family: "typographic quote", offset: s.offset, reason: fmt.Sprintf("%c is a typographic quote, not one of the language", c),
		hint: "use \" or ' or a back-tick"}
	end := lineEndAt(s.text, s.offset)
	closing := strings.IndexAny(s.text[s.offset+size:end], quoteMarks+plain)
	if closing < 0 {
		return &f
	}
	closing += s.offset + size
	_, n := utf8.DecodeRuneInString(s.text[closing:])
	// Spaces go inside the text, so that what follows keeps its column.
	text := blanked(s.text, s.offset, s.offset+size)
	text = text[:s.offset+size-1] + plain + text[s.offset+size:]
	f.mended = replaced(text, closing, closing+n, plain)
	return s.certain(f)
}

// modules explains the words that only modules may use.
func (s *scene) modules() *finding {
	f := finding{family: s.word(s.tok), offset: s.offset}
	start := s.offset
	switch {
	case s.is(s.tok, "import"):
		f.reason = "import is not available in workflow scripts: they have no modules"
		f.hint = "agents read files and run programs; the script has agent(), parallel(), pipeline() and the language"
		f.mended = blanked(s.text, start, s.statementEnd(s.tok))
		if s.is(s.tok+1, "(") || s.is(s.tok+1, ".") {
			f.mended = replaced(s.text, start, start+len("import"), "x")
		}
	case s.is(s.tok, "export") && s.typeWord(s.tok+1):
		return nil
	case s.is(s.tok, "export"):
		f.reason = "export is not available in workflow scripts, except for the meta statement at the very start"
		f.hint = "a script is the body of a function: write the statements at the top level and return the result"
		f.mended = s.withoutExport()
	default:
		return nil
	}
	return s.certain(f)
}

func (s *scene) withoutExport() string {
	i := s.tok
	start, end := s.offset, s.offset+len("export")
	switch {
	case s.is(i+1, "{"), s.is(i+1, "*"):
		end = s.statementEnd(i)
	case s.is(i+1, "default"):
		end = s.tokens[i+1].end
		if s.is(i+2, "function") || s.is(i+3, "function") || s.is(i+2, "class") { // may lack a name
			return replaced(s.text, start, end, "x =")
		}
	}
	return blanked(s.text, start, end)
}

// statementEnd is the offset behind a statement that holds no block.
func (s *scene) statementEnd(i int) int {
	parent := s.tokens[i].parent
	for j := i + 1; j < len(s.tokens); j++ {
		t := s.tokens[j]
		if s.is(j, ";") && t.parent == parent {
			return t.end
		}
		if t.newline && t.parent == parent && !s.closes(t) && !s.is(j, "from") {
			return s.tokens[j-1].end
		}
	}
	return len(s.text)
}

// unsupported gets past syntax that is lowered, and explains what the engine
// lacks.
func (s *scene) unsupported() *finding {
	i := s.tok
	switch {
	case s.is(i, "await") && s.is(i-1, "for"):
		return s.certain(finding{offset: s.tokens[i-1].start, fine: true, mended: blanked(s.text, s.tokens[i].start, s.tokens[i].end)})
	case s.is(i-1, "*") && s.is(i-2, "async"): // the parser names the star but stands behind it
		i--
		fallthrough
	case s.is(i, "*") && s.is(i-1, "async"):
		return s.certain(finding{offset: s.tokens[i-1].start, fine: true, mended: s.withoutGenerator(i)})
	case s.isName(i) && s.is(i-1, "using") && (s.is(i+1, "=") || s.is(i+1, "of")) && !s.tokens[i].newline:
		f := finding{family: "using", offset: s.tokens[i-1].start, reason: "using declarations are not supported by this version",
			hint: "use const, and clean up in a finally block", mended: replaced(s.text, s.tokens[i-1].start, s.tokens[i-1].end, "const")}
		if s.is(i-2, "await") {
			f.offset = s.tokens[i-2].start
			f.mended = blanked(f.mended, s.tokens[i-2].start, s.tokens[i-2].end)
		}
		return s.certain(f)
	}
	return nil
}

// withoutGenerator takes away the star of a generator and turns yield into await,
// which is as long.
func (s *scene) withoutGenerator(star int) string {
	mended := blanked(s.text, s.tokens[star].start, s.tokens[star].end)
	open := star + 1
	for open < len(s.tokens) && !(s.is(open, "{") && s.tokens[open].parent == s.tokens[star].parent) {
		open++
	}
	shut := -1
	if open < len(s.tokens) {
		shut = s.shut(open)
	}
	for j := open; j < shut; j++ {
		if s.is(j, "yield") {
			mended = replaced(mended, s.tokens[j].start, s.tokens[j].end, "await")
			if s.is(j+1, "*") {
				mended = blanked(mended, s.tokens[j+1].start, s.tokens[j+1].end)
			}
		}
	}
	return mended
}

// quote explains a quote inside a string, which ends it: 'don't'.
func (s *scene) quote() *finding {
	i := s.tok - 1
	if !s.isKind(i, tokenString) || !s.isKind(s.tok, tokenWord) || s.tokens[s.tok].start != s.tokens[i].end {
		return nil
	}
	c := s.text[s.tokens[i].start]
	f := finding{family: "quote", offset: s.tokens[i].end - 1, reason: fmt.Sprintf("a %c inside the string ends it here", c),
		hint: fmt.Sprintf("write \\%c, or put the text between back-ticks", c), mended: blanked(s.text, s.tokens[i].end-1, s.tokens[i].end)}
	if !s.proven(&f) {
		return nil
	}
	return &f
}
