package dsh

import (
	"time"

	"github.com/dsh-go/dsh-workflow/subagent/rehearsed"
)

// hurry is by how much the timers of a rehearsal are shorter. They keep their
// order, and one that bounds an agent still fires after its answer.
const hurry = 1000

func hurried(d time.Duration) time.Duration { return d / hurry }

// Asked lists what the agents of a rehearsal were asked, nil for a harness that
// runs for real.
func (h *Harness) Asked() []rehearsed.Asked {
	if p, ok := h.children.(*rehearsed.Provider); ok {
		return p.Asked()
	}
	return nil
}
