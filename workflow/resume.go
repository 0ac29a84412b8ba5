package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dsh-go/dsh-workflow/meta"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/vm"
)

// ResumeMode says which recorded outcomes a resume uses.
type ResumeMode string

// The modes of a resume.
const (
	// ResumeAny, the default, uses every recorded outcome that is asked for.
	ResumeAny ResumeMode = "any"
	// ResumePrefix runs the first call without an outcome and every later one.
	ResumePrefix ResumeMode = "prefix"
)

// Resume asks to run a kept run again over the outcomes that it has. What is left
// out is as it was.
type Resume struct {
	Run RunID
	// Source, when not empty, takes the place of the script.
	Source string
	// Args, when not nil, takes the place of the args; see Request for ArgsText.
	Args     json.RawMessage
	ArgsText bool
	// Root, when not empty, is where the folder of the run's agents is now.
	Root string
	// Limits replace those of the run, member by member.
	Limits Limits
	// Model and Effort are used by calls that name none.
	Model, Effort string
	Launch        json.RawMessage // see Request
	// Types, Gate and Warnings are as for a Request: they are not kept with the run.
	Types    []subagent.Type
	Gate     Gate
	Warnings []Warning
	Mode     ResumeMode
	// RetryFailed runs failed calls of a run that completed again, and those that a
	// resume was told to skip. Of other runs the failed calls run again anyway.
	RetryFailed bool
	// Skip names calls of the latest history that are not run: the script gets null
	// for them, and they count as failed with the code SKIPPED.
	Skip []Seq
	// Fork makes a new run of a copy instead of going on with this one.
	Fork *Fork
}

// Fork says in what the new run differs from the one that it is made of.
type Fork struct {
	// Set, when not 0, names a call of the latest history whose result becomes
	// Value; without a Value it runs again.
	Set   Seq
	Value json.RawMessage
	// Before, when not 0, is the line of the journal from which on nothing is taken.
	Before int
}

// Resume goes on with a run that was cut off, cancelled, limited or that failed:
// the script runs again from its start, and calls that have completed are not run
// again. The run keeps its id and folder unless req.Fork is set. An error means
// that nothing ran and nothing was written, but for what a fork had copied.
func (e *Engine) Resume(ctx context.Context, req Resume) (*Run, error) {
	journal, kept, err := e.reopen(ctx, req)
	if err != nil {
		return nil, err
	}
	r, err := e.resumed(ctx, req, journal, kept)
	if err != nil {
		return nil, errors.Join(err, journal.Close())
	}
	go r.ledger.run()
	go r.drive()
	return r, nil
}

// reopen takes the run, or a copy of it, for writing.
func (e *Engine) reopen(ctx context.Context, req Resume) (Journal, Kept, error) {
	if req.Fork == nil {
		return e.cfg.Store.Reopen(ctx, req.Run)
	}
	kept, err := e.cfg.Store.Look(ctx, req.Run)
	if err != nil {
		return nil, Kept{}, err
	}
	if req.Fork.Before == 0 {
		if _, _, err := e.again(kept, req); err != nil { // before anything is copied
			return nil, Kept{}, err
		}
	}
	now := e.cfg.Now()
	h := kept.Header
	h.RunID, h.ForkOf, h.CreatedAt = newRunID(now), req.Run, now.UnixMilli()
	return e.cfg.Store.Fork(ctx, req.Run, h, req.Fork.Before)
}

// resumed makes the run that replays kept and goes on in journal.
func (e *Engine) resumed(ctx context.Context, req Resume, journal Journal, kept Kept) (*Run, error) {
	past, p, err := e.again(kept, req)
	if err != nil {
		return nil, err
	}
	if _, err := e.cfg.Providers.Lookup(e.cfg.Provider); err != nil {
		return nil, newError(AgentStart, "%w", err)
	}
	p.header.Trusted = e.cfg.Trusts(p.header.Root, p.header.Root) // it may have been taken back
	open := p.opening.(RunResumed)
	if req.Source != "" {
		if open.Script, err = journal.AddScript([]byte(req.Source)); err != nil {
			return nil, newError(JournalWrite, "the edited script cannot be kept: %w", err)
		}
		p.opening = open
	}
	if req.Fork == nil { // a copy has no processes
		p.warnings = append(p.warnings, e.endLeft(past)...)
	}
	r := newRun(ctx, e.cfg, p, journal, past.last+1)
	r.tally.before(past)
	r.replay.follow(past, open.Mode, kept.Record)
	return r, nil
}

