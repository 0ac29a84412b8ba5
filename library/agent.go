package library

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
)

// Agent is one definition of an agent type: a Markdown file whose front matter
// says what it is, and whose body is its persona.
type Agent struct {
	// Name is unique in a listing, whatever its case. Those of a plugin have its
	// name and a colon in front.
	Name        string `json:"name"`
	Description string `json:"description"`
	Persona     string `json:"-"`
	// Tools by our names; nil allows all.
	Tools []string `json:"tools"`
	// Model and Effort are empty where the definition leaves them to the run.
	Model    string `json:"model,omitempty"`
	Effort   string `json:"effort,omitempty"`
	MaxTurns int    `json:"maxTurns,omitempty"`
	// Once means that an agent of unknown end is not started again.
	Once   bool   `json:"once,omitempty"`
	Origin Origin `json:"origin"`
	Path   string `json:"path"`
	// Notes say which parts of the definition count for nothing here.
	Notes []string `json:"notes,omitempty"`
}

// ShadowedAgent is a definition whose name an earlier one has.
type ShadowedAgent struct {
	Agent
	// By is the path of the one that wins.
	By string `json:"by"`
}

// AgentListing is what the places held of agent types.
type AgentListing struct {
	Walk
	Agents   []Agent
	Shadowed []ShadowedAgent
}

// ListAgents reads the agents folders of all places, as [List] reads those of
// workflows.
func ListAgents(p Places) *AgentListing {
	l := &AgentListing{}
	l.over(p, agents, func(f folder, root *os.Root, name string) error {
		a, err := f.agent(root, name)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(l.Agents, func(b Agent) bool { return strings.EqualFold(a.Name, b.Name) })
		if at >= 0 {
			l.Shadowed = append(l.Shadowed, ShadowedAgent{a, l.Agents[at].Path})
			return nil
		}
		l.Agents = append(l.Agents, a)
		return nil
	})
	return l
}

// toolNames are the names that definitions of other products use, in lower case.
var toolNames = map[string]string{
	"read": "read", "write": "write", "edit": "edit", "multiedit": "edit", "bash": "bash",
	"glob": "glob", "grep": "grep", "ls": "glob", "todowrite": "todo_write", "todo_write": "todo_write",
}

// parseAgent reads a definition. name is that of its file, for one that has none.
func parseAgent(name, text string) (Agent, error) {
	head, body, err := split(text)
	if err != nil {
		return Agent{}, err
	}
	f, err := readFields(head)
	if err != nil {
		return Agent{}, err
	}
	a := Agent{Name: name, Persona: body}
	for key, to := range map[string]*string{"name": &a.Name, "description": &a.Description, "model": &a.Model, "effort": &a.Effort} {
		value, err := f.text(key)
		if err != nil {
			return Agent{}, err
		}
		if value != "" {
			*to = value
		}
	}
	if a.MaxTurns, err = f.count("maxTurns"); err != nil {
		return Agent{}, err
	}
	if err := a.takeEffort(); err != nil {
		return Agent{}, err
	}
	if strings.EqualFold(a.Model, "inherit") {
		a.Model = ""
	}
	once, err := f.text("rerun")
	if err != nil || once != "" && once != "never" {
		return Agent{}, fmt.Errorf("rerun can only be never, got %q", once)
	}
	a.Once = once == "never"
	a.takeTools(f)
	if err := a.takeMode(f); err != nil {
		return Agent{}, err
	}
	a.note(f)
	return a, nil
}

var efforts = []string{"low", "medium", "high", "xhigh", "max"}

func (a *Agent) takeEffort() error {
	a.Effort = strings.ToLower(a.Effort)
	if a.Effort == "" || slices.Contains(efforts, a.Effort) {
		return nil
	}
	return fmt.Errorf("effort must be one of %s, got %q", strings.Join(efforts, ", "), a.Effort)
}

