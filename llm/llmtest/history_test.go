package llmtest

import (
	"encoding/json"
	"strings"
	"testing"
)

const (
	asked   = `{"role":"user","content":"go"}`
	called  = `{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	twice   = `{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	resultA = `{"role":"tool","tool_call_id":"a","content":"ok"}`
	resultB = `{"role":"tool","tool_call_id":"b","content":"ok"}`
)

func TestCheckHistory(t *testing.T) {
	call := func(call string) string {
		return `{"role":"assistant","content":"","tool_calls":[` + call + `]}`
	}
	for _, c := range []struct {
		name     string
		messages []string
		want     string // what the fault says, empty if there is none
	}{
		{"plain", []string{`{"role":"system","content":"s"}`, asked, `{"role":"assistant","content":""}`, asked}, ""},
		{"call and result", []string{asked, called, resultA, asked}, ""},
		{"two calls", []string{asked, twice, resultA, resultB}, ""},
		{"parts of a user", []string{`{"role":"user","content":[{"type":"text","text":"x"}]}`}, ""},
		{"empty", nil, "messages: empty"},
		{"no role", []string{`{"content":"x"}`}, `messages[0].role: "" is not a role`},
		{"no content", []string{asked, `{"role":"assistant","tool_calls":[]}`}, "messages[1].content: missing"},
		{"null content", []string{asked, strings.Replace(called, `""`, "null", 1)}, "messages[1].content: null"},
		{"content of parts elsewhere", []string{asked, `{"role":"assistant","content":[]}`}, "messages[1].content: not a string"},
		{"no result", []string{asked, called}, `tool call "a" has no result`},
		{"no second result", []string{asked, twice, resultA, asked}, `messages[3]: user message where the result of tool call "b" is due`},
		{"user between", []string{asked, called, asked, resultA}, `messages[2]: user message where`},
		{"result without call", []string{asked, resultA}, `messages[1].tool_call_id: no tool call "a"`},
		{"result of another", []string{asked, called, resultB}, `messages[2].tool_call_id: no tool call "b"`},
		{"two results", []string{asked, called, resultA, resultA}, `already has a result`},
		{"out of order", []string{asked, twice, resultB, resultA}, `result of "b" out of order, that of "a" is due`},
		{"empty result", []string{asked, called, `{"role":"tool","tool_call_id":"a","content":""}`}, "messages[2].content: empty tool result"},
		{"result without id", []string{asked, called, `{"role":"tool","content":"x"}`}, "tool_call_id: missing"},
		{"result with an empty id", []string{asked, called, `{"role":"tool","tool_call_id":"","content":"x"}`}, "tool_call_id: empty"},
		{"duplicate ids", []string{asked, called, resultA, called, resultA}, `messages[3].tool_calls[0].id: "a" was already used in messages[1]`},
		{"empty id", []string{asked, strings.Replace(called, `"a"`, `""`, 1)}, "messages[1].tool_calls[0].id: empty"},
		{"no id", []string{asked, call(`{"type":"function","function":{"name":"f","arguments":"{}"}}`)}, ".id: missing"},
		{"no type", []string{asked, call(`{"id":"a","function":{"name":"f","arguments":"{}"}}`)}, ".type:"},
		{"no name", []string{asked, call(`{"id":"a","type":"function","function":{"arguments":"{}"}}`)}, ".function.name: empty"},
		{"no arguments", []string{asked, call(`{"id":"a","type":"function","function":{"name":"f"}}`)}, ".function.arguments: missing"},
		{"null arguments", []string{asked, call(`{"id":"a","type":"function","function":{"name":"f","arguments":null}}`)}, ".function.arguments: not a string"},
		{"an object as arguments", []string{asked, call(`{"id":"a","type":"function","function":{"name":"f","arguments":{}}}`)}, ".function.arguments: not a string"},
		{"empty arguments", []string{asked, call(`{"id":"a","type":"function","function":{"name":"f","arguments":""}}`)}, ".function.arguments: not a JSON object"},
		{"glued arguments", []string{asked, call(`{"id":"a","type":"function","function":{"name":"f","arguments":"{}{}"}}`)}, ".function.arguments: not a JSON object"},
		{"a list as arguments", []string{asked, call(`{"id":"a","type":"function","function":{"name":"f","arguments":"[]"}}`)}, ".function.arguments: not a JSON object"},
		{"the text null as arguments", []string{asked, call(`{"id":"a","type":"function","function":{"name":"f","arguments":"null"}}`)}, ".function.arguments: null"},
		{"an empty list of calls", []string{asked, call("")}, ".tool_calls: empty list"},
		{"calls of a user", []string{strings.Replace(called, "assistant", "user", 1)}, "only assistant messages"},
		{"late system text", []string{asked, `{"role":"system","content":"s"}`}, "after the conversation has begun"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := CheckHistory([]byte(`{"messages":[` + strings.Join(c.messages, ",") + `]}`))
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func FuzzCheckHistory(f *testing.F) {
	for _, messages := range [][]string{{asked, twice, resultA, resultB}, {called}, {"null"}, {"[]"}, {`{"role":"tool","content":[],"tool_call_id":1}`}} {
		f.Add([]byte(`{"messages":[` + strings.Join(messages, ",") + `]}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if CheckHistory(body) == nil && !json.Valid(body) {
			t.Fatal("what is not JSON is no history")
		}
	})
}

func TestCheckReasoning(t *testing.T) {
	thinking := func(reasoning string) string {
		return strings.Replace(called, `"content"`, `"reasoning_content":`+reasoning+`,"content"`, 1)
	}
	for _, c := range []struct {
		name     string
		messages []string
		sent     map[string]string
		want     string
	}{
		{"nobody thought", []string{asked, called, resultA}, nil, ""},
		{"passed back", []string{asked, thinking(`"hm"`), resultA}, map[string]string{"a": "hm"}, ""},
		{"empty, passed back", []string{asked, thinking(`""`), resultA}, map[string]string{"a": ""}, ""},
		{"left out", []string{asked, called, resultA}, map[string]string{"a": "hm"}, "messages[1]: the reasoning_content"},
		{"empty, left out", []string{asked, called, resultA}, map[string]string{"a": ""}, "messages[1]: the reasoning_content"},
		{"null", []string{asked, thinking(`null`), resultA}, map[string]string{"a": ""}, "messages[1]: the reasoning_content"},
		{"changed", []string{asked, thinking(`"hmm"`), resultA}, map[string]string{"a": "hm"}, "is not what preceded"},
		{"one of two left out", []string{asked, strings.Replace(called, `"a"`, `"b"`, 1), resultB, thinking(`"hm"`), resultA}, map[string]string{}, "messages[1]: the reasoning_content"},
		{"an answer without calls may lack it", []string{asked, thinking(`"hm"`), resultA, `{"role":"assistant","content":"x"}`}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var messages []json.RawMessage
			for _, m := range c.messages {
				messages = append(messages, json.RawMessage(m))
			}
			err := checkReasoning(messages, c.sent)
			if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
