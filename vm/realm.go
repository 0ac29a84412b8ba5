package vm

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/dsh-go/dsh-workflow/internal/language"
)

//go:embed prelude.js
var preludeSource string

//go:embed globals.js
var globalsSource string

//go:embed clone.js
var cloneSource string

//go:embed url.js
var urlSource string

// urlProgram is as large as all the rest, and few scripts need it.
var urlProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile(hooksFile, urlSource, false) })

// hooksFile is the name of our own code in stack frames, which never shows.
const hooksFile = "<hooks>"

// The prelude is compiled once a process; programs may be shared by realms.
var prelude = sync.OnceValue(func() [3]*goja.Program {
	return [3]*goja.Program{
		goja.MustCompile(hooksFile, globalsSource, false),
		goja.MustCompile(hooksFile, preludeSource, false),
		goja.MustCompile(hooksFile, cloneSource, false),
	}
})

// Prepare does what every realm of the process needs once, so that the first one
// starts as fast as the others. It is safe to leave out.
func Prepare() { prelude() }

// Result is what a script returned.
type Result struct {
	// Value is JSON text, "null" when the script returned nothing.
	Value json.RawMessage
}

// InProcess runs scripts on the goroutine that calls Run. The zero value is
// ready. It may be used from several goroutines at once; every run has a realm
// of its own.
type InProcess struct {
	Options Options
}

// Run runs one script to its settlement.
//
// It returns as soon as the script has settled; calls of the host that are
// still open are ignored from then on. When ctx ends, the script stops where it
// is and Run returns context.Cause(ctx). An error of the host that nothing in
// the script caught, or that nobody looked at, is returned as it is. The other
// errors are *ParseError, *ScriptError, *ValueError, *ArgumentError, *LimitError,
// *StalledError and *PanicError.
//
// A built-in call that runs long cannot be interrupted. When one holds the
// script for a second after it was to stop, Run returns all the same and says so:
// a goroutine goes on with the call, and calls no hook when it is done.
func (e InProcess) Run(ctx context.Context, s Script, h Host) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	opts := e.Options.withDefaults()
	prog, err := compile(s, opts)
	if err != nil {
		return Result{}, err
	}
	return newRealm(s, h, opts).runOrLeave(ctx, prog)
}

// patience is how long a realm that was told to stop may go on.
const patience = time.Second

// runOrLeave runs the loop on a goroutine of its own, so that it can be left
// behind.
func (r *realm) runOrLeave(ctx context.Context, prog *program) (Result, error) {
	type ending struct {
		result Result
		err    error
	}
	ended := make(chan ending, 1)
	go func() {
		result, err := r.run(ctx, prog)
		ended <- ending{result, err}
	}()
	select {
	case e := <-ended:
		return e.result, e.err
	case <-r.guard.died:
	}
	left := time.NewTimer(patience)
	defer left.Stop()
	select {
	case e := <-ended:
		return e.result, e.err
	case <-left.C:
		r.inbox.close()
		return Result{}, r.guard.stuck()
	}
}

// realm is one JavaScript world and the loop that owns it.
//
// Concurrency: all fields belong to the goroutine of run, but guard and inbox,
// which lock for themselves and are all that other goroutines ever touch.
type realm struct {
	rt     *goja.Runtime
	script Script
	file   string // name in stack frames
	host   Host
	opts   Options
	guard  *guard
	inbox  *inbox
	js     scriptSide

	calls     calls
	timers    map[int64]func()
	lastTimer int64
	fatals    map[*goja.Object]error // errors that we minted, by identity
	rejected  rejections
	told      map[string]bool // coercions of options that were noted
	ascii     bool            // the body is ASCII, so bytes are characters
}

// calls counts what goes to the host and comes back.
type calls struct {
	pending   int // calls and timers that may still wake the script
	delivered int // outcomes of agent() calls that the script has seen
}

// scriptSide is what the host calls in the realm, captured before the script
// could change it.
type scriptSide struct {
	mint, render, expose, parse, descriptor, soon goja.Callable
	objectProto                                   *goja.Object
	regExp, literal                               goja.Value // nil until a script names one
	lib                                           *language.Library
	nodes                                         map[int]any // of the source, by offset; nil until an error asks
}

func newRealm(s Script, h Host, opts Options) *realm {
	s.Body = plainStart(s.Body)
	rt := goja.New()
	rt.SetMaxCallStackSize(opts.MaxStack)
	rt.SetParserOptions(parser.WithDisableSourceMaps)
	// The prelude bans the clock and chance; this is for what it might miss.
	rt.SetTimeSource(func() time.Time { return time.Unix(0, 0).UTC() })
	rt.SetRandSource(func() float64 { return 0 })
	r := &realm{
		rt: rt, script: s, file: fileName(s), host: h, opts: opts,
		guard:  newGuard(rt, opts),
		inbox:  newInbox(),
		timers: map[int64]func(){},
		fatals: map[*goja.Object]error{},
		told:   map[string]bool{},
		ascii:  !strings.ContainsFunc(s.Body, func(c rune) bool { return c >= utf8.RuneSelf }),
	}
	if w, ok := h.(Waiter); ok {
		r.inbox.waiting = w.Waiting
	}
	r.rejected.open = map[*goja.Promise]*rejection{}
	r.rejected.told = map[*goja.Object]bool{}
	rt.SetPromiseRejectionTracker(r.rejected.track)
	return r
}

