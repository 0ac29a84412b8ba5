package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/dsh-go/dsh-workflow/tool"
)

const (
	maxLines   = 2000      // of one page, and the default
	maxLine    = 2000      // characters of one line
	pageBytes  = 50 * 1024 // of the rendered lines of one page
	probeBytes = 8192      // in which a NUL tells a binary file
)

// files are the tools that work on files.
type files struct {
	seen  *Observed
	locks *Locks
	// unguarded takes files as they are, whatever the agent has seen.
	unguarded bool
}

type readArgs struct {
	FilePath string `json:"file_path" jsonschema:"The path of the file to read."`
	Offset   *int   `json:"offset,omitempty" jsonschema:"The number of the first line to read, counted from 1."`
	Limit    *int   `json:"limit,omitempty" jsonschema:"How many lines to read, at most 2000."`
}

func readTool(f files) tool.Tool {
	t := tool.Of("read", strings.TrimSpace(readDoc), f.read)
	t.Inline = true
	t.Parallel = func(json.RawMessage) bool { return true }
	t.Harmless = true
	return t
}

func (f files) read(ctx context.Context, c tool.Call, in readArgs) (tool.Result, error) {
	w, err := windowOf(in)
	if err != nil {
		return tool.Result{}, err
	}
	t, err := locate(c, "read", in.FilePath)
	if err != nil {
		return tool.Result{}, err
	}
	file, v, err := f.openText(c.Session, t)
	if err != nil {
		return tool.Result{}, err
	}
	defer func() { _ = file.Close() }()
	page, err := readPage(ctx, file, w)
	if err != nil {
		return tool.Result{}, ioFaultOfPage(t, page, w, err)
	}
	f.seen.note(c.Session, t.path, v)
	return tool.Result{Content: tool.Text(envelope(t.shown, page.render(w)))}, nil
}

func windowOf(in readArgs) (window, error) {
	w := window{first: 1, count: maxLines}
	if in.Offset != nil {
		w.first = *in.Offset
	}
	if in.Limit != nil {
		w.count = *in.Limit
	}
	switch {
	case w.first < 1:
		return w, badArgument("offset must be a positive integer")
	case w.count < 1:
		return w, badArgument("limit must be a positive integer")
	case w.count > maxLines:
		return w, badArgument(fmt.Sprintf("limit must be less than or equal to %d", maxLines))
	}
	return w, nil
}

// openText opens a regular file. That a file is not there is an observation too.
func (f files) openText(session string, t target) (*os.File, version, error) {
	info, err := os.Stat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.seen.note(session, t.path, absent)
	}
	if err != nil {
		return nil, "", ioFault("read", t.shown, err)
	}
	if !info.Mode().IsRegular() {
		return nil, "", fault(NotRegular, nil, `cannot read "%s": not a regular file`, t.shown)
	}
	// Should the path have become a pipe meanwhile, opening it must not hang.
	file, err := os.OpenFile(t.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, "", ioFault("read", t.shown, err)
	}
	info, err = file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fault(NotRegular, nil, `cannot read "%s": not a regular file`, t.shown)
	}
	if err != nil {
		_ = file.Close()
		return nil, "", ioFault("read", t.shown, err)
	}
	return file, versionOf(info), nil
}

func ioFaultOfPage(t target, p page, w window, err error) error {
	switch {
	case errors.Is(err, errNotText):
		return fault(NotText, err, `cannot read "%s": not a text file in UTF-8`, t.shown)
	case errors.Is(err, errBeyond):
		return fault(NotFound, err, `cannot read "%s": offset %d is beyond the end of the file (total %d lines)`, t.shown, w.first, p.total)
	}
	return ioFault("read", t.shown, err)
}

// envelope is the form in which the file tools answer.
func envelope(shown, content string) string {
	return "<path>" + shown + "</path>\n<type>file</type>\n<content>\n" + content + "\n</content>"
}
