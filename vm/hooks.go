package vm

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja_nodejs/url"

	"github.com/dsh-go/dsh-workflow/internal/language"
)

// furnish builds the globals of the script and captures what the host needs.
func (r *realm) furnish() error {
	host := r.rt.NewObject()
	r.js.objectProto = host.Prototype()
	lib, err := language.Install(r.rt, language.Host{Stop: r.guard.matching, MaxDepth: maxJSONDepth, Source: r.script.Body})
	if err != nil {
		return err
	}
	r.js.lib = lib
	for name, hook := range map[string]func(goja.FunctionCall) goja.Value{
		"agent": r.agent, "phase": r.phase, "log": r.log, "console": r.console, "spent": r.spent,
		"after": r.after, "clear": r.clearTimer, "refuse": r.refuse, "count": r.count,
		"describe": r.describe, "whyNot": r.whyNot, "fatal": r.isFatal, "dropped": r.dropped,
		"ended": r.ended, "limit": r.limit, "seen": r.seenValue, "late": r.late,
	} {
		if err := host.Set(name, hook); err != nil {
			return err
		}
	}
	if _, err := r.runPrelude(0, host, r.rt.ToValue(r.opts.MaxString), r.rt.ToValue(r.opts.MaxArray)); err != nil {
		return err
	}
	if err := lib.FillLocale(); err != nil {
		return err
	}
	total := goja.Null()
	if r.script.BudgetTotal != nil {
		total = r.rt.ToValue(*r.script.BudgetTotal)
	}
	made, err := r.runPrelude(1, host, total)
	if err != nil {
		return err
	}
	exports := made.ToObject(r.rt)
	for name, to := range map[string]*goja.Callable{
		"mint": &r.js.mint, "render": &r.js.render, "expose": &r.js.expose,
		"parse": &r.js.parse, "descriptor": &r.js.descriptor, "soon": &r.js.soon,
	} {
		*to, _ = goja.AssertFunction(exports.Get(name))
	}
	return nil
}

func (r *realm) runPrelude(part int, args ...goja.Value) (goja.Value, error) {
	made, err := r.rt.RunProgram(prelude()[part])
	if err != nil {
		return nil, err
	}
	call, ok := goja.AssertFunction(made)
	if !ok {
		return nil, errors.New("the prelude is not a function")
	}
	return call(goja.Undefined(), args...)
}

// here is the place in the script that called the hook at hand.
func (r *realm) here() Position {
	return r.firstFrame(r.rt.CaptureCallStack(0, nil))
}

// mint makes the script's side of an error of the host and remembers it.
func (r *realm) mint(cause error, pos Position) (*goja.Object, error) {
	message := cause.Error()
	stack := "WorkflowError: " + message
	if pos.Line > 0 {
		stack += fmt.Sprintf("\n    at %s:%d:%d", r.file, pos.Line, pos.Column)
	}
	made, err := r.js.mint(goja.Undefined(), r.rt.ToValue(message), r.rt.ToValue(codeOf(cause)), r.rt.ToValue(stack))
	if err != nil {
		return nil, err
	}
	obj := made.(*goja.Object)
	r.fatals[obj] = cause
	return obj, nil
}

// throw raises an error of the host in the script. The engine turns the panic
// into an exception of the language.
func (r *realm) throw(cause error, pos Position) {
	obj, err := r.mint(cause, pos)
	if err != nil {
		panic(err)
	}
	panic(obj)
}

func (r *realm) agent(call goja.FunctionCall) goja.Value {
	pos := r.here()
	prompt, ok := call.Argument(0).(goja.String)
	if !ok || prompt.Length() == 0 {
		r.throw(&ArgumentError{Hook: "agent", Pos: pos,
			Reason: "agent() requires a non-empty prompt string, but received " + describe(call.Argument(0))}, pos)
	}
	request := AgentCall{
		Prompt: prompt.String(), Options: r.agentOptions(call.Argument(1), pos),
		Settled: call.Argument(2).ToBoolean(), Pos: pos,
	}
	resolve, _ := goja.AssertFunction(call.Argument(3))
	reject, _ := goja.AssertFunction(call.Argument(4))
	ticket := r.inbox.ticket()
	r.calls.pending++
	err := r.host.Agent(request, func(value json.RawMessage, err error) {
		ticket.post(func() error { return r.deliver(value, err, pos, resolve, reject) })
	})
	if err != nil {
		if ticket.void() { // else the delivery counts down
			r.calls.pending--
		}
		r.tellSeen(err)
		r.throw(err, pos)
	}
	return goja.Undefined()
}

// tellSeen lets a refusal know when the script is about to see it: in a job that
// is queued before the rejection is.
func (r *realm) tellSeen(err error) {
	var seen interface{ Seen() }
	if !errors.As(err, &seen) {
		return
	}
	told := r.rt.ToValue(func(goja.FunctionCall) goja.Value {
		seen.Seen()
		return goja.Undefined()
	})
	if _, err := r.js.soon(goja.Undefined(), told); err != nil {
		panic(err)
	}
}

