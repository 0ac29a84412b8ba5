package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// client has connections of its own, closed at the end of the test.
func client(t *testing.T) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

type response struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body, or of the whole request
}

func post(t *testing.T, s *Server, body string) response {
	t.Helper()
	return postIn(t.Context(), client(t), s, body, nil)
}

func postIn(ctx context.Context, c *http.Client, s *Server, body string, header http.Header) response {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return response{err: err}
	}
	for k, v := range header {
		req.Header[k] = v
	}
	res, err := c.Do(req)
	if err != nil {
		return response{err: err}
	}
	defer res.Body.Close()
	read, err := io.ReadAll(res.Body)
	return response{res.StatusCode, res.Header, string(read), err}
}

// prompt is a streaming request with one user message.
func prompt(text string) string {
	content, _ := json.Marshal(text)
	return `{"model":"m","stream":true,"messages":[{"role":"user","content":` + string(content) + `}]}`
}

func scripted(script string) string { return prompt("@@mock " + script) }

// deltas returns the data of the events of a body, without what varies.
func deltas(body string) []string {
	var out []string
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Choices []struct {
				Delta  json.RawMessage `json:"delta"`
				Finish json.RawMessage `json:"finish_reason"`
			} `json:"choices"`
			Usage json.RawMessage `json:"usage"`
		}
		switch {
		case json.Unmarshal([]byte(data), &e) != nil || (e.Choices == nil && e.Usage == nil):
			out = append(out, data)
		case len(e.Choices) == 0:
			out = append(out, "usage")
		case string(e.Choices[0].Finish) != "null":
			out = append(out, "finish "+string(e.Choices[0].Finish))
		default:
			out = append(out, string(e.Choices[0].Delta))
		}
	}
	return out
}

func TestEvents(t *testing.T) {
	s := Start(t, Options{})
	const head = `{"content":"","role":"assistant"}`
	for _, c := range []struct {
		script string
		want   []string
	}{
		{`["hi"]`, []string{head, `{"content":"hi"}`, `finish "stop"`, "usage", "[DONE]"}},
		{`[{"reasoning":"","text":"a"}]`, []string{head, `{"reasoning_content":""}`, `{"content":"a"}`, `finish "stop"`, "usage", "[DONE]"}},
		{`[{"tools":[{"name":"a","id":"x"},{"name":"b","id":"","rawArgs":"{é"}],"splitArgs":true,"zeroIndex":true}]`, []string{head,
			`{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"a","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}`,
			`{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"b","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"é"}}]}`,
			`finish "tool_calls"`, "usage", "[DONE]"}},
		{`[{"text":"a","deltas":[{"tool_calls":[{}]},{"tool_calls":null}],"finish":"length","noDone":true}]`,
			[]string{head, `{"content":"a"}`, `{"tool_calls":[{}]}`, `{"tool_calls":null}`, `finish "length"`, "usage"}},
		{`[{"text":"a","garbage":"{oops","finish":null,"usage":false}]`, []string{head, `{"content":"a"}`, "{oops", "{}", "[DONE]"}},
		{`[{"emptyChoices":true}]`, []string{"usage", "[DONE]"}},
		{`[{"streamError":{"error":{"message":"late"}},"noDone":true}]`, []string{head, `{"error":{"message":"late"}}`, `finish "stop"`, "usage"}},
		{`[{"rawLines":["data: 1","","data: [DONE]",""]}]`, []string{"1", "[DONE]"}},
	} {
		t.Run(c.script, func(t *testing.T) {
			if diff := cmp.Diff(c.want, deltas(post(t, s, scripted(c.script)).body)); diff != "" {
				t.Error("(-want +got):\n", diff)
			}
		})
	}
}

