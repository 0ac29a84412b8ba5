package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/meta"
	"github.com/dsh-go/dsh-workflow/schema"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/vm"
)

// Realm runs one script to settlement and lets host answer its hooks. It is
// implemented by vm.InProcess; see there for the errors. Run may be called from
// any goroutine and returns soon after ctx ends, with its cause.
type Realm interface {
	Run(ctx context.Context, s vm.Script, h vm.Host) (vm.Result, error)
}

// Config is what an [Engine] is made of.
type Config struct {
	Providers *subagent.Registry
	Provider  string // the provider of agent() calls; default "spawn"
	// Realm makes the realm of one run with its limits; default vm.InProcess.
	Realm func(Limits) Realm
	Store Store
	// Route resolves what a call asks for (an alias, an effort that the model does
	// not have) and says what it had to change, each change once a run. Strict runs
	// refuse the changes. Nil takes every route as it is.
	Route func(subagent.Route) (subagent.Route, []Warning)
	// Cost prices the usage of a call in US dollars, false if it has no price. Nil
	// knows none.
	Cost func(subagent.Route, llm.Usage) (float64, bool)
	// Trusts says whether the user trusts the project of a folder: of the root of a
	// run, and of other folders below it in which calls work. Nil trusts none: agents
	// may only look, and nothing of a project counts. Called from any goroutine.
	Trusts  func(root, folder string) bool
	Limits  Limits // of runs that name none
	Version string // of the program, for the records
	// Now is the clock; default time.Now.
	Now func() time.Time
	// EndLeft ends what a child of a killed process left running, before its run is
	// resumed. Nil leaves it.
	EndLeft func(child string) error
	// Pace says how long a timer of a script really waits; nil leaves it as it is. A
	// rehearsal does not wait for minutes.
	Pace func(time.Duration) time.Duration
	// Waiting is told when the script of a run has nothing to do before an agent
	// answers or a timer fires, and last, with over set, when it has ended. It returns
	// at once. Nil tells nobody.
	Waiting func(id RunID, over bool)
}

// Engine starts runs. It is immutable; any goroutine may use it.
type Engine struct{ cfg Config }