// deliver settles the promise of one call. It runs in a slice of its own.
func (r *realm) deliver(value json.RawMessage, failure error, pos Position, resolve, reject goja.Callable) error {
	r.calls.pending--
	r.calls.delivered++
	var v goja.Value
	if failure == nil {
		var reason string
		if v, reason = r.enter(value); reason != "" {
			failure = &hostValueError{reason}
		}
	}
	if failure != nil {
		obj, err := r.mint(failure, pos)
		if err != nil {
			return err
		}
		_, err = reject(goja.Undefined(), obj)
		return err
	}
	_, err := resolve(goja.Undefined(), v)
	return err
}

// hostValueError is a value from the host that the realm cannot hold.
type hostValueError struct{ reason string }

func (e *hostValueError) Error() string {
	return "the result of agent() cannot enter the script: " + e.reason
}
func (e *hostValueError) Code() string { return "AGENT_RESULT" }

func (r *realm) agentOptions(v goja.Value, pos Position) json.RawMessage {
	if goja.IsUndefined(v) {
		return nil
	}
	text, changes, err := r.encode(v, "agent() options")
	var fault *boundaryFault
	switch {
	case errors.As(err, &fault):
		r.throw(&ArgumentError{Hook: "agent", Pos: pos,
			Reason: "agent() options must be plain JSON data — " + fault.Error()}, pos)
	case err != nil:
		panic(err)
	case !strings.HasPrefix(text, "{"):
		r.throw(&ArgumentError{Hook: "agent", Pos: pos,
			Reason: "agent() options must be an object, but received " + describe(v)}, pos)
	}
	r.noteNewChanges(changes, pos)
	return json.RawMessage(text)
}

func (r *realm) phase(call goja.FunctionCall) goja.Value {
	pos := r.here()
	v := call.Argument(0)
	title := ""
	switch {
	case goja.IsString(v):
		title = v.String()
	case goja.IsNumber(v) || goja.IsBigInt(v) || v.ExportType() == boolType:
		title = v.String()
		r.note(NoteCoerced, "warn", "phase() was given "+describe(v)+"; it became the string "+title, pos)
	}
	if title == "" {
		r.throw(&ArgumentError{Hook: "phase", Pos: pos,
			Reason: "phase() requires a non-empty title string, but received " + describe(v)}, pos)
	}
	if err := r.host.Phase(title); err != nil {
		r.throw(err, pos)
	}
	return goja.Undefined()
}

func (r *realm) log(call goja.FunctionCall) goja.Value {
	pos := r.here()
	v := call.Argument(0)
	render, _ := goja.AssertFunction(call.Argument(1))
	text := r.show(v, render)
	if !goja.IsString(v) {
		r.note(NoteCoerced, "warn", "log() was given "+describe(v)+"; it was turned into a string", pos)
	}
	if more := r.showAll(call.Argument(2), render); more != "" {
		text += " " + more
	}
	r.note(NoteLog, "info", text, pos)
	return goja.Undefined()
}

func (r *realm) console(call goja.FunctionCall) goja.Value {
	render, _ := goja.AssertFunction(call.Argument(2))
	r.note(NoteConsole, call.Argument(0).String(), r.showAll(call.Argument(1), render), r.here())
	return goja.Undefined()
}

// showAll shows the values of an array that the prelude made.
func (r *realm) showAll(list goja.Value, render goja.Callable) string {
	values := list.ToObject(r.rt)
	parts := make([]string, 0, 4)
	for _, key := range values.Keys() {
		parts = append(parts, r.show(values.Get(key), render))
	}
	return strings.Join(parts, " ")
}

func (r *realm) spent(goja.FunctionCall) goja.Value {
	return r.rt.ToValue(r.host.Spent(r.calls.delivered))
}

// maxDelay is the longest delay of a timer; the language's hosts agree on it.
const maxDelay = math.MaxInt32

func (r *realm) after(call goja.FunctionCall) goja.Value {
	ms := call.Argument(0).ToFloat()
	if !(ms >= 0) { // not a number counts as none
		ms = 0
	}
	callback, _ := goja.AssertFunction(call.Argument(1))
	r.lastTimer++
	id, ticket := r.lastTimer, r.inbox.ticket()
	r.calls.pending++
	r.timers[id] = func() {}
	cancel := r.host.After(time.Duration(min(ms, maxDelay)*float64(time.Millisecond)), func() {
		ticket.post(func() error { return r.fire(id, callback) })
	})
	r.timers[id] = func() {
		ticket.void()
		cancel()
	}
	return r.rt.ToValue(id)
}

// fire runs the callback of a timer in a slice of its own.
func (r *realm) fire(id int64, callback goja.Callable) error {
	if _, live := r.timers[id]; !live {
		return nil // cleared while it waited in the queue
	}
	delete(r.timers, id)
	r.calls.pending--
	_, err := callback(goja.Undefined())
	thrown, ok := err.(*goja.Exception)
	if !ok {
		return err
	}
	if fatal := r.fatal(thrown.Value()); fatal != nil {
		return fatal
	}
	return r.noteUnhandled(thrown.Value())
}

