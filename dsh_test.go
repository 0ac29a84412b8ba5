package dsh

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// ignoreClock leaves out the clock that the regular expression engine keeps for
// a moment after a match with a time limit.
var ignoreClock = goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")

func simulated(t *testing.T, c Config) *Harness {
	t.Helper()
	c.Endpoint = config.Endpoint{Provider: config.Sim, Model: config.Sim}
	if c.Trusts == nil {
		c.Trusts = func(string) bool { return true }
	}
	h, err := Open(c)
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

func runScript(t *testing.T, h *Harness, req workflow.Request) workflow.Result {
	t.Helper()
	r, err := h.Engine().Start(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Wait(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return res
}

// TestThousandAgentsLeaveNothing runs a thousand whole agents, 64 at once, and
// finds no goroutine of them afterwards.
//
// proves: W191
func TestThousandAgentsLeaveNothing(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent(), ignoreClock)
	h := simulated(t, Config{Home: t.TempDir()})
	res := runScript(t, h, workflow.Request{Root: t.TempDir(), Limits: workflow.Limits{AtOnce: 64, Sync: time.Minute}, Source: `
export const meta = { name: 'many', description: 'd' }
const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
const out = await parallel(Array.from({ length: 1000 }, (_, i) => () =>
  agent('say ' + i + ' @@sim [{"tool":"read","args":{"file_path":"nothing"}},{"capture":{"n":' + i + '}}]', { schema })))
return out.filter((v, i) => v.n === i).length`})
	if res.Status != workflow.StatusCompleted || string(res.Value) != "1000" || res.Agents.Completed != 1000 {
		t.Errorf("%s %s %+v %+v", res.Status, res.Value, res.Agents, res.Error)
	}
}

func TestRunsInMemoryLeaveNoFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	h := simulated(t, Config{Home: home, Memory: true})
	res := runScript(t, h, workflow.Request{Root: t.TempDir(), Source: `
export const meta = { name: 'm', description: 'd' }
return await agent('hello')`})
	if res.Status != workflow.StatusCompleted || res.RunDir != "" || !strings.Contains(string(res.Value), "simulated") {
		t.Errorf("%s %s %q", res.Status, res.Value, res.RunDir)
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("the home was made")
	}
}

func TestRoutes(t *testing.T) {
	h := simulated(t, Config{Home: t.TempDir(), Memory: true})
	root := t.TempDir()
	res := runScript(t, h, workflow.Request{Root: root, Source: `
export const meta = { name: 'm', description: 'd' }
await agent('a', { model: 'haiku' }); await agent('b', { model: 'Haiku', effort: 'max' }); await agent('c', { model: 'inherit' })
return 'ok'`})
	if len(res.Warnings) != 2 || res.Warnings[0].Code != "MODEL_ALIAS" || !strings.Contains(res.Warnings[0].Message, `"haiku" is mapped to no model; sim is used`) {
		t.Errorf("warnings %+v", res.Warnings)
	}
	res = runScript(t, h, workflow.Request{Root: root, Source: `
export const meta = { name: 'm', description: 'd' }
return await agent('a', { provider: 'elsewhere' })`})
	if res.Status != workflow.StatusFailed || res.Error.Code != string(workflow.AgentStart) || !strings.Contains(res.Error.Message, `no provider is named "elsewhere"`) {
		t.Errorf("%s %+v", res.Status, res.Error)
	}
}

// TestSpentIsSpent ends an agent in the middle: what it cost until then counts.
func TestSpentIsSpent(t *testing.T) {
	h := simulated(t, Config{Home: t.TempDir(), Memory: true})
	res := runScript(t, h, workflow.Request{Root: t.TempDir(), Source: `
export const meta = { name: 'm', description: 'd' }
const r = await agent.settled('x @@sim [{"tool":"bash","args":{"command":"sleep 60","description":"d"}},{"text":"never"}]', { timeoutMs: 1500 })
return [r.status, r.error.code, r.usage.outputTokens > 0, budget.spent() === r.usage.outputTokens]`})
	if string(res.Value) != `["failed","TIMEOUT",true,true]` || res.Usage.OutputTokens == 0 {
		t.Errorf("value %s, usage %+v, error %+v", res.Value, res.Usage, res.Error)
	}
}

func TestToolsOption(t *testing.T) {
	h := simulated(t, Config{Home: t.TempDir(), Memory: true})
	root := t.TempDir()
	res := runScript(t, h, workflow.Request{Root: root, Source: `
export const meta = { name: 'm', description: 'd' }
return await agent('x @@sim [{"tool":"write","args":{"file_path":"x.txt","content":"x"}},{"text":"done"}]', { tools: ['read'] })`})
	if _, err := os.Stat(filepath.Join(root, "x.txt")); err == nil {
		t.Error("a tool that was not allowed ran")
	}
	if string(res.Value) != `"done"` {
		t.Errorf("value %s", res.Value)
	}
	res = runScript(t, h, workflow.Request{Root: root, Source: `
export const meta = { name: 'm', description: 'd' }
return await agent('x', { tools: ['raed'] })`})
	if res.Status != workflow.StatusFailed || !strings.Contains(res.Error.Message, "raed") {
		t.Errorf("%s %+v", res.Status, res.Error)
	}
}

// proves: W186
func TestRunIDsAreUnique(t *testing.T) {
	h := simulated(t, Config{Home: t.TempDir(), Memory: true})
	seen := map[workflow.RunID]bool{}
	for i := range 200 {
		res := runScript(t, h, workflow.Request{Root: "/", Source: fmt.Sprintf("export const meta = { name: 'n', description: 'd' }; return %d", i)})
		if seen[*res.RunID] {
			t.Fatalf("run id %s twice", *res.RunID)
		}
		seen[*res.RunID] = true
	}
}
