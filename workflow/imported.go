package workflow

import (
	"encoding/json"
	"strings"

	"github.com/dsh-go/dsh-workflow/schema"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// Imported is the result of an agent that another system ran for the script. It
// answers a call with its prompt, once, in place of an agent.
type Imported struct {
	// Prompt is what the agent was told. What stands behind it, from an empty line
	// on, may be of the other system.
	Prompt string
	Value  json.RawMessage // as the script saw it; not null
	Agent  string          // its id there
}

// imports hands out imported results by prompt.
//
// Concurrency: the realm's goroutine only.
type imports struct {
	byPrompt map[string][]int // calls that are left, in their order
	all      []Imported
}

// importKey stands in front of a prompt where a key is expected.
const importKey = "prompt:"

func importID(i int) callID { return callID{importKey, i} }

// pastOf is the past of a run that begins with imported results: the order in
// which they are given is the one in which the script got them.
func pastOf(all []Imported) *past {
	p := &past{calls: map[callID]*known{}, queued: map[Seq]callID{}}
	for i, in := range all {
		id := importID(i)
		p.calls[id] = &known{given: in.Value, child: in.Agent, end: AgentEnded{Child: in.Agent, Outcome: subagent.Completed, Attempts: 1}}
		p.order = append(p.order, moment{call: id})
	}
	return p
}

func importsOf(all []Imported) *imports {
	m := &imports{byPrompt: map[string][]int{}, all: all}
	for i, in := range all {
		m.byPrompt[in.Prompt] = append(m.byPrompt[in.Prompt], i)
	}
	return m
}

// take finds the result for a call and gives it away, or says why there is none.
func (m *imports) take(c *call) (id callID, why string) {
	prompt, found := c.prompt, len(m.byPrompt[c.prompt]) > 0
	if !found {
		prompt, found = m.longer(c.prompt)
	}
	if !found {
		return id, "no imported result has its prompt"
	}
	i := m.byPrompt[prompt][0]
	if why := fits(m.all[i].Value, c.options.Schema); why != "" {
		return id, why
	}
	m.byPrompt[prompt] = m.byPrompt[prompt][1:]
	return importID(i), ""
}

// longer finds the one prompt that begins with p and goes on behind an empty line.
func (m *imports) longer(p string) (prompt string, ok bool) {
	for full, left := range m.byPrompt {
		if len(left) == 0 || !strings.HasPrefix(full, p+"\n\n") {
			continue
		}
		if ok {
			return "", false // it could be either
		}
		prompt, ok = full, true
	}
	return prompt, ok
}

// fits says why a value is not the result of a call with this schema.
func fits(value, wanted json.RawMessage) string {
	if wanted == nil {
		var s *string
		if json.Unmarshal(value, &s) != nil || s == nil {
			return "its imported result is not text"
		}
		return ""
	}
	s, err := schema.CompileResult(wanted)
	if err != nil || !s.Valid(value) {
		return "its imported result does not match its schema"
	}
	return ""
}