func (r *realm) clearTimer(call goja.FunctionCall) goja.Value {
	if !goja.IsNumber(call.Argument(0)) {
		return goja.Undefined()
	}
	id := call.Argument(0).ToInteger()
	if cancel, live := r.timers[id]; live {
		delete(r.timers, id)
		r.calls.pending--
		cancel()
	}
	return goja.Undefined()
}

// refuse raises what a combinator found wrong with its arguments.
func (r *realm) refuse(call goja.FunctionCall) goja.Value {
	pos := r.here()
	r.throw(&ArgumentError{Hook: call.Argument(0).String(), Reason: call.Argument(1).String(), Pos: pos}, pos)
	return nil
}

func (r *realm) count(call goja.FunctionCall) goja.Value {
	hook, n := call.Argument(0).String(), call.Argument(1).ToInteger()
	if n > int64(r.opts.MaxItems) {
		pos := r.here()
		reason := fmt.Sprintf(
			"%s() received %d items — over the per-call cap (%d); split the work or raise maxItemsPerCall in the engine config",
			hook, n, r.opts.MaxItems)
		r.note(NoteLimit, "error", reason, pos)
		r.throw(&ArgumentError{Hook: hook, Cap: true, Pos: pos, Reason: reason}, pos)
	}
	return goja.Undefined()
}

func (r *realm) describe(call goja.FunctionCall) goja.Value {
	return r.rt.ToValue(describe(call.Argument(0)))
}

// whyNot explains an element that should have been a function.
func (r *realm) whyNot(call goja.FunctionCall) goja.Value {
	v := call.Argument(0)
	text := "it is " + describe(v)
	if isPromise(v) {
		text += ", so the call has already begun; wrap it in a function: () => agent(…)"
	}
	return r.rt.ToValue(text)
}

var promiseType = reflect.TypeFor[*goja.Promise]()

func isPromise(v goja.Value) bool {
	obj, ok := v.(*goja.Object)
	return ok && obj.ExportType() == promiseType
}

func (r *realm) isFatal(call goja.FunctionCall) goja.Value {
	return r.rt.ToValue(r.fatal(call.Argument(0)) != nil)
}

func (r *realm) dropped(call goja.FunctionCall) goja.Value {
	text := tidyStack(call.Argument(1).String())
	r.note(NoteDropped, "warn", call.Argument(0).String()+": "+text, r.placeIn(text))
	return goja.Undefined()
}

func (r *realm) ended(call goja.FunctionCall) goja.Value {
	r.note(NoteDropped, "info", call.Argument(0).String(), Position{})
	return goja.Undefined()
}

// limit ends the realm on behalf of a guard in the prelude.
func (r *realm) limit(call goja.FunctionCall) goja.Value {
	r.guard.cut(&LimitError{Limit: call.Argument(0).String(), Reason: call.Argument(1).String(), Pos: r.here()})
	return goja.Undefined()
}

// maxJSONDepth is what the engine's parser takes without trouble.
const maxJSONDepth = 5000

// late makes a global when the script first names it.
func (r *realm) late(call goja.FunctionCall) goja.Value {
	name := call.Argument(0).String()
	switch name {
	case "RegExp":
		return r.regExp(call.Argument(1).ToObject(r.rt))
	case "structuredClone":
		made, err := r.runPrelude(2)
		if err != nil {
			panic(err)
		}
		return made
	case "urls":
		made, err := r.rt.RunProgram(urlProgram())
		if err != nil {
			panic(err)
		}
		return made
	}
	module, exports := r.rt.NewObject(), r.rt.NewObject()
	if err := module.Set("exports", exports); err != nil {
		panic(err)
	}
	url.Require(r.rt, module)
	return exports.Get(name)
}

func (r *realm) note(kind, level, message string, pos Position) {
	r.host.Note(Note{Kind: kind, Level: level, Message: message, Pos: pos})
}

// maxChanges bounds the warnings about one value.
const maxChanges = 10

func (r *realm) noteChanges(changes []coercion, pos Position) {
	for i, c := range changes {
		if i == maxChanges {
			r.note(NoteCoerced, "warn", fmt.Sprintf("and %d more of the kind", len(changes)-i), pos)
			return
		}
		r.note(NoteCoerced, "warn", c.path+": "+c.what, pos)
	}
}

// noteNewChanges warns once a run about each option: the same call in a loop
// would say the same a thousand times.
func (r *realm) noteNewChanges(changes []coercion, pos Position) {
	fresh := changes[:0]
	for _, c := range changes {
		if !r.told[c.path] {
			r.told[c.path] = true
			fresh = append(fresh, c)
		}
	}
	r.noteChanges(fresh, pos)
}
