package sim

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
)

// draw adds the faults that chance has in store for this attempt to a step that
// has no trouble of its own.
func (f *Faults) draw(step *Step, seed uint64, tried int) {
	if f.Fail+f.Stall+f.Drop <= 0 || step.Fail != nil || step.Drop != "" || step.StallMs != 0 {
		return
	}
	chance := hashOf("fault", strconv.FormatUint(seed, 16), strconv.Itoa(tried))
	at := float64(chance>>11) / (1 << 53)
	switch {
	case at < f.Fail:
		status := f.Statuses[chance%uint64(len(f.Statuses))]
		step.Fail = &Fail{Status: status, Times: -1}
	case at < f.Fail+f.Stall:
		step.StallMs = -1
	case at < f.Fail+f.Stall+f.Drop:
		step.Drop, step.Times = DropMid, -1
	}
}

// failure is the error that a client makes of the refusal.
func (f *Fail) failure() error {
	status := f.Status
	if status == 0 {
		status = http.StatusInternalServerError
	}
	body := string(f.Body)
	err := fault(classOf(status, strings.ToLower(body)), "status %d %s", status, strings.ToLower(http.StatusText(status)))
	err.Status = status
	err.RetryAfter = f.pause()
	return err
}

func (f *Fail) pause() time.Duration {
	seconds := func(raw json.RawMessage, unit time.Duration) time.Duration {
		n, err := strconv.ParseFloat(strings.Trim(string(raw), `" `), 64)
		if err != nil || n <= 0 || n*float64(unit) > math.MaxInt64/2 {
			return 0
		}
		return time.Duration(n * float64(unit))
	}
	if d := seconds(f.RetryAfterMs, time.Millisecond); d > 0 {
		return d
	}
	return seconds(f.RetryAfter, time.Second)
}

func classOf(status int, body string) llm.Code {
	switch {
	case status == 401 || status == 403:
		return llm.CodeAuth
	case status == 402, status == 429 && (strings.Contains(body, "quota") || strings.Contains(body, "balance")):
		return llm.CodeQuota
	case status == 429:
		return llm.CodeRateLimit
	case status == 404 && strings.Contains(body, "model"):
		return llm.CodeUnknownModel
	case strings.Contains(body, "context_length") || strings.Contains(body, "context length"):
		return llm.CodeContextWindow
	case status == 400 || status == 413:
		return llm.CodeInvalidRequest
	case status >= 500:
		return llm.CodeServer
	}
	return llm.Code("HTTP_" + strconv.Itoa(status))
}

// unreadable is what a client makes of a response that is no stream at all.
func (s *Step) unreadable() error {
	switch {
	case s.HTML != "":
		return fault(llm.CodeMalformed, "the response is a web page")
	case s.BareError != nil:
		return fault(llm.CodeServer, "error in place of an answer: %s", brief(s.BareError))
	case s.RawLines != nil || s.Deltas != nil:
		return fault(llm.CodeInvalidRequest, "rawLines and deltas need a server, this model has no wire")
	}
	return nil
}

// broken is what a client makes of an answer that went wrong after its content.
func (s *Step) broken() error {
	switch {
	case s.Garbage != "":
		return fault(llm.CodeMalformed, "an event of the stream is not JSON")
	case s.StreamError != nil:
		return fault(llm.CodeServer, "error in the stream: %s", brief(s.StreamError))
	case s.Cut != 0:
		return fault(llm.CodeStreamClosed, "the stream ended inside the answer")
	}
	return nil
}

// ending is the finish reason, or the error that a client makes of the end.
func (s *Step) ending(calls []llm.ToolCall) (llm.FinishReason, error) {
	reason := "stop"
	if len(calls) > 0 {
		reason = "tool_calls"
	}
	if s.Finish != nil {
		reason = strings.Trim(string(s.Finish), `"`)
	}
	if reason == "null" {
		if s.NoDone {
			return "", fault(llm.CodeStreamClosed, "the stream ended without a finish reason")
		}
		reason = "stop"
	}
	empty := s.Text == "" && s.Thinking() == "" && len(calls) == 0
	switch reason {
	case "stop", "tool_calls":
		if empty {
			return "", fault(llm.CodeEmpty, "an answer without content")
		}
		if len(calls) > 0 {
			return llm.FinishToolCalls, nil
		}
		return llm.FinishStop, nil
	case "length":
		return llm.FinishMaxTokens, nil
	case "content_filter":
		return llm.FinishRefusal, nil
	}
	return "", fault(llm.Code(strings.ToUpper(reason)), "finish reason %q", reason)
}

// overlay lays the counters of a step, in the wire's names, over the computed
// ones. Counters that cannot be used leave the computed ones as an estimate.
func overlay(u llm.Usage, raw json.RawMessage) llm.Usage {
	if raw == nil {
		return u
	}
	given := struct {
		Prompt     *int `json:"prompt_tokens"`
		Completion *int `json:"completion_tokens"`
		Hit        *int `json:"prompt_cache_hit_tokens"`
		Details    struct {
			Cached *int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}{}
	if bytes.Equal(raw, []byte("null")) || json.Unmarshal(raw, &given) != nil {
		u.Estimated = true
		return u
	}
	total, cached := u.InputTokens+u.CacheReadTokens, u.CacheReadTokens
	for _, field := range []struct{ to, from *int }{{&total, given.Prompt}, {&u.OutputTokens, given.Completion}, {&cached, given.Hit}, {&cached, given.Details.Cached}} {
		if field.from == nil {
			continue
		}
		if *field.from < 0 {
			u.Estimated = true
			return u
		}
		*field.to = *field.from
	}
	u.CacheReadTokens = min(cached, total)
	u.InputTokens = total - u.CacheReadTokens
	u.ReasoningTokens = min(u.ReasoningTokens, u.OutputTokens)
	return u
}

// brief is the beginning of a body, on one line.
func brief(raw []byte) string { return string(raw[:min(len(raw), 200)]) }