func TestFraming(t *testing.T) {
	s := Start(t, Options{})
	plain := deltas(post(t, s, scripted(`["some text"]`)).body)

	crlf := post(t, s, scripted(`[{"text":"some text","crlf":true}]`)).body
	if strings.Count(crlf, "\n") != strings.Count(crlf, "\r\n") || strings.Count(crlf, "\n") == 0 {
		t.Errorf("not every line ends with CR LF: %q", crlf)
	}
	comments := post(t, s, scripted(`[{"text":"some text","keepalives":1000}]`)).body
	if got := strings.Count(comments, ": keep-alive\n\n"); got != 1000 {
		t.Errorf("%d comments", got)
	}
	noSpace := post(t, s, scripted(`[{"text":"some text","noSpace":true,"chunk":3}]`)).body
	if strings.Contains(noSpace, "data: ") || !strings.HasPrefix(noSpace, "data:{") {
		t.Errorf("%q", noSpace)
	}
	for _, body := range []string{crlf, comments, strings.ReplaceAll(noSpace, "data:", "data: ")} {
		if diff := cmp.Diff(plain, deltas(body)); diff != "" {
			t.Error("(-plain +framed):\n", diff)
		}
	}
	for script, want := range map[string]string{
		`[{"rawLines":["data: é","x"],"cut":-1}]`: "data: é\nx",
		`[{"rawLines":["data: x"],"cut":4}]`:      "data",
		`[{"rawLines":["data: x"],"cut":-99}]`:    "",
		`[{"html":"<p>"}]`:                        "<p>",
		`[{"bareError":{"error":"x"}}]`:           `{"error":"x"}`,
	} {
		got := post(t, s, scripted(script))
		if got.body != want || got.status != 200 || got.err != nil {
			t.Errorf("%s: %+v", script, got)
		}
	}
}

func TestUsageOnTheWire(t *testing.T) {
	s := Start(t, Options{})
	for usage, want := range map[string]string{
		`null`: `"usage":null`, `"many"`: `"usage":"many"`, `{"prompt_tokens":-5}`: `"prompt_tokens":-5`, `{"x":1}`: `"completion_tokens":1`,
	} {
		if got := post(t, s, scripted(`[{"text":"a","usage":`+usage+`}]`)).body; !strings.Contains(got, want) {
			t.Errorf("%s: %s", usage, got)
		}
	}
}

func TestFaultsHappenTheirTimes(t *testing.T) {
	s := Start(t, Options{})
	refusing := scripted(`[{"fail":{"status":429,"times":2,"retryAfter":"soon","retryAfterMs":1500,"headers":{"X-Extra":"1"},"body":"slow down"},"text":"ok"}]`)
	for i := range 3 {
		got := post(t, s, refusing)
		if i == 2 {
			if got.status != 200 {
				t.Errorf("third attempt: %+v", got)
			}
			continue
		}
		if got.status != 429 || got.body != "slow down" || got.header.Get("Retry-After") != "soon" || got.header.Get("Retry-After-Ms") != "1500" || got.header.Get("X-Extra") != "1" {
			t.Errorf("attempt %d: %+v", i, got)
		}
	}
	for _, where := range []string{"start", "mid"} {
		dropping := scripted(`[{"drop":"` + where + `","text":"a text of several events, cut somewhere"}]`)
		if got := post(t, s, dropping); got.err == nil {
			t.Errorf("drop %s: a whole answer: %+v", where, got)
		} else if (got.body != "") != (where == "mid") {
			t.Errorf("drop %s: body %q", where, got.body)
		}
		if got := post(t, s, dropping); got.err != nil || got.status != 200 {
			t.Errorf("after drop %s: %+v", where, got)
		}
	}
	stats := s.Stats()
	if stats.Failed != 4 || stats.Requests != 7 || stats.Inflight != 0 {
		t.Errorf("%+v", stats)
	}
}

func TestAnswersWithoutAStreamAndWithoutAScript(t *testing.T) {
	s := Start(t, Options{})
	body := strings.Replace(scripted(`[{"text":"a","reasoning":"r","tool":"f","args":{"x":1}}]`), `"stream":true`, `"stream":false`, 1)
	for _, want := range []string{`"content":"a"`, `"reasoning_content":"r"`, `"finish_reason":"tool_calls"`, `"arguments":"{\"x\":1}"`, `"object":"chat.completion"`} {
		if got := post(t, s, body); !strings.Contains(got.body, want) {
			t.Errorf("%s lacks %s", got.body, want)
		}
	}
	first, again, other := post(t, s, prompt("one")), post(t, s, prompt("one")), post(t, s, prompt("two"))
	if diff := cmp.Diff(deltas(first.body), deltas(again.body)); diff != "" || !strings.Contains(first.body, `"content":"mock:`) {
		t.Error(first.body, diff)
	}
	if cmp.Equal(deltas(first.body), deltas(other.body)) {
		t.Error("all prompts get the same answer")
	}
	if got := post(t, s, scripted(`[{"txet":"a"}]`)); got.status != 400 || !strings.Contains(got.body, "txet") {
		t.Errorf("a wrong script: %+v", got)
	}
}

