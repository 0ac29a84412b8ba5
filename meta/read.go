package meta

import (
	"fmt"
	"slices"
	"strings"
)

// Script is a source taken apart.
type Script struct {
	// Meta is nil when the source has no meta statement.
	Meta *Meta
	// Body is the source with the meta statement, a byte-order mark and a hashbang
	// line overwritten by spaces. It has the length and the lines of the source,
	// and all other bytes are untouched.
	Body string
	// Warnings say what was read but is not used. They are in source order.
	Warnings []Diagnostic

	text *text
}

// maxDepth bounds how deep brackets may nest in a meta statement.
const maxDepth = 100

const (
	mustBegin  = "script must begin with `export const meta = {...}` (leading comments allowed)"
	mustObject = "`export const meta =` must be followed by an object literal"
)

// Read finds the meta statement of a script and reads it. Nothing of the script
// is run. A source without a meta statement gives a Script without Meta and no
// error; a statement that is faulty, or not the first one, gives Diagnostics
// that name all faults.
func Read(source string) (*Script, error) {
	r := &reader{text: newText(source), body: []byte(source)}
	start := r.blankHead()
	d, faulty := r.find(start)
	var meta *Meta
	if d != nil {
		meta = r.declaration(d)
	}
	sortByPlace(r.faults)
	sortByPlace(r.warnings)
	if r.more > 0 {
		r.faults = append(r.faults, Diagnostic{Code: CodeInvalid, Message: fmt.Sprintf("and %d more faults", r.more)})
	}
	if faulty || len(r.faults) > 0 {
		return nil, r.faults
	}
	return &Script{Meta: meta, Body: string(r.body), Warnings: r.warnings, text: r.text}, nil
}

// RequireMeta is nil when the script has a meta statement, else Diagnostics that
// say which line to add.
func (s *Script) RequireMeta() error {
	if s.Meta != nil {
		return nil
	}
	d := Diagnostic{Code: CodeParse, Message: mustBegin}
	if s.text != nil {
		sc := &scanner{src: s.text.src, depth: anyDepth, pos: headEnd(s.text.src)}
		d = s.text.diagnostic(CodeParse, sc.next().start, mustBegin)
	}
	return Diagnostics{d}
}

