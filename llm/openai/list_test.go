package openai_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/llmtest"
	"github.com/dsh-go/dsh-workflow/llm/openai"
)

func listOf(t *testing.T, url, key string) (openai.Reach, *llm.Error) {
	t.Helper()
	m, err := openai.New(openai.Config{Provider: "p", BaseURL: url, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	r, err := m.List(ctx)
	var failed *llm.Error
	if err != nil && !errors.As(err, &failed) {
		t.Fatalf("%v has no class", err)
	}
	return r, failed
}

func TestList(t *testing.T) {
	server := llmtest.Start(t, llmtest.Options{Key: "the-right-key", Models: []string{"a", "b"}})
	r, err := listOf(t, server.URL, "the-right-key")
	if d := cmp.Diff([]string{"a", "b"}, r.Models); d != "" || err != nil || time.Since(r.Date) > time.Minute || r.Took <= 0 {
		t.Errorf("%+v %v", r, err)
	}
	if _, err = listOf(t, server.URL, "another-key-of-mine"); err == nil || err.Kind != llm.CodeAuth || strings.Contains(err.Error(), "another-key") {
		t.Errorf("%v", err)
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests that cost something", n)
	}
}

// What is no list ends with a class and a text without the key.
func TestListOfOtherServers(t *testing.T) {
	answer := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			w.Write([]byte(strings.ReplaceAll(body, "KEY", r.Header.Get("Authorization"))))
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	for _, c := range []struct {
		url  string
		want llm.Code
	}{
		{answer(404, "no"), ""}, {answer(405, ""), ""}, {answer(500, "KEY"), llm.CodeServer}, {answer(429, "slow"), llm.CodeRateLimit},
		{answer(403, `{"error":{"message":"KEY"}}`), llm.CodeAuth}, {answer(200, "<html>KEY"), llm.CodeMalformed}, {answer(200, "{}"), llm.CodeMalformed},
		{answer(302, ""), "HTTP_302"}, {"http://127.0.0.1:1/v1", llm.CodeTransport},
	} {
		r, err := listOf(t, c.url, "some-long-secret")
		if r.Models != nil || c.want == "" && err != nil || c.want != "" && (err == nil || err.Kind != c.want || strings.Contains(err.Error(), "some-long")) {
			t.Errorf("%v: %+v %v", c.want, r, err)
		}
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	if _, err := listOf(t, silent.URL, ""); err == nil || err.Kind != llm.CodeTimeout {
		t.Errorf("%v", err)
	}
}
