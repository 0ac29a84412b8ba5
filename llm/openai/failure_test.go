package openai

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
)

// proves: A308
func TestClassesByWording(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   llm.Code
	}{
		// Overflow, as ten kinds of servers say it.
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}`, llm.CodeContextWindow},
		{400, `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}`, llm.CodeContextWindow},
		{400, `{"message":"Input is too long for requested model."}`, llm.CodeContextWindow},
		{400, `[{"error":{"code":400,"message":"The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, llm.CodeContextWindow},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`, llm.CodeContextWindow},
		{400, `{"error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}`, llm.CodeContextWindow},
		{400, `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"}}`, llm.CodeContextWindow},
		{413, `{"detail":"Please reduce the length of the messages or completion."}`, llm.CodeContextWindow},
		{422, `{"message":"tokens in request more than max tokens allowed"}`, llm.CodeContextWindow},
		{503, `{"error":{"message":"upstream: ContextWindowExceeded: input length and max_tokens exceed context limit: 180000 + 32000 > 200000"}}`, llm.CodeContextWindow},
		{0, `{"error":{"message":"Requested token count exceeds the model's context length"}}`, llm.CodeContextWindow},
		// What only looks like it.
		{400, `{"error":{"message":"Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64"}}`, llm.CodeInvalidRequest},
		{400, `{"error":{"message":"max_tokens is too large: 300000. This model supports at most 16384 completion tokens"}}`, llm.CodeInvalidRequest},
		{413, `<html><h1>413 Request Entity Too Large</h1></html>`, llm.CodeInvalidRequest},
		{429, `{"error":{"message":"Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000. maximum context length","code":"rate_limit_exceeded"}}`, llm.CodeRateLimit},
		{401, `{"error":{"message":"no access to the long context window"}}`, llm.CodeAuth},
		// Quota and rate.
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota"}}`, llm.CodeQuota},
		{429, `{"error":{"code":"1113","message":"Insufficient balance or no resource package"}}`, llm.CodeQuota},
		{402, `Insufficient Balance`, llm.CodeQuota},
		{400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, llm.CodeQuota},
		{403, `{"error":{"message":"billing hard limit reached"}}`, llm.CodeQuota},
		{0, `{"error":{"code":"insufficient_quota","message":"x"}}`, llm.CodeQuota},
		{429, `{"error":{"message":"Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'"}}`, llm.CodeRateLimit},
		{429, `{"error":{"message":"slow down"}}`, llm.CodeRateLimit},
		{0, `{"error":{"type":"rate_limit_error","message":"x"}}`, llm.CodeRateLimit},
		{0, `{"error":{"code":429,"message":"Too Many"}}`, llm.CodeRateLimit},
		// Models.
		{404, `{"error":{"message":"The model 'gpt-x' does not exist or you do not have access to it.","code":"model_not_found"}}`, llm.CodeUnknownModel},
		{400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`, llm.CodeUnknownModel},
		{404, `{"error":"model \"llama9\" not found, try pulling it first"}`, llm.CodeUnknownModel},
		{400, `{"error":{"message":"x/y is not a valid model ID"}}`, llm.CodeUnknownModel},
		{404, `404 page not found`, "HTTP_404"},
	} {
		e := readError([]byte(c.body))
		status := c.status
		if status == 0 {
			status = e.status
		}
		if got := classify(status, e); got != c.want {
			t.Errorf("%d %s: %s, want %s", c.status, c.body, got, c.want)
		}
	}
}

// proves: A316
func TestStatuses(t *testing.T) {
	for status, want := range map[int]llm.Code{
		400: llm.CodeInvalidRequest, 401: llm.CodeAuth, 402: llm.CodeQuota, 403: llm.CodeAuth, 404: "HTTP_404", 408: llm.CodeTimeout, 409: "HTTP_409", 413: llm.CodeInvalidRequest,
		422: llm.CodeInvalidRequest, 429: llm.CodeRateLimit, 500: llm.CodeServer, 502: llm.CodeServer, 503: llm.CodeServer, 529: llm.CodeServer, 307: "HTTP_307", 204: llm.CodeStreamClosed,
	} {
		m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-DeepSeek-Request-Id", "r-7")
			w.Header().Set("Retry-After", "1.5")
			w.Header().Set("Location", "http://example.invalid/")
			w.WriteHeader(status)
			if status != 204 {
				w.Write([]byte(`{"error":{"message":"because"}}`))
			}
		})
		a := ask(t.Context(), m, question("x"))
		if a.err == nil || a.err.Kind != want || a.err.RequestID != "r-7" {
			t.Errorf("%d: %+v", status, a.err)
			continue
		}
		if status >= 300 && (a.err.Status != status || a.err.RetryAfter != 1500*time.Millisecond || !strings.Contains(a.err.Message, "because")) {
			t.Errorf("%d: %+v", status, a.err)
		}
		if len(a.chunks) != 0 {
			t.Errorf("%d: chunks %v", status, a.chunks)
		}
	}
}

// proves: A316
func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		seconds, ms string
		want        time.Duration
	}{
		{"2", "", 2 * time.Second}, {"0", "", 0}, {"-5", "", 0}, {"1.5", "", 1500 * time.Millisecond}, {"soon", "", 0}, {"", "", 0}, {" 3 ", "", 3 * time.Second},
		{"Fri, 02 Jan 2026 03:04:35 GMT", "", 30 * time.Second}, {"Fri, 02 Jan 2026 03:04:04 GMT", "", 0}, {"Friday, 02-Jan-26 03:05:05 GMT", "", time.Minute},
		{"99999999", "", 24 * time.Hour}, {"1e300", "", 24 * time.Hour}, {"inf", "", 0}, {"NaN", "", 0}, {"Fri, 02 Jan 2099 03:04:35 GMT", "", 24 * time.Hour},
		{"7", "250", 250 * time.Millisecond}, {"7", "-1", 7 * time.Second}, {"", "0.5", 500 * time.Microsecond},
	} {
		h := http.Header{}
		if c.seconds != "" {
			h.Set("Retry-After", c.seconds)
		}
		if c.ms != "" {
			h.Set("retry-after-ms", c.ms)
		}
		if got := retryAfter(h, now); got != c.want {
			t.Errorf("%q %q: %v, want %v", c.seconds, c.ms, got, c.want)
		}
	}
}

func TestNoErrorTellsTheKey(t *testing.T) {
	const key = "secret-key-of-the-test"
	long := strings.Repeat("é ", 150) + key + strings.Repeat(" tail", 100)
	for _, body := range []string{
		`{"error":{"message":"Incorrect API key provided: ` + key + `. Bearer ` + key + ` sk-abcdefgh12345"}}`, long, "<html>" + key, data(`{"x` + key), data(`{"error":"` + key + `"}`),
		data(`{"choices":[{"delta":{},"finish_reason":"` + key + `"}]}`), data(`{"choices":[{"delta":{"content":` + key + `}}]}`),
	} {
		for _, status := range []int{200, 401, 500} {
			m := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer "+key {
					t.Error("no key was sent")
				}
				w.WriteHeader(status)
				w.Write([]byte(body))
			})
			a := ask(t.Context(), m, question("x"))
			if a.err == nil {
				t.Errorf("%d %s: no error", status, body)
				continue
			}
			text := llm.Chain(a.err)
			whole, _ := json.Marshal(a.err.Message + text)
			if strings.Contains(strings.ToLower(string(whole)), key[:12]) || strings.Contains(text, "sk-abc") || strings.ContainsAny(text, "\n\r") {
				t.Errorf("%d: %s", status, text)
			}
			if len(a.err.Message) > 2*maxExcerpt+100 {
				t.Errorf("%d bytes of message", len(a.err.Message))
			}
		}
	}
}

