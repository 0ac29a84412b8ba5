package subagenttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

// proves: W387
func TestScriptedConforms(t *testing.T) {
	subagenttest.Run(t, func(t *testing.T) subagent.Provider {
		return subagenttest.NewScriptedFunc("", func(req subagent.Request) subagenttest.Script {
			switch req.Prompt {
			case subagenttest.PromptHang:
				return subagenttest.Script{Delay: time.Hour}
			case subagenttest.PromptFail:
				usage := llm.Usage{InputTokens: 3, OutputTokens: 2}
				again := subagenttest.Script{Outcome: subagent.Failed, Usage: usage}
				return subagenttest.Script{Outcome: subagent.Failed, Usage: usage, Then: &again}
			case subagenttest.PromptValue:
				return subagenttest.Script{Value: json.RawMessage(subagenttest.Value), Delay: time.Millisecond}
			}
			return subagenttest.Script{Reply: subagenttest.Reply}
		})
	})
}

func request(prompt string) subagent.Request {
	return subagent.Request{Call: "run/1", Prompt: prompt, Lineage: subagent.Lineage{Parent: "p"}}
}

// proves: W386
func TestScriptedDefaults(t *testing.T) {
	s := subagenttest.NewScripted("", subagenttest.Script{})
	req := request("x")
	req.Schema = json.RawMessage(`{"type":"object"}`)
	c, err := s.Start(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.Wait(t.Context())
	if err != nil || r.Text != subagenttest.DefaultReply || string(r.Value) != `{"reply":"mock subagent reply"}` {
		t.Errorf("got %+v, %v", r, err)
	}
	if s.Name() != "mock" || c.ID() != "mock:run/1" {
		t.Errorf("named %q, %q", s.Name(), c.ID())
	}
}

func TestScriptedErrors(t *testing.T) {
	errStart, errWait := errors.New("start"), errors.New("wait")
	s := subagenttest.NewScriptedFunc("", func(req subagent.Request) subagenttest.Script {
		if req.Prompt == "start" {
			return subagenttest.Script{StartErr: errStart}
		}
		return subagenttest.Script{WaitErr: errWait}
	})
	if _, err := s.Start(t.Context(), request("start")); !errors.Is(err, errStart) {
		t.Errorf("start: %v", err)
	}
	c, err := s.Start(t.Context(), request("wait"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Wait(t.Context()); !errors.Is(err, errWait) {
		t.Errorf("wait: %v", err)
	}
	c.Close()
	want := subagenttest.Counts{Starts: 2, Started: 1, Settled: 1, Closed: 1, Peak: 1} // the other one never was
	if got := s.Counts(); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	if len(s.Requests()) != 2 {
		t.Errorf("requests %v", s.Requests())
	}
}

func TestScriptedDelayIsVirtual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := subagenttest.NewScripted("", subagenttest.Script{StartDelay: time.Minute, Delay: time.Hour, Usage: llm.Usage{OutputTokens: 7}})
		began := time.Now()
		c, err := s.Start(t.Context(), request("x"))
		if err != nil {
			t.Fatal(err)
		}
		if live := s.Counts().Live; live != 1 {
			t.Errorf("live %d", live)
		}
		r, err := c.Wait(t.Context())
		if err != nil || r.Outcome != subagent.Completed || r.Usage.OutputTokens != 7 {
			t.Errorf("got %+v, %v", r, err)
		}
		if took := time.Since(began); took != time.Hour+time.Minute {
			t.Errorf("took %v", took)
		}
		c.Close()
	})
}

// proves: W387
func TestScriptedStartDelayIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := subagenttest.NewScripted("", subagenttest.Script{StartDelay: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Start(ctx, request("x")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestScriptedStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := subagenttest.NewScripted("", subagenttest.Script{Stuck: true})
		ctx, cancel := context.WithCancel(t.Context())
		c, err := s.Start(ctx, request("x"))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		closed := make(chan struct{})
		go func() {
			c.Close()
			close(closed)
		}()
		time.Sleep(time.Hour)
		select {
		case <-closed:
			t.Error("a stuck child closed before it was released")
		default:
		}
		s.Release()
		<-closed
		if r, _ := c.Wait(t.Context()); r.Outcome != subagent.Cancelled {
			t.Errorf("got %+v", r)
		}
	})
}
