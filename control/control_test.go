//go:build unix

package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dsh-go/dsh-workflow/control"
)

// listen serves at a path that is short enough for every system.
func listen(t *testing.T, handle func(context.Context, control.Request) (any, error)) *control.Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := control.Listen(filepath.Join(dir, "s.sock"), handle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

type coded struct{}

func (coded) Error() string { return "paused already" }
func (coded) Code() string  { return "PAUSED" }

func TestAsk(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s := listen(t, func(_ context.Context, r control.Request) (any, error) {
		switch r.Op {
		case control.Status:
			return map[string]string{"run": r.Run, "why": r.Reason, "value": string(r.Value)}, nil
		case control.Pause:
			return nil, fmt.Errorf("wrapped: %w", coded{})
		case control.Resume:
			return strings.Repeat("x", control.MaxLine), nil
		case control.Stop, control.Answer:
		}
		return nil, nil
	})
	raw, err := control.Ask(t.Context(), s.Path(), control.Request{Op: control.Status, Run: "wf_1", Reason: "a\nb", Value: json.RawMessage(`{"a":1}`)})
	if want := `{"run":"wf_1","value":"{\"a\":1}","why":"a\nb"}`; err != nil || string(raw) != want {
		t.Errorf("got %s, %v; want %s", raw, err, want)
	}
	if raw, err := control.Ask(t.Context(), s.Path(), control.Request{Op: control.Stop}); raw != nil || err != nil {
		t.Errorf("no value: %s, %v", raw, err)
	}
	for op, want := range map[control.Op]string{control.Pause: "PAUSED", control.Resume: control.CodeInternal} {
		_, err := control.Ask(t.Context(), s.Path(), control.Request{Op: op})
		var f *control.Failure
		if !errors.As(err, &f) || f.Code() != want {
			t.Errorf("%s: %v, want %s", op, err, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	var f *control.Failure
	if _, err := control.Ask(t.Context(), s.Path(), control.Request{}); !errors.As(err, &f) || f.Kind != control.CodeUnreachable {
		t.Errorf("a closed server: %v", err)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// A peer that says nothing, too much or nonsense costs others nothing.
func TestBadPeers(t *testing.T) {
	s := listen(t, func(context.Context, control.Request) (any, error) { return "fine", nil })
	for _, text := range []string{"\n", "{", "{\"op\":7}\n", "null x\n", strings.Repeat("x", control.MaxLine+10)} {
		c, err := net.Dial("unix", s.Path())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte(text))
		_ = c.(*net.UnixConn).CloseWrite()
		answer := make([]byte, 1<<16)
		n, _ := c.Read(answer)
		if !strings.Contains(string(answer[:n]), control.CodeBadRequest) {
			t.Errorf("%.20q: %q", text, answer[:n])
		}
		c.Close()
	}
	var silent []net.Conn
	for range 100 {
		if c, err := net.Dial("unix", s.Path()); err == nil {
			silent = append(silent, c)
		}
	}
	done := make(chan error, 1)
	go func() { done <- s.Close() }()
	select {
	case <-done:
	case <-time.After(4 * time.Second):
		t.Error("silent peers keep the server open")
	}
	for _, c := range silent {
		c.Close()
	}
}

func TestManyAtOnce(t *testing.T) {
	s := listen(t, func(_ context.Context, r control.Request) (any, error) { return r.Run, nil })
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			raw, err := control.Ask(t.Context(), s.Path(), control.Request{Run: fmt.Sprint(i)})
			if want := fmt.Sprintf("%q", fmt.Sprint(i)); err != nil || string(raw) != want {
				t.Errorf("got %s, %v", raw, err)
			}
		})
	}
	all.Wait()
}

func TestAskEndsWithItsContext(t *testing.T) {
	s := listen(t, func(ctx context.Context, _ control.Request) (any, error) { <-ctx.Done(); return nil, ctx.Err() })
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if _, err := control.Ask(ctx, s.Path(), control.Request{}); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

func TestSocketOfADeadProcessIsReplaced(t *testing.T) {
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	s, err := control.Listen(path, func(context.Context, control.Request) (any, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.Listen(path, nil); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second server: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

func TestFolder(t *testing.T) {
	base := t.TempDir()
	long := filepath.Join(base, strings.Repeat("x", 90))
	dir, err := control.Folder(base)
	if len(base) < 40 && (err != nil || dir != filepath.Join(base, "dsh")) {
		t.Errorf("%s, %v", dir, err)
	}
	if dir, err := control.Folder(long); err != nil || dir != fmt.Sprintf("/tmp/dsh-%d", os.Getuid()) {
		t.Errorf("a long path: %s, %v", dir, err)
	}
	for name, make := range map[string]func(path string) error{
		"open to all": func(p string) error { return errors.Join(os.Mkdir(p, 0o755), os.Chmod(p, 0o755)) },
		"a link":      func(p string) error { return os.Symlink(t.TempDir(), p) },
		"a file":      func(p string) error { return os.WriteFile(p, nil, 0o600) },
	} {
		at, err := os.MkdirTemp("/tmp", "c")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(at) })
		if err := make(filepath.Join(at, "dsh")); err != nil {
			t.Fatal(err)
		}
		var f *control.Failure
		if _, err := control.Folder(at); !errors.As(err, &f) || f.Kind != control.CodeFolder {
			t.Errorf("%s: %v", name, err)
		}
	}
}