func TestChecks(t *testing.T) {
	s := Start(t, Options{Models: []string{"m"}, Key: "secret", StrictHistory: true, DeepSeek: true})
	auth := http.Header{"Authorization": {"Bearer secret"}}
	ask := func(body string, header http.Header) response { return postIn(t.Context(), client(t), s, body, header) }
	for _, c := range []struct {
		name, body string
		header     http.Header
		status     int
		want       string
	}{
		{"no key", prompt("x"), nil, 401, "invalid_api_key"},
		{"wrong key", prompt("x"), http.Header{"Authorization": {"Bearer secre"}}, 401, "invalid_api_key"},
		{"not JSON", "{", auth, 400, "not a request"},
		{"unknown model", strings.Replace(prompt("x"), `"m"`, `"n"`, 1), auth, 404, "model_not_found"},
		{"broken history", `{"model":"m","messages":[` + asked + "," + called + `]}`, auth, 400, "has no result"},
		{"forced tool", strings.Replace(prompt("x"), `"m"`, `"m","tool_choice":"required"`, 1), auth, 400, "tool_choice"},
		{"named tool", strings.Replace(prompt("x"), `"m"`, `"m","tool_choice":{"type":"function"}`, 1), auth, 400, "tool_choice"},
		{"free choice", strings.Replace(prompt("x"), `"m"`, `"m","tool_choice":"auto"`, 1), auth, 200, "mock:"},
		{"well", prompt("x"), auth, 200, "mock:"},
	} {
		if got := ask(c.body, c.header); got.status != c.status || !strings.Contains(got.body, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestThinkingIsRememberedByTheServer(t *testing.T) {
	s := Start(t, Options{DeepSeek: true})
	user := `{"role":"user","content":"@@mock [{\"reasoning\":\"hm\",\"tool\":\"f\",\"id\":\"a\"},{\"text\":\"ok\"}]"}`
	body := func(messages ...string) string {
		return `{"model":"m","stream":true,"messages":[` + strings.Join(messages, ",") + `]}`
	}
	if got := post(t, s, body(user)); got.status != 200 {
		t.Fatal(got)
	}
	if got := post(t, s, body(user, called, resultA)); got.status != 400 || !strings.Contains(got.body, "reasoning_content") {
		t.Errorf("without its reasoning: %+v", got)
	}
	back := strings.Replace(called, `"content"`, `"reasoning_content":"hm","content"`, 1)
	if got := post(t, s, body(user, back, resultA)); got.status != 200 {
		t.Errorf("with its reasoning: %+v", got)
	}
}

func TestConcurrencyCap(t *testing.T) {
	forms := []string{"2", "0", "-5", "soon", "Wed, 21 Oct 2015 07:28:00 GMT", "retry-after-ms: 1500"}
	s := Start(t, Options{Concurrency: 2, RetryAfter: forms})
	web := client(t)
	var group sync.WaitGroup
	busy, free := context.WithCancel(t.Context())
	for i := range 2 {
		group.Go(func() { postIn(busy, web, s, scripted(fmt.Sprintf(`[{"text":"%d","stallMs":-1}]`, i)), nil) })
	}
	waitFor(t, func() bool { return s.Stats().Inflight == 2 })
	for i, form := range append(forms, forms[0]) {
		got := post(t, s, prompt("third"))
		header, value := "Retry-After", form
		if form == "retry-after-ms: 1500" {
			header, value = "Retry-After-Ms", "1500"
		}
		if got.status != 429 || got.header.Get(header) != value {
			t.Errorf("refusal %d: %+v", i, got)
		}
	}
	free()
	group.Wait()
	waitFor(t, func() bool { return s.Stats().Inflight == 0 })
	if stats := s.Stats(); stats.MaxInflight != 2 || stats.Rejected429 != 7 {
		t.Errorf("%+v", stats)
	}
}

// observer notes how many requests hold a place when the end mark is written.
type observer struct {
	*httptest.ResponseRecorder
	server *Server
	atEnd  int
}

func (o *observer) Write(part []byte) (int, error) {
	if bytes.Contains(part, []byte("[DONE]")) {
		o.atEnd = o.server.Stats().Inflight
	}
	return o.ResponseRecorder.Write(part)
}

func TestAClientThatReadTheEndDoesNotMeetItsOwnPlace(t *testing.T) {
	s := Start(t, Options{Concurrency: 1})
	o := &observer{httptest.NewRecorder(), s, -1}
	s.serve(o, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(prompt("x"))))
	if o.Code != 200 || o.atEnd != 0 {
		t.Errorf("status %d, %d places taken at the end mark", o.Code, o.atEnd)
	}
}

// waitFor waits for something that happens at once.
func waitFor(t *testing.T, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
	}
}

func TestRequestsAMinute(t *testing.T) {
	s := Start(t, Options{RPM: 2})
	for i := range 3 {
		got := post(t, s, prompt("x"))
		if refused := got.status == 429; refused != (i == 2) {
			t.Fatalf("request %d: %+v", i, got)
		}
		if i == 2 {
			if n, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || n < 50 || n > 60 {
				t.Errorf("retry after %q", got.header.Get("Retry-After"))
			}
		}
	}
	s.Reset()
	if got := post(t, s, prompt("x")); got.status != 200 {
		t.Errorf("after the reset: %+v", got)
	}
}

func TestTheMinuteSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l ledger
		l.clear()
		var admitted []int
		for second := 0; second < 130; second += 10 {
			if s, _ := l.admit(&Options{RPM: 2}); s != nil {
				admitted = append(admitted, second)
			}
			time.Sleep(10 * time.Second)
		}
		if diff := cmp.Diff([]int{0, 10, 60, 70, 120}, admitted); diff != "" {
			t.Error("(-want +got):\n", diff)
		}
	})
}