// takeTools reads what the agent may use. A tool that we do not have, or that is
// allowed for some calls only, is left out: less is safe, more would not be.
func (a *Agent) takeTools(f fields) {
	if allowed, there := f.words("tools"); there && !slices.Contains(allowed, "*") {
		a.Tools = []string{}
		for _, word := range allowed {
			if tool, ok := toolNames[strings.ToLower(word)]; !ok {
				a.Notes = append(a.Notes, fmt.Sprintf("the tool %q is not known and is left out", word))
			} else if !slices.Contains(a.Tools, tool) {
				a.Tools = append(a.Tools, tool)
			}
		}
	}
	denied, there := f.words("disallowedTools")
	if !there {
		return
	}
	if a.Tools == nil {
		a.Tools = everyTool()
	}
	a.Tools = slices.DeleteFunc(a.Tools, func(tool string) bool {
		return slices.ContainsFunc(denied, func(word string) bool {
			bare, _, _ := strings.Cut(strings.ToLower(word), "(")
			return toolNames[bare] == tool
		})
	})
}

// readOnly are the tools that change nothing.
var readOnly = []string{"read", "glob", "grep"}

// takeMode reads the permission mode. All but plan allow what a workflow's agents
// may do anyway: nobody is there to be asked.
func (a *Agent) takeMode(f fields) error {
	mode, err := f.text("permissionMode")
	if err != nil {
		return err
	}
	switch mode {
	case "", "default", "acceptEdits", "bypassPermissions", "dontAsk":
		return nil
	case "plan":
		if a.Tools == nil {
			a.Tools = everyTool()
		}
		a.Tools = slices.DeleteFunc(a.Tools, func(tool string) bool { return !slices.Contains(readOnly, tool) })
		return nil
	}
	return fmt.Errorf("permissionMode must be one of default, acceptEdits, bypassPermissions, dontAsk, plan, got %q", mode)
}

func everyTool() []string {
	var all []string
	for _, tool := range toolNames {
		if !slices.Contains(all, tool) {
			all = append(all, tool)
		}
	}
	slices.Sort(all)
	return all
}

// agentKeys are the keys that mean something, here or only to people.
var agentKeys = []string{
	"name", "description", "model", "effort", "maxTurns", "rerun", "tools", "disallowedTools", "permissionMode", "color", "icon", "version", "author", "tags",
}

// foreignKeys mean something in other products.
var foreignKeys = []string{"hooks", "mcpServers", "skills", "memory", "background", "isolation"}

// note tells of keys that change what an agent is and do nothing here.
func (a *Agent) note(f fields) {
	var unknown []string
	for key := range f {
		if !slices.Contains(agentKeys, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		text := fmt.Sprintf("%s is not supported and counts for nothing", key)
		if near, ok := similar.Closest(key, agentKeys, 2); ok && !slices.Contains(foreignKeys, key) {
			text += fmt.Sprintf(" (did you mean %s?)", near)
		}
		a.Notes = append(a.Notes, text)
	}
}

// agent reads one entry of a folder of definitions.
func (f folder) agent(root *os.Root, name string) (Agent, error) {
	path := filepath.Join(f.path(), name)
	if filepath.Ext(name) != ".md" {
		return Agent{}, &Error{Kind: Ending, Subject: name, Reason: "only files ending in .md define agent types"}
	}
	text, err := f.read(root, name)
	if err != nil {
		return Agent{}, refusal(path, err)
	}
	a, err := parseAgent(stem(name), text)
	if err != nil {
		return Agent{}, &Error{Kind: BadAgent, Subject: path, Reason: err.Error()}
	}
	a.Origin, a.Path = f.origin, path
	if f.plugin != "" {
		a.Name = f.plugin + ":" + a.Name
	}
	return a, checkAgentName(a.Name)
}

// checkAgentName allows one colon, between a plugin and its agent.
func checkAgentName(name string) error {
	plugin, agent, qualified := strings.Cut(name, ":")
	if !qualified {
		return CheckName(name)
	}
	if err := CheckName(plugin); err != nil {
		return err
	}
	return CheckName(agent)
}
