package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// askAbove is how many agents start without a question, unless --ask-above says
// otherwise.
const askAbove = 25

// errDeclined is the answer no.
var errDeclined = errors.New("the answer at the terminal was no, so no further agent is started; what has started is kept (--yes answers yes, --ask-above and --ask-cost ask later)")

// gate is who answers before a run grows: the person at the terminal, or nobody.
// A cost can be asked about only where the price is known.
func (o *output) gate(e config.Endpoint, s *config.Settings) (workflow.Gate, error) {
	if _, known := s.Cost(e.Provider, e.Model, config.Tokens{}); !known && o.opts.askCost > 0 {
		return workflow.Gate{}, usage("--ask-cost needs the price of %s: set models.%s.price in the configuration (dsh-workflow models shows what is known)", e.Model, e.Model)
	}
	if o.opts.yes {
		return workflow.Gate{}, nil
	}
	g := workflow.Gate{Above: o.opts.askAbove, CostUSD: o.opts.askCost, Ask: o.goOn}
	if terminalOf(o.env.stdin) != nil && terminalOf(o.stderr) != nil {
		g.Ask = o.ask
	}
	return g, nil
}

// goOn answers where nobody can be asked: limits are what holds such a run.
func (o *output) goOn(_ context.Context, e workflow.Estimate) error {
	if !o.opts.quiet {
		go fmt.Fprintf(o.env.stderr, "%s; nobody is at a terminal to be asked, so it goes on (--yes leaves this line out, --max-agents is a limit)\n", reason(e, o.opts))
	}
	return nil
}

// ask asks the person at the terminal, in the picture if there is one.
func (o *output) ask(ctx context.Context, e workflow.Estimate) error {
	terminalOf(o.env.stdin).forget()
	lines := question(e, o.opts)
	if o.picture != nil {
		o.picture.screen.Ask(lines...)
		defer o.picture.screen.Ask()
	} else {
		fmt.Fprint(o.stderr, strings.Join(lines, "\n"), " ")
	}
	answer := make(chan bool, 1)
	go func() { answer <- yes(o.env.stdin) }()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case ok := <-answer:
		if !ok {
			return errDeclined
		}
		return nil
	}
}

// yes reads the answer to a question: its first letter, y for yes. An empty line,
// anything else and the end of the input are no.
func yes(r io.Reader) bool {
	b := make([]byte, 1)
	for {
		if _, err := r.Read(b); err != nil {
			return false
		}
		if b[0] != ' ' {
			return b[0] == 'y' || b[0] == 'Y'
		}
	}
}

// question says what is known of a run and what is to be decided.
func question(e workflow.Estimate, o runOptions) []string {
	known := "None has ended yet, so nothing is known of their cost."
	if e.Ended > 0 {
		known = fmt.Sprintf("%d ended, with %d tokens each on average; cost %s", e.Ended, e.Tokens, observe.Dollars(e.CostUSD))
		if e.Expected != nil {
			known += fmt.Sprintf(", expected for all of these %s", observe.Dollars(e.Expected))
		}
	}
	return []string{reason(e, o) + ".", known, "Go on? [y/N]"}
}

func reason(e workflow.Estimate, o runOptions) string {
	if e.ByCost {
		return fmt.Sprintf("%d agents so far are expected to cost %s, over the %s of --ask-cost", e.Admitted, observe.Dollars(e.Expected), observe.Dollars(&o.askCost))
	}
	return fmt.Sprintf("the script asks for more than %d agents (%d so far)", o.askAbove, e.Admitted)
}
