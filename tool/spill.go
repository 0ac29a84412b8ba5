package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/llm"
)

// DefaultInline is the most bytes that the text of a result has before the whole
// goes to a file, unless [Registry.Inlined] says otherwise.
const DefaultInline = 128 << 10

// SpillHint says what a model does with the path of a stored text.
const SpillHint = "Use read with offset and limit, or grep on that path."

// outputsOf is the folder of a session below the folder for outputs: sessions
// share that one, and their ids are no names of files.
func outputsOf(c Call) string {
	if c.Outputs == "" || c.Session == "" {
		return c.Outputs
	}
	sum := sha256.Sum256([]byte(c.Session))
	return filepath.Join(c.Outputs, "session-"+hex.EncodeToString(sum[:]))
}

// spill keeps a text that is too long to show in a file and leaves its beginning
// and its end, and where the whole is. It leaves alone what is short enough, what
// is not only text, and everything when the whole cannot be kept.
func (r *Registry) spill(c Call, content []llm.Block) []llm.Block {
	whole := ""
	for _, b := range content {
		t, ok := b.(llm.Text)
		if !ok {
			return content
		}
		whole += t.Text
	}
	if len(whole) <= r.inline || c.Outputs == "" || c.Session == "" || r.tools[c.Name].tool.Inline {
		return content
	}
	whole = printable(whole)
	path, err := keep(c, whole)
	if err != nil {
		return content
	}
	short, ok := preview(whole, path, r.inline)
	if !ok {
		_ = os.Remove(path)
		return content
	}
	return Text(short)
}

// keep writes a text to a file of its own. Names of tools are names of files too.
func keep(c Call, text string) (path string, err error) {
	if err := os.MkdirAll(c.Outputs, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(c.Outputs, "*-"+c.Name+".txt") // 0600, and never one that is there
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// preview shows both ends of a text and where the whole is, in at most limit
// bytes; false if not even the notice fits.
func preview(whole, path string, limit int) (string, bool) {
	const gap = "\n[...]\n"
	notice := func(left int) string {
		return fmt.Sprintf("\n\n(%d bytes left out. Full formatted result stored at: %s. %s)", left, path, SpillHint)
	}
	room := limit - len(notice(len(whole))) - len(gap) // no smaller number is longer
	if room < 0 {
		return "", false
	}
	head, tail := clip(whole, room/2), clipFront(whole, room/2)
	return head + gap + tail + notice(len(whole)-len(head)-len(tail)), true
}
