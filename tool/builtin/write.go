package builtin

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/dsh-go/dsh-workflow/tool"
)

type writeArgs struct {
	FilePath string `json:"file_path" jsonschema:"The path of the file to write."`
	Content  string `json:"content" jsonschema:"The whole new content of the file."`
}

func (f files) write(ctx context.Context, c tool.Call, in writeArgs) (tool.Result, error) {
	t, err := locate(c, "write", in.FilePath)
	if err != nil {
		return tool.Result{}, err
	}
	if t, err = t.confine(c, "write"); err != nil {
		return tool.Result{}, err
	}
	// What the agent has seen counts from before the wait for the lock: a change
	// that another call makes meanwhile is news.
	expected, known := f.seen.last(c.Session, t.path)
	ch, err := f.begin(ctx, t, "write")
	if err != nil {
		return tool.Result{}, err
	}
	defer ch.close()
	if !f.unguarded {
		if err := mayWrite(t, ch.version(), expected, known); err != nil {
			return tool.Result{}, err
		}
	}
	v, err := ch.publish([]byte(in.Content))
	if err != nil {
		return tool.Result{}, ch.failed("write", err)
	}
	f.seen.note(c.Session, t.path, v)
	what := "Updated file"
	if ch.info == nil {
		what = "Created file"
	}
	return tool.Result{Content: tool.Text(envelope(t.shown, what))}, nil
}

// mayWrite is the policy of write: what was never seen may only be created,
// what was seen may only be replaced in the state in which it was seen.
func mayWrite(t target, now, expected version, known bool) error {
	switch {
	case !known && now != absent:
		return notObserved("write", t.shown)
	case known && now != expected:
		return stale(t.shown)
	}
	return nil
}

// change is one change of a file under its lock.
type change struct {
	target target
	root   *os.Root
	info   fs.FileInfo // of the file before; nil if it is absent
	unlock func()
}

// begin takes the lock of the target and looks at its state. All access goes
// through the opened root, which no symbolic link that appears later can leave.
func (f files) begin(ctx context.Context, t target, op string) (*change, error) {
	unlock, err := f.locks.lock(ctx, t.path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(t.root)
	if err != nil {
		unlock()
		return nil, ioFault(op, t.shown, err)
	}
	ch := &change{target: t, root: root, unlock: unlock}
	info, err := root.Stat(t.rel)
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = fault(NotRegular, nil, `cannot %s "%s": not a regular file`, op, t.shown)
	case err == nil:
		ch.info = info
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		ch.close()
		return nil, ioFault(op, t.shown, err)
	}
	return ch, nil
}

func (ch *change) version() version {
	if ch.info == nil {
		return absent
	}
	return versionOf(ch.info)
}

func (ch *change) close() {
	_ = ch.root.Close()
	ch.unlock()
}

// failed names a failure to publish.
func (ch *change) failed(op string, err error) error {
	if errors.Is(err, errRaced) {
		return stale(ch.target.shown)
	}
	return ioFault(op, ch.target.shown, err)
}