func TestConfig(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://api.example.com/v1": true, "http://127.0.0.1:8080/v1": true, "http://[::1]:1": true, "http://localhost/v1": true, "http://10.0.0.7/v1": true, "http://gateway:4000": true, "http://box.local": true,
		"http://api.example.com/v1": false, "http://8.8.8.8/v1": false, "ftp://x": false, "": false, "https://": false, "https://u:p@x.com": false, "https://x.com?k=v": false, "://": false,
	} {
		if _, err := New(Config{BaseURL: url, Key: "k"}); (err == nil) != ok {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := New(Config{BaseURL: "http://api.example.com", Key: "k", Insecure: true}); err != nil {
		t.Error(err)
	}
	if _, err := New(Config{BaseURL: "http://api.example.com"}); err != nil {
		t.Error(err)
	}
	if _, err := New(Config{BaseURL: "https://x.com", Key: "k\n"}); err == nil {
		t.Error("a key with a line end was taken")
	}
	for url, want := range map[string]string{
		"https://api.deepseek.com": "deepseek", "https://API.DeepSeek.com/beta": "deepseek", "https://api.openai.com/v1": "openai", "https://eu.api.openai.com/v1": "openai",
		"https://deepseek.com.example.org": "generic", "http://localhost": "generic", "https://openai.com.evil": "generic",
	} {
		m, err := New(Config{BaseURL: url})
		if err != nil || m.Profile().Name != want {
			t.Errorf("%s: %v %v", url, m.Profile().Name, err)
		}
	}
	m, _ := New(Config{BaseURL: "https://api.deepseek.com"})
	if m.Provider() != "api.deepseek.com" {
		t.Error(m.Provider())
	}
	if a := ask(t.Context(), m, question("x")); a.err == nil || a.err.Kind != llm.CodeMissingKey {
		t.Error(a.err)
	}
	if _, ok := ProfileNamed("nobody"); ok {
		t.Error("a profile out of nothing")
	}
}
