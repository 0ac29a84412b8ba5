package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
)

// maxExcerpt bounds the part of a server's text that goes into an error, in
// bytes.
const maxExcerpt = 300

// providerError is what a server says about a failure, as far as it says it.
type providerError struct {
	status        int
	kind, message string
}

// words is all the text that classification looks at, in lower case.
func (e providerError) words() string { return strings.ToLower(e.kind + " " + e.message) }

// readError reads the error objects of the wild: {"error": {message, type,
// code}}, {"error": "text"}, {message}, {detail}, and a list of one of these.
// The text of a body that is none of them is the message.
func readError(body []byte) providerError {
	trimmed := strings.TrimSpace(string(body))
	if strings.HasPrefix(trimmed, "[") {
		var list []json.RawMessage
		if json.Unmarshal([]byte(trimmed), &list) == nil && len(list) > 0 {
			return readError(list[0])
		}
	}
	var text string
	if json.Unmarshal([]byte(trimmed), &text) == nil {
		return providerError{message: text}
	}
	var wire struct {
		Error   json.RawMessage `json:"error"`
		Message looseText       `json:"message"`
		Detail  looseText       `json:"detail"`
		Type    looseText       `json:"type"`
		Code    looseText       `json:"code"`
		Status  looseText       `json:"status"`
	}
	if json.Unmarshal([]byte(trimmed), &wire) != nil {
		return providerError{message: trimmed}
	}
	if says(wire.Error) {
		return readError(wire.Error)
	}
	e := providerError{message: string(wire.Message), kind: strings.TrimSpace(string(wire.Type + " " + wire.Code))}
	if e.message == "" {
		e.message = string(wire.Detail)
	}
	if e.message == "" {
		e.message = trimmed
	}
	for _, s := range []looseText{wire.Code, wire.Status} {
		if n, err := strconv.Atoi(string(s)); err == nil && n >= 400 && n < 600 {
			e.status = n
		}
	}
	return e
}

// says reports whether an error member holds anything.
func says(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "{}", `""`, "false":
		return false
	}
	return true
}

// classify returns the class of a failure. A status of 0 means that the error
// came inside a stream, where type and wording are all there is.
func classify(status int, e providerError) llm.Code {
	words := e.words()
	switch {
	case status == http.StatusPaymentRequired:
		return llm.CodeQuota
	case (status == 0 || status == 400 || status == 403 || status == 429) && isQuota(words):
		return llm.CodeQuota
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return llm.CodeAuth
	case status == http.StatusTooManyRequests:
		return llm.CodeRateLimit
	case isOverflow(words):
		return llm.CodeContextWindow
	case (status == 404 || status == 400 || status == 422 || status == 0) && isUnknownModel(words):
		return llm.CodeUnknownModel
	case status == 400 || status == 413 || status == 422:
		return llm.CodeInvalidRequest
	case status == http.StatusRequestTimeout:
		return llm.CodeTimeout
	case status >= 500:
		return llm.CodeServer
	case status > 0:
		return llm.Code("HTTP_" + strconv.Itoa(status))
	case holds(words, "rate_limit", "rate limit", "too many requests"):
		return llm.CodeRateLimit
	case holds(words, "authentication_error", "invalid_api_key", "permission_error"):
		return llm.CodeAuth
	case holds(words, "invalid_request_error"):
		return llm.CodeInvalidRequest
	}
	return llm.CodeServer
}

func isQuota(words string) bool {
	if holds(words, "per minute", "per min", "per second", "per hour", "per day", "requests per", "tokens per") {
		return holds(words, "insufficient_quota")
	}
	return holds(words, "insufficient_quota", "insufficient quota", "insufficient balance", "insufficient_balance",
		"insufficient credit", "insufficient funds", "credit balance is too low", "out of credits",
		"exceeded your current quota", "billing_hard_limit", "billing hard limit", "account balance", "in arrears")
}

func isOverflow(words string) bool {
	return holds(words, "context_length_exceeded", "context_window_exceeded", "exceed_context_size",
		"maximum context length", "maximum prompt length", "context window", "available context size",
		"prompt is too long", "input is too long", "exceed context limit", "exceeds the context",
		"model's context length", "reduce the length of the messages", "range of input length should be",
		"input token count", "tokens in request more than max tokens", "context length exceeded",
		"prompt too long", "maximum input length")
}

func isUnknownModel(words string) bool {
	if holds(words, "model_not_found", "unknown model", "no such model", "invalid model name", "invalid model id", "model not exist", "not a valid model") {
		return true
	}
	return holds(words, "model") && holds(words, "does not exist", "not found", "not exist")
}

func holds(text string, any ...string) bool {
	for _, a := range any {
		if strings.Contains(text, a) {
			return true
		}
	}
	return false
}

// minSecret is the length from which a key is a secret: the placeholders that
// local servers want would blot out every text.
const minSecret = 8

// secretLike matches what looks like a key or a bearer token.
var secretLike = regexp.MustCompile(`(?i)\b(sk-|bearer )[a-z0-9_.*-]{6,}`)

// excerpt returns at most maxExcerpt bytes of a server's text, in one line,
// without the key and without what looks like one.
func (m *Model) excerpt(text string) string {
	if len(m.config.Key) >= minSecret {
		text = strings.ReplaceAll(text, m.config.Key, "[key]")
	}
	text = secretLike.ReplaceAllString(text, "[key]")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if len(text) <= maxExcerpt {
		return text
	}
	return strings.ToValidUTF8(text[:maxExcerpt-3], "") + "..."
}

// fail makes an error of this model.
func (m *Model) fail(kind llm.Code, cause error, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: kind, Message: m.config.Provider + ": " + fmt.Sprintf(format, args...), Err: cause}
}

// refused makes the error for an answer with a status other than success.
func (m *Model) refused(status int, header http.Header, body []byte) *llm.Error {
	e := readError(body)
	err := m.fail(classify(status, e), nil, "status %d: %s", status, m.excerpt(e.message))
	err.Status = status
	err.RetryAfter = retryAfter(header, time.Now())
	err.RequestID = requestID(header)
	return err
}

// said makes the error for an error object inside an answer.
func (m *Model) said(raw []byte) *llm.Error {
	e := readError(raw)
	err := m.fail(classify(e.status, e), nil, "the server broke off: %s", m.excerpt(e.message))
	err.Status = e.status
	return err
}

func requestID(h http.Header) string {
	for _, name := range []string{"X-Request-Id", "X-Deepseek-Request-Id", "Request-Id"} {
		if id := h.Get(name); id != "" {
			return id[:min(len(id), 128)]
		}
	}
	return ""
}

// retryAfter returns the wait that the server asked for: retry-after-ms, or
// Retry-After in seconds, with a fraction, or as a date. What is not positive
// or cannot be read is 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if d := wait(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	if d := wait(h.Get("Retry-After"), time.Second); d > 0 {
		return d
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil && at.After(now) {
		return min(at.Sub(now), maxWait)
	}
	return 0
}

// maxWait keeps the arithmetic of absurd headers in range.
const maxWait = 24 * time.Hour

func wait(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(maxWait)))
}
