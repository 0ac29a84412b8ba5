package dsh

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/llm/llmtest"
	"github.com/dsh-go/dsh-workflow/llm/openai"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// settings are those of a home with this file.
func settings(t *testing.T, text string, variables map[string]string) (home string, s *config.Settings) {
	t.Helper()
	home = t.TempDir()
	if err := os.WriteFile(config.UserFile(home), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := config.Load(config.Sources{Home: home, Lookup: func(name string) string { return variables[name] }})
	if err != nil {
		t.Fatal(err)
	}
	return home, s
}

// Several providers serve one run: each call goes where its model is, with the
// key of that provider and of no other, and costs what its model costs.
func TestProvidersOfOneRun(t *testing.T) {
	big := llmtest.Start(t, llmtest.Options{Key: "key-of-big", Models: []string{"large"}})
	small := llmtest.Start(t, llmtest.Options{Key: "key-of-small", Models: []string{"tiny", "other"}})
	open := llmtest.Start(t, llmtest.Options{})
	home, s := settings(t, `
providers:
  big: {baseUrl: `+big.URL+`, keyEnv: BIG_KEY}
  small: {baseUrl: `+small.URL+`, keyEnv: SMALL_KEY, profile: openai}
  open: {baseUrl: `+open.URL+`}
models:
  large: {provider: big, price: {input: 1000000, output: 0}}
  tiny: {provider: small, price: {input: 0, output: 0}}
aliases: {haiku: tiny}
defaults: {model: large}
limits: {agents: 5}
`, map[string]string{"BIG_KEY": "key-of-big", "SMALL_KEY": "key-of-small", "DEEPSEEK_API_KEY": "key-of-nobody"})
	h, err := Open(Config{Home: home, Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	res := runScript(t, h, workflow.Request{Root: t.TempDir(), Source: `
export const meta = { name: 'many', description: 'd' }
const free = await agent.settled('a', { model: 'haiku' })
const paid = await agent.settled('b')
const unknown = await agent.settled('c', { model: 'small/other' })
const local = await agent.settled('d', { provider: 'open', model: 'any' })
return [free, paid, unknown, local].map((r) => [r.status, r.usage.costUsd === null ? null : r.usage.costUsd === r.usage.inputTokens])`})
	if d := cmp.Diff(`[["completed",false],["completed",true],["completed",null],["completed",null]]`, string(res.Value)); d != "" {
		t.Errorf("%s\n%+v %+v", d, res.Failures, res.Error)
	}
	if res.Usage.CostUSD != nil {
		t.Errorf("cost %v though a price is unknown", *res.Usage.CostUSD)
	}
	for _, c := range []struct {
		server *llmtest.Server
		auth   string
		models []string
	}{{big, "Bearer key-of-big", []string{"large"}}, {small, "Bearer key-of-small", []string{"tiny", "other"}}, {open, "", []string{"any"}}} {
		var models []string
		for _, r := range c.server.Requests() {
			var body struct{ Model string }
			if err := json.Unmarshal(r.Body, &body); err != nil || r.Header.Get("Authorization") != c.auth {
				t.Errorf("authorization %q, want %q (%v)", r.Header.Get("Authorization"), c.auth, err)
			}
			models = append(models, body.Model)
		}
		if d := cmp.Diff(c.models, models); d != "" {
			t.Error(d)
		}
	}
}

// A provider that cannot be used fails the call that asks for it, with a text
// that says what to do; nothing reaches any server.
func TestProviderThatCannotBeUsed(t *testing.T) {
	server := llmtest.Start(t, llmtest.Options{})
	home, s := settings(t, "providers: {a: {baseUrl: "+server.URL+"}, b: {baseUrl: "+server.URL+", keyEnv: B_KEY}, far: {baseUrl: 'http://far.example/v1', keyEnv: FAR_KEY}}\ndefaults: {model: a/m}\n",
		map[string]string{"FAR_KEY": "k"})
	h, err := Open(Config{Home: home, Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for options, want := range map[string]string{
		`{ provider: 'b', model: 'm' }`:   "set the variable B_KEY",
		`{ model: 'b/m' }`:                "set the variable B_KEY",
		`{ provider: 'c', model: 'm' }`:   `no provider is named "c"`,
		`{ provider: 'far', model: 'm' }`: "without encryption",
		`{ provider: 'openai' }`:          "needs OPENAI_API_KEY",
	} {
		res := runScript(t, h, workflow.Request{Root: t.TempDir(), Source: "export const meta = { name: 'n', description: 'd' }\nreturn await agent('x', " + options + ")"})
		if res.Error == nil || res.Error.Code != "AGENT_START" || !strings.Contains(res.Error.Message, want) {
			t.Errorf("%s: %+v, want %q", options, res.Error, want)
		}
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// The gate and the retries of a provider are those of its entry.
func TestConcurrencyAndRetryOfAProvider(t *testing.T) {
	server := llmtest.Start(t, llmtest.Options{Latency: 20e6})
	home, s := settings(t, "providers: {a: {baseUrl: "+server.URL+", concurrency: 3, retry: {max: 1, initial: 1ms}}}\ndefaults: {model: a/m}\nlimits: {concurrency: 12}\n", nil)
	h, err := Open(Config{Home: home, Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	res := runScript(t, h, workflow.Request{Root: t.TempDir(), Source: `
export const meta = { name: 'n', description: 'd' }
return await parallel(Array.from({ length: 12 }, (_, i) => () => agent('n ' + i)))`})
	if got := server.Stats().MaxInflight; res.Agents.Completed != 12 || got > 3 {
		t.Errorf("%d at once, %+v", got, res.Agents)
	}
	server.Reset()
	res = runScript(t, h, workflow.Request{Root: t.TempDir(), Source: `
export const meta = { name: 'n', description: 'd' }
return await agent('x @@mock [{"fail":{"status":500,"times":-1}}]')`})
	if got := len(server.Requests()); res.Agents.Failed != 1 || got != 2 {
		t.Errorf("%d requests, %+v", got, res.Agents)
	}
}

// What the configuration calls a profile is what the client has.
func TestProfiles(t *testing.T) {
	raw, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range openai.Profiles() {
		text := "providers: {a: {baseUrl: 'http://127.0.0.1:1/v1', profile: " + p.Name + "}}\ndefaults: {model: a/m}\n"
		home, s := settings(t, text, nil)
		h, err := Open(Config{Home: home, Settings: s})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.endpoints.first.profile.Name; got != p.Name {
			t.Errorf("profile %s, want %s", got, p.Name)
		}
		if !slices.Contains(strings.Fields(strings.ReplaceAll(string(raw), ",", " ")), `"`+p.Name+`"`) {
			t.Errorf("the schema has no profile %s", p.Name)
		}
		h.Close()
	}
}

// Each counter is priced as what it is, and 0 retries are none.
func TestCostAndRetryOfAnEntry(t *testing.T) {
	_, s := settings(t, "providers: {a: {baseUrl: 'http://127.0.0.1:1/v1', retry: {max: 0}}}\nmodels: {m: {provider: a, price: {input: 1, cached: 100, output: 10000}}}\ndefaults: {model: m}\n", nil)
	e, err := endpointsOf(Config{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	usage := llm.Usage{InputTokens: 1e6, CacheWriteTokens: 2e6, CacheReadTokens: 3e6, OutputTokens: 4e6, ReasoningTokens: 1e6}
	for _, r := range []subagent.Route{{Provider: "a", Model: "m"}, {Provider: "a"}} {
		if usd, known := e.cost(r, usage); usd != 3+300+40000 || !known {
			t.Errorf("%+v: %v, %v", r, usd, known)
		}
	}
	if _, known := e.cost(subagent.Route{Provider: "other", Model: "m"}, usage); known {
		t.Error("the price of another provider counts")
	}
	mind, err := e.resolve(t.Context(), subagent.Route{Provider: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if _, again := mind.Retry.Next(1, &llm.Error{Kind: llm.CodeServer}, 0.5); again || mind.Config.Model != "m" {
		t.Errorf("%+v", mind)
	}
	if _, again := retryOf(config.Retry{}).Next(5, &llm.Error{Kind: llm.CodeServer}, 0.5); !again {
		t.Error("what nobody said is not the default")
	}
}

// No command of an agent sees the key of a provider, whatever its variable is
// called.
func TestCommandsSeeNoKey(t *testing.T) {
	_, s := settings(t, "providers: {a: {baseUrl: 'http://127.0.0.1:1/v1', keyEnv: CORP_ACCESS}}\n", nil)
	h := simulated(t, Config{Memory: true, Settings: s, Environ: append(os.Environ(), "CORP_ACCESS=abc", "CORP_ACCESS2=def")})
	root := t.TempDir()
	res := runScript(t, h, workflow.Request{Root: root, Source: `
export const meta = { name: 'n', description: 'd' }
return await agent('x @@sim [{"tool":"bash","args":{"command":"printenv > seen","description":"d"}},{"text":"done"}]')`})
	seen, err := os.ReadFile(filepath.Join(root, "seen"))
	if err != nil || res.Status != workflow.StatusCompleted {
		t.Fatalf("%v %+v", err, res)
	}
	if text := string(seen); strings.Contains(text, "CORP_ACCESS=") || !strings.Contains(text, "CORP_ACCESS2=def") {
		t.Errorf("a command sees:\n%s", text)
	}
}
