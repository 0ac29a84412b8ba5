package prompt

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
)

// told is what a history says of the instruction files that its model was told
// about. Only the source of a message counts, never its text.
type told struct {
	any      bool     // there is a baseline
	identity string   // of the newest one
	baseline []Change // of the newest one
	order    []string // scopes, in the order in which they were told first
	last     map[string]Change
}

// readTold folds the messages of a history, the oldest first.
func readTold(history []llm.Message) *told {
	t := &told{last: map[string]Change{}}
	for _, m := range history {
		if m.Source.Kind != llm.SourceInstructions || m.Source.Form != form || m.Source.Plugin != "" {
			continue
		}
		baseline, identity, changes, ok := readSource(m.Source.Extra)
		if !ok {
			continue
		}
		if baseline {
			t.any, t.identity, t.baseline = true, identity, changes
		}
		t.apply(changes)
	}
	return t
}

// readSource reads the source of a message of ours; false if it is none.
func readSource(extra map[string]json.RawMessage) (baseline bool, identity string, changes []Change, ok bool) {
	if json.Unmarshal(extra["changes"], &changes) != nil {
		return false, "", nil, false
	}
	for _, c := range changes {
		if !c.valid() {
			return false, "", nil, false
		}
	}
	if raw, has := extra["baseline"]; has {
		if json.Unmarshal(raw, &baseline) != nil || json.Unmarshal(extra["baselineIdentity"], &identity) != nil {
			return false, "", nil, false
		}
	}
	return baseline, identity, changes, true
}

func (c Change) valid() bool {
	switch c.Action {
	case actionSet, actionReplace, actionRemove:
	default:
		return false
	}
	folder, name, ok := strings.Cut(c.Scope, "\x00")
	if !ok || name == "" || strings.ContainsAny(name, "/\\\x00") || name == "." || name == ".." {
		return false
	}
	return folder == "." || path.Clean(folder) == strings.TrimPrefix(folder, "./") && filepath.IsLocal(filepath.FromSlash(folder))
}

func (t *told) apply(changes []Change) {
	for _, c := range changes {
		if _, known := t.last[c.Scope]; !known {
			t.order = append(t.order, c.Scope)
		}
		t.last[c.Scope] = c
	}
}

// effective is what was told of a scope and not taken back.
func (t *told) effective(scope string) (Change, bool) {
	c, ok := t.last[scope]
	return c, ok && c.Action != actionRemove
}

// standing lists the scopes that are effective.
func (t *told) standing() []string {
	var scopes []string
	for _, scope := range t.order {
		if _, ok := t.effective(scope); ok {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}
