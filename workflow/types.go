package workflow

import (
	"fmt"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// types are the agent types of one run. They do not change.
type types struct {
	all []subagent.Type
}

// typesOf lays the built-in types under those of the request: one of the same name
// takes the place of the built-in one.
func typesOf(own []subagent.Type) types {
	all := append([]subagent.Type(nil), own...)
	for _, t := range subagent.BuiltinTypes() {
		if _, taken := (types{all}).find(t.Name); !taken {
			all = append(all, t)
		}
	}
	return types{all}
}

func (t types) find(name string) (*subagent.Type, bool) {
	for i := range t.all {
		if strings.EqualFold(t.all[i].Name, name) {
			return &t.all[i], true
		}
	}
	return nil, false
}

// lookup finds the type of a call; nil is the general one. A type that does not
// exist is fatal: its agents would work without what the author relies on.
func (t types) lookup(name string) (*subagent.Type, error) {
	found, ok := t.find(orDefault(name, subagent.GeneralPurpose))
	switch {
	case ok && name == "" && found.Persona == "" && found.Tools == nil:
		return nil, nil
	case ok:
		return found, nil
	}
	names := make([]string, len(t.all))
	for i := range t.all {
		names[i] = t.all[i].Name
	}
	text := fmt.Sprintf("agent() option \"agentType\": there is no agent type %q", name)
	if near := nearType(name, names); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, newError(InvalidArgument, "%s (known: %s)", text, strings.Join(names, ", "))
}

// nearType is the type that was most likely meant: one of a similar name, or the
// same name with or without that of a plugin in front.
func nearType(name string, names []string) string {
	bare := name[strings.LastIndexByte(name, ':')+1:]
	for _, n := range names {
		if strings.EqualFold(n[strings.LastIndexByte(n, ':')+1:], bare) {
			return n
		}
	}
	near, _ := similar.Closest(name, names, 2)
	return near
}
