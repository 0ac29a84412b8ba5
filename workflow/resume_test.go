package workflow

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

// resume goes on with what a crash behind record n of tr left, over a provider of
// its own, and returns the new trial with the result.
func (tr *trial) resume(n int, req Resume, script func(subagent.Request) subagenttest.Script) (*trial, Result) {
	tr.t.Helper()
	again := newTrial(tr.t, script)
	again.store = tr.store.until(n)
	again.engine.cfg.Store = again.store
	r, err := again.engine.Resume(tr.t.Context(), req)
	if err != nil {
		tr.t.Fatalf("resume behind record %d: %v", n, err)
	}
	res, err := r.Wait(tr.t.Context())
	if err != nil {
		tr.t.Fatal(err)
	}
	return again, res
}

// shuffled answers with the prompt after a time that depends on it and seed.
func shuffled(seed int) func(subagent.Request) subagenttest.Script {
	return func(r subagent.Request) subagenttest.Script {
		return subagenttest.Script{Reply: r.Prompt + "!", Delay: latency(seed, r.Prompt)}
	}
}

func latency(seed int, prompt string) time.Duration {
	h := fnv.New32a()
	fmt.Fprint(h, seed, prompt)
	return time.Duration(h.Sum32()%1_000_000) * time.Millisecond
}

// completed counts the outcomes that the records hold.
func (s *store) completed(n int) (ends int) {
	for _, r := range s.records[:n] {
		if e, ok := r.Fact.(AgentEnded); ok && e.Outcome == subagent.Completed && e.ValueRef == 0 {
			ends++
		}
	}
	return ends
}

// courses are scripts whose later calls depend on what came first.
var courses = map[string]string{
	"fan-out": `return await parallel([` + list(10, "() => agent('%d')") + `])`,
	"order of completion": `
		const seen = []
		await pipeline([1, 2, 3, 4, 5, 6], (i) => agent('a' + i).then((v) => { seen.push(v); return seen.length }), (n, i) => agent('b' + i + ' came ' + n))
		return [seen, await agent(seen.join())]`,
	"race": `
		const out = []
		for (let i = 0; i < 4; i++) out.push(await Promise.race([agent('x' + i), agent('y' + i), agent('z' + i + out.join())]))
		return out`,
	"timers": `
		const sleep = (ms, v) => new Promise((go) => setTimeout(() => go(v), ms))
		const out = []
		for (let i = 0; i < 5; i++) out.push(await Promise.race([agent('slow or not ' + i), sleep(400000, 'late')]))
		const t = setTimeout(() => out.push('never'), 1)
		clearTimeout(t)
		return [out, await agent(out.join()), budget.spent()]`,
	"equal calls": `
		const same = await parallel([1, 2, 3].map(() => () => agent('same')))
		const more = await Promise.all([agent('same'), agent('same'), agent.settled('same')])
		return [same, more]`,
}

// TestCutAnywhere cuts the journal of a run behind every record and resumes. What
// the script had been told it is told again, in the same order; no completed call
// runs again; and where the rest ends in the order in which it did, the value is
// that of the whole run.
//
// proves: C13, C15
func TestCutAnywhere(t *testing.T) {
	for name, body := range courses {
		t.Run(name, func(t *testing.T) {
			for seed := range 3 {
				synctest.Test(t, func(t *testing.T) { cutAnywhere(t, seed, body, nil) })
			}
		})
	}
}

// cutAnywhere runs a script and resumes it behind the records that cuts names, or
// behind each of them.
func cutAnywhere(t *testing.T, seed int, body string, cuts func(records int) []int) {
	tr := newTrial(t, shuffled(seed))
	req := request(body)
	req.Limits.AtOnce = 7
	want := tr.run(req)
	at := every
	if cuts != nil {
		at = cuts
	}
	for _, n := range at(len(tr.store.records)) {
		again, got := tr.resume(n, Resume{Run: *want.RunID}, tr.onwards(seed, n))
		checkResumed(t, again, n, got)
		checkCourse(t, tr.store, again.store, n)
		if string(got.Value) != string(want.Value) && !strings.Contains(body, "setTimeout") {
			t.Errorf("cut behind %d: value %s, want %s", n, got.Value, want.Value)
		}
		if m := n + (len(again.store.records)-n)*(seed%5+1)/6; m > n { // and once more
			last, got := again.resume(m, Resume{Run: *want.RunID}, shuffled(seed))
			checkResumed(t, last, m, got)
			_, told := tr.store.course(0, n)
			_, after := again.store.course(n, m)
			_, now := last.store.course(m, len(last.store.records))
			for _, before := range [][]string{told, after} {
				if len(now) < len(before) || !slices.Equal(now[:len(before)], before) {
					t.Errorf("cut behind %d, then behind %d: told\n%q, before\n%q", n, m, now, before)
				}
			}
		}
	}
}

