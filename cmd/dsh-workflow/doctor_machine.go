package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/internal/health"
	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/observe"
)

// surroundings are the checks of the machine.
func (d *doctor) surroundings() []health.Check {
	return []health.Check{
		{Name: "home", Run: func(context.Context) health.Finding {
			if d.home == "" {
				return health.Finding{Level: health.Fail, Text: "there is no home directory", Do: "set DSH_HOME"}
			}
			return health.Folder(d.home)
		}},
		{Name: "disk", Run: func(context.Context) health.Finding {
			if d.home == "" {
				return health.Good("nothing to look at")
			}
			return health.Space(d.home)
		}},
		{Name: "clock", Run: func(context.Context) health.Finding { return clock(time.Now()) }},
		fixed("trust", d.trust),
		fixed("terminal", d.terminal()),
		{Name: "realm", Run: shields},
		d.program("git", "git", "agents cannot look at the history, and isolation 'worktree' cannot work: install git"),
		d.program("bash", "bash", "the tool bash of agents cannot work: install bash"),
		d.program("ripgrep", "rg", "nothing breaks: grep and glob use their own engine, which is slower on large trees; install ripgrep"),
	}
}

// trustFinding says whether the project counts. Where that cannot be told it does not.
func trustFinding(a *admission) health.Finding {
	d, err := a.decide()
	switch {
	case err != nil:
		a.made = &decision{project: a.dir}
		return health.Finding{Level: health.Fail, Text: err.Error(), Do: "mend or remove the file; then say again which folders you trust: " + a.command()}
	case d.trusted:
		return health.Good("%s is trusted", d.project)
	}
	text := d.project + " is not trusted: agents can only read files"
	if len(d.offers) > 0 {
		text += ", left out: " + few(d.offers)
	}
	return health.Finding{Level: health.Warn, Text: text, Do: "if you would run commands of it yourself: " + a.command()}
}

// clock finds one that was never set. Endpoints show one that is a little wrong.
func clock(now time.Time) health.Finding {
	text := now.Format("2006-01-02 15:04:05 MST")
	if now.Year() < 2025 || now.Year() > 2100 {
		return health.Finding{Level: health.Warn, Text: text, Do: "set the clock: certificates are checked against it, and runs are sorted by it"}
	}
	return health.Good("%s", text)
}

// terminal says how progress will be shown.
func (d *doctor) terminal() health.Finding {
	e := d.env
	tty := terminalOf(e.stderr)
	if tty == nil {
		return health.Good("stderr is none: progress is lines")
	}
	color := "colour"
	if e.lookup("NO_COLOR") != "" {
		color = "no colour (NO_COLOR)"
	}
	term := e.lookup("TERM")
	if term == "" || term == "dumb" {
		return health.Good("it can only print (TERM is %q): progress is lines", term)
	}
	width, height := tty.size()
	if width > 0 && width < narrow {
		return health.Finding{Level: health.Warn, Text: fmt.Sprintf("%s, %d by %d, %s", term, width, height, color), Do: "make it wider: a live tree needs some room"}
	}
	return health.Good("%s, %d by %d, %s", term, width, height, color)
}

// narrow is how wide a terminal should be, in columns.
const narrow = 40

// program looks for a program that agents use and asks for its version. Without
// it something works less well.
func (d *doctor) program(name, file, without string) health.Check {
	return health.Check{Name: name, Run: func(ctx context.Context) health.Finding {
		env := proc.Scrub(d.env.environ)
		path, err := proc.Find(file, env)
		if err != nil {
			return health.Finding{Level: health.Warn, Text: "not found", Do: without}
		}
		r, err := proc.Run(ctx, proc.Cmd{Path: path, Args: []string{"--version"}, Dir: d.dir, Env: env, Timeout: checkTime - time.Second, Grace: 100 * time.Millisecond})
		if err != nil || r.ExitCode != 0 || r.TimedOut {
			return health.Finding{Level: health.Warn, Text: fmt.Sprintf("%s does not tell its version", path), Do: without}
		}
		first, _, _ := strings.Cut(string(r.Stdout.Tail), "\n")
		return health.Good("%s (%s)", observe.OneLine(strings.TrimSpace(first), 80), path)
	}}
}

// shields starts the process of a script and says what keeps it in.
func shields(ctx context.Context) health.Finding {
	s, err := dsh.Shields(ctx)
	if err != nil {
		return health.Finding{Level: health.Fail, Text: observe.Lines(err.Error()), Do: "run scripts with --realm inprocess until that works"}
	}
	text := "scripts have a process of their own; memory: " + s.Memory
	for _, up := range []struct{ what, by string }{{"files", s.Filesystem}, {"network", s.Network}, {"programs", s.Exec}} {
		if up.by != "" {
			text += "; no " + up.what + ": " + up.by
		}
	}
	if len(s.Missing) > 0 {
		return health.Finding{Level: health.Warn, Text: text, Do: "not all of it is shut off: " + strings.Join(s.Missing, "; ")}
	}
	return health.Good("%s", text)
}
