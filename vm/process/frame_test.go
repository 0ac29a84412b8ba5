package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/vm"
)

func TestFramesComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, s := rapid.Uint64().Draw(t, "n"), rapid.String().Draw(t, "s")
		b, f := rapid.SliceOf(rapid.Byte()).Draw(t, "b"), rapid.Float64().Draw(t, "f")
		yes := rapid.Bool().Draw(t, "yes")
		sent := frame(saysNote).uint(n).text(s).blob(b).float(f).bool(yes).blob(nil).bytes()
		r, err := readFrame(io.MultiReader(bytes.NewReader(sent[:len(sent)/2]), bytes.NewReader(sent[len(sent)/2:])))
		if err != nil {
			t.Fatal(err)
		}
		if r.kind != saysNote || r.uint() != n || r.text() != s {
			t.Fatal("the first fields differ")
		}
		if diff := cmp.Diff(append([]byte{}, b...), append([]byte{}, r.blob()...)); diff != "" {
			t.Fatal(diff)
		}
		if got := r.float(); got != f && f == f || r.bool() != yes || r.blob() != nil || r.check() != nil {
			t.Fatal("the last fields differ")
		}
	})
}

// Every error of a realm arrives as what it was.
func TestErrorsCross(t *testing.T) {
	host := errors.New("of the host")
	for _, err := range []error{
		&vm.ParseError{Reason: "r", Pos: vm.Position{Line: 1, Column: 2}, Excerpt: "e", Hint: "h", More: []vm.ParseError{{Reason: "more"}}, TooComplex: true},
		&vm.ScriptError{Rendered: "Error: x\n    at y", Pos: vm.Position{Line: 3}},
		&vm.ValueError{Path: "p", Reason: "r"},
		&vm.ArgumentError{Hook: "agent", Reason: "r", Cap: true, Pos: vm.Position{Line: 4}},
		&vm.LimitError{Limit: vm.CodeMemory, Reason: "r", Pos: vm.Position{Line: 5}},
		&vm.StalledError{},
		&vm.PanicError{Value: "v", Stack: []byte("s")},
		&codedError{Name: "AGENT_RESULT", Message: "m"},
	} {
		var sent bytes.Buffer
		c := &remote{out: &sent}
		if failed := c.end(vm.Result{}, err); failed != nil {
			t.Fatal(failed)
		}
		r, failed := readFrame(&sent)
		if failed != nil {
			t.Fatal(failed)
		}
		if diff := cmp.Diff(err, errorFrom(r.blob(), nil)); diff != "" {
			t.Error(diff)
		}
	}
	find := func(n uint64) error {
		if n == 3 {
			return host
		}
		return nil
	}
	if got := errorFrom([]byte(`{"host":3}`), find); got != host {
		t.Error(got)
	}
	if got := errorFrom([]byte(`{"host":4}`), find); !errors.Is(got, errFrame) {
		t.Error(got)
	}
}

// stillSession has no process; what it would send stays in its outbox.
func stillSession(t *testing.T) *session {
	still := &recorder{agent: func(vm.AgentCall, vm.Settle) error { return nil }}
	return newSession(t.Context(), nil, still, vm.Options{SyncLimit: time.Hour})
}

// FuzzHost feeds a host what a realm might say.
func FuzzHost(f *testing.F) {
	for _, w := range []*builder{
		frame(saysCall).uint(1).text("p").blob([]byte(`{"label":"l"}`)).bool(true).uint(1).uint(2),
		frame(saysPhase).text("one"), frame(saysSpent).uint(3), frame(saysAfter).uint(1).uint(1e6), frame(saysClear).uint(1),
		frame(saysNote).text("log").text("info").text("m").uint(1).uint(1), frame(saysSeen).uint(1), frame(saysAlive), frame(saysWaiting).uint(2),
		frame(saysFault).blob([]byte(`{"limit":{"Limit":"STACK"}}`)), frame(saysEnd).blob([]byte(`1`)),
	} {
		f.Add(w.bytes())
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		s := stillSession(t)
		defer func() {
			for _, cancel := range s.timers {
				cancel()
			}
		}()
		for from := bytes.NewReader(said); ; {
			r, err := readFrame(from)
			if err != nil {
				return
			}
			if r.kind == saysFault {
				_ = s.fault(r)
				return
			}
			if err := s.answer(r); err != nil {
				if codeOf(err) != vm.CodeInternal {
					t.Fatal(err)
				}
				return
			}
		}
	})
}

// FuzzRealm feeds a realm what a host might tell.
func FuzzRealm(f *testing.F) {
	for _, w := range []*builder{
		frame(tellsVerdict).bool(true), frame(tellsVerdict).bool(false).uint(1).text("C").text("m").bool(true), frame(tellsSpent).float(1),
		frame(tellsSettle).uint(1).bool(true).blob([]byte(`1`)), frame(tellsSettle).uint(1).bool(false).uint(1).text("C").text("m"),
		frame(tellsFired).uint(2), frame(tellsPing),
	} {
		f.Add(w.bytes())
	}
	f.Fuzz(func(t *testing.T, told []byte) {
		r := &remote{out: io.Discard, replies: make(chan *record, 1),
			settles: map[uint64]vm.Settle{1: func(json.RawMessage, error) {}}, fires: map[uint64]func(){2: func() {}}}
		if err := r.listen(bytes.NewReader(told)); err == nil {
			t.Fatal("it heard no end")
		}
	})
}