func every(records int) (cuts []int) {
	for n := 1; n < records; n++ {
		cuts = append(cuts, n)
	}
	return cuts
}

// onwards is a provider whose children end when those of tr did that had the same
// prompt, counted from record n; new ones end later.
func (tr *trial) onwards(seed, n int) func(subagent.Request) subagenttest.Script {
	ends := map[string]time.Time{}
	labels := map[Seq]string{}
	for _, r := range tr.store.records {
		switch f := r.Fact.(type) {
		case AgentQueued:
			labels[f.Seq] = f.Label
		case AgentEnded:
			if f.Outcome == subagent.Completed {
				ends[labels[f.Seq]] = r.Time
			}
		}
	}
	cut, begin := tr.store.records[n-1].Time, time.Now()
	return func(r subagent.Request) subagenttest.Script {
		s := shuffled(seed)(r)
		s.Delay += 1000 * time.Hour
		if at, ok := ends[r.Label]; ok {
			s.Delay = max(0, time.Until(begin.Add(at.Sub(cut))))
		}
		return s
	}
}

// course is what the script asked for and was told, in order, from record i on.
func (s *store) course(from, to int) (asked, told []string) {
	for _, r := range s.records[from:to] {
		switch f := r.Fact.(type) {
		case AgentQueued:
			asked = append(asked, fmt.Sprint(f.Seq, f.Label, f.Key, f.Occ))
		case AgentEnded:
			if f.Outcome == subagent.Completed {
				told = append(told, fmt.Sprint(f.Key, f.Occ))
			}
		case TimerFired:
			told = append(told, fmt.Sprint("timer", f.Timer))
		}
	}
	return asked, told
}

// checkCourse holds what a resumed script asked for and was told against what it
// had been before.
func checkCourse(t *testing.T, first, again *store, cut int) {
	t.Helper()
	asked, told := first.course(0, cut)
	askedNow, toldNow := again.course(cut, len(again.records))
	if n := min(len(asked), len(askedNow)); n < len(asked) || !slices.Equal(asked, askedNow[:n]) {
		t.Errorf("cut behind %d: asked\n%q, before\n%q", cut, askedNow, asked)
	}
	if n := min(len(told), len(toldNow)); n < len(told) || !slices.Equal(told, toldNow[:n]) {
		t.Errorf("cut behind %d: told\n%q, before\n%q", cut, toldNow, told)
	}
}

// checkResumed holds a resumed run against its journal.
func checkResumed(t *testing.T, tr *trial, cut int, res Result) {
	t.Helper()
	before := tr.store.completed(cut)
	if a := res.Agents; a.Started != a.Completed+a.Failed+a.Cancelled || a.Replayed > a.Completed {
		t.Errorf("cut behind %d: census %+v", cut, a)
	}
	ends := map[callID]int{}
	calls := map[callID]bool{}
	for i, r := range tr.store.records {
		if r.N != i+1 {
			t.Fatalf("record %d has number %d", i+1, r.N)
		}
		switch f := r.Fact.(type) {
		case AgentQueued:
			calls[callID{f.Key, f.Occ}] = true
		case AgentEnded:
			if f.Outcome == subagent.Completed && f.ValueRef == 0 {
				ends[callID{f.Key, f.Occ}]++
			}
			if ref := f.ValueRef; ref != 0 {
				if e, ok := tr.store.records[ref-1].Fact.(AgentEnded); !ok || e.Value == nil || e.Key != f.Key || e.Occ != f.Occ {
					t.Errorf("record %d refers to %+v", r.N, tr.store.records[ref-1])
				}
			}
		}
	}
	for id, n := range ends {
		if n != 1 {
			t.Errorf("cut behind %d: call %v was paid for %d times", cut, id, n)
		}
	}
	if started := tr.provider.Counts().Started; started+before != len(ends)+res.Agents.Cancelled {
		t.Errorf("cut behind %d: %d children started over %d outcomes, %d in the end", cut, started, before, len(ends))
	}
}

