package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/schema"
)

// DefaultLimit is the most bytes that the text of one result has, notices
// included, unless [Registry.Bounded] says otherwise.
const DefaultLimit = 256 << 10

// Guard decides about a call whose arguments are valid, before it runs. An
// error denies the call, and its text is the reason that the model reads. No
// guard can allow what another one denies. Guards are called from any
// goroutine, at the same time for calls that run beside each other; they may
// block until ctx ends.
type Guard func(ctx context.Context, call Call) error

// Registry is the set of tools of one agent. It never changes: its methods that
// add or take away return another registry. It may be used from any goroutine.
type Registry struct {
	order  []string
	tools  map[string]entry
	guards []Guard
	inline int
	limit  int
}

// entry is a tool with its compiled schema.
type entry struct {
	tool  Tool
	check *schema.Schema
}

// names that every known provider accepts.
var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// NewRegistry makes a registry of tools whose names differ. They are listed by
// name. It fails if a name is taken twice or unfit for a provider, or if an
// input schema cannot be checked.
func NewRegistry(tools ...Tool) (*Registry, error) {
	sorted := slices.Clone(tools)
	slices.SortStableFunc(sorted, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	empty := &Registry{inline: DefaultInline, limit: DefaultLimit}
	return empty.With(sorted...)
}

// With returns a registry that has more tools, listed in the given order after
// all that are there. Tools that differ between agents belong last, so that the
// requests of siblings begin alike.
func (r *Registry) With(last ...Tool) (*Registry, error) {
	next := r.clone()
	for _, t := range last {
		e, err := admit(t)
		if err != nil {
			return nil, err
		}
		if _, taken := next.tools[t.Name]; taken {
			return nil, fmt.Errorf("tool %q is registered twice", t.Name)
		}
		next.tools[t.Name] = e
		next.order = append(next.order, t.Name)
	}
	return next, nil
}

// Narrow returns a registry that has only the named tools, in the order of this
// one. A name that is not there is an error that lists those that are. An empty
// list leaves no tool.
func (r *Registry) Narrow(allow []string) (*Registry, error) {
	var unknown []string
	for _, name := range allow {
		if _, ok := r.tools[name]; !ok {
			unknown = append(unknown, fmt.Sprintf("%q", name))
		}
	}
	if unknown != nil {
		return nil, fmt.Errorf("unknown tool %s (known: %s)", strings.Join(unknown, ", "), strings.Join(r.order, ", "))
	}
	next := &Registry{tools: map[string]entry{}, guards: r.guards, inline: r.inline, limit: r.limit}
	for _, name := range r.order {
		if slices.Contains(allow, name) {
			next.order = append(next.order, name)
			next.tools[name] = r.tools[name]
		}
	}
	return next, nil
}

// Harmless returns a registry that has only the tools that say so; see
// [Tool.Harmless].
func (r *Registry) Harmless() *Registry {
	next := &Registry{tools: map[string]entry{}, guards: r.guards, limit: r.limit}
	for _, name := range r.order {
		if e := r.tools[name]; e.tool.Harmless {
			next.order = append(next.order, name)
			next.tools[name] = e
		}
	}
	return next
}

// Guarded returns a registry whose calls must pass these guards too, after the
// ones that are there.
func (r *Registry) Guarded(guards ...Guard) *Registry {
	next := r.clone()
	next.guards = append(next.guards, guards...)
	return next
}

// Bounded returns a registry whose results have at most so many bytes of text.
// Fewer than 1024 count as 1024.
func (r *Registry) Bounded(bytes int) *Registry {
	next := r.clone()
	next.limit = max(bytes, 1024)
	next.inline = min(next.inline, next.limit)
	return next
}

// Inlined returns a registry that keeps the text of a result which has more bytes
// than that in a file, and shows both its ends. It holds for results of text
// alone, of agents that have a session and a folder for outputs. Where the file
// cannot be made, the result is shown as far as the limit goes.
func (r *Registry) Inlined(bytes int) *Registry {
	next := r.clone()
	next.inline = min(max(bytes, 0), next.limit)
	return next
}

// Names lists the tools in the order of [Registry.Specs].
func (r *Registry) Names() []string { return slices.Clone(r.order) }

// Specs is what a model sees of the tools: each schema as its author wrote it,
// in the same order and without white space. The caller owns the result.
func (r *Registry) Specs() []llm.ToolSpec {
	specs := make([]llm.ToolSpec, 0, len(r.order))
	for _, name := range r.order {
		t := r.tools[name].tool
		specs = append(specs, llm.ToolSpec{Name: t.Name, Description: t.Description, Parameters: slices.Clone(t.Input)})
	}
	return specs
}

// Parallel reports whether the call may run beside others: the tool exists,
// says so, and the arguments are valid. Empty arguments are an empty object.
func (r *Registry) Parallel(name string, args json.RawMessage) (yes bool) {
	e, ok := r.tools[name]
	if !ok || e.tool.Parallel == nil {
		return false
	}
	parsed, err := parse(string(args))
	if err != nil || violations(e.check, parsed) != "" {
		return false
	}
	defer func() {
		if recover() != nil {
			yes = false // Run will meet the same bug and report it
		}
	}()
	return e.tool.Parallel(parsed)
}

func (r *Registry) clone() *Registry {
	tools := make(map[string]entry, len(r.tools)+1)
	for name, e := range r.tools {
		tools[name] = e
	}
	return &Registry{order: slices.Clone(r.order), tools: tools, guards: slices.Clone(r.guards), inline: r.inline, limit: r.limit}
}

func admit(t Tool) (entry, error) {
	if !validName.MatchString(t.Name) {
		return entry{}, fmt.Errorf("tool name %q is not 1 to 64 letters, digits, _ or -", t.Name)
	}
	if t.Timeout < 0 || t.Timeout > maxTimeout {
		return entry{}, fmt.Errorf("tool %q: a timeout of %v is not between 0 and %v", t.Name, t.Timeout, maxTimeout)
	}
	if t.Run == nil {
		return entry{}, fmt.Errorf("tool %q has no Run", t.Name)
	}
	check, err := contract(t)
	if err != nil {
		return entry{}, fmt.Errorf("tool %q: input schema: %w", t.Name, err)
	}
	// Without white space a schema has the same bytes on the wire and in a log.
	var dense bytes.Buffer
	if err := json.Compact(&dense, t.Input); err != nil {
		return entry{}, fmt.Errorf("tool %q: input schema: %w", t.Name, err)
	}
	t.Input = dense.Bytes()
	return entry{tool: t, check: check}, nil
}

// parse makes JSON of what a model wrote as arguments.
func parse(raw string) (json.RawMessage, error) {
	if strings.TrimSpace(raw) == "" {
		return json.RawMessage("{}"), nil
	}
	var args json.RawMessage
	err := json.Unmarshal([]byte(raw), &args)
	if err == nil {
		return args, nil
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return nil, invalid("not valid JSON: "+err.Error(), err)
	}
	text := fmt.Sprintf("not valid JSON at byte %d: %v", syntax.Offset, syntax)
	if cutOff(syntax, raw) {
		text += " (the arguments were cut off; the tool was not run)"
	}
	return nil, invalid(text, err)
}

func cutOff(err *json.SyntaxError, raw string) bool {
	return err.Offset >= int64(len(raw)) && strings.Contains(err.Error(), "unexpected end")
}
