package main

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/journal"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// maxNamed is how many runs or agents a message names.
const maxNamed = 5

// history is the store of the runs below one home.
type history struct{ *journal.Dir }

func openHistory(e env, home string) (history, error) {
	home, err := e.harnessHome(home)
	if err != nil {
		return history{}, err
	}
	return history{journal.NewDir(filepath.Join(home, "workflow", "runs"), journal.Options{})}, nil
}

// newestFirst returns the ids of all runs.
func (h history) newestFirst() ([]workflow.RunID, error) {
	ids, err := h.Runs()
	if err != nil {
		return nil, err
	}
	slices.Reverse(ids)
	return ids, nil
}

// find returns the run that word means: its id, the only one that begins with
// word, or the newest for "last".
func (h history) find(word string) (workflow.RunID, error) {
	ids, err := h.newestFirst()
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", usage("there is no run %q, nor any other", word)
	case word == "last":
		return ids[0], nil
	}
	var hits []workflow.RunID
	for _, id := range ids {
		if string(id) == word {
			return id, nil
		}
		if word != "" && strings.HasPrefix(string(id), word) {
			hits = append(hits, id)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return "", usage("there is no run %q; %s", word, hint(word, ids))
	}
	return "", usage("%q could be %d runs: %s", word, len(hits), names(hits))
}

// hint names the run that was probably meant, or the newest ones.
func hint(word string, ids []workflow.RunID) string {
	known := make([]string, len(ids))
	for i, id := range ids {
		known[i] = string(id)
	}
	if near, ok := similar.Closest(word, known, 4); ok && len(word) <= 64 {
		return "did you mean " + near + "?"
	}
	return "the newest are " + names(ids)
}

func names(ids []workflow.RunID) string {
	var parts []string
	for _, id := range ids[:min(maxNamed, len(ids))] {
		parts = append(parts, observe.OneLine(string(id), 64))
	}
	if len(ids) > maxNamed {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// Another reader that looks at a lock holds it for some microseconds.
const (
	lockLooks = 4
	lockPause = 3 * time.Millisecond
)

// Writing returns the process that writes to a run, if it is seen more than once.
func (h history) Writing(id workflow.RunID) (owner journal.Owner, writing bool) {
	for look := 0; look < lockLooks; look++ {
		if look > 0 {
			time.Sleep(lockPause)
		}
		if owner, writing = h.Dir.Writing(id); !writing {
			break
		}
	}
	return owner, writing
}