// proves: C13
func TestOneFailureRunsAloneAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func(on string) func(subagent.Request) subagenttest.Script {
			return func(r subagent.Request) subagenttest.Script {
				s := shuffled(7)(r)
				if r.Prompt == on {
					s.Outcome = subagent.Failed
				}
				return s
			}
		}
		tr := newTrial(t, fails("4"))
		req := request(`const got = await parallel([` + list(20, "() => agent('%d')") + `]); return got.filter(Boolean).length`)
		wantValue(t, tr.run(req), `19`)
		id := tr.store.header.RunID
		_, err := tr.engine.Resume(t.Context(), Resume{Run: id})
		if CodeOf(err) != NothingToResume || !strings.Contains(err.Error(), "--retry-failed runs its 1 failed agents again") {
			t.Errorf("a run that completed: %v", err)
		}
		again, res := tr.resume(len(tr.store.records), Resume{Run: id, RetryFailed: true}, fails(""))
		wantValue(t, res, `20`)
		if got := again.provider.Requests(); len(got) != 1 || got[0].Prompt != "4" {
			t.Errorf("requests %+v", got)
		}
		if res.Status != StatusCompleted || res.Agents.Replayed != 19 || res.Agents.Completed != 20 {
			t.Errorf("%s %+v", res.Status, res.Agents)
		}
	})
}

func TestSkip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := func(r subagent.Request) subagenttest.Script {
			if r.Prompt == "hangs" {
				return subagenttest.Script{Delay: 1000 * time.Hour}
			}
			return subagenttest.Script{Reply: r.Prompt, Delay: time.Minute}
		}
		tr := newTrial(t, hangs)
		r := tr.start(t.Context(), request(`
			const [a, b] = await Promise.all([agent('a'), agent.settled('hangs')])
			return [a, b.status, b.error.code, await agent('c')]`))
		time.Sleep(time.Hour)
		r.Cancel(nil)
		tr.wait(r)
		all, id := len(tr.store.records), r.ID()
		skipped, res := tr.resume(all, Resume{Run: id, Skip: []Seq{2}}, hangs)
		wantValue(t, res, `["a","failed","SKIPPED","c"]`)
		if res.Status != StatusWithFailed || len(res.Failures) != 1 || res.Failures[0].Code != string(Skipped) {
			t.Errorf("%s %+v", res.Status, res.Failures)
		}
		// It stays skipped, until it is to run again.
		again, res := skipped.resume(len(skipped.store.records)-1, Resume{Run: id}, echo)
		wantValue(t, res, `["a","failed","SKIPPED","c"]`)
		if n := again.provider.Counts().Started; n != 0 {
			t.Errorf("%d children", n)
		}
		_, res = skipped.resume(len(skipped.store.records), Resume{Run: id, RetryFailed: true}, func(r subagent.Request) subagenttest.Script {
			return subagenttest.Script{Outcome: subagent.Failed, Failure: &subagent.Failure{Code: "REFUSAL", Message: "no"}}
		})
		wantValue(t, res, `["a","failed","REFUSAL","c"]`)
		for _, req := range []Resume{{Run: id, Skip: []Seq{9}}, {Run: id, Skip: []Seq{1}}} {
			if _, err := tr.engine.Resume(t.Context(), req); CodeOf(err) != InvalidArgument {
				t.Errorf("skip %v: %v", req.Skip, err)
			}
		}
	})
}

