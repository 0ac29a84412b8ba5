package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/llm"
)

func user(blocks ...llm.Block) llm.Message {
	return llm.Message{Role: llm.RoleUser, Content: blocks}
}

func assistant(blocks ...llm.Block) llm.Message {
	return llm.Message{Role: llm.RoleAssistant, Content: blocks}
}

func call(id, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "read", Arguments: arguments}
}

func result(id string, texts ...string) llm.ToolResult {
	r := llm.ToolResult{ToolCallID: id}
	for _, s := range texts {
		r.Content = append(r.Content, llm.Text{Text: s})
	}
	return r
}

func encode(t *testing.T, profile string, messages ...llm.Message) string {
	t.Helper()
	p, ok := ProfileNamed(profile)
	if !ok {
		t.Fatalf("no profile %q", profile)
	}
	body, err := Encode(llm.Request{Config: llm.Config{Model: "m"}, Messages: messages}, p)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// messagesOf returns the messages of an encoded request.
func messagesOf(t *testing.T, body string) string {
	t.Helper()
	var wire struct {
		Messages json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal([]byte(body), &wire); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return string(wire.Messages)
}

// proves: A119, A310
func TestEncodeWhole(t *testing.T) {
	warm := 0.5
	p, _ := ProfileNamed("deepseek")
	body, err := Encode(llm.Request{
		Config: llm.Config{Provider: "x", Model: "m<1>", Effort: "max", Temperature: &warm, MaxTokens: 7, Stop: []string{"a", "<b>"}},
		System: "be & do", SessionID: "s",
		Tools:    []llm.ToolSpec{{Name: "read", Description: "d", Parameters: json.RawMessage(`{ "z":1,"a":"<"}`)}, {Name: "now"}},
		Messages: []llm.Message{user(llm.Text{Text: "hi"})},
	}, p)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"m<1>","messages":[{"role":"system","content":"be & do"},{"role":"user","content":"hi"}],` +
		`"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{ "z":1,"a":"<"}}},` +
		`{"type":"function","function":{"name":"now","description":"","parameters":{"type":"object","properties":{}}}}],` +
		`"stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"max_tokens":7,"stop":["a","<b>"],` +
		`"thinking":{"type":"enabled"},"reasoning_effort":"max"}`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Error(diff)
	}
	if bare := encode(t, "openai"); bare != `{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}` {
		t.Error(bare)
	}
}

// proves: A309, A310
func TestEncodeMessages(t *testing.T) {
	for _, c := range []struct {
		name, profile string
		messages      []llm.Message
		want          string
	}{
		{"calls only", "generic", []llm.Message{assistant(call("a", `{"x": 1}`)), user(result("a"))},
			`[{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"x\": 1}"}}]},{"role":"tool","tool_call_id":"a","content":"(no output)"}]`},
		{"reasoning and calls", "generic", []llm.Message{assistant(llm.Reasoning{Text: "why\t<\u00e9>"}, llm.Text{Text: "ok"}, call("a", "{}")), user(result("a", "1", "2"))},
			`[{"role":"assistant","content":"ok","reasoning_content":"why\t<é>","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1\n2"}]`},
		{"reasoning without calls", "deepseek", []llm.Message{assistant(llm.Reasoning{Text: "r"}, llm.Text{Text: "t"})}, `[{"role":"assistant","content":"t","reasoning_content":"r"}]`},
		{"reasoning alone", "deepseek", []llm.Message{assistant(llm.Reasoning{Text: "r"})}, `[{"role":"assistant","content":"","reasoning_content":"r"}]`},
		{"none where it is required", "deepseek", []llm.Message{assistant(call("a", "{}")), user(result("a", "1"))},
			`[{"role":"assistant","content":"","reasoning_content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"}]`},
		{"reasoning where it is refused", "openai", []llm.Message{assistant(llm.Reasoning{Text: "r"}, llm.Text{Text: "t"})}, `[{"role":"assistant","content":"t"}]`},
		{"unknown blocks", "generic", []llm.Message{user(llm.Text{Text: "a"}, llm.Unknown{Type: "image", Raw: json.RawMessage(`{"type":"image"}`)}, llm.Text{Text: "b"})}, `[{"role":"user","content":"a\nb"}]`},
		{"nothing to say", "generic", []llm.Message{user(), assistant(llm.Unknown{Type: "x"}), user(llm.Unknown{Type: "x"})}, `[{"role":"user","content":""},{"role":"user","content":""}]`},
		{"results in the order of calls", "generic", []llm.Message{assistant(call("a", "{}"), call("b", "{}")), user(result("b", "2")), user(result("a", "1"))},
			`[{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"}]`},
		{"text beside a result", "generic", []llm.Message{assistant(call("a", "{}")), user(llm.Text{Text: "t"}, result("a", "1"))},
			`[{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"user","content":"t"}]`},
	} {
		if diff := cmp.Diff(c.want, messagesOf(t, encode(t, c.profile, c.messages...))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// proves: A311
func TestEffort(t *testing.T) {
	for profile, words := range map[string]string{
		"deepseek": "off=disabled low=low medium~high high=high xhigh~max max=max",
		"openai":   "off=none low=low medium=medium high=high xhigh=xhigh max~xhigh",
		"generic":  "off=none low=low medium=medium high=high xhigh~high max~high",
	} {
		p, _ := ProfileNamed(profile)
		var got []string
		for _, level := range append([]string{"off"}, levels()...) {
			word, exact := p.Effort(level)
			got = append(got, level+map[bool]string{true: "=", false: "~"}[exact]+word)
		}
		if s := strings.Join(got, " "); s != words {
			t.Errorf("%s: %s", profile, s)
		}
	}
	for effort, want := range map[string]string{
		"": `{"include_usage":true}}`, "off": `,"thinking":{"type":"disabled"}}`, "low": `,"thinking":{"type":"enabled"},"reasoning_effort":"low"}`, "xhigh": `,"thinking":{"type":"enabled"},"reasoning_effort":"max"}`,
	} {
		p, _ := ProfileNamed("deepseek")
		body, err := Encode(llm.Request{Config: llm.Config{Model: "m", Effort: effort}}, p)
		if err != nil || !strings.HasSuffix(string(body), want) {
			t.Errorf("%q: %s %v", effort, body, err)
		}
	}
	// The host of the URL does not exist: nothing is sent.
	m, err := New(Config{BaseURL: "https://nowhere.invalid", Profile: Profile{Name: "plain"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, effort := range []string{"off", "low", "banana"} {
		req := question("x")
		req.Config.Effort = effort
		if a := ask(t.Context(), m, req); a.err == nil || a.err.Kind != llm.CodeEffort {
			t.Errorf("%s: %v", effort, a.err)
		}
	}
	if word, exact := (Profile{}).Effort(""); word != "" || !exact {
		t.Error(word, exact)
	}
}

func TestRequestsThatNobodyCouldTake(t *testing.T) {
	nan := math.NaN()
	for name, req := range map[string]llm.Request{
		"no model":    {},
		"temperature": {Config: llm.Config{Model: "m", Temperature: &nan}},
		"tokens":      {Config: llm.Config{Model: "m", MaxTokens: -1}},
		"parameters":  {Config: llm.Config{Model: "m"}, Tools: []llm.ToolSpec{{Name: "t", Parameters: json.RawMessage(`{`)}}},
	} {
		var failed *llm.Error
		if _, err := Encode(req, ProfileFor("")); !errors.As(err, &failed) || failed.Kind != llm.CodeInvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	p, _ := ProfileNamed("openai")
	body, _ := Encode(llm.Request{Config: llm.Config{Model: "m", MaxTokens: 5}}, p)
	if !strings.HasSuffix(string(body), `,"max_completion_tokens":5}`) {
		t.Errorf("%s", body)
	}
	p.MaxTokens = 9
	if body, _ = Encode(llm.Request{Config: llm.Config{Model: "m"}}, p); !strings.HasSuffix(string(body), `,"max_completion_tokens":9}`) {
		t.Errorf("%s", body)
	}
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// strict is a server that finds every fault of a request: what it would answer
// with status 400. With thinking it wants reasoning beside every tool call.
func strict(body []byte, thinking bool) string {
	var wire struct {
		Messages []map[string]json.RawMessage `json:"messages"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&wire); err != nil {
		return err.Error()
	}
	seen := map[string]bool{}
	var owed []string
	for i, m := range wire.Messages {
		var role, content, id string
		_ = json.Unmarshal(m["role"], &role)
		_ = json.Unmarshal(m["tool_call_id"], &id)
		if json.Unmarshal(m["content"], &content) != nil || string(m["content"]) == "null" {
			return fmt.Sprintf("message %d has no content", i)
		}
		if role == "tool" {
			if len(owed) == 0 || owed[0] != id || content == "" {
				return fmt.Sprintf("message %d answers %q, owed are %q", i, id, owed)
			}
			owed = owed[1:]
			continue
		}
		if len(owed) > 0 {
			return fmt.Sprintf("message %d comes before the results of %q", i, owed)
		}
		if role != "assistant" {
			continue
		}
		var calls []struct {
			ID, Type string
			Function struct{ Name, Arguments *string }
		}
		_ = json.Unmarshal(m["tool_calls"], &calls)
		if thinking && len(calls) > 0 && m["reasoning_content"] == nil {
			return fmt.Sprintf("message %d has calls without reasoning", i)
		}
		for _, c := range calls {
			var object map[string]any
			switch {
			case c.ID == "" || seen[c.ID]:
				return fmt.Sprintf("message %d has id %q", i, c.ID)
			case c.Type != "function" || c.Function.Name == nil || !toolName.MatchString(*c.Function.Name):
				return fmt.Sprintf("message %d calls no tool", i)
			case c.Function.Arguments == nil || json.Unmarshal([]byte(*c.Function.Arguments), &object) != nil || object == nil:
				return fmt.Sprintf("message %d has bad arguments", i)
			}
			seen[c.ID] = true
			owed = append(owed, c.ID)
		}
	}
	if len(owed) > 0 {
		return fmt.Sprintf("no results of %q", owed)
	}
	return ""
}

// oddHistories are histories that strict servers refuse as they are.
func oddHistories() map[string][]llm.Message {
	u, a := user(llm.Text{Text: "u"}), assistant(llm.Text{Text: "a"})
	glued := "{}{\"x\":1}"
	return map[string][]llm.Message{
		"call without result":     {u, assistant(call("1", "{}")), u, a},
		"one of two":              {u, assistant(call("1", "{}"), call("2", "{}")), user(result("2", "x")), u},
		"at the end":              {u, assistant(call("1", "{}"))},
		"result without call":     {u, user(result("9", "x")), a, user(result("9", "y"))},
		"result before the call":  {user(result("1", "x")), assistant(call("1", "{}"))},
		"out of order":            {assistant(call("1", "{}"), call("2", "{}")), u, user(result("2", "x")), a, user(result("1", "y"))},
		"two results":             {assistant(call("1", "{}")), user(result("1", "x")), user(result("1", "y")), u},
		"arguments":               {assistant(call("1", ""), call("2", "null"), call("3", "[]"), call("4", glued), call("5", "{\"x\":\"\x01\"}"), call("6", " \n"), call("7", `{"p":"`), call("8", `"s"`), call("9", "\xff"))},
		"ids in a turn":           {assistant(call("1", "{}"), call("1", "{}"), call("", "{}"), call("", "{}")), user(result("1", "x")), user(result("1", "y")), user(result("", "z"))},
		"ids across turns":        {assistant(call("1", "{}")), user(result("1", "x")), assistant(call("1", "{}")), user(result("1", "y")), assistant(call("1-2", "{}")), assistant(call("call", "{}"), call("", "{}"))},
		"names":                   {assistant(llm.ToolCall{ID: "1"}, llm.ToolCall{ID: "2", Name: "functions.read é"}, llm.ToolCall{ID: "3", Name: strings.Repeat("n", 99)})},
		"empty result":            {assistant(call("1", "{}")), user(result("1")), assistant(call("2", "{}")), user(result("2", ""))},
		"call of a user":          {user(call("1", "{}")), user(result("1", "x")), a},
		"text beside results":     {assistant(call("1", "{}")), user(llm.Text{Text: "t"}, result("1", "x"), llm.Text{Text: "u"})},
		"nothing, control, bytes": {user(), assistant(), user(llm.Text{Text: "\x00\x1b\xff"}), {Role: "narrator", Content: []llm.Block{nil}}},
	}
}

// proves: C23
func TestC23HistoriesAreValidOnTheWire(t *testing.T) {
	for name, messages := range oddHistories() {
		before, _ := json.Marshal(messages)
		for cut := range len(messages) + 1 {
			for _, profile := range []string{"deepseek", "openai", "generic"} {
				if fault := strict([]byte(encode(t, profile, messages[:cut]...)), profile == "deepseek"); fault != "" {
					t.Errorf("%s, first %d, %s: %s", name, cut, profile, fault)
				}
				if fault := strict([]byte(encode(t, profile, messages[cut:]...)), profile == "deepseek"); fault != "" {
					t.Errorf("%s, from %d, %s: %s", name, cut, profile, fault)
				}
			}
		}
		if after, _ := json.Marshal(messages); !bytes.Equal(before, after) {
			t.Errorf("%s: the history was changed", name)
		}
	}
}

func TestResultsFindTheirCalls(t *testing.T) {
	got := messagesOf(t, encode(t, "openai",
		assistant(call("1", `{"n":1}`), call("1", `{"n":2}`)), user(result("1", "one")), user(result("1", "two"), result("1", "dropped")),
		assistant(call("1", "[7]")), user(llm.Text{Text: "between"}), user(result("1", "three"))))
	want := `[{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{\"n\":1}"}},{"id":"1-2","type":"function","function":{"name":"read","arguments":"{\"n\":2}"}}]},` +
		`{"role":"tool","tool_call_id":"1","content":"one"},{"role":"tool","tool_call_id":"1-2","content":"two"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"1-3","type":"function","function":{"name":"read","arguments":"{\"unparsed_arguments\":\"[7]\"}"}}]},` +
		`{"role":"tool","tool_call_id":"1-3","content":"three"},{"role":"user","content":"between"}]`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAResultBelongsToTheLatestCallOfItsID(t *testing.T) {
	got := messagesOf(t, encode(t, "openai", assistant(call("1", "{}")), user(llm.Text{Text: "go on"}), assistant(call("1", "{}")), user(result("1", "late"))))
	if !strings.Contains(got, `"tool_call_id":"1","content":"`+noResult+`"`) || !strings.Contains(got, `"tool_call_id":"1-2","content":"late"`) {
		t.Error(got)
	}
}

// randomHistory draws a history with every kind of fault.
func randomHistory(t *rapid.T) []llm.Message {
	id := rapid.SampledFrom([]string{"", "1", "1-2", "2", "call"})
	block := rapid.Custom(func(t *rapid.T) llm.Block {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return llm.Text{Text: rapid.String().Draw(t, "text")}
		case 1:
			return llm.Reasoning{Text: rapid.String().Draw(t, "thought")}
		case 2:
			return llm.ToolCall{ID: id.Draw(t, "id"), Name: rapid.SampledFrom([]string{"", "read", "a.b"}).Draw(t, "name"), Arguments: rapid.SampledFrom([]string{"", "{}", "{", `{"a":1}`, "null"}).Draw(t, "args")}
		case 3:
			return result(id.Draw(t, "id"), rapid.String().Draw(t, "text"))
		}
		return llm.Unknown{Type: "x", Raw: json.RawMessage(`{"type":"x"}`)}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) llm.Message {
		return llm.Message{Role: rapid.SampledFrom([]llm.Role{llm.RoleUser, llm.RoleAssistant}).Draw(t, "role"), Content: rapid.SliceOfN(block, 0, 4).Draw(t, "blocks")}
	}), 0, 8).Draw(t, "messages")
}

func TestEveryHistoryIsValid(t *testing.T) {
	p, _ := ProfileNamed("deepseek")
	rapid.Check(t, func(t *rapid.T) {
		req := llm.Request{Config: llm.Config{Model: "m"}, Messages: randomHistory(t)}
		body, err := Encode(req, p)
		if err != nil {
			t.Fatal(err)
		}
		if fault := strict(body, true); fault != "" {
			t.Fatalf("%s: %s", fault, body)
		}
		again, _ := Encode(req, p)
		if !bytes.Equal(body, again) {
			t.Fatal("two encodings differ")
		}
		// A log keeps what the wire needs.
		for i, m := range req.Messages {
			var back llm.Message
			if err := json.Unmarshal(m.AppendJSON(nil), &back); err != nil {
				t.Fatal(err)
			}
			req.Messages[i] = back
		}
		if replayed, _ := Encode(req, p); !bytes.Equal(body, replayed) {
			t.Fatalf("after a log:\n%s\n%s", replayed, body)
		}
	})
}

// TestSettledMessagesKeepTheirBytes grows a conversation whose steps are
// complete: each request begins with the whole history of the one before.
func TestSettledMessagesKeepTheirBytes(t *testing.T) {
	var messages []llm.Message
	before := ""
	for turn := range 6 {
		messages = append(messages, user(llm.Text{Text: fmt.Sprint("question ", turn)}),
			assistant(llm.Reasoning{Text: "r"}, llm.Text{Text: "t"}, call("call-0", ""), call("call-0", "[")), user(result("call-0", "x")), user(result("call-0")))
		body := encode(t, "deepseek", messages...)
		history := body[:strings.LastIndex(body, `],"stream"`)]
		if !strings.HasPrefix(history, before) {
			t.Fatalf("turn %d:\n%s\nafter\n%s", turn, history, before)
		}
		before = history
	}
}