// New checks the configuration and makes an engine.
func New(c Config) (*Engine, error) {
	if c.Providers == nil || c.Store == nil {
		return nil, newError(InvalidArgument, "workflow.Config needs Providers and Store")
	}
	if c.Provider == "" {
		c.Provider = "spawn"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Realm == nil {
		c.Realm = inProcess
	}
	if c.Waiting == nil {
		c.Waiting = func(RunID, bool) {}
	}
	if c.Pace == nil {
		c.Pace = func(d time.Duration) time.Duration { return d }
	}
	if c.Route == nil {
		c.Route = func(r subagent.Route) (subagent.Route, []Warning) { return r, nil }
	}
	if c.Trusts == nil {
		c.Trusts = func(string, string) bool { return false }
	}
	return &Engine{cfg: c}, nil
}

func inProcess(l Limits) Realm {
	return vm.InProcess{Options: vm.Options{SyncLimit: l.Sync, MaxItems: l.Items, MaxSource: l.Source}}
}

// Request is one run to start.
type Request struct {
	// Source is the script as its author wrote it.
	Source string
	// Meta is the JSON text of the meta object when it does not stand in the
	// script. Giving it twice is an error.
	Meta json.RawMessage
	// Name is used, with a warning, when there is no meta and Strict is off.
	Name string
	// Args is the JSON text of `args`; nil leaves it undefined. A string that holds
	// the JSON of an object or array is taken for that value, with a warning, as
	// callers often encode twice; ArgsText keeps every string as it is.
	Args     json.RawMessage
	ArgsText bool
	// Root is the absolute folder in which agents work; Cwd, inside it, is where
	// they start, and Root itself if empty.
	Root, Cwd string
	// Lineage of the caller: the session that asked for the run and its depth.
	Parent string
	Depth  int
	// Strict makes every unknown agent() option fatal.
	Strict bool
	// Limits replace the engine's, member by member; zero members keep them.
	Limits Limits
	// Gate asks somebody before the run grows.
	Gate Gate
	// Model and Effort are used by calls that name none.
	Model, Effort string
	// Types are the agent types that calls may name, besides the built-in ones.
	Types []subagent.Type
	// Launch is JSON that the caller wants to find in the header again when the run
	// is to be resumed.
	Launch json.RawMessage
	// Warnings of the caller stand before those of the run.
	Warnings []Warning
	// Import holds results of another system's run of this script, in the order in
	// which it had them.
	Import []Imported
}

// Start checks the request and begins a run. An error means that nothing ran:
// a meta.Diagnostics, a vm error or an *Error. The body runs after Start has
// returned; ctx covers the whole run, and its end cancels it.
func (e *Engine) Start(ctx context.Context, req Request) (*Run, error) {
	plan, err := e.check(req)
	if err != nil {
		return nil, err
	}
	if plan.limits.USD > 0 {
		route, _ := e.cfg.Route(subagent.Route{Model: req.Model, Effort: req.Effort})
		if err := e.cfg.priced(plan.limits, route); err != nil {
			return nil, err
		}
	}
	if _, err := e.cfg.Providers.Lookup(e.cfg.Provider); err != nil {
		return nil, newError(AgentStart, "%w", err)
	}
	plan.header.Trusted = e.cfg.Trusts(plan.header.Root, plan.header.Root)
	journal, err := e.cfg.Store.Create(ctx, plan.header, []byte(req.Source))
	if err != nil {
		return nil, newError(JournalWrite, "the run cannot be recorded: %w", err)
	}
	r := newRun(ctx, e.cfg, plan, journal, 1)
	if len(req.Import) > 0 {
		r.replay.imports = importsOf(req.Import)
		r.replay.follow(pastOf(req.Import), ResumeAny, nil)
	}
	go r.ledger.run()
	go r.drive()
	return r, nil
}

// Report is what [Check] found in a script that would start.
type Report struct {
	Meta     meta.Meta
	Warnings []Warning
	// Schemas counts the schema options of agent() calls that stand in the source
	// and were checked; Dynamic those that only running could tell.
	Schemas, Dynamic int
	// Faults are schema options that agent() will refuse when the script comes to
	// the call, each with its place.
	Faults []*Error
}

// Check tells what Start would refuse about a request, and what it would warn
// of, without running anything. Calls that are bound to be refused later stand
// in the report.
func Check(req Request) (Report, error) {
	p, err := (&Engine{cfg: Config{Now: time.Now}}).check(req)
	report := Report{Meta: p.header.Meta, Warnings: p.warnings}
	if err != nil {
		return report, err
	}
	return report, report.schemas(p.script)
}

// schemas checks the schemas that stand in the source.
func (r *Report) schemas(s vm.Script) error {
	found, dynamic, err := vm.Schemas(s)
	r.Schemas, r.Dynamic = len(found), dynamic
	verdicts := map[string]error{} // one schema is often used by many calls
	for _, f := range found {
		verdict, known := verdicts[string(f.JSON)]
		if !known {
			_, verdict = schema.CompileResult(f.JSON)
			verdicts[string(f.JSON)] = verdict
		}
		if verdict != nil {
			fault := newError(UnsupportedSchema, "agent() schema is outside the supported subset — %w", verdict)
			fault.Pos = f.Pos
			r.Faults = append(r.Faults, fault)
		}
	}
	return err
}

// plan is a checked request.
type plan struct {
	request  Request
	header   Header
	script   vm.Script
	limits   Limits
	types    types
	warnings []Warning
	opening  Fact // the first record
	began    time.Time
	dry      *sketch // set when nothing is to run
}

func (e *Engine) check(req Request) (plan, error) {
	limits, err := limitsOf(req.Limits.Over(e.cfg.Limits))
	if err != nil {
		return plan{}, err
	}
	if len(req.Source) > limits.Source {
		return plan{}, newError(ScriptParse, "the script has %d bytes, over the limit of %d", len(req.Source), limits.Source)
	}
	m, body, warnings, err := metaOf(req)
	if err != nil {
		return plan{}, err
	}
	if err := checkFolders(&req); err != nil {
		return plan{}, err
	}
	if req.Args != nil && !json.Valid(req.Args) {
		return plan{}, newError(InvalidArgument, "args are not JSON")
	}
	if args, inner := innerArgs(req); inner {
		req.Args = args
		warnings = append(warnings, Warning{Code: "ARGS_PARSED", Message: "args were a string that holds JSON; the script gets the parsed value"})
	}
	warnings = append(slices.Clone(req.Warnings), warnings...)
	script := vm.Script{Name: m.Name, Body: body, Args: req.Args}
	if limits.Tokens > 0 {
		total := float64(limits.Tokens)
		script.BudgetTotal = &total
	}
	if err := vm.Check(script); err != nil {
		return plan{}, err
	}
	now := e.cfg.Now()
	p := plan{
		request: req, script: script, limits: limits, types: typesOf(req.Types), warnings: warnings, began: now,
		header: Header{
			RunID: newRunID(now), Format: FormatVersion, Engine: e.cfg.Version, Meta: m, Args: req.Args,
			Root: req.Root, Cwd: req.Cwd, Parent: req.Parent, Depth: req.Depth,
			Model: req.Model, Effort: req.Effort, Launch: req.Launch, Strict: req.Strict, Limits: limits, CreatedAt: now.UnixMilli(),
		},
	}
	p.opening = p.begins()
	return p, nil
}

func newRunID(now time.Time) RunID {
	id := ulid.MustNew(ulid.Timestamp(now), ulid.DefaultEntropy())
	return RunID("wf_" + strings.ToLower(id.String()))
}

// metaOf finds the meta object, in the script or in the request.
func metaOf(req Request) (meta.Meta, string, []Warning, error) {
	script, err := meta.Read(req.Source)
	if err != nil {
		return meta.Meta{}, "", nil, err
	}
	warnings := warningsOf(script.Warnings)
	switch {
	case script.Meta != nil && req.Meta != nil:
		return meta.Meta{}, "", nil, newError(MetaInvalid, "meta is given twice: remove the `export const meta = {...}` statement from the script, or the meta that came with the request")
	case script.Meta != nil:
		return *script.Meta, script.Body, warnings, nil
	case req.Meta != nil:
		m, more, err := meta.FromJSON(req.Meta)
		if err != nil {
			return meta.Meta{}, "", nil, err
		}
		return *m, script.Body, append(warnings, warningsOf(more)...), nil
	case req.Strict || req.Name == "":
		return meta.Meta{}, "", nil, newError(ScriptParse, "script must begin with `export const meta = {...}` (comments may precede it); add this line: export const meta = { name: %q, description: 'what it does' }", orDefault(req.Name, "my-workflow"))
	}
	m := meta.Meta{Name: req.Name, Description: req.Name}
	return m, script.Body, append(warnings, Warning{Code: "META_MISSING", Message: fmt.Sprintf("the script has no meta statement; it runs under the name %q", req.Name)}), nil
}

// innerArgs finds the object or array that a string of args holds.
func innerArgs(req Request) (json.RawMessage, bool) {
	var text string
	if req.ArgsText || len(req.Args) == 0 || req.Args[0] != '"' || json.Unmarshal(req.Args, &text) != nil {
		return nil, false
	}
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		return nil, false
	}
	return json.RawMessage(text), true
}