// endLeft ends what the agents whose end nobody knows have left running.
func (e *Engine) endLeft(p *past) (warnings []Warning) {
	if e.cfg.EndLeft == nil {
		return nil
	}
	for _, k := range p.left {
		if err := e.cfg.EndLeft(k.child); err != nil {
			warnings = append(warnings, Warning{Code: "PROCESSES_LEFT", Message: fmt.Sprintf("what agent #%d (%s) had started may still run: %v", k.seq, k.label, err)})
		}
	}
	return warnings
}

// again reads what is known of a run and checks that it can be run again as req
// says.
func (e *Engine) again(kept Kept, req Resume) (*past, plan, error) {
	past, err := readPast(kept.Records)
	if err != nil {
		return nil, plan{}, unreadable(req.Run, err)
	}
	if err := past.adapt(req); err != nil {
		return nil, plan{}, err
	}
	again, err := e.request(kept, past, req)
	if err != nil {
		return nil, plan{}, err
	}
	p, err := e.check(again)
	if err != nil {
		return nil, plan{}, err
	}
	open := RunResumed{
		RunStarted: p.opening.(RunStarted), Last: past.status(), Mode: ResumeMode(orDefault(string(req.Mode), string(ResumeAny))), Limits: p.limits,
		ArgsSet: req.Args != nil, Launch: req.Launch, Skip: req.Skip,
	}
	if open.ArgsSet {
		open.Args = p.script.Args
	}
	if req.Root != "" {
		open.Root, open.Cwd = p.header.Root, p.header.Cwd
	}
	if req.Fork != nil {
		past.disown()
		open.From, open.Set = req.Run, req.Fork.Set
	}
	p.opening = open
	p.header.RunID, p.header.CreatedAt = kept.Header.RunID, kept.Header.CreatedAt
	for _, why := range kept.Mended {
		p.warnings = append(p.warnings, Warning{Code: "JOURNAL_MENDED", Message: why.Error()})
	}
	return past, p, nil
}

// unreadable explains a journal that no resume can use.
func unreadable(id RunID, err error) error {
	return newError(CodeOf(err), "run %s cannot be resumed: %w", id, err)
}

// request is the one that started the run, with what req and earlier resumes
// changed.
func (e *Engine) request(kept Kept, p *past, req Resume) (Request, error) {
	h := kept.Header
	again := Request{
		Source: req.Source, Args: req.Args, ArgsText: req.ArgsText, Root: h.Root, Cwd: h.Cwd, Parent: h.Parent, Depth: h.Depth, Strict: h.Strict,
		Types: req.Types, Gate: req.Gate, Warnings: req.Warnings, Limits: req.Limits.Over(h.Limits), Model: orDefault(req.Model, h.Model), Effort: orDefault(req.Effort, h.Effort),
	}
	for _, r := range p.resumed {
		again.Limits = req.Limits.Over(r.Limits)
		if r.Root != "" {
			again.Root, again.Cwd = r.Root, r.Cwd
		}
	}
	if req.Args == nil {
		again.ArgsText = true // they were taken for what they are before
		if again.Args = h.Args; len(p.resumed) > 0 {
			if args, given := p.args(); given {
				again.Args = args
			}
		}
	}
	if again.Source == "" {
		source, err := kept.Script(p.script())
		if err != nil {
			return Request{}, newError(JournalDamaged, "the script of run %s cannot be read: %w; give it with --script FILE", req.Run, err)
		}
		again.Source = string(source)
	}
	if err := again.withMeta(h.Meta); err != nil {
		return Request{}, err
	}
	return again, again.moved(req)
}

// withMeta gives a script without a meta statement the one that the run has.
func (r *Request) withMeta(m meta.Meta) error {
	script, err := meta.Read(r.Source)
	if err != nil || script.Meta != nil {
		return err
	}
	r.Meta, err = json.Marshal(m)
	return err
}

