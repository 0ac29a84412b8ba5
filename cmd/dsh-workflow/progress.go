package main

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// look is the time between two looks at what agents are doing.
const look = 250 * time.Millisecond

// shower shows a run to a person: as lines or as a picture.
type shower interface {
	Apply(workflow.Record)
	See(workflow.Seq, session.Event)
}

// progress follows a run and the sessions of its agents for a shower.
//
// Concurrency: one goroutine reads the records, one looks at the sessions; mu
// keeps them apart, so that a shower is called by one at a time.
type progress struct {
	mu       sync.Mutex
	sessions *observe.Sessions
	shower   shower
}

func newProgress(s shower, dir string) *progress {
	if dir != "" {
		dir = filepath.Join(dir, "sessions")
	}
	return &progress{sessions: observe.NewSessions(dir, s.See), shower: s}
}

// follow returns when the run has ended and all of it has been shown.
func (p *progress) follow(r *workflow.Run) {
	done := make(chan struct{})
	defer close(done)
	go p.watch(done)
	for _, rec := range r.Follow(context.Background(), 0) {
		p.apply(rec)
	}
}

func (p *progress) apply(rec workflow.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions.Apply(rec)
	p.shower.Apply(rec)
}

func (p *progress) watch(done chan struct{}) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			p.mu.Lock()
			p.sessions.Look()
			p.mu.Unlock()
		}
	}
}
