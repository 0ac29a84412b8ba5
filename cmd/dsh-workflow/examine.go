package main

import (
	"errors"
	"fmt"

	"github.com/dsh-go/dsh-workflow/lint"
	"github.com/dsh-go/dsh-workflow/meta"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/vm"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// What is shown of a path and of a text of the script, in characters.
const maxShownPath, maxShown = 4096, 500

// examined is one script and what was found in it.
type examined struct {
	file   lint.File
	report workflow.Report
	err    error         // what refuses the script as a whole
	warned lint.Severity // what a warning about the meta counts as
}

// checkScript checks one script.
func checkScript(adm *admission, o checkOptions, arg string) examined {
	req, from, err := requestOf(adm, arg)
	c := examined{err: err, file: lint.File{Path: from.path}, warned: lint.Warn}
	if o.run.strict {
		c.warned = lint.Error
	}
	if err == nil {
		c.report, c.err = workflow.Check(req)
	}
	c.file.Name = c.report.Meta.Name
	for _, w := range c.report.Warnings {
		c.add(lint.Meta, c.warned, vm.Position{Line: w.Line, Column: min(w.Line, 1)}, w.Message)
	}
	for _, f := range c.report.Faults {
		c.add(lint.Schema, lint.Error, f.Pos, f.Message)
	}
	if c.err != nil {
		c.refusal()
		return c
	}
	found, err := lint.Check(lintScript(req, c.report.Meta), lint.Options{Severities: o.rules, Strict: o.run.strict, MaxItems: req.Limits.Items})
	if err != nil {
		c.err = err
		c.refusal()
		return c
	}
	c.file.Suppressed = found.Suppressed
	c.file.Findings = append(c.file.Findings, found.Findings...)
	lint.Sort(c.file.Findings)
	return c
}

// lintScript is what the linter looks at.
func lintScript(req workflow.Request, m meta.Meta) lint.Script {
	s := lint.Script{Source: req.Source, Body: req.Source, Meta: m, MetaApart: req.Meta != nil}
	if read, err := meta.Read(req.Source); err == nil {
		s.Body = read.Body
	}
	return s
}

func (c *examined) add(rule lint.RuleID, severity lint.Severity, at vm.Position, message string) {
	c.file.Findings = append(c.file.Findings, lint.Finding{Rule: rule, Severity: severity, Pos: at, End: at, Message: message})
}

// refusal notes what refuses the script as a whole.
func (c *examined) refusal() {
	var faults meta.Diagnostics
	var parse *vm.ParseError
	var coded *workflow.Error
	switch {
	case errors.As(c.err, &faults):
		for _, f := range faults {
			c.add(lint.Meta, lint.Error, vm.Position{Line: f.Line, Column: f.Column}, f.Message)
		}
	case errors.As(c.err, &parse):
		for _, f := range append([]vm.ParseError{*parse}, parse.More...) {
			c.add(lint.Syntax, lint.Error, f.Pos, f.Reason)
			c.file.Findings[len(c.file.Findings)-1].Suggestion = f.Hint
		}
	case errors.As(c.err, &coded):
		c.add(lint.Request, lint.Error, coded.Pos, coded.Message)
	default:
		c.add(lint.Request, lint.Error, vm.Position{}, c.err.Error())
	}
}

// print writes what was found for people.
func (c *examined) print(e env) {
	path := observe.OneLine(c.file.Path, maxShownPath)
	for _, w := range c.report.Warnings {
		fmt.Fprintf(e.stderr, "%s%s: %s (%s)\n", place(path, vm.Position{Line: w.Line, Column: 1}), word(c.warned), observe.OneLine(w.Message, maxShown), w.Code)
	}
	if c.err != nil {
		fmt.Fprintln(e.stderr, observe.Lines(explain(path, c.err)))
		return
	}
	for _, f := range c.file.Findings {
		if f.Rule != lint.Meta { // said above
			fmt.Fprintln(e.stderr, observe.Lines(findingText(path, f)))
		}
	}
	if c.file.Count(lint.Error) > 0 {
		return
	}
	fmt.Fprintf(e.stdout, "%s: ok: %s — %s\n", path, observe.OneLine(c.file.Name, maxShown), observe.OneLine(c.report.Meta.Description, maxShown))
	if c.report.Schemas+c.report.Dynamic > 0 {
		fmt.Fprintf(e.stdout, "%s: %s\n", path, schemaCount(c.report))
	}
}

// word is a severity for people.
func word(s lint.Severity) string {
	if s == lint.Error {
		return "error"
	}
	return "warning"
}

// findingText is one finding for people.
func findingText(path string, f lint.Finding) string {
	if f.Rule == lint.Schema {
		return place(path, f.Pos) + f.Message
	}
	text := excerpt(fmt.Sprintf("%s%s: %s [%s]", place(path, f.Pos), word(f.Severity), f.Message, f.Rule), f.Excerpt)
	if f.Suggestion != "" {
		text += "\nhint: " + f.Suggestion
	}
	return text
}

// schemaCount says how many schemas were checked, and how many could not be.
func schemaCount(r workflow.Report) string {
	text := fmt.Sprintf("%d schemas of agent() calls checked", r.Schemas)
	if r.Schemas == 1 {
		text = "1 schema of an agent() call checked"
	}
	if r.Dynamic > 0 {
		text += fmt.Sprintf("; %d made at run time", r.Dynamic)
	}
	return text
}