// run is the loop.
func (r *realm) run(ctx context.Context, prog *program) (Result, error) {
	defer r.close()
	defer context.AfterFunc(ctx, func() { r.guard.cut(context.Cause(ctx)) })()
	var body *goja.Promise
	err := r.slice(func() (err error) {
		body, err = r.start(prog)
		return err
	})
	for err == nil {
		if err = r.sweep(false); err != nil {
			break
		}
		if body.State() != goja.PromiseStatePending {
			return r.settle(body)
		}
		if r.calls.pending == 0 {
			return Result{}, &StalledError{}
		}
		var work func() error
		if work, err = r.inbox.next(ctx); err == nil {
			err = r.slice(work)
		}
	}
	return Result{}, err
}

// close leaves nothing behind that could wake the realm.
func (r *realm) close() {
	r.inbox.close()
	for _, cancel := range r.timers {
		cancel()
	}
	clear(r.timers)
}

// start builds the globals and runs the body up to its first await.
func (r *realm) start(prog *program) (*goja.Promise, error) {
	if err := r.furnish(); err != nil {
		return nil, &PanicError{Value: err}
	}
	if err := r.bindArgs(); err != nil {
		return nil, err
	}
	fn, err := r.rt.RunProgram(prog.code)
	if err == nil && len(prog.needs) > 0 {
		fn, err = r.help(fn, prog.needs)
	}
	if err != nil {
		return nil, err
	}
	call, ok := goja.AssertFunction(fn)
	if !ok {
		return nil, &PanicError{Value: errors.New("the body is not a function")}
	}
	result, err := call(goja.Undefined())
	if err != nil {
		return nil, err
	}
	body, ok := result.Export().(*goja.Promise)
	if !ok {
		return nil, &PanicError{Value: errors.New("the body gave no promise")}
	}
	r.rejected.body = body
	return body, nil
}

func (r *realm) bindArgs() error {
	value := goja.Undefined()
	if r.script.Args != nil {
		v, reason := r.enter(r.script.Args)
		if reason != "" {
			return &ArgumentError{Hook: "args", Reason: "args cannot enter the script: " + reason}
		}
		value = v
	}
	_, err := r.js.expose(goja.Undefined(), r.rt.ToValue("args"), value)
	return err
}

// enter makes a value of the realm from JSON text, or says why it cannot. The
// realm's parser recurses, so depth is bounded before it.
func (r *realm) enter(text json.RawMessage) (goja.Value, string) {
	if len(text) == 0 {
		return goja.Null(), ""
	}
	if jsonDepth(string(text), r.opts.MaxValueDepth) > r.opts.MaxValueDepth {
		return nil, fmt.Sprintf("the value nests deeper than %d levels", r.opts.MaxValueDepth)
	}
	if !json.Valid(text) {
		return nil, "the value is not valid JSON"
	}
	if text[0] == '"' { // most results are plain text
		var plain string
		if err := json.Unmarshal(text, &plain); err == nil {
			return r.rt.ToValue(plain), ""
		}
	}
	v, err := r.js.parse(goja.Undefined(), r.rt.ToValue(string(text)))
	switch err.(type) {
	case nil:
		return v, ""
	case *goja.Exception:
		return nil, "the realm's parser refused the value"
	}
	panic(err) // the guard struck; slice knows the reason
}

// settle reads the outcome of the body.
func (r *realm) settle(body *goja.Promise) (Result, error) {
	if err := r.sweep(true); err != nil {
		return Result{}, err
	}
	if fatal := r.unobserved(); fatal != nil {
		return Result{}, fatal
	}
	var result Result
	err := r.slice(func() (err error) {
		if body.State() == goja.PromiseStateRejected {
			return r.thrown(body.Result())
		}
		result, err = r.returned(body.Result())
		return err
	})
	return result, err
}

func (r *realm) returned(v goja.Value) (Result, error) {
	text, changes, err := r.encode(v, "workflow result")
	var fault *boundaryFault
	if errors.As(err, &fault) {
		return Result{}, &ValueError{Path: fault.path, Reason: fault.reason}
	}
	if err != nil {
		return Result{}, err
	}
	r.noteChanges(changes, Position{})
	if text == "" {
		text = "null"
	}
	return Result{Value: json.RawMessage(text)}, nil
}

// thrown turns what the script threw into an error.
func (r *realm) thrown(v goja.Value) error {
	if err := r.fatal(v); err != nil {
		return err
	}
	text, err := r.render(v)
	if err != nil {
		return err
	}
	return &ScriptError{Rendered: text, Pos: r.placeIn(text)}
}

// fatal is the host's error behind a value that we minted, by identity.
func (r *realm) fatal(v goja.Value) error {
	obj, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	return r.fatals[obj]
}
