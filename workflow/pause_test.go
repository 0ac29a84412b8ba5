package workflow

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

func TestPauseStartsNobodyAndEndsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(subagent.Request) subagenttest.Script { return subagenttest.Script{Delay: time.Minute} })
		req := request(lines(`return (await parallel([0, 1, 2, 3].map((i) => () => agent('a' + i)))).length`))
		req.Limits.AtOnce = 2
		run, err := tr.engine.Start(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if !run.Pause("lunch") || run.Pause("again") || !run.Paused() {
			t.Error("a run is paused once")
		}
		time.Sleep(time.Hour)
		if c := tr.provider.Counts(); c.Started != 2 || c.Settled != 2 {
			t.Errorf("in the pause: %+v", c)
		}
		if !run.Continue() || run.Continue() || run.Paused() {
			t.Error("a pause ends once")
		}
		res, err := run.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantValue(t, res, `4`)
		if p := facts[RunPaused](tr.store); len(p) != 1 || p[0].Reason != "lunch" || len(facts[RunContinued](tr.store)) != 1 {
			t.Errorf("recorded: %+v", p)
		}
		if run.Pause("late") {
			t.Error("a run that ended was paused")
		}
	})
}

func TestPausedRunCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, func(subagent.Request) subagenttest.Script { return subagenttest.Script{Delay: time.Minute} })
		run, err := tr.engine.Start(t.Context(), request(lines(`await agent('a')`, `await agent('b')`)))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		run.Pause("")
		time.Sleep(time.Hour)
		run.Cancel(errors.New("enough"))
		res, err := run.Wait(context.Background())
		if err != nil || res.Status != StatusCancelled || res.Agents.Refused != 1 {
			t.Errorf("%+v, %v", res, err)
		}
	})
}
