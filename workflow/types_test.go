package workflow

import (
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/subagent/subagenttest"
)

func TestAgentTypeReachesTheChild(t *testing.T) {
	tr := newTrial(t, func(subagent.Request) subagenttest.Script { return subagenttest.Script{} })
	req := request(lines(
		`await agent('a', { agentType: 'Craft:Reviewer' })`,
		`await agent('b', { agentType: 'reviewer', model: 'own' })`,
		`await agent('c', { agentType: 'EXPLORE', isolation: 'worktree' })`,
		`await agent('d', { agentType: 'General-Purpose' })`,
		`await agent('d')`))
	req.Types = []subagent.Type{
		{Name: "craft:reviewer", Persona: "plugin"},
		{Name: "Reviewer", Persona: "mine", Model: "m1", Effort: "low"},
	}
	tr.run(req)
	var got []string
	for _, r := range tr.provider.Requests() {
		name := "-"
		if r.Type != nil {
			name = r.Type.Name + "/" + r.Type.Persona[:min(6, len(r.Type.Persona))]
		}
		if r.Worktree {
			name += " in a tree"
		}
		got = append(got, name+" "+r.Route.Model+r.Route.Effort)
	}
	want := "craft:reviewer/plugin |Reviewer/mine ownlow|explore/You ex in a tree |- |- "
	if strings.Join(got, "|") != want {
		t.Errorf("the children got\n%s, want\n%s", strings.Join(got, "|"), want)
	}
	q := facts[AgentQueued](tr.store)
	if q[3].Key != q[4].Key || q[4].Occ != 1 || q[0].Key == q[1].Key {
		t.Errorf("the general type written out has another key: %+v", q)
	}
	if q[1].AgentType != "reviewer" || q[3].AgentType != "" {
		t.Errorf("recorded: %+v", q)
	}
}

func TestUnknownAgentTypeIsFatal(t *testing.T) {
	for name, want := range map[string]string{
		"exlpore":      `there is no agent type "exlpore"; did you mean "explore"? (known: craft:review, general-purpose, explore)`,
		"review":       `did you mean "craft:review"?`,
		"other:review": `did you mean "craft:review"?`,
		"nothing-like": `there is no agent type "nothing-like" (known:`,
	} {
		tr := newTrial(t, func(subagent.Request) subagenttest.Script { return subagenttest.Script{} })
		req := request(lines(`await parallel([() => agent('a', { agentType: '` + name + `' })])`))
		req.Types = []subagent.Type{{Name: "craft:review"}}
		res := tr.run(req)
		if res.Status != StatusFailed || res.Error == nil || !strings.Contains(res.Error.Message, want) {
			t.Errorf("%s: %s, %+v", name, res.Status, res.Error)
		}
		if n := len(tr.provider.Requests()); n != 0 {
			t.Errorf("%s: %d children", name, n)
		}
	}
}
