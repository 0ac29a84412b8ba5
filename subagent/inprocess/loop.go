package inprocess

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// descriptorVersion is the version of session.Descriptor.
const descriptorVersion = 2

// system writes the child's system text; denied are tools that it does not have.
func (s *spawn) system(p *plan, denied []string) (string, error) {
	ours := []prompt.Section{prompt.Identity(), prompt.Delegation()}
	persona := ""
	if p.req.Type != nil {
		persona = p.req.Type.Persona
		ours = append(ours, prompt.Section{Name: "agent:type", Order: prompt.OrderPersona, Text: "{{persona}}"})
	}
	if p.site.Run != "" {
		ours = append(ours, prompt.WorkflowChild())
	}
	if p.req.Worktree {
		ours = append(ours, prompt.Worktree())
	}
	if !p.site.Trusted {
		ours = append(ours, prompt.Untrusted())
	}
	if p.structured != nil {
		ours = append(ours, prompt.StructuredOutput())
	}
	sections, err := prompt.Layer(ours, s.cfg.Sections)
	if err != nil {
		return "", err
	}
	sections = slices.DeleteFunc(sections, func(section prompt.Section) bool {
		name, ofTool := strings.CutPrefix(section.Name, "tool:")
		return ofTool && slices.Contains(denied, name)
	})
	return prompt.Build(sections, []prompt.Variable{
		{Name: "persona", Value: persona},
		{Name: "model", Value: p.route.Model, Absent: p.route.Model == ""},
		{Name: "provider", Value: p.route.Provider, Absent: p.route.Provider == ""},
		{Name: "cwd", Value: p.site.Cwd, Absent: p.site.Cwd == ""},
	})
}

func (s *spawn) agentConfig(p *plan, log *session.Log) agent.Config {
	hooks := agent.Hooks{PreStep: s.preStep(p, log)}
	if p.structured != nil {
		hooks.Stopping = p.structured.stopping
	}
	return agent.Config{
		Session:     log,
		Model:       p.model,
		Route:       p.route,
		Tools:       p.tools,
		Prompt:      func(context.Context) (string, error) { return p.system, nil },
		Hooks:       hooks,
		Retry:       p.retry,
		MaxSteps:    s.maxSteps(p.req.Type),
		MaxParallel: s.cfg.MaxParallel,
		Stall:       p.req.Stall,
		Place: agent.Place{
			Cwd: p.site.Cwd, Root: p.site.Root, Home: s.cfg.Home, Outputs: outputs(p.req.Lineage.Sessions),
			Confined: !p.site.Trusted,
		},
		Random: s.cfg.Random,
		NewID:  s.cfg.NewID,
	}
}

func (s *spawn) maxSteps(t *subagent.Type) int {
	if t != nil && t.MaxSteps > 0 {
		return t.MaxSteps
	}
	return s.cfg.MaxSteps
}

// outputs is the folder for long outputs: it lies beside that of the sessions.
func outputs(sessions string) string {
	if sessions == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(sessions), "outputs")
}

// preStep says in the first step how the child was started, and adds what the
// instruction files say. It ends a child whose structured results were refused too
// often.
func (s *spawn) preStep(p *plan, log *session.Log) func(context.Context, agent.Proposal) ([]llm.Message, error) {
	brief := s.newBriefing(p.site, log)
	return func(_ context.Context, step agent.Proposal) ([]llm.Message, error) {
		if p.structured != nil {
			if err := p.structured.exhausted(); err != nil {
				return nil, err
			}
		}
		if step.Turn == 1 && step.Step == 1 {
			_, err := log.Append(session.Descriptor{
				Version: descriptorVersion, Mode: "one-shot", Provider: s.cfg.Name, Label: p.req.Label,
			})
			if err != nil {
				return nil, err
			}
		}
		return brief.preStep(step)
	}
}
