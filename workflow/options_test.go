package workflow

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// proves: W77, W78, W82, W84, W85
func TestOptionsRefused(t *testing.T) {
	for _, c := range []struct{ options, text string }{
		{`[]`, `agent() options must be an object`},
		{`{"label":3}`, `agent() option "label" must be a string`},
		{`{"model":null}`, `"model" must be a string`},
		{`{"bogusThing":1}`, `"bogusThing" is not recognized (supported: label,`},
		{`{"shcema":{}}`, `"shcema" is not recognized: did you mean "schema"?`},
		{`{"isolation":"remote"}`, `"isolation" can only be "worktree", got "remote"`},
		{`{"agentType":7}`, `"agentType" must be a string`},
		{`{"schema":{"type":"object","oneOf":[]}}`, `outside the supported subset`},
		{`{"schema":null}`, `outside the supported subset`},
		{`{"schema":{"type":"array"}}`, `object-rooted`},
		{`{"effort":"extreme"}`, `must be one of low, medium, high, xhigh, max`},
		{`{"stallMs":-1}`, `"stallMs" must be a number from 0`},
		{`{"timeoutMs":"1"}`, `"timeoutMs" must be a number`},
		{`{"retries":1.5}`, `"retries" must be a whole number`},
		{`{"tools":"bash"}`, `"tools" must be an array of strings`},
		{`{"cwd":"../"}`, `outside the run's root`},
		{`{"cwd":"nothing-here"}`, `not an accessible directory`},
	} {
		_, err := decodeOptions([]byte(c.options), t.TempDir(), true)
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.options, err, c.text)
		}
	}
}

// decodeOptions reads the options of the first call of a run.
func decodeOptions(raw []byte, root string, strict bool) (options, error) {
	return (&optionReader{root: root, strict: strict}).decode(raw)
}

func TestSchemasAreCheckedOnce(t *testing.T) {
	r := &optionReader{root: "/"}
	text := func(i int) []byte { return fmt.Appendf(nil, `{"schema":{"type":"object","maxProperties":%d}}`, i) }
	for range 2 {
		for i := range 3 * maxSound {
			if o, err := r.decode(text(i)); err != nil || len(o.Schema) == 0 {
				t.Fatal(err)
			}
			if len(r.sound) > maxSound || !r.sound[fmt.Sprintf(`{"type":"object","maxProperties":%d}`, i)] {
				t.Fatalf("%d texts are kept", len(r.sound))
			}
		}
		if _, err := r.decode([]byte(`{"schema":{"type":"array"}}`)); CodeOf(err) != UnsupportedSchema {
			t.Errorf("got %v", err)
		}
	}
}

func TestFirstWrongOptionIsTheError(t *testing.T) {
	_, err := decodeOptions([]byte(`{"phase":"ok","model":1,"label":2}`), "/", true)
	if err == nil || !strings.Contains(err.Error(), `"model"`) {
		t.Errorf("%v", err)
	}
}

// proves: W81
func TestOptionsTaken(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	o, err := decodeOptions([]byte(`{"label":"","phase":"","effort":"HIGH","stallMs":1500,"timeoutMs":0.5,"retries":2,"tools":["read","bash"],"cwd":"a/./b"}`), root, true)
	if err != nil {
		t.Fatal(err)
	}
	if o.Effort != "high" || o.Stall != 1500*time.Millisecond || o.Timeout != 500*time.Microsecond || o.Retries != 2 || o.Cwd != "a/b" || o.Phase == nil || *o.Phase != "" {
		t.Errorf("%+v", o)
	}
	if o, err = decodeOptions([]byte(`{"cwd":"."}`), root, true); err != nil || o.Cwd != "" {
		t.Errorf("cwd %q, %v", o.Cwd, err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	if _, err = decodeOptions([]byte(`{"cwd":"out"}`), root, true); err == nil {
		t.Error("a link out of the root was taken")
	}
}

// proves: W80
func TestUnknownOptionsInLenientRuns(t *testing.T) {
	tr := newTrial(t, echo)
	req := request(`await agent('a', {thinkingLevel: 3}); return await agent('b', {readOnly: true})`)
	res := tr.run(req)
	wantValue(t, res, `"b"`)
	if len(res.Warnings) != 1 || res.Warnings[0].Code != "UNKNOWN_OPTION" || !strings.Contains(res.Warnings[0].Message, "thinkingLevel") {
		t.Errorf("warnings %+v", res.Warnings)
	}
	req.Strict = true
	wantFault(t, newTrial(t, echo).run(req), StatusFailed, UnsupportedOption, "thinkingLevel")
	req = request(`return await agent('a', {modle: 'x'})`)
	wantFault(t, newTrial(t, echo).run(req), StatusFailed, UnsupportedOption, `did you mean "model"?`)
}

func TestKeys(t *testing.T) {
	root := t.TempDir()
	key := func(prompt, o string) string {
		t.Helper()
		opts, err := decodeOptions([]byte(o), root, false)
		if err != nil {
			t.Fatal(err)
		}
		k, err := keyOf(prompt, opts)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	same := []string{
		key("p", `{"schema":{"type":"object","required":["a"],"properties":{"a":{"type":"number"}}},"model":"m","tools":["a","b"]}`),
		key("p", `{"tools":["b","a"],"model":"m","label":"x","phase":"y","retries":3,"stallMs":5,"timeoutMs":7,"schema":{"properties":{"a":{"type":"number"}},"required":["a"],"type":"object"}}`),
		key("p", `{"cwd":".","tools":["b","a"],"model":"m","schema":{"required":["a"],"type":"object","properties":{"a":{"type":"number"}}}}`),
	}
	if len(slices.Compact(slices.Clone(same))) != 1 {
		t.Errorf("keys of one call differ: %q", same)
	}
	other := []string{
		key("p", `{}`), key("q", `{}`), key("p", `{"model":"m"}`), key("p", `{"provider":"m"}`),
		key("p", `{"effort":"low"}`), key("p", `{"tools":[]}`), key("p", `{"schema":{"type":"object"}}`),
	}
	slices.Sort(other)
	if len(slices.Compact(other)) != 7 {
		t.Error("keys of different calls are equal")
	}
	// The format is on disk: this value, the SHA-256 of {"prompt":"p"}, may never
	// change under its version.
	if got, want := key("p", `{}`), "k1:4b3f025124f2bcf3b1631fdfd45d9e593332f876d6d84aa8db7bf31564b7355d"; got != want {
		t.Errorf("key %s, want %s", got, want)
	}
}

func TestOccurrences(t *testing.T) {
	tr := newTrial(t, echo)
	tr.run(request(`await parallel([() => agent('same'), () => agent('other'), () => agent('same', {label: 'l'}), () => agent('same')])`))
	var occ []int
	for _, q := range facts[AgentQueued](tr.store) {
		occ = append(occ, q.Occ)
	}
	if !slices.Equal(occ, []int{0, 0, 1, 2}) {
		t.Errorf("occurrences %v", occ)
	}
}
