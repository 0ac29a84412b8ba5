package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// The clock of the regular expressions in schemas ends some time after the last match.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

func TestServesUntilItsInputEnds(t *testing.T) {
	log := filepath.Join(t.TempDir(), "requests.jsonl")
	input, end := io.Pipe()
	output, print := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(context.Background(), []string{"--stdin", "--log", log, "--latency", "1", "--ttft=1ms", "--models", "a,b"}, input, print)
	}()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "llmserver ")
	if !ok || !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.HasSuffix(url, "/v1") {
		t.Fatalf("first line %q", line)
	}
	web := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := web.Post(url+"/chat/completions", "application/json", strings.NewReader(`{"model":"a","messages":[{"role":"user","content":"x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || !strings.Contains(string(body), "mock:") {
		t.Errorf("%s %v", body, err)
	}
	_ = end.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if logged, err := os.ReadFile(log); err != nil || !strings.Contains(string(logged), `"content":"x"`) {
		t.Errorf("log %q, %v", logged, err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, nil, strings.NewReader(""), io.Discard); err != nil {
		t.Error(err)
	}
}

func TestRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, args := range [][]string{{"--nonsense"}, {"stray"}, {"--latency", "-1"}, {"--rpm", "x"}} {
		if err := run(context.Background(), args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("%q: accepted", args)
		}
	}
}
