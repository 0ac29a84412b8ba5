package examples

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/llm/sim"
	"github.com/dsh-go/dsh-workflow/workflow"
)

const metaLine = "export const meta = { name: 'page', description: 'a snippet of the page' }\n"

var (
	block   = regexp.MustCompile("(?ms)^```js\n(.*?)^```$")
	mistake = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\|$")
)

func page(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../docs/authoring.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// open gives a harness whose simulated model answers after latency.
func open(t *testing.T, latency time.Duration) *dsh.Harness {
	t.Helper()
	h, err := dsh.Open(dsh.Config{
		Memory:   true,
		Model:    sim.New(sim.Config{Latency: latency}),
		Endpoint: config.Endpoint{Provider: config.Sim, Model: config.Sim},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func requestFor(t *testing.T, source string) workflow.Request {
	t.Helper()
	if !strings.Contains(source, "export const meta") {
		source = metaLine + source
	}
	return workflow.Request{Source: source, Root: t.TempDir(), Args: []byte(`{"dir":"src","files":["a.go","b.go"]}`)}
}

func runToEnd(t *testing.T, h *dsh.Harness, req workflow.Request) (workflow.Result, error) {
	t.Helper()
	r, err := h.Engine().Start(t.Context(), req)
	if err != nil {
		return workflow.Result{}, err
	}
	res, err := r.Wait(t.Context())
	return res, errors.Join(err, r.Close())
}

// TestSnippets checks and runs every script of the guide for authors.
func TestSnippets(t *testing.T) {
	h := open(t, 0)
	found := block.FindAllStringSubmatch(page(t), -1)
	if len(found) < 12 {
		t.Fatalf("only %d snippets", len(found))
	}
	for i, m := range found {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			req := requestFor(t, m[1])
			req.Strict = true
			report, err := workflow.Check(req)
			if err != nil || len(report.Warnings)+len(report.Faults) > 0 {
				t.Fatalf("%v, warnings %v, faults %v\n%s", err, report.Warnings, report.Faults, m[1])
			}
			res, err := runToEnd(t, h, req)
			if err != nil || res.Error != nil || len(res.Warnings) > 0 {
				t.Errorf("%v: %s %+v, warnings %v\n%s", err, res.Status, res.Error, res.Warnings, m[1])
			}
		})
	}
}

// TestMistakes makes every mistake that the guide lists, and is told what it says.
// The model takes its time, so that an agent that nobody awaits is not done first.
func TestMistakes(t *testing.T) {
	h := open(t, time.Second)
	found := mistake.FindAllStringSubmatch(page(t), -1)
	if len(found) < 20 {
		t.Fatalf("only %d mistakes", len(found))
	}
	for _, m := range found {
		t.Run(m[1], func(t *testing.T) {
			var told []string
			res, err := runToEnd(t, h, requestFor(t, m[1]))
			if err != nil {
				told = append(told, err.Error())
			}
			if res.Error != nil {
				told = append(told, res.Error.Message)
			}
			for _, w := range res.Warnings {
				told = append(told, w.Message)
			}
			if !strings.Contains(strings.Join(told, "\n"), m[2]) {
				t.Errorf("told %q, want %q", told, m[2])
			}
		})
	}
}
