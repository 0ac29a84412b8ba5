package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/subagent/rehearsed"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// plainDry is the value of --dry-run without one.
const plainDry = "plain"

func dryFlag(c *cobra.Command, o *runOptions) func() error {
	f := c.Flags()
	f.StringVar(&o.dryRun, "dry-run", "", "play the script against made-up answers, and print its agents, prompt sizes and least cost; "+
		"`fail:20%` makes a share of the agents fail, fail:20%,seed:7 other ones")
	f.Lookup("dry-run").NoOptDefVal = plainDry
	return func() error {
		switch {
		case o.dryRun == "":
		case o.output == "stream-json":
			return usage("--dry-run takes --output text or json")
		case o.detach:
			return usage("--dry-run and --detach exclude each other")
		}
		return nil
	}
}

// dryShare reads the value of --dry-run: "plain", "fail:20%" or "fail:0.2", and
// ",seed:7" behind it.
func dryShare(text string) (rehearsed.Share, error) {
	var s rehearsed.Share
	if text == plainDry {
		return s, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(part, ":")
		number, percent := strings.CutSuffix(value, "%")
		var err error
		switch key {
		case "fail":
			if s.Fraction, err = strconv.ParseFloat(number, 64); percent {
				s.Fraction /= 100
			}
			if err == nil && !(s.Fraction >= 0 && s.Fraction <= 1) {
				err = strconv.ErrRange
			}
		case "seed":
			s.Seed, err = strconv.ParseUint(value, 10, 64)
		default:
			err = strconv.ErrSyntax
		}
		if err != nil {
			return s, usage("--dry-run takes fail:20%% or fail:0.2, and seed:NUMBER behind a comma, got %q", text)
		}
	}
	return s, nil
}

// rehearse plays a script against made-up answers and prints what it would do.
func rehearse(e env, o runOptions, arg string) error {
	out := newOutput(e, o)
	share, err := dryShare(o.dryRun)
	if err != nil {
		return err
	}
	adm, err := newAdmission(e, o) // of what it contributes nobody is asked
	if err != nil {
		return out.invalid("", arg, err)
	}
	req, from, err := requestOf(adm, arg)
	if err != nil {
		return out.invalid(req.Name, from.path, err)
	}
	h, err := openRehearsal(adm, from.settings, share)
	if err != nil {
		return out.invalid(req.Name, from.path, err)
	}
	defer h.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := watchSignals(e, cancel, func() {})
	defer signals.stop()
	r, err := h.Engine().Start(ctx, req)
	if err != nil {
		return out.invalid(req.Name, from.path, err)
	}
	fold := observe.NewRehearsal()
	for _, rec := range r.Follow(context.Background(), 0) {
		fold.Apply(rec)
	}
	result, err := r.Wait(context.Background())
	if err != nil {
		return err
	}
	chars := map[workflow.Seq]int{}
	for _, a := range h.Asked() {
		chars[workflow.Seq(a.Seq)] = a.Chars
	}
	plan := fold.Plan(result, chars)
	plan.FailShare, plan.Seed = share.Fraction, share.Seed
	if err := writePlan(e, o, out, plan); err != nil {
		return &exitError{exitFailed, fmt.Sprintf("the plan could not be written: %v", err)}
	}
	o.allowFailures = true // those that were made to fail say nothing about the script
	if code := codeOfResult(result, o, signals.code()); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

func writePlan(e env, o runOptions, out *output, plan observe.Plan) error {
	if o.output == "json" {
		return out.line(plan)
	}
	b := bufio.NewWriter(e.stdout)
	plan.Text(b)
	return b.Flush()
}

// openRehearsal makes a harness for a dry run. It needs no model and no key.
func openRehearsal(adm *admission, s *config.Settings, share rehearsed.Share) (*dsh.Harness, error) {
	c, err := harnessConfig(adm, s)
	if err != nil {
		return nil, err
	}
	c.Rehearsal, c.Log = &share, slog.New(slog.NewTextHandler(io.Discard, nil))
	if c.Endpoint, err = s.Default(); err != nil {
		c.Endpoint = config.Endpoint{Provider: config.Sim, Model: config.Sim}
	}
	return dsh.Open(c)
}
