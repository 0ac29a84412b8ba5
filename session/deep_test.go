package session

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
)

// What the log takes it can give back: JSON that is too deep for a reader is
// refused when it is appended, and the rest of the log stays readable.
//
// proves: A3
func TestDeepJSON(t *testing.T) {
	for _, depth := range []int{100, 9_900, 9_990, 9_995, 9_999, 10_000, 10_001, 1_000_000} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		l, inMemory := newFile(t, path), open(t)
		raw := json.RawMessage(strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth))
		message := user("m", "x")
		message.Message.Content = append(message.Message.Content, llm.Unknown{Type: "image", Raw: json.RawMessage(`{"type":"image","a":` + string(raw) + `}`)})
		want := 3
		for _, log := range []*Log{l, inMemory} {
			feed(t, log, TurnStart{1}, StepStart{1, 1}, toolCall(1, 1, "c"))
		}
		res := result(1, 1, "c", "x")
		res.Meta = raw
		for _, d := range []Data{res, Opaque{Type: "hook/invoked", Raw: raw}, message, user("last", "y")} {
			_, err := l.Append(d)
			if _, other := inMemory.Append(d); (other == nil) != (err == nil) {
				t.Errorf("depth %d: %v on disk, %v in memory", depth, err, other)
			}
			var why *Error
			switch {
			case err == nil:
				want++
			case !errors.As(err, &why) || why.Kind != CodeNotJSON:
				t.Errorf("depth %d: %v", depth, err)
			}
		}
		shut(t, l)
		_, events, err := Load(path)
		if err != nil || len(events) != want {
			t.Errorf("depth %d: %d of %d events, %v", depth, len(events), want, err)
		}
		if depth <= 9_900 && want != 7 {
			t.Errorf("depth %d: %d events were taken", depth, want)
		}
	}
}
