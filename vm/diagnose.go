package vm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// The parser says where it stumbled, which is often not where the fault is. So
// each suspicion is put to the proof: the text is mended the way the suspicion
// says, and counts only if the parser then gets further. A mended text has
// every other token at its line and column, and with it the search goes on for
// faults that do not follow from the first.

// finding is one fault of a text.
type finding struct {
	family string // faults of one family are told together; "" stands alone
	offset int    // in the text that was parsed, -1 if unknown
	reason string
	hint   string
	mended string // the text without the fault; "" if nobody knows
	// fine: it is no fault, but the parser knows no better and must get past it.
	fine bool
}

const (
	maxFindings = 5
	// maxProofs bounds the bytes that are parsed to diagnose one script: less than a
	// second of work.
	maxProofs = 1 << 20
	// maxMended bounds how many faults are mended on the way.
	maxMended = 40
)

// doctor diagnoses one script.
type doctor struct {
	opts   Options
	budget int // bytes that may still be parsed
}

// diagnosis collects the findings of one script. Places are kept as lines and
// columns, which mending does not move.
type diagnosis struct {
	body  string
	found []finding
	pos   []Position       // of found, columns in bytes
	also  map[string][]int // lines with more faults of a family
	lines map[int]bool     // lines that have a fault
}

// diagnose says what is wrong with a body that the parser refused, or that is
// fenced.
// Where nothing is found the last resort counts, if there is one.
func diagnose(body string, opts Options, err error, last *ParseError) *ParseError {
	d := &doctor{opts: opts, budget: maxProofs}
	all := &diagnosis{body: body, also: map[string][]int{}, lines: map[int]bool{}}
	faulty := body
	for range maxMended {
		f := d.examine(faulty, err)
		if !all.add(f, faulty) || f.mended == "" {
			break
		}
		faulty = f.mended
		tree, next := d.parse(faulty)
		if next == nil {
			if oneFunction(tree, len(opener)+len(faulty)+len(closer)) == nil {
				for _, f := range settleTree(tree).found {
					all.add(f, faulty)
				}
			}
			break
		}
		if errors.Is(next, errNoProof) {
			break
		}
		err = next
	}
	if len(all.found) == 0 && last != nil {
		return last
	}
	return all.parseError()
}

// add takes a finding, unless it seems to follow from another one. It reports
// whether it is worth while to go on.
func (all *diagnosis) add(f finding, text string) bool {
	var p Position
	if f.offset >= 0 {
		p = bytePosition(text, min(f.offset, len(text)))
	}
	switch {
	case f.fine:
		return true
	case f.family != "" && slices.ContainsFunc(all.found, func(g finding) bool { return g.family == f.family }):
		if lines := all.also[f.family]; !all.lines[p.Line] {
			all.also[f.family] = append(lines, p.Line)
		}
	case len(all.found) > 0 && f.hint == "" && (f.family == "" || all.lines[p.Line]):
		return false // what nobody can explain may well follow from the mending
	case len(all.found) == maxFindings:
		return false
	default:
		all.found, all.pos = append(all.found, f), append(all.pos, p)
	}
	all.lines[p.Line] = true
	return true
}

// parseError puts the findings into words, in the order of the source.
func (all *diagnosis) parseError() *ParseError {
	list := make([]ParseError, len(all.found))
	for i, f := range all.found {
		reason := f.reason + alsoAt(all.also[f.family])
		list[i] = ParseError{Reason: reason}
		if all.pos[i].Line > 0 {
			list[i] = *parseErrorAt(all.body, all.pos[i], reason)
		}
		list[i].Hint = f.hint
	}
	slices.SortStableFunc(list, func(a, b ParseError) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	first := list[0]
	first.More = list[1:]
	return &first
}

// refuse is the error of findings that no parser stumbled over.
func refuse(body string, found ...finding) *ParseError {
	all := &diagnosis{body: body, also: map[string][]int{}, lines: map[int]bool{}}
	for _, f := range found {
		all.add(f, body)
	}
	return all.parseError()
}

// alsoAt names more lines with the same kind of fault.
func alsoAt(lines []int) string {
	if len(lines) == 0 {
		return ""
	}
	text := fmt.Sprint(lines[:min(len(lines), maxFindings)])
	text = strings.ReplaceAll(strings.Trim(text, "[]"), " ", ", ")
	if n := len(lines) - maxFindings; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return " (also on line " + text + ")"
}

// parse reads a text as the body of the one function. A text that is too complex
// for the parser, or more than the budget allows, is refused.
func (d *doctor) parse(text string) (*ast.Program, error) {
	if d.budget -= len(text); d.budget < 0 || scan(text, d.opts) != nil {
		return nil, errNoProof
	}
	return parseBody(text, "workflow")
}

var errNoProof = errors.New("not parsed")

// parseBody parses the body of the one function. The parser has panicked on
// malformed input before.
func parseBody(body, name string) (tree *ast.Program, err error) {
	defer func() {
		if x := recover(); x != nil {
			tree, err = nil, fmt.Errorf("the parser gave up: %v", x)
		}
	}()
	// Without this option a comment in the script could make the parser read a
	// source map from the disk.
	return parser.ParseFile(nil, name, opener+body+closer, 0, parser.WithDisableSourceMaps)
}

// stumble is the offset of the parser's first error, and its text. The offset is
// len(text) where the parser wanted more, and -1 if there is none.
func stumble(text string, err error) (int, string) {
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return -1, err.Error()
	}
	p := list[0].Position
	offset := min(max(offsetOf(opener+text+closer, p.Line, p.Column)-len(opener), 0), len(text))
	if list[0].Message == "Unexpected end of input" {
		offset = len(text)
	}
	return offset, list[0].Message
}

