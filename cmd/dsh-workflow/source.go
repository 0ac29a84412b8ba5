package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// maxFileBytes bounds what is read of a file or of standard input before the
// limits of a run apply.
const maxFileBytes = 64 << 20

// script is a source and what is said about where it came from.
type script struct {
	source string
	name   string // for a script without a meta statement
	path   string // as messages show it
	saved  bool   // it was found by its name

	settings *config.Settings   // what counts where the script works
	warnings []workflow.Warning // what a run of it does without
}

// fromStdin is the argument that stands for standard input.
const fromStdin = "-"

// findScript reads what the argument of a command means: standard input, a file,
// or the name of a saved workflow, which adm looks up. After a failure path says what
// the message is about.
func findScript(adm *admission, arg string) (script, error) {
	e, o := adm.env, adm.opts
	switch {
	case arg == fromStdin:
		return stdinScript(e, o)
	case isPath(e, arg):
		raw, err := readFile(e.abs(arg))
		return textScript(arg, raw, err)
	}
	l, err := adm.listing()
	if err != nil {
		return script{path: arg}, err
	}
	w, err := l.Lookup(arg)
	if err != nil {
		return script{path: arg}, err
	}
	source, err := w.Source()
	return script{source: source, name: w.Name, path: w.Path, saved: true}, err
}

// isPath tells a path from a name: what is written like a path, and every file
// that exists. A folder of the same name does not hide a workflow.
func isPath(e env, arg string) bool {
	if strings.ContainsAny(arg, `/\`) {
		return true
	}
	switch filepath.Ext(arg) {
	case ".js", ".mjs", ".ts":
		return true
	}
	info, err := os.Stat(e.abs(arg))
	return err == nil && !info.IsDir()
}

func stdinScript(e env, o runOptions) (script, error) {
	for flag, value := range map[string]string{"--args": deref(o.args), "--meta": o.meta} {
		if value == fromStdin {
			return script{path: "stdin"}, usage("the script and %s cannot both be standard input", flag)
		}
	}
	raw, err := io.ReadAll(io.LimitReader(e.stdin, maxFileBytes+1))
	if err == nil && len(raw) > maxFileBytes {
		err = fmt.Errorf("standard input has more than %d bytes", maxFileBytes)
	}
	return textScript("stdin", raw, err)
}

func textScript(path string, raw []byte, err error) (script, error) {
	s := script{source: string(raw), name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), path: path}
	switch {
	case err != nil:
		return s, usage("%v", err)
	case !utf8.Valid(raw):
		return s, usage("%s is not UTF-8 text", path)
	}
	return s, nil
}

// readsStdin says whether a command takes something from standard input.
func readsStdin(o runOptions, arg string) bool {
	return slices.Contains([]string{arg, deref(o.args), o.meta}, fromStdin)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// readFile reads a regular file of a sane size.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxFileBytes:
		return nil, fmt.Errorf("%s has %d bytes, over %d", path, info.Size(), maxFileBytes)
	}
	return os.ReadFile(path)
}

// jsonFlag reads a flag that takes JSON, @FILE or - for standard input.
func jsonFlag(e env, flag, value string) (json.RawMessage, error) {
	var raw []byte
	var err error
	switch {
	case value == "-":
		raw, err = io.ReadAll(io.LimitReader(e.stdin, maxFileBytes))
	case strings.HasPrefix(value, "@"):
		raw, err = readFile(e.abs(value[1:]))
	default:
		raw = []byte(value)
	}
	if err != nil {
		return nil, usage("%s: %v", flag, err)
	}
	raw = bytes.TrimSpace(raw)
	var v json.RawMessage
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, usage("%s is not JSON: %v (text that is not JSON goes into --args-text)", flag, err)
	}
	return v, nil
}

// argsOf gives the JSON text of args, nil if none were given.
func argsOf(e env, o runOptions) (json.RawMessage, error) {
	if o.argsText != nil {
		if o.args != nil {
			return nil, usage("--args and --args-text exclude each other")
		}
		return json.Marshal(*o.argsText)
	}
	if o.args == nil {
		return nil, nil
	}
	return jsonFlag(e, "--args", *o.args)
}

// requestOf builds the request that run and check share, and says where its
// script came from, after a failure too.
func requestOf(adm *admission, arg string) (workflow.Request, script, error) {
	e, o := adm.env, adm.opts
	found, err := findScript(adm, arg)
	if err != nil {
		return workflow.Request{}, found, err
	}
	if found.settings, err = adm.settings(); err != nil {
		return workflow.Request{}, found, err
	}
	req := workflow.Request{
		Source: found.source, Name: found.name, Root: adm.dir, Strict: o.strict, Limits: o.budgets(dsh.LimitsOf(found.settings.File.Limits)),
	}
	if req.Types, err = adm.types(); err != nil {
		return workflow.Request{}, found, err
	}
	found.warnings = adm.warnings()
	req.ArgsText = o.argsText != nil
	if req.Args, err = argsOf(e, o); err != nil {
		return workflow.Request{}, found, err
	}
	if o.meta != "" {
		if req.Meta, err = jsonFlag(e, "--meta", o.meta); err != nil {
			return workflow.Request{}, found, err
		}
	}
	return req, found, nil
}

// workDir is the real path of --cwd, or of the current directory.
func workDir(e env, o runOptions) (string, error) {
	root := e.dir
	if o.cwd != "" {
		root = e.abs(o.cwd)
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			return "", usage("--cwd: %s is not an accessible directory", o.cwd)
		}
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", usage("the working directory is not accessible: %v", err)
	}
	return root, nil
}
