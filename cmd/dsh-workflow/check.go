package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/vm"
	"github.com/dsh-go/dsh-workflow/workflow"
)

func checkCommand(e env) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "check SCRIPT|NAME|-...",
		Short: "Check the syntax, the meta statement and the schemas of scripts without running them",
		Args:  cobra.MinimumNArgs(1),
	}
	complete := scriptFlags(c, &o)
	c.RunE = func(_ *cobra.Command, paths []string) error {
		if err := complete(); err != nil {
			return err
		}
		if i := slices.Index(paths, fromStdin); i >= 0 && slices.Contains(paths[i+1:], fromStdin) {
			return usage("standard input can be checked once only")
		}
		bad := 0
		for _, path := range paths {
			if !checkScript(e, o, path) {
				bad++
			}
		}
		if bad > 0 {
			return &exitError{exitInvalid, fmt.Sprintf("%d of %d scripts would not run", bad, len(paths))}
		}
		return nil
	}
	return c
}

// What is shown of a path and of a text of the script, in characters.
const maxShownPath, maxShown = 4096, 500

// checkScript checks one script and reports whether it would start.
func checkScript(e env, o runOptions, arg string) bool {
	req, from, err := requestOf(e, o, arg)
	path := observe.OneLine(from.path, maxShownPath)
	var report workflow.Report
	if err == nil {
		report, err = workflow.Check(req)
	}
	for _, w := range report.Warnings {
		fmt.Fprintf(e.stderr, "%swarning: %s (%s)\n", place(path, vm.Position{Line: w.Line, Column: 1}), observe.OneLine(w.Message, maxShown), w.Code)
	}
	if err != nil {
		fmt.Fprintln(e.stderr, observe.Lines(explain(path, err)))
		return false
	}
	for _, f := range report.Faults {
		fmt.Fprintln(e.stderr, observe.Lines(place(path, f.Pos)+f.Message))
	}
	if len(report.Faults) > 0 {
		return false
	}
	fmt.Fprintf(e.stdout, "%s: ok: %s — %s\n", path, observe.OneLine(report.Meta.Name, maxShown), observe.OneLine(report.Meta.Description, maxShown))
	if report.Schemas+report.Dynamic > 0 {
		fmt.Fprintf(e.stdout, "%s: %s\n", path, schemaCount(report))
	}
	return true
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
