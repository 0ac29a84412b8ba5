package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/google/go-cmp/cmp"
)

// onDisk returns a new log in a file.
func onDisk(t testing.TB) (*Log, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sessions", "s1.jsonl")
	sink, err := OpenFile(path, plainHeader)
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(plainHeader, Options{Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	return l, path
}

// talk is a turn with every kind of surface event.
func talk(t testing.TB, l *Log, turn int) {
	t.Helper()
	id := fmt.Sprint("c", turn)
	feed(t, l, TurnStart{turn}, user("u"+id, "é"), StepStart{turn, 1}, RequestHeader{Header: epoch("s")}, calling(turn, 1, id),
		toolCall(turn, 1, id), result(turn, 1, id, "text"), StepEnd{turn, 1}, ended(turn))
}

func shut(t testing.TB, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// proves: A77
func TestNothingIsWrittenBeforeTheFirstEvent(t *testing.T) {
	l, path := onDisk(t)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
	feed(t, l, TurnStart{1})
	shut(t, l)
	text := string(read(t, path))
	if want := `{"type":"session","version":0,"id":"s1","createdAt":0,"cwd":"/work","delegationDepth":0}` + "\n"; !strings.HasPrefix(text, want) {
		t.Errorf("the file begins with %s", text)
	}
}

// proves: A99
func TestResumeGoesOn(t *testing.T) {
	l, path := onDisk(t)
	talk(t, l, 1)
	shut(t, l)
	sink, header, events, err := ResumeFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(header, Options{Sink: sink, Seed: events})
	if err != nil {
		t.Fatal(err)
	}
	talk(t, again, 2)
	shut(t, again)
	_, stored, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(again.Events(0), stored); d != "" {
		t.Error(d)
	}
	if header != plainHeader || len(stored) != 9+1+9 {
		t.Errorf("%+v, %d events", header, len(stored))
	}
}

// The file is cut at every byte after the first turn. Everything complete is
// there, the open turn is closed, and the session goes on.
// proves: A81
func TestCutAtEveryByte(t *testing.T) {
	l, path := onDisk(t)
	talk(t, l, 1)
	first := l.Len()
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin := len(read(t, path))
	talk(t, l, 2)
	shut(t, l)
	whole := read(t, path)
	for cut := begin; cut <= len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		complete := first + bytes.Count(whole[begin:cut], []byte("\n"))
		if cut < len(whole) && whole[cut] == '\n' {
			complete++ // only its newline is missing
		}
		_, seen, err := Load(path)
		if err != nil || len(seen) != complete {
			t.Fatalf("cut at %d: %d events, want %d, %v", cut, len(seen), complete, err)
		}
		if !bytes.Equal(read(t, path), whole[:cut]) {
			t.Fatal("Load has changed the file")
		}
		if cut%131 == 0 || whole[cut-1] == '\n' { // going on syncs a lot
			goOn(t, path, l.Events(0)[:complete])
		}
	}
}

// goOn resumes a cut file and appends a turn.
func goOn(t *testing.T, path string, complete []Event) {
	t.Helper()
	sink, header, events, err := ResumeFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(append(complete[:len(complete):len(complete)], Repair(complete)...), events); d != "" {
		t.Fatal(d)
	}
	l, err := New(header, Options{Sink: sink, Seed: events})
	if err != nil {
		t.Fatal(err)
	}
	turn, _ := l.Turn()
	feed(t, l, TurnStart{turn + 1}, ended(turn+1))
	shut(t, l)
	_, stored, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(l.Events(0), stored); d != "" {
		t.Fatal(d)
	}
}

// proves: A82, A83, A23
func TestLogsThatAreRefused(t *testing.T) {
	const head = `{"type":"session","version":0,"id":"s1","createdAt":0,"delegationDepth":0}` + "\n"
	const start = `{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}` + "\n"
	end := func(seq int) string {
		return fmt.Sprintf(`{"type":"turn/end","seq":%d,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}}`+"\n", seq)
	}
	for name, test := range map[string]struct {
		text string
		kind Code
		want string
	}{
		"event lost before the end of a turn": {head + start + "{\"type\":\"step/sta\n" + end(2), CodeCorrupt, "line 4 has event 2, expected 1"},
		"bad event before the end of a turn":  {head + start + `{"type":"step/start","seq":1,"time":1,"data":{"turn":"x"}}` + "\n" + end(2), CodeCorrupt, "step/start"},
		"gap before the end of a turn":        {head + start + end(2), CodeCorrupt, "line 3 has event 2, expected 1"},
		"newer":                               {`{"type":"session","version":3,"future":[]}` + "\n", CodeUnsupported, "newer harness, upgrade"},
		"older":                               {`{"type":"session","version":-1}` + "\n", CodeUnsupported, "no upgrade path"},
		"unknown type":                        {head + start + `{"type":"x/y","seq":1,"time":1,"data":{}}` + "\n", CodeUnsupported, `unknown type "x/y"`},
		"no object":                           {"[]\n" + start, CodeCorrupt, "not the header"},
		"no header":                           {start, CodeCorrupt, "not the header"},
		"half a header":                       {head[:20], CodeCorrupt, "line 1"},
		"empty":                               {"", CodeCorrupt, "no header"},
		"wrong header":                        {strings.Replace(head, `"s1"`, `""`, 1), CodeHeader, "id"},
		"fraction":                            {strings.Replace(head, `"createdAt":0`, `"createdAt":0.5`, 1), CodeCorrupt, "createdAt"},
		"strange header":                      {strings.Replace(head, `"id"`, `"x":1,"id"`, 1), CodeCorrupt, "unknown field"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var why *Error
			if _, _, err := Load(path); !errors.As(err, &why) || why.Kind != test.kind || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Load: %v, want %s and %q", err, test.kind, test.want)
			}
			if _, _, _, err := ResumeFile(path); !errors.As(err, &why) || why.Kind != test.kind {
				t.Errorf("ResumeFile: %v", err)
			}
			if string(read(t, path)) != test.text {
				t.Error("a refused log was changed")
			}
		})
	}
}

