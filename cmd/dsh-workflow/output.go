package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/internal/plainjson"
	"github.com/dsh-go/dsh-workflow/meta"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/vm"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// output writes what a run says: the result to stdout, progress to stderr.
//
// Concurrency: its methods belong to one goroutine. The followers that follow
// starts write to the stream of their own.
type output struct {
	env      env
	opts     runOptions
	stderr   io.Writer
	diag     *redirect      // env.stderr: goes to stderr, or above the picture
	picture  *picture       // nil where lines are shown
	records  sync.WaitGroup // followers that write to stdout
	progress sync.WaitGroup // those that write to stderr
}

// stderrPatience is how long a reader of stderr may hold up the end of a run.
const stderrPatience = 2 * time.Second

func newOutput(e env, o runOptions) *output {
	picture := newPicture(e, o)
	diag := &redirect{w: e.stderr}
	e.stderr = diag
	return &output{env: e, opts: o, stderr: diag.w, diag: diag, picture: picture}
}

// begin says which file a name stood for, and which model agents will use,
// because that decides what the answers are worth. Warnings about the run itself are
// said to those who see no progress too.
func (o *output) begin(e config.Endpoint, from script) {
	if from.saved && !o.opts.quiet {
		fmt.Fprintf(o.env.stderr, "workflow  %s\n", observe.OneLine(from.path, maxShownPath))
	}
	switch {
	case o.opts.quiet:
		for _, w := range from.warnings {
			fmt.Fprintf(o.env.stderr, "warning   %s (%s)\n", observe.OneLine(w.Message, maxShown), w.Code)
		}
	case e.Provider == config.Sim:
		fmt.Fprintln(o.env.stderr, "model     sim (simulated: no model is asked, and every answer is made up)")
	default:
		fmt.Fprintf(o.env.stderr, "model     %s at %s\n", e.Model, e.BaseURL)
	}
}

// follow shows a run as it comes, in the background.
func (o *output) follow(r *workflow.Run) {
	switch {
	case o.picture != nil:
		o.diag.to(o.picture.screen)
		o.picture.start()
		o.progress.Go(func() { newProgress(o.picture.screen, r.Dir()).follow(r) })
	case !o.opts.quiet:
		text := observe.NewText(o.env.stderr)
		text.Verbose = o.opts.verbose
		o.progress.Go(func() { newProgress(text, r.Dir()).follow(r) })
	}
	if o.opts.output == "stream-json" {
		o.records.Go(func() {
			for _, rec := range r.Follow(context.Background(), 0) {
				o.line(rec)
			}
		})
	}
}

// restore gives the terminal back, however the command ends.
func (o *output) restore() {
	if o.picture != nil {
		o.picture.tty.restore()
	}
}

// line writes one value as one line of JSON to stdout.
func (o *output) line(v any) error { return printJSON(o.env.stdout, v) }

// printJSON writes one value as one line.
func printJSON(w io.Writer, v any) error {
	b, err := plainjson.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// result writes the end of a run.
func (o *output) result(r workflow.Result) error {
	said := make(chan struct{})
	go func() {
		defer close(said)
		o.progress.Wait()
		if o.picture != nil {
			o.picture.stop()
			o.diag.to(o.stderr)
		}
		switch {
		case !o.opts.quiet:
			observe.Summary(o.env.stderr, r, o.findFlags())
		case r.Status != workflow.StatusCompleted && o.opts.output == "text":
			observe.Trouble(o.env.stderr, r) // quiet hides progress, not what went wrong
		}
	}()
	select {
	case <-said:
	case <-time.After(stderrPatience): // nobody reads stderr; the result matters more
	}
	o.restore()
	o.records.Wait()
	if o.opts.output != "text" {
		return o.line(r)
	}
	if r.Status == workflow.StatusFailed || r.Status == workflow.StatusCancelled {
		return nil
	}
	if r.Status == workflow.StatusLimit && bytes.Equal(r.Value, []byte("null")) {
		return nil
	}
	return writeValue(o.env.stdout, r.Value)
}

// findFlags are the flags with which other commands find this run.
func (o *output) findFlags() string {
	if o.opts.home == "" {
		return ""
	}
	return "--home " + quoted(o.env.abs(o.opts.home))
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// writeValue prints what a script returned: a string as it is, anything else as
// JSON.
func writeValue(w io.Writer, value json.RawMessage) error {
	var s string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &s) == nil {
		if !strings.HasSuffix(s, "\n") {
			s += "\n"
		}
		_, err := io.WriteString(w, s)
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, value, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// invalid ends a command whose request was refused: nothing ran.
func (o *output) invalid(name, path string, err error) error {
	if o.opts.output != "text" {
		if werr := o.line(workflow.Invalid(name, err)); werr != nil {
			return werr
		}
	}
	return &exitError{exitInvalid, explain(path, err)}
}

// explain renders a refusal for a person: every fault with its place and the
// line that it is in.
func explain(path string, err error) string {
	var faults meta.Diagnostics
	if errors.As(err, &faults) {
		parts := make([]string, len(faults))
		for i, f := range faults {
			parts[i] = excerpt(place(path, vm.Position{Line: f.Line, Column: f.Column})+f.Message, f.Excerpt)
		}
		return strings.Join(parts, "\n")
	}
	var parse *vm.ParseError
	if errors.As(err, &parse) {
		text := place(path, parse.Pos) + "workflow script does not parse: " + parse.Reason + parse.Detail()
		for _, f := range parse.More {
			text += "\n" + place(path, f.Pos) + f.Reason + f.Detail()
		}
		return text
	}
	var coded *workflow.Error
	if errors.As(err, &coded) {
		return place(path, coded.Pos) + err.Error()
	}
	return err.Error()
}

func excerpt(text, lines string) string {
	if lines == "" {
		return text
	}
	return text + "\n" + lines
}

func place(path string, p vm.Position) string {
	if p.Line == 0 {
		return path + ": "
	}
	return fmt.Sprintf("%s:%d:%d: ", path, p.Line, p.Column)
}
