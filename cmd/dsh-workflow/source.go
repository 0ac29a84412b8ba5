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
	"strings"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// maxFileBytes bounds what is read of a file or of standard input before the
// limits of a run apply.
const maxFileBytes = 64 << 20

// readScript reads a script file. The name is the file's, without its ending.
func readScript(e env, path string) (source, name string, err error) {
	raw, err := readFile(e.abs(path))
	if err != nil {
		return "", "", usage("%v", err)
	}
	if !utf8.Valid(raw) {
		return "", "", usage("%s is not UTF-8 text", path)
	}
	return string(raw), strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), nil
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

// requestOf builds the request that run and check share.
func requestOf(e env, o runOptions, path string) (workflow.Request, error) {
	source, name, err := readScript(e, path)
	if err != nil {
		return workflow.Request{}, err
	}
	root := e.dir
	if o.cwd != "" {
		root = e.abs(o.cwd)
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			return workflow.Request{}, usage("--cwd: %s is not an accessible directory", o.cwd)
		}
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return workflow.Request{}, usage("the working directory is not accessible: %v", err)
	}
	req := workflow.Request{Source: source, Name: name, Root: root, Strict: o.strict, Limits: o.limits()}
	req.ArgsText = o.argsText != nil
	if req.Args, err = argsOf(e, o); err != nil {
		return workflow.Request{}, err
	}
	if o.meta != "" {
		if req.Meta, err = jsonFlag(e, "--meta", o.meta); err != nil {
			return workflow.Request{}, err
		}
	}
	return req, nil
}
