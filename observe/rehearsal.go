package observe

import (
	"encoding/json"
	"slices"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// CharsPerToken is the rule of thumb for estimates of text that no tokenizer saw.
const CharsPerToken = 4

// Plan is what a rehearsal showed of a script. Nothing in it came from a model.
type Plan struct {
	SchemaVersion int             `json:"schemaVersion"`
	Simulated     bool            `json:"simulated"` // always true
	Name          string          `json:"name"`
	Status        workflow.Status `json:"status"`
	Error         *workflow.Fault `json:"error"`
	Value         json.RawMessage `json:"value"` // what the script returned, of made-up answers
	Agents        workflow.Census `json:"agents"`
	// Width is how many agents the script wanted at once; AtOnce how many may run.
	Width  int         `json:"width"`
	AtOnce int         `json:"atOnce"`
	Phases []PlanPhase `json:"phases"` // in the order in which they got their first agent, then those without
	// Prompts are all prompts together, Largest the longest of them.
	Prompts PlanSize    `json:"prompts"`
	Largest []PlanAgent `json:"largest"`
	// Usage is one request for each agent, its header included, with an answer as
	// short as its schema: the least that a real run takes.
	Usage    workflow.Bill           `json:"usage"`
	Failures []workflow.AgentFailure `json:"failures"`
	Refused  []PlanRefusal           `json:"refused"`
	Warnings []workflow.Warning      `json:"warnings"`
	// FailShare is the share of agents that was made to fail, Seed what it was drawn
	// with.
	FailShare float64 `json:"failShare"`
	Seed      uint64  `json:"seed"`
}

// PlanSize is the size of prompts: characters, and tokens by [CharsPerToken].
type PlanSize struct {
	Chars  int `json:"chars"`
	Tokens int `json:"tokens"`
	Most   int `json:"most"` // characters of the longest
}

// PlanPhase is what a rehearsal showed of one phase.
type PlanPhase struct {
	Title   *string  `json:"title"` // null for agents without a phase
	Agents  int      `json:"agents"`
	Failed  int      `json:"failed"`
	Width   int      `json:"width"` // agents at once
	Models  []string `json:"models"`
	Prompts PlanSize `json:"prompts"`
}

// PlanAgent is one agent and the size of its prompt.
type PlanAgent struct {
	Seq    workflow.Seq `json:"seq"`
	Label  string       `json:"label"`
	Chars  int          `json:"chars"`
	Tokens int          `json:"tokens"`
}

// PlanRefusal is a call that the run refused.
type PlanRefusal struct {
	Label   string `json:"label"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Rehearsal folds the records of a dry run into a plan. It is used by one
// goroutine at a time.
type Rehearsal struct {
	view    *View
	open    int                     // agents that were asked for and have no end
	inPhase map[*Group]int          // the same, by phase
	widths  map[*Group]int          // the most of it
	phases  map[workflow.Seq]*Group // of open agents
	plan    Plan
}

// NewRehearsal makes an empty one.
func NewRehearsal() *Rehearsal {
	return &Rehearsal{view: NewView(), inPhase: map[*Group]int{}, widths: map[*Group]int{}, phases: map[workflow.Seq]*Group{}}
}

// Apply takes one record.
func (r *Rehearsal) Apply(rec workflow.Record) {
	r.view.Apply(rec)
	switch f := rec.Fact.(type) {
	case workflow.AgentQueued:
		if a := r.view.Agents[f.Seq]; a != nil {
			r.enter(f.Seq, a.group)
		}
	case workflow.AgentEnded:
		r.leave(f.Seq)
	case workflow.AgentRefused:
		r.leave(f.Seq)
		r.plan.Refused = append(r.plan.Refused, PlanRefusal{f.Label, f.Code, f.Message})
	}
}

func (r *Rehearsal) enter(seq workflow.Seq, g *Group) {
	r.phases[seq] = g
	r.open++
	r.inPhase[g]++
	r.plan.Width = max(r.plan.Width, r.open)
	r.widths[g] = max(r.widths[g], r.inPhase[g])
}

func (r *Rehearsal) leave(seq workflow.Seq) {
	if g, ok := r.phases[seq]; ok {
		delete(r.phases, seq)
		r.open--
		r.inPhase[g]--
	}
}

// maxLargest bounds the prompts that are named.
const maxLargest = 3

// Plan is what was shown. chars are the sizes of the prompts.
func (r *Rehearsal) Plan(result workflow.Result, chars map[workflow.Seq]int) Plan {
	p := r.plan
	p.SchemaVersion, p.Simulated = workflow.SchemaVersion, true
	p.Name, p.Status, p.Error, p.Value = result.Name, result.Status, result.Error, result.Value
	p.Agents, p.Usage, p.Failures, p.Warnings = result.Agents, result.Usage, result.Failures, result.Warnings
	p.AtOnce = r.view.AtOnce
	p.Phases = []PlanPhase{}
	for _, g := range r.view.Groups {
		p.Phases = append(p.Phases, r.phase(g, chars))
	}
	for _, seq := range r.view.Order {
		p.Prompts.add(chars[seq])
		p.Largest = append(p.Largest, PlanAgent{seq, r.view.Agents[seq].Label, chars[seq], tokens(chars[seq])})
	}
	slices.SortStableFunc(p.Largest, func(a, b PlanAgent) int { return b.Chars - a.Chars })
	p.Largest = append([]PlanAgent{}, p.Largest[:min(maxLargest, len(p.Largest))]...)
	if p.Refused == nil {
		p.Refused = []PlanRefusal{}
	}
	return p
}

func (r *Rehearsal) phase(g *Group, chars map[workflow.Seq]int) PlanPhase {
	out := PlanPhase{Agents: len(g.Agents), Failed: g.Counts[Failed], Width: r.widths[g], Models: []string{}}
	if g.Named {
		out.Title = &g.Title
	}
	for _, a := range g.Agents {
		out.Prompts.add(chars[a.Seq])
		if a.Model != "" && !slices.Contains(out.Models, a.Model) {
			out.Models = append(out.Models, a.Model)
		}
	}
	return out
}

func (s *PlanSize) add(chars int) {
	s.Chars += chars
	s.Tokens += tokens(chars)
	s.Most = max(s.Most, chars)
}

func tokens(chars int) int { return (chars + CharsPerToken - 1) / CharsPerToken }