// Lines that hold no event do not hinder the others.
func TestJunkBetweenEvents(t *testing.T) {
	l, path := onDisk(t)
	talk(t, l, 1)
	shut(t, l)
	lines := bytes.SplitAfter(read(t, path), []byte("\n"))
	text := bytes.Join(lines, []byte("\n"))                                          // an empty line after each
	text = bytes.Replace(text, []byte("}\n\n{"), []byte("}{"), 2)                    // some glued
	text = bytes.Replace(text, []byte("\n\n"), []byte("\n\x00\x00\x00\nprose\n"), 3) // and worse
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, events, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(l.Events(0), events); d != "" {
		t.Error(d)
	}
	goOn(t, path, events)
}

// What is wrong after the last end of a turn is the torn end of a crash.
func TestDamageAtTheEndIsDropped(t *testing.T) {
	for name, tail := range map[string]string{
		"prose": "prose\n", "gap": `{"type":"turn/start","seq":12,"time":1,"data":{"turn":2}}` + "\n", "NUL": strings.Repeat("\x00", 4096),
		"not an event": `{"a":1}` + "\n" + `{"type":"turn/start","seq":9,"time":1,"data":{"turn":2}}` + "\n",
		"empty lines":  "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			l, path := onDisk(t)
			talk(t, l, 1)
			shut(t, l)
			if err := os.WriteFile(path, append(read(t, path), tail...), 0o600); err != nil {
				t.Fatal(err)
			}
			_, events, err := Load(path)
			if err != nil || len(events) != l.Len() {
				t.Fatalf("%d events, %v", len(events), err)
			}
			goOn(t, path, events)
		})
	}
}

func TestMissingLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent", "s.jsonl")
	var why *Error
	if _, _, err := Load(path); !errors.As(err, &why) || why.Kind != CodeMissing {
		t.Errorf("Load: %v", err)
	}
	if _, _, _, err := ResumeFile(path); !errors.As(err, &why) || why.Kind != CodeMissing {
		t.Errorf("ResumeFile: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Error("a failed resume makes folders")
	}
}

