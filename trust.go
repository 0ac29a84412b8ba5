package dsh

import (
	"log/slog"
	"sync"

	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/dsh-go/dsh-workflow/trust"
)

// gate lets the files of a project count where the user trusts it.
//
// Concurrency: methods may be called from any goroutine. mu guards said.
type gate struct {
	trusts func(string) bool // nil: nobody was asked
	log    *slog.Logger
	whole  *prompt.Instructions // the user's and the project's
	own    *prompt.Instructions // the user's

	mu   sync.Mutex
	said map[string]bool // folders that were mentioned
}

func newGate(c Config) *gate {
	files := prompt.InstructionsConfig{
		Dsh:      prompt.Home{Path: c.Home, Usual: c.UsualHome},
		Agents:   prompt.Home{Path: c.AgentsHome, Usual: c.UsualAgentsHome},
		MaxBytes: prompt.DefaultMaxBytes,
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	g := &gate{trusts: c.Trusts, log: c.Log, whole: prompt.NewInstructions(files), said: map[string]bool{}}
	files.UserOnly = true
	g.own = prompt.NewInstructions(files)
	return g
}

// decide answers for a folder of a run. In a repository below the root, the answer
// about the root does not count.
func (g *gate) decide(root, folder string) bool {
	if g.trusts == nil {
		g.sayOnce(root, "the harness was not told which folders the user trusts (Config.Trusts): agents may only look, and the files of the project do not count")
		return false
	}
	if folder == root {
		return g.trusts(root)
	}
	project, err := trust.Project(folder)
	if err == nil {
		if whole, err := trust.Project(root); err == nil && whole == project {
			return g.trusts(root)
		}
		if g.trusts(folder) {
			return true
		}
	}
	g.sayOnce(folder, "what the folder contributes is left out: it belongs to a repository that is not trusted")
	return false
}

// instructions chooses what counts for a child.
func (g *gate) instructions(site inprocess.Site) *prompt.Instructions {
	if site.Guided {
		return g.whole
	}
	return g.own
}

func (g *gate) sayOnce(folder, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.said[folder] {
		g.said[folder] = true
		g.log.Warn(text, "folder", folder)
	}
}