// moved puts the folders of a run where they are now.
func (r *Request) moved(req Resume) error {
	if req.Root != "" {
		inside, err := filepath.Rel(r.Root, r.Cwd)
		if err != nil {
			inside = "."
		}
		r.Root, r.Cwd = req.Root, filepath.Join(req.Root, inside)
	}
	if info, err := os.Stat(r.Cwd); err != nil || !info.IsDir() {
		return newError(InvalidArgument, "the folder %s in which the agents of this run work is not there; --cwd DIR says where it is now", r.Cwd)
	}
	return nil
}

// adapt changes what is known as req asks, and refuses what leads to nothing.
func (p *past) adapt(req Resume) error {
	switch req.Mode {
	case "", ResumeAny, ResumePrefix:
	default:
		return newError(InvalidArgument, "the mode of a resume is %q or %q, got %q", ResumeAny, ResumePrefix, req.Mode)
	}
	for _, seq := range req.Skip {
		if err := p.skip(seq); err != nil {
			return err
		}
	}
	if p.retry = req.RetryFailed; p.retry {
		p.forgetSkipped(req.Skip)
	}
	if f := req.Fork; f != nil {
		if f.Set != 0 {
			return p.set(f.Set, f.Value)
		}
		return nil
	}
	done := p.status() == StatusCompleted || p.status() == StatusWithFailed
	changed := req.RetryFailed && p.status() == StatusWithFailed || req.Source != "" || req.Args != nil || len(req.Skip) > 0
	if done && !changed {
		return p.nothing(req)
	}
	return nil
}

func (p *past) nothing(req Resume) error {
	text := fmt.Sprintf("run %s has ended as %s: there is nothing to resume", req.Run, p.status())
	if p.status() == StatusWithFailed && p.end != nil {
		text += fmt.Sprintf("; --retry-failed runs its %d failed agents again", p.end.Agents.Failed)
	}
	return newError(NothingToResume, "%s", text)
}

func (p *past) mustHave(seq Seq) (*known, error) {
	if k := p.of(seq); k != nil {
		return k, nil
	}
	return nil, newError(InvalidArgument, "the run has no agent #%d; it has %d", seq, len(p.queued))
}

// skip makes a call one that failed and is not run again.
func (p *past) skip(seq Seq) error {
	k, err := p.mustHave(seq)
	if err != nil {
		return err
	}
	if k.end.Outcome == subagent.Completed {
		return newError(InvalidArgument, "agent #%d (%s) has completed: it does not run again, so it cannot be skipped", seq, k.label)
	}
	id := p.queued[seq]
	k.end = AgentEnded{
		Child: k.child, Outcome: subagent.Failed, Key: id.key, Occ: id.occ,
		Error: &subagent.Failure{Code: string(Skipped), Message: "skipped by the person who resumed the run"},
	}
	return nil
}

// forgetSkipped lets calls that an earlier resume skipped run again.
func (p *past) forgetSkipped(but []Seq) {
	for _, k := range p.calls {
		if k.end.Outcome == subagent.Failed && k.answers() && !slices.Contains(but, k.seq) {
			k.end.Error = &subagent.Failure{Code: "RETRY", Message: "it was not run before"}
		}
	}
}

// set gives a call another result.
func (p *past) set(seq Seq, value json.RawMessage) error {
	k, err := p.mustHave(seq)
	if err != nil {
		return err
	}
	id := p.queued[seq]
	if value == nil {
		k.end, k.ref = AgentEnded{}, 0
		return nil
	}
	if !json.Valid(value) || !json.Valid(inRecord(value)) {
		return newError(InvalidArgument, "the new result of agent #%d is not JSON, or nested too deep", seq)
	}
	k.given = value
	k.end = AgentEnded{Child: k.child, Outcome: subagent.Completed, Key: id.key, Occ: id.occ, Given: true}
	return nil
}

// opening is the first record of a run, as its plan has it.
func (p plan) begins() RunStarted {
	h := p.header
	return RunStarted{
		Format: h.Format, Engine: h.Engine, Name: h.Meta.Name, Phases: titles(h.Meta), Strict: h.Strict,
		Agents: p.limits.Agents, AtOnce: p.limits.AtOnce, Version: vm.PreludeVersion,
	}
}