// proves: C14
func TestEditedScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, shuffled(3))
		script := `
			const schema = { type: 'object', properties: { a: {}, b: {} } }
			const all = await pipeline([1, 2, 3, 4], (i) => agent('find ' + i, { label: 'f' + i }), (v, i) => agent('check ' + v, { label: 'c' + i, effort: 'high', tools: ['read', 'bash'] }))
			return [all, await agent('sum', { schema }), await agent('end')]`
		want := tr.run(request(script))
		id, all := want.RunID, len(tr.store.records)
		edited := strings.NewReplacer(
			`label: 'f'`, `label: 'F'`, `effort: 'high', tools: ['read', 'bash']`, `tools: ['bash', 'read'], effort: 'HIGH'`,
			`{ type: 'object', properties: { a: {}, b: {} } }`, `{ properties: { b: {}, a: {} }, type: 'object' }`,
			`agent('sum', { schema })`, `agent('sum', { schema, isolation: undefined, effort: undefined })`).Replace(script)
		again, res := tr.resume(all, Resume{Run: *id, Source: head + edited}, echo)
		if string(res.Value) != string(want.Value) || again.provider.Counts().Started != 0 {
			t.Errorf("value %s, %d children", res.Value, again.provider.Counts().Started)
		}
		edited = strings.Replace(script, `'find ' + i`, `(i == 2 ? 'look for ' : 'find ') + i`, 1)
		again, res = tr.resume(all, Resume{Run: *id, Source: head + edited}, shuffled(3))
		var asked []string
		for _, r := range again.provider.Requests() {
			asked = append(asked, r.Prompt)
		}
		if want := []string{"look for 2", "check look for 2!"}; !slices.Equal(asked, want) {
			t.Errorf("asked %q, want %q", asked, want)
		}
		if res.Agents.Replayed != 8 || len(again.store.scripts) != 2 {
			t.Errorf("census %+v, %d scripts", res.Agents, len(again.store.scripts))
		}
		// The edited script is the one that goes on.
		more, res := again.resume(len(again.store.records)-1, Resume{Run: *id}, echo)
		if res.Agents.Replayed != 10 || more.provider.Counts().Started != 0 {
			t.Errorf("census %+v", res.Agents)
		}
	})
}

func TestPrefix(t *testing.T) {
	tr := newTrial(t, echo)
	script := `for (const p of ['a', 'b', 'c', 'd']) await agent(p); return 1`
	want := tr.run(request(script))
	again, res := tr.resume(len(tr.store.records), Resume{
		Run: *want.RunID, Mode: ResumePrefix, Source: head + strings.Replace(script, `'b'`, `'B'`, 1),
	}, echo)
	if n := again.provider.Counts().Started; n != 3 || res.Agents.Replayed != 1 {
		t.Errorf("%d children, census %+v", n, res.Agents)
	}
}

func TestForkWithAnotherAnswer(t *testing.T) {
	tr := newTrial(t, echo)
	want := tr.run(request(`
		const plan = await agent('plan')
		return await parallel([() => agent('always'), () => agent('do ' + plan)])`))
	fork := Resume{Run: *want.RunID, Fork: &Fork{Set: 1, Value: []byte(`"better"`)}}
	p, err := tr.engine.Plan(t.Context(), fork)
	if err != nil || p.Replay != 2 || p.Run != 1 {
		t.Errorf("plan %+v, %v", p, err)
	}
	again := newTrial(t, echo)
	again.engine.cfg.Store = tr.store
	r, err := again.engine.Resume(t.Context(), fork)
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, res, `["always","do better"]`)
	if *res.RunID == *want.RunID || again.provider.Counts().Started != 1 || r.plan.header.ForkOf != "" {
		t.Errorf("run %s of %s, %d children", *res.RunID, *want.RunID, again.provider.Counts().Started)
	}
}

func TestPlanRunsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(r subagent.Request) subagenttest.Script {
			s := shuffled(5)(r)
			if r.Prompt == "bad" {
				s.Outcome = subagent.Failed
			}
			return s
		})
		r := tr.start(t.Context(), request(`
			await parallel([() => agent('good'), () => agent('bad')])
			await new Promise((go) => setTimeout(go, 5000))
			await agent('then', { phase: 'Last' }); await agent('more')`))
		time.Sleep(24 * time.Hour)
		tr.wait(r)
		n := len(tr.store.records)
		cut := tr.store.until(n - 3) // without the end of the run and of 'more'
		tr.engine.cfg.Store = cut
		p, err := tr.engine.Plan(t.Context(), Resume{Run: r.ID()})
		if err != nil {
			t.Fatal(err)
		}
		var text []string
		for _, c := range p.Calls {
			text = append(text, fmt.Sprintf("%d %s %s %v %s", c.Seq, c.Label, c.Phase, c.Replay, c.Why))
		}
		want := []string{"1 good  true ", "2 bad  false it failed: scripted failure (SERVER)"}
		if !slices.Equal(text, want) || p.Status != StatusInterrupted || p.Replay != 1 || p.Run != 1 || p.Kept != 1 || p.Ends {
			t.Errorf("plan %+v\n%q", p, text)
		}
		if len(cut.records) != n-3 || tr.provider.Counts().Started != 4 {
			t.Errorf("%d records, %d children", len(cut.records), tr.provider.Counts().Started)
		}
	})
}

// proves: C14
func TestOtherVersionsAreRefused(t *testing.T) {
	tr := newTrial(t, echo)
	id := *tr.run(request(`return await agent('x')`)).RunID
	for name, c := range map[string]struct {
		change func(Fact) Fact
		code   Code
		text   string
	}{
		"keys": {func(f Fact) Fact {
			if q, ok := f.(AgentQueued); ok {
				q.Key = strings.Replace(q.Key, "k1:", "k0:", 1)
				return q
			}
			return f
		}, JournalVersion, `have version "k0", and this version compares "k1" only`},
		"format": {func(f Fact) Fact {
			if s, ok := f.(RunStarted); ok {
				s.Format = 2
				return s
			}
			return f
		}, JournalVersion, "has format 2 and was written by version test; this version reads format 1"},
	} {
		cut := tr.store.until(len(tr.store.records) - 1)
		for i, r := range cut.records {
			cut.records[i].Fact = c.change(r.Fact)
		}
		again := newTrial(t, echo)
		again.engine.cfg.Store = cut
		_, err := again.engine.Resume(t.Context(), Resume{Run: id})
		if CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Records of a type that this version does not know stay, and are skipped.
	cut := tr.store.until(len(tr.store.records) - 1)
	cut.records = append(cut.records, Record{N: len(cut.records) + 1, Time: time.Now(), Fact: Unknown{Type: "Later", Raw: []byte(`{"x":[1]}`)}})
	again := newTrial(t, echo)
	again.store, again.engine.cfg.Store = cut, cut
	r, err := again.engine.Resume(t.Context(), Resume{Run: id})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := r.Wait(t.Context()); err != nil || string(res.Value) != `"x"` || len(facts[Unknown](cut)) != 1 {
		t.Errorf("%+v, %v, %d unknown records", res, err, len(facts[Unknown](cut)))
	}
}

// TestOnceAgentsAreNotStartedTwice cuts a run off while an agent of a type that
// must not do its work twice is at it.
func TestOnceAgentsAreNotStartedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		once := []subagent.Type{{Name: "deployer", Once: true}}
		tr := newTrial(t, hour)
		req := request(`const r = await agent.settled('ship it', { agentType: 'deployer' }); return [r.status, r.error?.code, await agent('report')]`)
		req.Types = once
		r := tr.start(t.Context(), req)
		time.Sleep(time.Minute)
		cut := tr.store.until(-1) // killed now
		if _, ok := cut.records[len(cut.records)-1].Fact.(AgentStarted); !ok {
			t.Fatalf("the last record is %+v", cut.records[len(cut.records)-1])
		}
		r.Cancel(nil)
		tr.wait(r)
		tr.store = cut
		again, res := tr.resume(len(cut.records), Resume{Run: r.ID(), Types: once}, echo)
		wantValue(t, res, `["failed","OUTCOME_UNKNOWN","report"]`)
		if got := again.provider.Requests(); len(got) != 1 || got[0].Prompt != "report" {
			t.Errorf("requests %+v", got)
		}
		_, res = again.resume(len(again.store.records), Resume{Run: r.ID(), Types: once, RetryFailed: true}, echo)
		wantValue(t, res, `["completed",null,"report"]`)
	})
}
