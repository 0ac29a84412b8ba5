package llmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/sim"
	"github.com/dsh-go/dsh-workflow/schema"
)

// performance is one request being answered, by the goroutine that serves it.
type performance struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	req    *request
	n      int
	slot   *slot

	step  sim.Step
	key   string // of the step, for faults that happen a number of times
	calls []llm.ToolCall
	meter *sim.Meter
	usage usage
}

// usage is what the wire reports, under all names that clients look for.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Hit        int `json:"prompt_cache_hit_tokens"`
	Miss       int `json:"prompt_cache_miss_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (p *performance) run() {
	ledger := &p.server.ledger
	if err := p.choose(); err != nil {
		ledger.fail()
		p.slot.release()
		refuse(p.w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	if f := p.step.Fail; f != nil && ledger.plays(p.key, f.Times) {
		p.fail(f)
		return
	}
	if p.step.Drop == sim.DropStart && ledger.plays(p.key, p.step.Times) {
		p.cut()
		return
	}
	if !p.answer() { // the client left, the server closes, or the step says so
		p.cut()
	}
}

// answer reports false if it did not come to its end: nobody may take what was
// sent so far for a whole answer.
func (p *performance) answer() bool {
	if !p.wait(p.server.opts.Latency + ms(p.step.DelayMs)) {
		return false
	}
	if p.plain() {
		return true
	}
	p.prepare()
	if p.req.Stream {
		return p.stream()
	}
	return p.whole()
}

// choose finds the step that is due.
func (p *performance) choose() error {
	turns := p.req.turns()
	plan, err := sim.FindPlan(turns)
	if err != nil {
		return err
	}
	if plan != nil {
		p.step, p.key = plan.Step(), plan.Key()
		if p.step.NeedsFill() {
			return p.step.Fill(p.req.text())
		}
		return nil
	}
	newest := ""
	for _, t := range turns {
		if t.Role == "user" {
			newest = t.Text
		}
	}
	p.step.Text, p.key = "mock:"+digest(newest)[:8], digest(newest)
	if name, parameters := p.req.captureTool(); name != "" {
		value, err := schema.Example(parameters)
		if err != nil {
			return fmt.Errorf("tool %q: %w", name, err)
		}
		p.step.Text, p.step.Capture = "", value
	}
	return nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// prepare counts the answer and settles its calls.
func (p *performance) prepare() {
	p.meter = new(sim.Meter)
	_, _ = p.meter.Write(p.req.Tools)
	history := sha256.New()
	for _, m := range p.req.Messages {
		_, _ = p.meter.Write(m)
		_, _ = history.Write(m)
	}
	capture, _ := p.req.captureTool()
	p.calls = p.step.Calls(capture, "call_"+hex.EncodeToString(history.Sum(nil)[:6]))
	cached := p.server.ledger.cache().Cached(p.meter)

	u := &p.usage
	u.Prompt, u.Completion = p.meter.Tokens(), sim.OutputTokens(&p.step.Answer, p.calls)
	u.Total, u.Hit, u.Miss = u.Prompt+u.Completion, cached, u.Prompt-cached
	u.Details.Cached = cached
	u.OutputDetails.Reasoning = sim.Tokens(len([]rune(p.step.Thinking())))
	p.server.ledger.answered(u.Prompt, cached, u.Completion)
	if p.step.Reasoning != nil {
		for _, c := range p.calls {
			p.server.ledger.thought(c.ID, *p.step.Reasoning)
		}
	}
}

// counters returns the usage as it is sent, nil for none: the step's own lies
// over the computed one if it is an object, and replaces it otherwise.
func (p *performance) counters() json.RawMessage {
	own := p.step.Usage
	computed, err := json.Marshal(p.usage)
	switch {
	case err != nil || string(own) == "false":
		return nil
	case own == nil:
		return computed
	}
	var over map[string]json.RawMessage
	if json.Unmarshal(own, &over) != nil || over == nil {
		return own
	}
	merged := make(map[string]json.RawMessage)
	_ = json.Unmarshal(computed, &merged) // it was an object a moment ago
	for name, value := range over {
		merged[name] = value
	}
	out, err := json.Marshal(merged)
	if err != nil {
		return own
	}
	return out
}

// finish returns the finish reason as JSON.
func (p *performance) finish() json.RawMessage {
	switch {
	case p.step.Finish != nil:
		return p.step.Finish
	case len(p.calls) > 0:
		return json.RawMessage(`"tool_calls"`)
	}
	return json.RawMessage(`"stop"`)
}

// fail refuses the request as the step says.
func (p *performance) fail(f *sim.Fail) {
	header := p.w.Header()
	for name, value := range f.Headers {
		header.Set(name, value)
	}
	if f.RetryAfter != nil {
		header.Set("Retry-After", verbatim(f.RetryAfter))
	}
	if f.RetryAfterMs != nil {
		header.Set("Retry-After-Ms", verbatim(f.RetryAfterMs))
	}
	status := f.Status
	if status == 0 {
		status = http.StatusInternalServerError
	}
	p.slot.release()
	var text string
	switch {
	case f.Body == nil:
		refuse(p.w, status, "mock_failure", "mock failure")
	case json.Unmarshal(f.Body, &text) == nil:
		p.send(status, "text/plain; charset=utf-8", text)
	default:
		p.send(status, "application/json", string(f.Body))
	}
}

// verbatim is a JSON string's text, or the JSON itself.
func verbatim(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func (p *performance) send(status int, contentType, body string) {
	if p.w.Header().Get("Content-Type") == "" {
		p.w.Header().Set("Content-Type", contentType)
	}
	p.w.WriteHeader(status)
	_, _ = p.w.Write([]byte(body)) // a client that left is no fault
}

// plain plays the answers with status 200 that are none.
func (p *performance) plain() bool {
	if p.step.HTML == "" && p.step.BareError == nil {
		return false
	}
	p.server.ledger.fail()
	p.slot.release()
	switch {
	case p.step.HTML != "":
		p.send(http.StatusOK, "text/html; charset=utf-8", p.step.HTML)
	default:
		p.send(http.StatusOK, "application/json", string(p.step.BareError))
	}
	return true
}

// cut resets the connection.
func (p *performance) cut() {
	p.slot.release()
	conn, _, err := http.NewResponseController(p.w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset instead of an orderly end
	}
	_ = conn.Close()
}

// wait passes time, and reports false when the client left or the server closes.
func (p *performance) wait(d time.Duration) bool {
	done := p.r.Context().Done()
	if d == 0 {
		select {
		case <-done:
			return false
		default:
			return true
		}
	}
	if d < 0 { // for ever
		<-done
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-done:
		return false
	}
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// whole answers a request that did not ask for a stream.
func (p *performance) whole() bool {
	if !p.wait(p.server.opts.TTFT) {
		return false
	}
	p.server.ledger.cache().Store(p.meter)
	message := map[string]any{"role": "assistant", "content": p.step.Text}
	if p.step.Reasoning != nil {
		message["reasoning_content"] = *p.step.Reasoning
	}
	if len(p.calls) > 0 {
		calls := make([]any, 0, len(p.calls))
		for _, c := range p.calls {
			calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]string{"name": c.Name, "arguments": c.Arguments}})
		}
		message["tool_calls"] = calls
		if p.step.Text == "" {
			message["content"] = nil
		}
	}
	choices := []any{map[string]any{"index": 0, "message": message, "finish_reason": p.finish()}}
	if p.step.EmptyChoices {
		choices = []any{}
	}
	out := map[string]any{"id": p.id(), "object": "chat.completion", "created": time.Now().Unix(), "model": p.req.Model, "choices": choices}
	if u := p.counters(); u != nil {
		out["usage"] = u
	}
	p.slot.release()
	writeJSON(p.w, http.StatusOK, out)
	return true
}

func (p *performance) id() string { return fmt.Sprintf("chatcmpl-%d", p.n) }

// lines joins lines into the bytes of a body or an event.
func (p *performance) lines(lines ...string) []byte {
	end := "\n"
	if p.step.CRLF {
		end = "\r\n"
	}
	return []byte(strings.Join(lines, end) + end)
}
