package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/tool"
)

// editBytes is the longest file that edit takes into memory.
const editBytes = 32 << 20

type editArgs struct {
	FilePath   string `json:"file_path" jsonschema:"The path of the file to change."`
	OldString  string `json:"old_string" jsonschema:"The text to replace, exactly as it stands in the file."`
	NewString  string `json:"new_string" jsonschema:"The text that takes its place; must differ from old_string."`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"Replace every occurrence instead of a single unique one."`
}

func (f files) edit(ctx context.Context, c tool.Call, in editArgs) (tool.Result, error) {
	swap, err := replacementOf(in)
	if err != nil {
		return tool.Result{}, err
	}
	t, err := locate(c, "edit", in.FilePath)
	if err != nil {
		return tool.Result{}, err
	}
	if t, err = t.confine(c, "edit"); err != nil {
		return tool.Result{}, err
	}
	expected, err := f.mayEdit(c, t)
	if err != nil {
		return tool.Result{}, err
	}
	ch, err := f.begin(ctx, t, "edit")
	if err != nil {
		return tool.Result{}, err
	}
	defer ch.close()
	if now := ch.version(); now == absent || !f.unguarded && now != expected {
		return tool.Result{}, stale(t.shown)
	}
	v, err := ch.apply(swap)
	if err != nil {
		return tool.Result{}, ch.failed("edit", err)
	}
	f.seen.note(c.Session, t.path, v)
	text := fmt.Sprintf("The file %s has been updated successfully.", t.shown)
	if in.ReplaceAll {
		text = fmt.Sprintf("The file %s has been updated. All occurrences were successfully replaced.", t.shown)
	}
	return tool.Result{Content: tool.Text(text)}, nil
}

// mayEdit is the policy of edit: it changes what the agent has seen, and only in
// the state in which it was seen.
func (f files) mayEdit(c tool.Call, t target) (expected version, err error) {
	if f.unguarded {
		return "", nil
	}
	expected, known := f.seen.last(c.Session, t.path)
	switch {
	case !known:
		return "", notObserved("edit", t.shown)
	case expected == absent:
		return "", fault(NotFound, nil, `cannot edit "%s": not found`, t.shown)
	}
	return expected, nil
}

// replacement is what to replace by what; line ends are line feeds.
type replacement struct {
	old, new string
	all      bool
}

func replacementOf(in editArgs) (replacement, error) {
	r := replacement{old: lineFeeds(in.OldString), new: lineFeeds(in.NewString), all: in.ReplaceAll}
	switch {
	case r.old == "":
		return r, badArgument("old_string must be a non-empty string")
	case r.old == r.new:
		return r, badArgument("old_string and new_string must differ")
	}
	return r, nil
}

func lineFeeds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func (ch *change) apply(r replacement) (version, error) {
	before, err := ch.content()
	if err != nil {
		return "", err
	}
	after, n := r.in(before)
	switch {
	case n == 0:
		return "", fault(EditNotFound, nil, `old_string was not found in "%s"`, ch.target.shown)
	case n > 1 && !r.all:
		return "", fault(AmbiguousEdit, nil,
			`old_string matched %d times in "%s"; provide a more specific old_string or set replace_all to true`, n, ch.target.shown)
	}
	return ch.publish([]byte(after))
}

func (ch *change) content() (string, error) {
	if ch.info.Size() > editBytes {
		return "", fault(TooLarge, nil, `cannot edit "%s": the file is larger than %d bytes`, ch.target.shown, editBytes)
	}
	f, err := ch.root.Open(ch.target.rel)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, editBytes+1))
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(text[:min(len(text), probeBytes)], 0) >= 0 || !utf8.Valid(text) {
		return "", fault(NotText, nil, `cannot edit "%s": not a text file in UTF-8`, ch.target.shown)
	}
	return string(text), nil
}

// in replaces within text and counts the occurrences. It matches as if every
// line ended with a line feed, and writes what it inserts with the line ends
// that the text has. What does not match keeps every byte.
func (r replacement) in(text string) (string, int) {
	inserted := r.new
	if mostlyCRLF(text) {
		inserted = strings.ReplaceAll(r.new, "\n", "\r\n")
	}
	plain := lineFeeds(text)
	var out strings.Builder
	n, copied := 0, 0
	at := cursor{text: text}
	for from := 0; ; n++ {
		i := strings.Index(plain[from:], r.old)
		if i < 0 {
			break
		}
		start := at.to(from + i)
		from += i + len(r.old)
		out.WriteString(text[copied:start])
		out.WriteString(inserted)
		copied = at.to(from)
	}
	out.WriteString(text[copied:])
	return out.String(), n
}

// cursor maps offsets in a text with plain line feeds to the original text.
type cursor struct {
	text            string
	plain, original int
}

// to moves forward to a plain offset and returns the original one.
func (c *cursor) to(plain int) int {
	for c.plain < plain {
		if strings.HasPrefix(c.text[c.original:], "\r\n") {
			c.original++
		}
		c.original++
		c.plain++
	}
	return c.original
}

// mostlyCRLF looks at the first 4096 bytes.
func mostlyCRLF(text string) bool {
	head := text[:min(len(text), 4096)]
	pairs := strings.Count(head, "\r\n")
	return pairs > strings.Count(head, "\n")-pairs
}
