package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/llm"
)

func callsEvent(list string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":` + list + `}}]}`
}

// proves: C21
func TestC21ToolCalls(t *testing.T) {
	const ambiguous = "! MALFORMED_RESPONSE"
	for name, c := range map[string]struct {
		lists []string
		want  string
	}{
		"index 0 for two ids": {[]string{
			`[{"index":0,"id":"a","function":{"name":"r","arguments":""}}]`, `[{"index":0,"function":{"arguments":"{\"x\":"}}]`, `[{"index":0,"function":{"arguments":"1}"}}]`,
			`[{"index":0,"id":"b","function":{"name":"w","arguments":""}}]`, `[{"index":0,"function":{"arguments":"{}"}}]`,
		}, `call a r {"x":1} | call b w {}`},
		"index 0 in one event": {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"r","arguments":"{}"}}]`}, `call a r {} | call b r {}`},
		"index missing": {[]string{
			`[{"id":"a","function":{"name":"r","arguments":"{\"x"}}]`, `[{"function":{"arguments":"\":1}"}}]`, `[{"id":"b","function":{"name":"w","arguments":"{}"}}]`,
		}, `call a r {"x":1} | call b w {}`},
		"index null":      {[]string{`[{"index":null,"id":"a","function":{"name":"r","arguments":"{"}}]`, `[{"index":null,"function":{"arguments":"}"}}]`}, `call a r {}`},
		"index as string": {[]string{`[{"index":"0","id":"a","function":{"name":"r","arguments":"{"}}]`, `[{"index":0,"function":{"arguments":"}"}}]`}, `call a r {}`},
		"ids empty": {[]string{
			`[{"index":0,"id":"","function":{"name":"r","arguments":"{}"}}]`, `[{"index":1,"id":"","function":{"name":"w","arguments":"{}"}}]`,
		}, `call call-0 r {} | call call-1 w {}`},
		"neither index nor id": {[]string{`[{"function":{"name":"r","arguments":"{\"x\":1}"}}]`, `[{"function":{"name":"r","arguments":"{\"x\":2}"}}]`, `[{"function":{"name":"w","arguments":"{}"}}]`},
			`call call-0 r {"x":1} | call call-1 r {"x":2} | call call-2 w {}`},
		"id late": {[]string{`[{"index":0,"function":{"name":"r","arguments":"{"}}]`, `[{"index":0,"id":"a","function":{"arguments":"}"}}]`}, `call a r {}`},
		"interleaved": {[]string{
			`[{"index":0,"id":"a","function":{"name":"r","arguments":"{"}},{"index":1,"id":"b","function":{"name":"w","arguments":"{\"y\""}}]`,
			`[{"index":1,"function":{"arguments":":2"}}]`, `[{"index":0,"function":{"arguments":"}"}},{"index":1,"function":{"arguments":"}"}}]`,
		}, `call a r {} | call b w {"y":2}`},
		"interleaved by id": {[]string{
			`[{"index":0,"id":"a","function":{"name":"r","arguments":"{\"x\""}}]`, `[{"index":0,"id":"b","function":{"name":"w","arguments":"{\"y\""}}]`,
			`[{"index":0,"id":"a","function":{"arguments":":1}"}}]`, `[{"index":0,"id":"b","function":{"arguments":":2}"}}]`,
		}, `call a r {"x":1} | call b w {"y":2}`},
		"id repeated":              {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{\"x"}}]`, `[{"index":0,"id":"a","function":{"arguments":"\":"}}]`, `[{"index":0,"id":"a","function":{"name":"","arguments":"1}"}}]`}, `call a r {"x":1}`},
		"id repeated, no index":    {[]string{`[{"id":"a","function":{"name":"r","arguments":"{"}}]`, `[{"id":"a","function":{"arguments":"}"}}]`}, `call a r {}`},
		"name repeated":            {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{\"x"}}]`, `[{"index":0,"function":{"name":"r","arguments":"\":1}"}}]`, `[{"index":0,"function":{"name":"r","arguments":""}}]`}, `call a r {"x":1}`},
		"all said twice":           {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{}"}}]`, `[{"index":0,"id":"a","function":{"name":"r","arguments":"{}"}}]`}, `call a r {}`},
		"empty lists":              {[]string{`[]`, `null`, `[{}]`, `[{"index":0}]`, `[{"index":0,"id":"a","function":{"name":"r","arguments":"{}"}}]`, `[{}]`, `[]`}, `call a r {}`},
		"one call, no list":        {[]string{`{"index":0,"id":"a","function":{"name":"r","arguments":"{}"}}`}, `call a r {}`},
		"no function":              {[]string{`[{"index":0,"id":"a","function":null}]`, `[{"index":0,"function":{"name":"r","arguments":"{}"}}]`}, `call a r {}`},
		"negative and huge index":  {[]string{`[{"index":-1,"id":"a","function":{"name":"r","arguments":"{}"}}]`, `[{"index":99999999999999999999,"id":"b","function":{"name":"w","arguments":"{"}}]`, `[{"index":99999999999999999999,"function":{"arguments":"}"}}]`}, `call a r {} | call b w {}`},
		"arguments as object":      {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":{"x": 1.0}}}]`}, `call a r {"x": 1.0}`},
		"arguments null":           {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":null}}]`}, `call a r `},
		"no arguments, then more":  {[]string{`[{"index":0,"id":"a","function":{"name":"r"}}]`, `[{"index":0,"id":"b","function":{"name":"w","arguments":"{}"}}]`}, `call a r  | call b w {}`},
		"same id, two indexes":     {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{"}},{"index":1,"id":"a","function":{"name":"w","arguments":"{"}}]`, `[{"index":1,"id":"a","function":{"arguments":"}"}},{"index":0,"id":"a","function":{"arguments":"}"}}]`}, `call a r {} | call call-1 w {}`},
		"number as id":             {[]string{`[{"index":0,"id":17,"function":{"name":"r","arguments":"{}"}}]`}, `call 17 r {}`},
		"braces in strings":        {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{\"x\":\"}\\\"}"}}]`, `[{"index":0,"function":{"arguments":"{\"}"}}]`}, `call a r {"x":"}\"}{"}`},
		"white space after":        {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{}"}}]`, `[{"index":0,"function":{"arguments":"\n"}}]`}, `call a r {}`},
		"empty object first":       {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{}"}}]`, `[{"index":0,"function":{"arguments":"{\"x\""}}]`, `[{"index":0,"function":{"arguments":":1}"}}]`}, `call a r {"x":1}`},
		"stray arguments":          {[]string{`[{"function":{"arguments":"{}"}}]`}, ambiguous},
		"two values":               {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{}"}}]`, `[{"index":0,"function":{"arguments":"[]"}}]`}, "call a r  | " + ambiguous},
		"two full values":          {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{\"y\":1}"}}]`, `[{"index":0,"function":{"arguments":"{\"x\":1}"}}]`}, `call a r {"y":1} | ` + ambiguous},
		"two names":                {[]string{`[{"index":0,"function":{"name":"r","arguments":"{"}}]`, `[{"index":0,"function":{"name":"w","arguments":"}"}}]`}, "call call-0 r { | " + ambiguous},
		"two open calls, no id":    {[]string{`[{"index":0,"id":"a","function":{"name":"r","arguments":"{"}}]`, `[{"index":0,"id":"b","function":{"name":"w","arguments":"{"}}]`, `[{"index":0,"function":{"arguments":"}"}}]`}, "call a r { | call b w { | " + ambiguous},
		"no name":                  {[]string{`[{"index":0,"id":"a","function":{"arguments":"{}"}}]`}, "call a   | " + ambiguous},
		"list is a string":         {[]string{`"x"`}, ambiguous},
		"name is an object":        {[]string{`[{"index":0,"id":"a","function":{"name":{},"arguments":"{}"}}]`}, "call a   | " + ambiguous},
		"more than anybody can do": {[]string{"[" + strings.TrimSuffix(strings.Repeat(`{"id":"","function":{"name":"r","arguments":"{}"}},{"function":{"name":"w","arguments":"{}"}},`, 600), ",") + "]"}, ambiguous},
	} {
		for _, finish := range []string{"tool_calls", "stop"} {
			t.Run(name+" "+finish, func(t *testing.T) {
				events := []string{}
				for _, l := range c.lists {
					events = append(events, callsEvent(l))
				}
				events = append(events, `{"choices":[{"index":0,"delta":{},"finish_reason":"`+finish+`"}]}`, done)
				want := c.want
				if !strings.HasSuffix(want, ambiguous) {
					want += " | tool-calls"
				}
				if got := play(t, data(events...)).text(); got != want && !(name == "white space after" && strings.ReplaceAll(got, "\n", "") == want) {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		}
	}
}

func TestC22TruncatedArguments(t *testing.T) {
	events := []string{textEvent("I write"), callStart}
	raw := play(t, data(append(events, callsEnd, done)...))
	if got, want := raw.text(), `text I write | call a write {"p":"x | tool-calls`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	cut := play(t, data(append(events, `{"choices":[{"delta":{},"finish_reason":"length"}]}`, done)...))
	if got, want := cut.text(), `text I write | max-tokens`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// Whoever keeps the raw call can send it back.
	req := question("go")
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Content: raw.Blocks()})
	body, err := Encode(req, ProfileFor(""))
	if err != nil {
		t.Fatal(err)
	}
	if faults := strict(body, false); faults != "" {
		t.Error(faults)
	}
}