// offsetOf turns a place of the parser into an offset. It counts lines as the
// parser does.
func offsetOf(text string, line, column int) int {
	start := 0
	for ; line > 1; line-- {
		n := strings.IndexAny(text[start:], "\n\r\u2028\u2029")
		if n < 0 {
			return len(text)
		}
		start += n
		if strings.HasPrefix(text[start:], "\r\n") {
			start++
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		start += size
	}
	return min(start+max(column-1, 0), len(text))
}

// reach is how far the parser gets: the offset of its first error, or one more
// than the length for a text that parses. A template that swallows the rest
// counts from where it begins.
func (d *doctor) reach(text string) int {
	tree, err := d.parse(text)
	if err == nil {
		if oneFunction(tree, len(opener)+len(text)+len(closer)) != nil {
			return -1
		}
		return len(text) + 1
	}
	offset, _ := stumble(text, err)
	if offset < len(text) {
		return offset
	}
	if open := tokenize(text).endless(); open >= 0 {
		return open
	}
	return offset
}

// endless is the offset of the template piece that never ends, or -1.
func (s *source) endless() int {
	n := len(s.tokens) - 1
	if n < 0 || s.tokens[n].kind != tokenTemplate || s.ends(s.tokens[n]) || s.substitutes(s.tokens[n]) {
		return -1
	}
	return s.tokens[n].start
}

// scene is the place where the parser stumbled.
type scene struct {
	*doctor
	*source
	offset  int // of the stumble
	tok     int // index of the token there; len(tokens) at the end
	message string
}

// examine finds the fault behind the first error of a text.
func (d *doctor) examine(text string, err error) finding {
	if f := fence(text); f != nil {
		return *f
	}
	offset, message := stumble(text, err)
	if offset < 0 {
		return finding{offset: -1, reason: message}
	}
	src := tokenize(text)
	s := &scene{doctor: d, source: src, offset: offset, tok: src.at(offset), message: message}
	if strings.TrimSpace(text[offset:]) == "" {
		s.offset, s.tok = len(text), len(src.tokens)
	}
	for _, suspect := range []func() *finding{
		s.swallowed, s.strayCharacter, s.prose, s.modules, s.unsupported, s.misplacedAwait, s.typed, s.quote,
		s.backtick, s.comma, s.bracket,
	} {
		if f := suspect(); f != nil {
			return *f
		}
	}
	return s.plain()
}

// proven checks a suspicion: the mended text must parse further than the stumble.
func (s *scene) proven(f *finding) bool { return s.reach(f.mended) > s.offset }

// certain keeps a finding that needs no proof, and its mended text if that helps.
func (s *scene) certain(f finding) *finding {
	if f.mended != "" && !s.proven(&f) {
		f.mended = ""
	}
	return &f
}

// plain is the parser's own text.
func (s *scene) plain() finding {
	f := finding{offset: s.offset, reason: lowerFirst(s.message)}
	switch {
	case s.offset >= len(s.text):
		f.offset, f.reason = len(strings.TrimRight(s.text, " \t\r\n")), "unexpected end of the script"
	case s.message == "Unexpected identifier" || s.message == "Unexpected reserved word":
		f.reason += " " + s.word(s.tok)
	case strings.HasPrefix(s.message, "Invalid destructuring binding") && s.isName(s.tok) && s.is(s.tok+1, "="):
		f.reason = "an array pattern with defaults inside an object pattern with a default is not supported by this version"
		f.hint = "take the value apart in two steps"
	}
	return f
}

// bytePosition is the line of an offset and its column in bytes.
func bytePosition(text string, offset int) Position {
	return Position{Line: 1 + strings.Count(text[:offset], "\n"), Column: 1 + offset - lineStartAt(text, offset)}
}
