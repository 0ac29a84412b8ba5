package agent

import (
	"slices"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// recall rebuilds the inbox from the log. It runs before the agent is shared.
func (a *Agent) recall() error {
	var past past
	for _, e := range a.log.Events(session.Seq(a.log.Header().SeedLength)) {
		if err := past.apply(e.Data); err != nil {
			return err
		}
	}
	a.inbox = past.inbox
	for _, target := range []string{nextStep, nextTurn} {
		var lost []llm.Message
		for _, c := range past.claims {
			if c.target == target {
				lost = append(lost, c.message)
			}
		}
		if lost == nil {
			continue
		}
		if err := a.splice(session.InboxSpliced{Target: target, Inserted: lost}); err != nil {
			return err
		}
	}
	return nil
}

// past is what a log says about its inbox. Events that another session left to
// this one are no part of it.
type past struct {
	inbox  inbox
	claims []claimed // of the last turn, as long as no model can have seen them
}

// claimed is one message that a turn took from a list.
type claimed struct {
	target  string
	message llm.Message
}

func (p *past) apply(data session.Data) error {
	switch d := data.(type) {
	case session.InboxSpliced:
		return p.splice(d)
	case session.UserMessage:
		p.claims = slices.DeleteFunc(p.claims, func(c claimed) bool { return c.message.ID == d.Message.ID })
	case session.TurnStart, session.StepStart:
		p.claims = nil
	case session.TurnEnd:
		if d.Reason.Kind != session.EndInterrupted {
			p.claims = nil
		}
	}
	return nil
}

func (p *past) splice(s session.InboxSpliced) error {
	list, err := p.inbox.list(s.Target)
	if err != nil {
		return err
	}
	before := *list
	if err := p.inbox.apply(s); err != nil {
		return err
	}
	if s.Outcome == canceled {
		return nil
	}
	for _, m := range before[s.Start : s.Start+s.Removed] {
		p.claims = append(p.claims, claimed{target: s.Target, message: m})
	}
	return nil
}
