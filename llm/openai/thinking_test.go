package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/llm"
)

// TestC24ThinkingIsSentBack talks to a server that refuses tool calls without
// their reasoning, reasoning that differs from what it sent, and a tool choice.
func TestC24ThinkingIsSentBack(t *testing.T) {
	thoughts := []string{"first:\n\t\"é\u2028<&>\" \\ ", "", "third 🙂"}
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var wire struct {
			Messages []struct {
				Role      string
				Reasoning *string `json:"reasoning_content"`
			}
			Choice json.RawMessage `json:"tool_choice"`
		}
		fault := strict(body, true)
		if err := json.Unmarshal(body, &wire); err != nil || wire.Choice != nil {
			fault = fmt.Sprint("tool_choice ", string(wire.Choice), err)
		}
		turn := 0
		for _, msg := range wire.Messages {
			if msg.Role == "assistant" {
				if msg.Reasoning == nil || *msg.Reasoning != thoughts[turn] {
					fault = fmt.Sprintf("reasoning of turn %d is not what was sent", turn)
				}
				turn++
			}
		}
		if fault != "" {
			w.WriteHeader(http.StatusBadRequest)
			json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": fault}})
			return
		}
		var events []string
		for _, r := range thoughts[turn] {
			events = append(events, `{"choices":[{"delta":{"content":null,"reasoning_content":`+string(llm.AppendString(nil, string(r)))+`}}]}`)
		}
		if turn == 2 {
			events = append(events, textEvent("done"), stopEvent, done)
		} else {
			events = append(events, `{"choices":[{"delta":{"content":null,"reasoning_content":""}}]}`,
				callsEvent(`[{"index":0,"id":"x","function":{"name":"read","arguments":""}},{"index":1,"id":"y","function":{"name":"grep","arguments":"{}"}}]`), callsEnd, done)
		}
		io.WriteString(w, data(events...))
	})
	p, _ := ProfileNamed("deepseek")
	m.config.Profile = p
	req := question("go")
	req.Config.Effort = "high"
	for turn := range 3 {
		a := ask(t.Context(), m, req)
		if a.err != nil {
			t.Fatalf("turn %d: %v", turn, a.err)
		}
		raw := llm.Message{Role: llm.RoleAssistant, Content: a.Blocks()}.AppendJSON(nil)
		var stored llm.Message
		if err := json.Unmarshal(raw, &stored); err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, stored)
		for _, b := range stored.Content {
			if c, ok := b.(llm.ToolCall); ok {
				req.Messages = append(req.Messages, user(result(c.ID, "output of "+c.Name)))
			}
		}
		if turn == 2 && !strings.HasSuffix(a.text(), "text done | stop") {
			t.Error(a.text())
		}
	}
}