// proves: A86
func TestSinkRefusesAnotherNumber(t *testing.T) {
	sink, err := OpenFile(filepath.Join(t.TempDir(), "s.jsonl"), plainHeader)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	if err := sink.Append(0, [][]byte{[]byte(`{}`), []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	for _, seq := range []Seq{0, 1, 3} {
		want := fmt.Sprintf(`append seq mismatch for "s1": expected 2 at index 0, got %d`, seq)
		if err := sink.Append(seq, [][]byte{[]byte(`{}`)}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// proves: A85
func TestSameNameRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	results := make(chan error, 8)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			sink, err := OpenFile(path, plainHeader)
			if err != nil {
				t.Error(err)
				return
			}
			results <- errors.Join(sink.Append(0, [][]byte{[]byte(`{}`)}), sink.Sync())
		})
	}
	group.Wait()
	won := 0
	for range 8 {
		err := <-results
		var why *Error
		switch {
		case err == nil:
			won++
		case !errors.As(err, &why) || why.Kind != CodeBusy && why.Kind != CodeExists:
			t.Errorf("a loser got %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers won", won)
	}
}

// failing is a disk that takes only half of each write, or does not sync, while
// told so.
type failing struct {
	jsonl.Disk
	write, sync *bool
}

func (d failing) Write(p []byte) (int, error) {
	if !*d.write {
		return d.Disk.Write(p)
	}
	n, err := d.Disk.Write(p[:len(p)/2])
	return n, errors.Join(err, errFull)
}

func (d failing) Sync() error {
	if *d.sync {
		return errFull
	}
	return d.Disk.Sync()
}

// proves: A84
func TestFullDiskLosesNothing(t *testing.T) {
	for _, what := range []string{"write", "sync"} {
		t.Run(what, func(t *testing.T) { losesNothing(t, what) })
	}
}

func losesNothing(t *testing.T, what string) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	sink, err := OpenFile(path, plainHeader)
	if err != nil {
		t.Fatal(err)
	}
	var write, sync bool
	sink.disk = func(d jsonl.Disk) jsonl.Disk { return failing{d, &write, &sync} }
	l, err := New(plainHeader, Options{Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	for turn := range 4 {
		bad := turn%2 == 0
		write, sync = bad && what == "write", bad && what == "sync"
		talk(t, l, turn+1)
		for range 2 {
			err := l.Flush(t.Context())
			if bad != errors.Is(err, errFull) {
				t.Errorf("turn %d: %v", turn+1, err)
			}
		}
		if text := read(t, path); len(text) > 0 && !bytes.HasSuffix(text, []byte("}\n")) {
			t.Errorf("half a line is left: %q", text[max(0, len(text)-40):])
		}
	}
	shut(t, l)
	_, events, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(l.Events(0), events); d != "" {
		t.Error(d)
	}
}

// Fifty goroutines write big events into one log while another process tries to
// write to it; every event is in the file.
// proves: C17, A97
func TestManyWritersOneFile(t *testing.T) {
	l, path := onDisk(t)
	big := strings.Repeat("x", 200<<10)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			feed(t, l, user(fmt.Sprint(i), big))
			if err := l.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	out := otherProcess(t, path)
	for _, want := range []string{"open for writing elsewhere", fmt.Sprint("process ", os.Getpid())} {
		if !strings.Contains(out, want) {
			t.Errorf("the second process does not say %q: %.500s", want, out)
		}
	}
	shut(t, l)
	_, events, err := Load(path)
	if err != nil || len(events) != 50 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

const otherEnv = "SESSION_TEST_OTHER"

// otherProcess runs this test binary again, which tries to resume the log.
func otherProcess(t *testing.T, path string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(self, []string{self, "-test.run=^TestOtherProcess$", "-test.v"}, &os.ProcAttr{
		Env: append(os.Environ(), otherEnv+"="+path), Files: []*os.File{nil, w, w},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	var out bytes.Buffer
	_, readErr := out.ReadFrom(r)
	if _, err := process.Wait(); err != nil || readErr != nil {
		t.Fatal(err, readErr)
	}
	return out.String()
}

func TestOtherProcess(t *testing.T) {
	path := os.Getenv(otherEnv)
	if path == "" {
		t.Skip("the second process of another test")
	}
	_, _, _, err := ResumeFile(path)
	t.Log(err)
}
