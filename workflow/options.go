package workflow

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/schema"
	"github.com/dsh-go/dsh-workflow/subagent"
)

// options are the decoded options of one agent() call.
type options struct {
	Label    string
	Phase    *string // nil takes the current phase
	Schema   json.RawMessage
	Model    string
	Provider string
	Effort   string
	// AgentType is lower case; empty stands for the general one too.
	AgentType string
	// Isolation is empty or isolationWorktree.
	Isolation string
	Stall     time.Duration
	Timeout   time.Duration
	Retries   int
	Tools     []string // nil leaves all
	Cwd       string   // relative to the root with slashes; empty is the root's own cwd
	Unknown   []string // ignored option names, in lenient mode
}

var knownOptions = []string{
	"label", "phase", "schema", "model", "provider", "effort", "isolation", "agentType", "stallMs", "timeoutMs", "retries", "tools", "cwd",
}

var efforts = []string{"low", "medium", "high", "xhigh", "max"}

// maxTimer is the longest time that an option may ask for.
const maxTimer = 1<<31 - 1 // milliseconds

// optionReader reads the options of the calls of one run.
type optionReader struct {
	root   string
	strict bool
	// sound holds the texts of schemas that passed: most calls of a run share a few.
	sound map[string]bool
}

// maxSound bounds the texts that are kept.
const maxSound = 64

// decode reads the options object. The first member that is wrong, in the order
// in which the script wrote them, is the error.
func (r *optionReader) decode(raw json.RawMessage) (options, error) {
	var o options
	if len(raw) == 0 {
		return o, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return o, newError(InvalidArgument, "agent() options must be an object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return o, newError(InvalidArgument, "agent() options must be plain JSON data: %w", err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return o, newError(InvalidArgument, "agent() options must be plain JSON data: %w", err)
		}
		if err := r.set(&o, name.(string), value); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (r *optionReader) set(o *options, name string, value json.RawMessage) (err error) {
	switch name {
	case "label":
		o.Label, err = stringOption(name, value)
	case "phase":
		var title string
		title, err = stringOption(name, value)
		o.Phase = &title
	case "model":
		o.Model, err = stringOption(name, value)
	case "provider":
		o.Provider, err = stringOption(name, value)
	case "effort":
		o.Effort, err = effortOption(value)
	case "agentType":
		o.AgentType, err = typeOption(value)
	case "isolation":
		o.Isolation, err = isolationOption(value)
	case "schema":
		o.Schema, err = r.schemaOption(value)
	case "stallMs":
		o.Stall, err = timeOption(name, value)
	case "timeoutMs":
		o.Timeout, err = timeOption(name, value)
	case "retries":
		o.Retries, err = countOption(name, value)
	case "tools":
		o.Tools, err = namesOption(name, value)
	case "cwd":
		o.Cwd, err = cwdOption(value, r.root)
	default:
		err = o.unknown(name, r.strict)
	}
	return err
}

// unknown decides about an option that this version does not have.
func (o *options) unknown(name string, strict bool) error {
	supported := strings.Join(knownOptions, ", ")
	if meant, ok := similar.Closest(name, knownOptions, 2); ok {
		return newError(UnsupportedOption, "agent() option %q is not recognized: did you mean %q? (supported: %s)", name, meant, supported)
	}
	if strict {
		return newError(UnsupportedOption, "agent() option %q is not recognized (supported: %s)", name, supported)
	}
	o.Unknown = append(o.Unknown, name)
	return nil
}

func stringOption(name string, value json.RawMessage) (string, error) {
	var s *string
	if err := json.Unmarshal(value, &s); err != nil || s == nil {
		return "", newError(InvalidArgument, "agent() option %q must be a string", name)
	}
	return *s, nil
}

func effortOption(value json.RawMessage) (string, error) {
	s, err := stringOption("effort", value)
	if err != nil {
		return "", err
	}
	s = strings.ToLower(s)
	if !slices.Contains(efforts, s) {
		return "", newError(InvalidArgument, "agent() option \"effort\" must be one of %s, got %q", strings.Join(efforts, ", "), s)
	}
	return s, nil
}

// typeOption reads the name of an agent type. Written out, the general one is the
// same as none.
func typeOption(value json.RawMessage) (string, error) {
	s, err := stringOption("agentType", value)
	if s = strings.ToLower(strings.TrimSpace(s)); s == subagent.GeneralPurpose {
		s = ""
	}
	return s, err
}

// isolationWorktree is the one kind of isolation that there is.
const isolationWorktree = "worktree"

func isolationOption(value json.RawMessage) (string, error) {
	s, err := stringOption("isolation", value)
	if err == nil && s != isolationWorktree {
		err = newError(UnsupportedOption, "agent() option \"isolation\" can only be %q, got %q", isolationWorktree, s)
	}
	return s, err
}

func (r *optionReader) schemaOption(value json.RawMessage) (json.RawMessage, error) {
	if r.sound[string(value)] {
		return value, nil
	}
	if _, err := schema.CompileResult(value); err != nil {
		return nil, newError(UnsupportedSchema, "agent() schema is outside the supported subset — %w", err)
	}
	if r.sound == nil || len(r.sound) == maxSound {
		r.sound = map[string]bool{}
	}
	r.sound[string(value)] = true
	return value, nil
}

func timeOption(name string, value json.RawMessage) (time.Duration, error) {
	n, err := numberOption(name, value, maxTimer)
	return time.Duration(n * float64(time.Millisecond)), err
}

func countOption(name string, value json.RawMessage) (int, error) {
	n, err := numberOption(name, value, 100)
	if err == nil && n != math.Trunc(n) {
		err = newError(InvalidArgument, "agent() option %q must be a whole number", name)
	}
	return int(n), err
}

func numberOption(name string, value json.RawMessage, most float64) (float64, error) {
	var n *float64
	if err := json.Unmarshal(value, &n); err != nil || n == nil || *n < 0 || *n > most {
		return 0, newError(InvalidArgument, "agent() option %q must be a number from 0 to %.0f", name, most)
	}
	return *n, nil
}

func namesOption(name string, value json.RawMessage) ([]string, error) {
	names := []string{}
	if err := json.Unmarshal(value, &names); err != nil || names == nil {
		return nil, newError(InvalidArgument, "agent() option %q must be an array of strings", name)
	}
	return names, nil
}

// cwdOption resolves a folder inside the root. Links are followed before the
// check, so that none leads out.
func cwdOption(value json.RawMessage, root string) (string, error) {
	s, err := stringOption("cwd", value)
	if err != nil {
		return "", err
	}
	path := s
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", newError(InvalidArgument, "agent() option \"cwd\": %q is not an accessible directory", s)
	}
	base, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", newError(InvalidArgument, "agent() option \"cwd\": the run's root %q is not accessible", root)
	}
	rel, err := filepath.Rel(base, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", newError(InvalidArgument, "agent() option \"cwd\": %q is outside the run's root %q", s, root)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", newError(InvalidArgument, "agent() option \"cwd\": %q is not a directory", s)
	}
	if rel == "." {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}
