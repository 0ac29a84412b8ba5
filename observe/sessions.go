package observe

import (
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// Sessions reads the session logs of the agents that are running, as they grow.
// It only reads: neither an agent nor its run waits for it. One goroutine uses it
// at a time.
type Sessions struct {
	dir   string
	show  func(workflow.Seq, session.Event)
	tails map[workflow.Seq]*session.Tail
}

// NewSessions looks at the logs in dir and hands each event to show. An empty
// dir gives none.
func NewSessions(dir string, show func(workflow.Seq, session.Event)) *Sessions {
	return &Sessions{dir: dir, show: show, tails: map[workflow.Seq]*session.Tail{}}
}

// Apply learns from a record which agents run. What an agent did stands before
// its end.
func (s *Sessions) Apply(r workflow.Record) {
	switch f := r.Fact.(type) {
	case workflow.AgentStarted:
		if s.dir != "" && filepath.IsLocal(f.Child) && filepath.Base(f.Child) == f.Child {
			s.tails[f.Seq] = session.NewTail(filepath.Join(s.dir, f.Child+".jsonl"))
		}
	case workflow.AgentEnded:
		if t := s.tails[f.Seq]; t != nil {
			s.read(f.Seq, t)
			delete(s.tails, f.Seq)
		}
	}
}

// Look hands over what was written since the last look.
func (s *Sessions) Look() {
	for seq, t := range s.tails {
		s.read(seq, t)
	}
}

// read shows what is new in one log. A log that cannot be read shows nothing:
// the records say how its agent ends.
func (s *Sessions) read(seq workflow.Seq, t *session.Tail) {
	for more := true; more; {
		var events []session.Event
		var err error
		events, more, err = t.Next()
		if err != nil {
			return
		}
		for _, e := range events {
			s.show(seq, e)
		}
	}
}