func sortByPlace(ds []Diagnostic) {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// reader is the state of one Read.
type reader struct {
	text     *text
	body     []byte
	faults   Diagnostics
	warnings []Diagnostic
	more     int // faults that are not written out
}

// maxReported bounds how many faults, and how many warnings, are written out:
// each costs a walk along its line.
const maxReported = 100

func (r *reader) fault(code string, at int, format string, args ...any) {
	if len(r.faults) >= maxReported {
		r.more++
		return
	}
	r.faults = append(r.faults, r.text.diagnostic(code, at, fmt.Sprintf(format, args...)))
}

func (r *reader) warn(code string, at int, format string, args ...any) {
	if len(r.warnings) >= maxReported {
		return
	}
	r.warnings = append(r.warnings, r.text.diagnostic(code, at, fmt.Sprintf(format, args...)))
}

const bom = "\ufeff"

// headEnd is the offset after a byte-order mark and a hashbang line.
func headEnd(src string) int {
	i := 0
	if strings.HasPrefix(src, bom) {
		i = len(bom)
	}
	if strings.HasPrefix(src[i:], "#!") {
		i = lineEnd(src, i)
	}
	return i
}

func (r *reader) blankHead() int {
	end := headEnd(r.text.src)
	r.blank(0, end)
	return end
}

// blank overwrites a region by spaces, byte by byte, and keeps line terminators.
func (r *reader) blank(from, to int) {
	for i := from; i < to; {
		if n := newlineAt(r.text.src, i); n > 0 {
			i += n
			continue
		}
		r.body[i] = ' '
		i++
	}
}

// found is a meta statement whose first tokens have been read.
type found struct {
	sc      *scanner // stands behind the name
	start   int      // offset of export
	keyword token
	before  *token // the statement that wrongly stands before it
}

// find looks for the meta statement. faulty is set when scanning met something
// that makes an answer impossible.
func (r *reader) find(start int) (d *found, faulty bool) {
	sc := &scanner{src: r.text.src, depth: anyDepth, pos: start}
	first := r.skipDirectives(sc)
	if first.kind == bad {
		if sc.fault.what == "comment" {
			r.fault(CodeParse, sc.fault.at, "script has an unterminated comment before the meta block")
			return nil, true
		}
		return nil, false
	}
	if d := declared(sc, first); d != nil {
		return d, false
	}
	r.noteUnexported(sc, first)
	return r.findLater(start, first), false
}

// skipDirectives gives the first token that is no directive. The scanner stands
// behind it.
func (r *reader) skipDirectives(sc *scanner) token {
	t := sc.next()
	for t.kind == str {
		after := *sc
		next := after.next()
		switch {
		case sc.is(next, ";"):
			*sc = after
			t = sc.next()
		case next.newline && (next.kind == str || sc.is(next, "export")):
			*sc = after
			t = next
		default:
			return t
		}
	}
	return t
}

// declared reads `export const meta` from an export token on, and gives nil when
// something else stands there. It leaves sc alone.
func declared(sc *scanner, export token) *found {
	if export.kind != word || !sc.is(export, "export") {
		return nil
	}
	own := *sc
	own.open = slices.Clone(sc.open)
	keyword := own.next()
	switch own.text(keyword) {
	case "const", "let", "var":
	default:
		return nil
	}
	if name := own.next(); !own.is(name, "meta") {
		return nil
	}
	return &found{sc: &own, start: export.start, keyword: keyword}
}

// noteUnexported warns of a leading `const meta = {`: it is legal in a body, but
// more often the export was forgotten.
func (r *reader) noteUnexported(sc *scanner, first token) {
	own := *sc
	own.open = nil
	switch own.text(first) {
	case "const", "let", "var":
	default:
		return
	}
	if own.is(own.next(), "meta") && own.is(own.next(), "=") && own.is(own.next(), "{") {
		r.warn(CodeNotExported, first.start,
			"`%s meta` is not exported, so it is not the meta statement: write `export const meta = {...}`", own.text(first))
	}
}

// findLater looks for a meta statement behind other statements. Where the
// scanner loses its way it gives up: the body's own parser has the better text.
func (r *reader) findLater(start int, first token) *found {
	sc := &scanner{src: r.text.src, depth: anyDepth, pos: start}
	for {
		before := sc.last
		t := sc.next()
		if t.kind == eof || t.kind == bad {
			return nil
		}
		if len(sc.open) > 0 || sc.is(before, ".") && before.end > 0 {
			continue
		}
		if d := declared(sc, t); d != nil {
			d.before = &first
			return d
		}
	}
}

// declaration reads the statement from behind its name on, blanks it, and gives
// its meta. Faults go to r.
func (r *reader) declaration(d *found) *Meta {
	if d.before != nil {
		r.fault(CodeParse, d.before.start,
			"the meta statement must come first: this statement stands before it")
	}
	if word := d.sc.text(d.keyword); word != "const" {
		r.fault(CodeParse, d.keyword.start, "meta must be declared with const, not %s", word)
	}
	if t := d.sc.next(); !d.sc.is(t, "=") {
		hint := ""
		if d.sc.is(t, ":") {
			hint = ": a type annotation is TypeScript, not JavaScript"
		}
		r.fault(CodeParse, t.start, "`export const meta` must be followed by `= {...}`%s", hint)
		return nil
	}
	d.sc.open, d.sc.depth = nil, maxDepth
	open := d.sc.next()
	if !d.sc.is(open, "{") {
		if open.kind == bad && d.sc.fault.what != "bracket" {
			r.extentFault(d.sc.fault, open.start)
			return nil
		}
		r.fault(CodeParse, open.start, mustObject)
		return nil
	}
	end := r.extent(d.sc, open)
	if end < 0 {
		return nil
	}
	stop := r.statementEnd(d.sc, end)
	r.blank(d.start, stop)
	tree := r.literal(open.start, end)
	if tree == nil {
		return nil
	}
	return shape(tree, r)
}

// extent gives the offset behind the bracket that closes open, or -1.
func (r *reader) extent(sc *scanner, open token) int {
	for len(sc.open) > 0 {
		t := sc.next()
		switch t.kind {
		case eof:
			r.fault(CodeParse, open.start, "meta block is not a balanced object literal")
			return -1
		case bad:
			r.extentFault(sc.fault, open.start)
			return -1
		}
	}
	return sc.last.end
}

func (r *reader) extentFault(f *fault, open int) {
	switch f.what {
	case "comment", "string literal":
		r.fault(CodeParse, f.at, "meta block has an unterminated %s", f.what)
	case "nesting":
		r.fault(CodeParse, f.at, "meta block is nested deeper than %d levels", maxDepth)
	default:
		r.fault(CodeParse, f.at, "meta block is not a balanced object literal")
	}
}

// statementEnd checks what follows the literal and gives the offset at which the
// body goes on.
func (r *reader) statementEnd(sc *scanner, end int) int {
	sc.depth = anyDepth
	t := sc.next()
	switch text := sc.text(t); {
	case t.kind == eof || t.kind == bad:
		return end
	case sc.is(t, ";"):
		return t.end
	case sc.is(t, "}"):
		return end
	case sc.is(t, ","):
		r.fault(CodeParse, t.start, "the meta statement must declare nothing but meta")
	case text == "as" || text == "satisfies":
		r.fault(CodeParse, t.start,
			"the meta statement must end after the object literal: `%s` is TypeScript, not JavaScript", text)
	case t.newline && !continues(t, text):
		return end
	default:
		r.fault(CodeParse, t.start, "the meta statement must end after the object literal")
	}
	return end
}

// continues reports whether a token at the start of a line goes on with the
// expression of the line before.
func continues(t token, text string) bool {
	switch t.kind {
	case word:
		return text == "in" || text == "instanceof"
	case template, regex:
		return true
	case punct:
		switch text {
		case "++", "--", "@", "{", "!", "~":
			return false
		}
		return true
	}
	return false
}
