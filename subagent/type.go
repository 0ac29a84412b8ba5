package subagent

import (
	_ "embed"
	"strings"
)

// Type is a kind of agent. A script chooses one by its name.
type Type struct {
	// Name is unique among the types of a run, whatever its case.
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Persona stands at the head of the system text; empty leaves it out.
	Persona string `json:"persona,omitempty"`
	// Tools are those that the agent may have, as far as its provider has them;
	// nil allows all.
	Tools []string `json:"tools,omitempty"`
	// Model and Effort are for calls that name none; empty leaves those of the run.
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	// MaxSteps of a turn; zero is the default of the provider.
	MaxSteps int `json:"maxSteps,omitempty"`
	// Once means that an agent of which nobody knows how it ended is not started
	// again when its run is resumed.
	Once bool `json:"once,omitempty"`
}

// GeneralPurpose is the type of agents for which no other is named.
const GeneralPurpose = "general-purpose"

//go:embed text/explore.md
var exploreText string

// BuiltinTypes are those that every run has: one for all work, and one that only
// reads.
func BuiltinTypes() []Type {
	return []Type{
		{Name: GeneralPurpose, Description: "Any task, with all tools."},
		{
			Name: "explore", Description: "Finds and reads code and answers questions about it. Changes nothing.",
			Persona: strings.TrimSpace(exploreText), Tools: []string{"read", "glob", "grep"},
		},
	}
}
