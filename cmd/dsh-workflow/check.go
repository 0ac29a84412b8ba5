package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/lint"
	"github.com/dsh-go/dsh-workflow/meta"
)

// checkOptions are the flags of check.
type checkOptions struct {
	run    runOptions
	format string
	rules  map[lint.RuleID]lint.Severity
}

func checkCommand(e env) *cobra.Command {
	var o checkOptions
	c := &cobra.Command{
		Use:   "check SCRIPT|DIR|NAME|-...",
		Short: "Look for faults in scripts without running them",
		Long: "Look for faults in scripts without running them: syntax, meta and schemas, and what a linter can tell.\n" +
			"A folder stands for all scripts with a meta statement below it.\n\n" +
			"Errors are what a run would refuse, at its start or when it comes to the line; warnings are what is hardly\n" +
			"meant. Each rule has a page in docs/rules and is silenced on a line by // dsh-ignore RULE reason.\n\n" +
			"Exit codes: 0 no errors; 2 errors, or an invalid command line.",
		Example: "  dsh-workflow check review.js .dsh/workflows\n" +
			"  dsh-workflow check . --strict --format sarif --rule sequential-loop=off",
		Args: cobra.MinimumNArgs(1),
	}
	complete := scriptFlags(c, &o.run)
	f := c.Flags()
	f.StringVar(&o.format, "format", "text", "how findings are written: text, json or sarif (to stdout)")
	rules := f.StringArray("rule", nil, "what becomes of a rule's findings: `ID=off|warn|error`; may be repeated")
	f.Lookup("strict").Usage += "; every warning is an error"
	c.RunE = func(_ *cobra.Command, paths []string) error {
		if err := complete(); err != nil {
			return err
		}
		if err := o.complete(*rules); err != nil {
			return err
		}
		if i := slices.Index(paths, fromStdin); i >= 0 && slices.Contains(paths[i+1:], fromStdin) {
			return usage("standard input can be checked once only")
		}
		adm, err := newAdmission(e, o.run)
		if err != nil {
			return err
		}
		if _, err := adm.settings(); err != nil {
			return usage("%v", err)
		}
		return checkAll(adm, o, paths)
	}
	return c
}

// complete reads what the flags say.
func (o *checkOptions) complete(rules []string) error {
	switch o.format {
	case "text", "json", "sarif":
	default:
		return usage("--format must be text, json or sarif, got %q", o.format)
	}
	o.rules = map[lint.RuleID]lint.Severity{}
	for _, r := range rules {
		id, severity, _ := strings.Cut(r, "=")
		switch s := lint.Severity(severity); s {
		case lint.Off, lint.Warn, lint.Error:
			o.rules[lint.RuleID(id)] = s
		default:
			return usage("--rule must be ID=off, ID=warn or ID=error, got %q", r)
		}
		if err := knownRule(id); err != nil {
			return err
		}
	}
	return nil
}

func knownRule(id string) error {
	var known []string
	for _, r := range lint.Rules() {
		known = append(known, string(r.ID))
	}
	switch meant, ok := similar.Closest(id, known, 3); {
	case slices.Contains(known, id):
		return nil
	case ok:
		return usage("--rule: there is no rule %q; did you mean %q?", id, meant)
	}
	return usage("--rule: there is no rule %q (there are %s)", id, strings.Join(known, ", "))
}

// checkAll checks all scripts and writes what was found.
func checkAll(adm *admission, o checkOptions, args []string) error {
	e := adm.env
	paths, err := checkedPaths(adm, args)
	if err != nil {
		return err
	}
	files := make([]lint.File, 0, len(paths))
	bad := 0
	for _, path := range paths {
		c := checkScript(adm, o, path)
		if o.format == "text" {
			c.print(e)
		}
		if c.file.Count(lint.Error) > 0 {
			bad++
		}
		files = append(files, c.file)
	}
	if err := writeFindings(e, o.format, files); err != nil {
		return err
	}
	if bad > 0 {
		return &exitError{exitInvalid, fmt.Sprintf("%d of %d scripts have errors", bad, len(files))}
	}
	return nil
}

func writeFindings(e env, format string, files []lint.File) error {
	var raw []byte
	var err error
	switch format {
	case "json":
		raw, err = lint.JSON(files)
	case "sarif":
		raw, err = lint.SARIF(files, versionText())
	}
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(raw)
	return err
}

// checkedPaths puts the scripts of a folder in its place.
func checkedPaths(adm *admission, args []string) ([]string, error) {
	e := adm.env
	var paths []string
	for _, arg := range args {
		if info, err := os.Stat(e.abs(arg)); arg == fromStdin || err != nil || !info.IsDir() || isSaved(adm, arg) {
			paths = append(paths, arg)
			continue
		}
		below, err := scriptsBelow(e, arg)
		if err != nil {
			return nil, usage("%v", err)
		}
		if len(below) == 0 {
			return nil, usage("%s holds no script with a meta statement", arg)
		}
		paths = append(paths, below...)
	}
	return paths, nil
}

// isSaved tells the name of a saved workflow from the folder that happens to bear
// it too.
func isSaved(adm *admission, arg string) bool {
	l, err := adm.listing()
	if err != nil || strings.ContainsAny(arg, `/\`) {
		return false
	}
	_, err = l.Lookup(arg)
	return err == nil
}

// scriptsBelow lists the files below a folder that are scripts, in their order.
func scriptsBelow(e env, dir string) ([]string, error) {
	var paths []string
	root := e.abs(dir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains([]string{".js", ".mjs", ".ts"}, filepath.Ext(path)):
			return nil
		}
		raw, err := readFile(path)
		if err != nil {
			return nil // too large for a script
		}
		if s, err := meta.Read(string(raw)); err == nil && s.Meta == nil {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		paths = append(paths, filepath.Join(dir, rel))
		return nil
	})
	return paths, err
}