func orDefault(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

func warningsOf(ds []meta.Diagnostic) []Warning {
	out := make([]Warning, len(ds))
	for i, d := range ds {
		out[i] = Warning{Code: d.Code, Message: d.Message, Line: d.Line}
	}
	return out
}

// checkFolders makes Root and Cwd absolute folders, one inside the other.
func checkFolders(req *Request) error {
	if !filepath.IsAbs(req.Root) {
		return newError(InvalidArgument, "the run's root must be an absolute path, got %q", req.Root)
	}
	if req.Cwd == "" {
		req.Cwd = req.Root
	}
	rel, err := filepath.Rel(req.Root, req.Cwd)
	if err != nil || !filepath.IsLocal(rel) {
		return newError(InvalidArgument, "the run's working directory %q is outside its root %q", req.Cwd, req.Root)
	}
	return nil
}

// Invalid is the envelope of a request that Start refused.
func Invalid(name string, err error) Result {
	r := Result{SchemaVersion: SchemaVersion, Name: name, Status: StatusInvalid, Value: json.RawMessage("null"), Error: faultOf(err)}
	var ds meta.Diagnostics
	if errors.As(err, &ds) && len(ds) > 0 {
		r.Error.Position = &vm.Position{Line: ds[0].Line, Column: ds[0].Column}
	}
	return r.normal()
}
