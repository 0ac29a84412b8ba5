package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/workflow"
)

func runCommand(e env) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run SCRIPT|NAME|-",
		Short: "Run a script and print what it returns",
		Long: "Run a script and print what it returns. stdout carries the result and nothing else; progress goes to stderr.\n\n" +
			"The script is a file, standard input (-), or a saved workflow by its name (see list). A file that exists wins;\n" +
			"what has a slash in it, or ends in .js, .mjs or .ts, is never a name.\n\n" +
			"Exit codes: 0 completed; 1 failed; 2 the command line or the script is invalid and nothing ran;\n" +
			"3 completed, but agents failed; 4 a limit was reached; 130 cancelled by a signal.",
		Example: "  dsh-workflow run examples/review.js --model sim\n" +
			"  dsh-workflow run review --concurrency 4 --max-agents 100 --deadline 20m\n" +
			"  cat draft.js | dsh-workflow run - --model sim --output json\n" +
			"  dsh-workflow run audit.js --base-url http://127.0.0.1:8080/v1 --model qwen3 --args '{\"dir\":\"src\"}'",
		Args: cobra.ExactArgs(1),
	}
	complete := runFlags(c, &o)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := complete(); err != nil {
			return err
		}
		if o.dryRun != "" {
			return rehearse(e, o, args[0])
		}
		if o.detach && !o.detached {
			if err := askBefore(e, o, args[0]); err != nil {
				return err
			}
			return detach(e)
		}
		return runScript(e, o, args[0])
	}
	return c
}

// askBefore asks what nobody can be asked when the run goes on without a terminal.
func askBefore(e env, o runOptions, arg string) error {
	adm, err := newAdmission(e, o)
	if err != nil {
		return err
	}
	adm.asks = e.terminal && !readsStdin(o, arg)
	if _, err := adm.decide(); err != nil {
		return usage("%v", err)
	}
	return nil
}

// runScript runs one script and prints its result.
func runScript(e env, o runOptions, arg string) error {
	out := newOutput(e, o)
	defer out.restore()
	e = out.env
	adm, err := newAdmission(e, o)
	if err != nil {
		return out.invalid("", arg, err)
	}
	adm.asks = e.terminal && !readsStdin(o, arg)
	req, from, err := requestOf(adm, arg)
	path := from.path
	if err != nil {
		return out.invalid(req.Name, path, err)
	}
	endpoint, err := from.settings.Default()
	if err != nil {
		return out.invalid(req.Name, path, err)
	}
	h, err := open(adm, from.settings)
	if err != nil {
		return out.invalid(req.Name, path, err)
	}
	defer h.Close()
	if req.Gate, err = out.gate(endpoint, from.settings); err != nil {
		return out.invalid(req.Name, path, err)
	}
	req.Warnings = from.warnings
	req.Launch = launchOf(e, o.choice)
	if o.imported != "" {
		if req.Import, err = out.importRun(o.imported); err != nil {
			return out.invalid(req.Name, "--import", err)
		}
	}
	return out.drive(endpoint, from, func(ctx context.Context) (*workflow.Run, error) { return h.Engine().Start(ctx, req) })
}

// drive starts a run, shows it and prints its result. endpoint and from are what
// its first lines tell.
func (o *output) drive(endpoint config.Endpoint, from script, start func(context.Context) (*workflow.Run, error)) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := watchSignals(o.env, cancel, o.restore)
	defer signals.stop()
	r, err := start(ctx)
	if err != nil {
		return o.invalid(from.name, from.path, err)
	}
	words := serve(o.env, r, o.env.socket())
	defer words.close()
	if o.opts.detached {
		if err := alone(o.env, r); err != nil {
			return err
		}
	}
	o.begin(endpoint, from)
	o.follow(r)
	result, err := r.Wait(context.Background())
	if err != nil {
		return err
	}
	if err := o.result(result); err != nil {
		return err
	}
	if code := codeOfResult(result, o.opts, signals.code()); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// open makes the harness that the flags ask for.
func open(adm *admission, s *config.Settings) (*dsh.Harness, error) {
	c, err := harnessConfig(adm, s)
	if err != nil {
		return nil, err
	}
	return dsh.Open(c)
}

// harnessConfig is what the flags, the files and the environment say.
func harnessConfig(adm *admission, s *config.Settings) (dsh.Config, error) {
	e := adm.env
	home, err := e.harnessHome(adm.opts.home)
	if err != nil {
		return dsh.Config{}, err
	}
	agents := e.agentsHome()
	return dsh.Config{
		Home: home, UsualHome: e.home != "" && home == filepath.Join(e.home, ".dsh"),
		AgentsHome: agents, UsualAgentsHome: e.home != "" && agents == filepath.Join(e.home, ".agents"),
		Settings: s, Environ: e.environ, Version: versionText(), Socket: e.socket(), Trusts: adm.trusts,
		Log: slog.New(slog.NewTextHandler(e.stderr, nil)), Realm: adm.opts.realmOf(s),
	}, nil
}

// oneSignal is how long further signals count as the first one: some programs
// signal a process and then its whole group.
const oneSignal = time.Second

// signals turns the first signal into a cancellation and a later one into the
// end of the process.
type signals struct {
	ch   chan os.Signal
	done chan struct{}
	got  chan int // holds the exit code of the first signal
	last func()   // called before a second one ends the process
}

func watchSignals(e env, cancel context.CancelCauseFunc, last func()) *signals {
	s := &signals{last: last, ch: make(chan os.Signal, 2), done: make(chan struct{}), got: make(chan int, 1)}
	signal.Notify(s.ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go s.watch(e, cancel)
	return s
}

func (s *signals) watch(e env, cancel context.CancelCauseFunc) {
	var first time.Time
	for {
		select {
		case <-s.done:
			return
		case sig := <-s.ch:
			code := 128 + int(sig.(syscall.Signal))
			switch {
			case first.IsZero():
				first = time.Now()
			case time.Since(first) < oneSignal:
				continue
			default:
				s.last()
				_, _ = proc.EndChildren(0) // what agents started does not outlive us
				os.Exit(code)
			}
			s.got <- code
			cancel(fmt.Errorf("%v", sig))
			go fmt.Fprintf(e.stderr, "%v: cancelling; what has ended is kept (once more ends the process at once)\n", sig)
		}
	}
}

func (s *signals) stop() {
	signal.Stop(s.ch)
	close(s.done)
}

// code is the exit code that the first signal asks for, 0 if none came.
func (s *signals) code() int {
	select {
	case c := <-s.got:
		return c
	default:
		return 0
	}
}
