package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dsh-go/dsh-workflow/library"
	"github.com/dsh-go/dsh-workflow/trust"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// admission lets the project of the working directory count where the user trusts it.
//
// Concurrency: one goroutine uses it until decide has returned; trusts may then be
// called from any.
type admission struct {
	env   env
	opts  runOptions
	dir   string       // where agents work, without links
	where string       // dir as an argument; empty for the current directory
	asks  bool         // somebody may be asked
	store *trust.Store // nil if there is no home
	made  *decision    // set by decide
}

// decision is about one project.
type decision struct {
	project string
	trusted bool
	offers  []string // what the project would contribute
}

// newAdmission is that of the working directory. Nobody is asked unless the caller
// says so.
func newAdmission(e env, o runOptions) (*admission, error) {
	dir, err := workDir(e, o)
	if err != nil {
		return nil, err
	}
	return admissionTo(e, o, dir, o.cwd), nil
}

func admissionTo(e env, o runOptions, dir, where string) *admission {
	a := &admission{env: e, opts: o, dir: dir, where: where}
	if home, err := e.harnessHome(o.home); err == nil {
		a.store = trust.New(trust.Config{Home: home, UserHome: e.home})
	}
	return a
}

// decide finds out once whether the project is trusted: by --trust, by the answer
// that is kept, by asking. Without an answer it is not.
func (a *admission) decide() (decision, error) {
	if a.made != nil {
		return *a.made, nil
	}
	s, err := a.look()
	if err != nil {
		return decision{}, err
	}
	a.made = &s
	return s, nil
}

func (a *admission) look() (decision, error) {
	if a.opts.trust {
		project, err := trust.Project(a.dir)
		return decision{project: project, trusted: true}, err
	}
	if a.store == nil { // nobody can have said anything
		project, err := trust.Project(a.dir)
		return decision{project: project}, err
	}
	v, err := a.store.Look(a.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return decision{project: a.dir}, nil // whoever works there will say that it is gone
	}
	if err != nil {
		return decision{}, err
	}
	s := decision{project: v.Project, trusted: v.Trusted()}
	if s.trusted {
		return s, nil
	}
	s.offers = a.store.Offers(v.Project, a.dir)
	if v.Answer != trust.Unasked || !a.asks {
		return s, nil
	}
	answer := askTrust(a.env.stdin, a.env.stderr, s)
	if answer == trust.Unasked {
		return s, nil
	}
	s.trusted = answer == trust.Trusted
	_, err = a.store.Add(v.Project, s.trusted)
	return s, err
}

// trusts answers for the harness. The working directory's project was decided
// about; other ones, such as repositories in it, have answers of their own.
func (a *admission) trusts(folder string) bool {
	if project, err := trust.Project(folder); err == nil && a.made != nil && project == a.made.project {
		return a.made.trusted
	}
	if a.store == nil {
		return false
	}
	v, err := a.store.Look(folder)
	return err == nil && v.Trusted()
}

// listing reads the saved workflows that count in the working directory.
func (a *admission) listing() (*library.Listing, error) {
	p, err := a.places()
	if err != nil {
		return nil, err
	}
	return library.List(p), nil
}

// places are where saved workflows and agent types count from.
func (a *admission) places() (library.Places, error) {
	s, err := a.decide()
	if err != nil {
		return library.Places{}, err
	}
	home, err := a.env.harnessHome(a.opts.home)
	return library.Places{Dir: a.dir, Trusted: s.trusted, Home: home, UserHome: a.env.home}, err
}

// untrusted is the code of the warning that a project was left out.
const untrusted = "FOLDER_UNTRUSTED"

// warnings says what a run does without.
func (a *admission) warnings() []workflow.Warning {
	if a.made == nil || a.made.trusted {
		return nil
	}
	text := fmt.Sprintf("%s is not trusted (`%s`, or --trust for one run): agents can only read files", a.made.project, a.command())
	if len(a.made.offers) > 0 {
		text += ", left out: " + few(a.made.offers)
	}
	return []workflow.Warning{{Code: untrusted, Message: text}}
}

// still refuses to go on with less than the run had: agents that may only read would
// be paid for work that they cannot do.
func (a *admission) still(h workflow.Header) error {
	if !h.Trusted || a.made.trusted {
		return nil
	}
	return usage("the run began where its project was trusted, and %s is not now: trust it with `%s`, or give --trust", a.made.project, a.command())
}

// command is what trusts the project.
func (a *admission) command() string {
	command := "dsh-workflow trust add"
	if a.where != "" {
		command += " " + quoted(a.where)
	}
	if a.opts.home != "" {
		command += " --home " + quoted(a.opts.home)
	}
	return command
}

// few names the first ones of a list.
func few(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