func TestRequestsAreKeptByteForByte(t *testing.T) {
	var log bytes.Buffer
	s := Start(t, Options{KeepBytes: 300, Log: &log})
	odd := "{ \"model\" : \"m\",\n\"messages\":[{\"role\":\"user\",\"content\":\"\\u00fc <&>\"}] }"
	post(t, s, odd)
	recorded := s.Requests()
	if len(recorded) != 1 || string(recorded[0].Body) != odd || recorded[0].N != 1 || recorded[0].Path != "/v1/chat/completions" {
		t.Fatalf("%+v", recorded)
	}
	post(t, s, strings.Repeat(" ", 290)+"{}")
	recorded = s.Requests()
	if len(recorded) != 2 || recorded[0].Body != nil || len(recorded[1].Body) != 292 {
		t.Errorf("not the oldest body was dropped: %d and %d bytes", len(recorded[0].Body), len(recorded[1].Body))
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"n":1`) || !strings.Contains(lines[0], `"path":"/v1/chat/completions"`) {
		t.Errorf("log: %q", lines)
	}
}

func TestPrefixesAreServedFromTheCache(t *testing.T) {
	s := Start(t, Options{})
	long := strings.Repeat("the same beginning. ", 100)
	post(t, s, prompt(long+"one"))
	post(t, s, prompt(long+"two"))
	// 2000 characters and the envelope of the message make 7 full blocks.
	if stats := s.Stats(); stats.CachedTokens != 7*64 || stats.OK != 2 {
		t.Errorf("%+v", stats)
	}
}

func TestCloseEndsWhatIsOpen(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	web := client(t)
	done := make(chan response, 2)
	for _, script := range []string{`[{"text":"x","stallMs":-1}]`, `[{"text":"x","delayMs":600000}]`} {
		go func() { done <- postIn(t.Context(), web, s, scripted(script), nil) }()
	}
	waitFor(t, func() bool { return s.Stats().Inflight == 2 })
	begun := time.Now()
	s.Close()
	s.Close()
	for range 2 {
		if got := <-done; got.err == nil {
			t.Errorf("a whole answer: %+v", got)
		}
	}
	if took := time.Since(begun); took > patience {
		t.Errorf("closing took %s", took)
	}
}

func TestOtherEndpoints(t *testing.T) {
	s := Start(t, Options{Models: []string{"a", "b"}})
	web := client(t)
	for path, want := range map[string]string{"/v1/models": `"id":"b"`, "/__stats": `"rejected429":0`, "/v1/other": "no such endpoint"} {
		res, err := web.Get(strings.TrimSuffix(s.URL, "/v1") + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s %v", path, body, err)
		}
	}
}