// TestFragmentsDoNotMatter cuts well-formed calls into fragments in every way
// that servers do, and finds the calls again.
func TestFragmentsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type call struct{ ID, Name, Arguments string }
		n := rapid.IntRange(1, 4).Draw(t, "calls")
		zero := rapid.Bool().Draw(t, "zero index")
		repeat := rapid.Bool().Draw(t, "repeat id")
		var calls []call
		var frags []fragment
		for i := range n {
			args, _ := json.Marshal(map[string]string{"v": rapid.String().Draw(t, "v"), "w": `}{"\`})
			c := call{fmt.Sprint("id", i), fmt.Sprint("n", rapid.IntRange(0, 1).Draw(t, "name")), string(args)}
			calls = append(calls, c)
			index := fmt.Sprint(i)
			if zero {
				index = "0"
			}
			frags = append(frags, fragment{index: index, id: c.ID, name: c.Name})
			for rest := c.Arguments; rest != ""; {
				k := rapid.IntRange(1, len(rest)).Draw(t, "cut")
				f := fragment{index: index, arguments: rest[:k]}
				if repeat {
					f.id = c.ID
				}
				frags = append(frags, f)
				rest = rest[k:]
			}
		}
		var tracker callTracker
		got := make([]call, n)
		for _, f := range frags {
			p, ok, err := tracker.take(f, false)
			if err != nil || !ok || p.slot >= n {
				t.Fatal(p, ok, err)
			}
			got[p.slot].ID += p.id
			got[p.slot].Name += p.name
			got[p.slot].Arguments += p.arguments
		}
		for i := range calls {
			if got[i] != calls[i] {
				t.Fatalf("got %v, want %v", got[i], calls[i])
			}
		}
	})
}

// FuzzCalls feeds a list of calls per line: no panic, no slot out of order, no
// id twice, and nothing handed on but the arguments of the call.
func FuzzCalls(f *testing.F) {
	f.Add(`[{"index":0,"id":"a","function":{"name":"r","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"r","arguments":"{}"}}]`)
	f.Add("[{\"index\":-1,\"function\":{\"arguments\":{\"a\":1}}}]\n[{}]\nnull\n[{\"index\":1e99,\"id\":\"\",\"function\":{\"name\":\"x\",\"arguments\":\"}\"}}]")
	f.Add("[{\"id\":\"a\",\"function\":{\"name\":\"r\",\"arguments\":\"{\"}}]\n[{\"id\":\"a\",\"function\":{\"arguments\":\"}\"}}]")
	f.Fuzz(func(t *testing.T, lines string) {
		var tracker callTracker
		slots, ids, got := 0, map[string]bool{}, map[int]string{}
		for line := range strings.Lines(lines) {
			var list callList
			if json.Unmarshal([]byte(line), &list) != nil {
				continue
			}
			for _, c := range list {
				frag, err := c.fragment()
				if err != nil {
					continue
				}
				p, ok, err := tracker.take(frag, false)
				if err != nil || !ok {
					continue
				}
				if p.slot > slots || p.id != "" && ids[p.id] {
					t.Fatalf("piece %+v after %d calls", p, slots)
				}
				ids[p.id] = true
				got[p.slot] += p.arguments
				slots = max(slots, p.slot+1)
			}
		}
		for _, p := range tracker.release() {
			got[p.slot] += p.arguments
		}
		for i, c := range tracker.calls {
			if got[i] != c.arguments.String() {
				t.Fatalf("call %d has %q, handed on was %q", i, c.arguments.String(), got[i])
			}
		}
	})
}
