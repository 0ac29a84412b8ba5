package prompt

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
)

// Orders of the sections that this module knows. A tool's section has an order
// from [OrderTools] up to [OrderDelegation].
const (
	OrderIdentity         = -100
	OrderPersona          = 0
	OrderTools            = 100
	OrderDelegation       = 120
	OrderWorkflowChild    = 121
	OrderWorktree         = 122
	OrderUntrusted        = 123
	OrderStructuredOutput = 190
)

// Section is one part of the system text.
type Section struct {
	// Name is unique within a list of sections.
	Name string
	// Order decides the place: ascending, and as listed where it is equal.
	Order float64
	// Text may refer to variables as {{name}}. A section whose text turns out
	// empty is left out.
	Text string
	// Func makes the text instead, once for each [Build]; nil means Text. It may
	// be called from the goroutine of any Build.
	Func func(vars []Variable) (string, error)
}

//go:embed text/delegation.md
var delegationText string

//go:embed text/workflow_child.md
var workflowChildText string

//go:embed text/worktree.md
var worktreeText string

//go:embed text/untrusted.md
var untrustedText string

//go:embed text/structured_output.md
var structuredOutputText string

// Identity says what runs the agent. It comes first.
func Identity() Section {
	return Section{
		Name:  "harness:identity",
		Order: OrderIdentity,
		Text:  "You are an AI agent powered by the DeepSeek Harness SDK.",
	}
}

// Persona is who the agent is to be, in the words of whoever deploys it. An
// empty one renders nothing and still owns its name.
func Persona(text string) Section {
	return Section{Name: "deployment:persona", Order: OrderPersona, Text: text}
}

// Delegation tells an agent that it was delegated to, and what follows from it.
func Delegation() Section {
	return Section{Name: "subagent:delegation", Order: OrderDelegation, Text: strings.TrimSpace(delegationText)}
}

// WorkflowChild tells an agent that a script reads its last message.
func WorkflowChild() Section {
	return Section{Name: "workflow:child", Order: OrderWorkflowChild, Text: strings.TrimSpace(workflowChildText)}
}

// Worktree tells an agent that its folder is a git worktree of its own.
func Worktree() Section {
	return Section{Name: "workflow:worktree", Order: OrderWorktree, Text: strings.TrimSpace(worktreeText)}
}

// Untrusted tells an agent that it works in a folder that the user does not trust,
// and what follows from it.
func Untrusted() Section {
	return Section{Name: "workspace:untrusted", Order: OrderUntrusted, Text: strings.TrimSpace(untrustedText)}
}

// StructuredOutput tells an agent to end with a call of the tool of that name.
func StructuredOutput() Section {
	return Section{Name: "tool:structured_output", Order: OrderStructuredOutput, Text: strings.TrimSpace(structuredOutputText)}
}

// Layer returns base with the sections of over laid on top: one of the same name
// takes the place of the other, the rest follow. Each list by itself must be
// valid. A section that was replaced is never evaluated.
func Layer(base, over []Section) ([]Section, error) {
	if err := check(base); err != nil {
		return nil, err
	}
	if err := check(over); err != nil {
		return nil, err
	}
	place := make(map[string]int, len(base))
	out := make([]Section, len(base), len(base)+len(over))
	for i, s := range base {
		place[s.Name] = i
		out[i] = s
	}
	for _, s := range over {
		if i, ok := place[s.Name]; ok {
			out[i] = s
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

// check refuses lists in which something was loaded twice or cannot be ordered.
func check(sections []Section) error {
	seen := make(map[string]bool, len(sections))
	for _, s := range sections {
		switch {
		case s.Name == "":
			return fmt.Errorf("prompt section names must be non-empty")
		case seen[s.Name]:
			return fmt.Errorf("prompt section %q is already registered", s.Name)
		case math.IsNaN(s.Order) || math.IsInf(s.Order, 0):
			return fmt.Errorf("order of prompt section %q must be a finite number", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}
