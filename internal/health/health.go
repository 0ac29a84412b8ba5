// Package health runs checks of an installation, each bounded in time.
package health

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Level says how a finding is to be taken.
type Level string

// Levels, from good to bad.
const (
	OK   Level = "OK"
	Warn Level = "WARN" // it works, less well
	Fail Level = "FAIL" // something that is needed does not work
)

// Finding is what a check came to.
type Finding struct {
	Name  string `json:"name"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
	// Do says what can be done; it is empty for OK.
	Do string `json:"do,omitempty"`
}

// Check is one thing to look at. Run may be called from any goroutine.
type Check struct {
	Name string
	Run  func(ctx context.Context) Finding
}

// Good is a finding that all is well.
func Good(format string, args ...any) Finding {
	return Finding{Level: OK, Text: fmt.Sprintf(format, args...)}
}

// Run runs all checks at once and returns their findings in the order of the
// checks. One that takes longer than bound fails, and is left behind if it does not
// heed its context.
func Run(ctx context.Context, bound time.Duration, checks []Check) []Finding {
	found := make([]Finding, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() { found[i] = one(ctx, bound, c) })
	}
	all.Wait()
	return found
}

func one(ctx context.Context, bound time.Duration, c Check) Finding {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	done := make(chan Finding, 1)
	go func() { done <- c.Run(ctx) }()
	var f Finding
	select {
	case f = <-done:
	case <-ctx.Done():
		// A check that heeds its context knows better what it was waiting for.
		grace := time.NewTimer(bound / 10)
		defer grace.Stop()
		select {
		case f = <-done:
		case <-grace.C:
			f = Finding{Level: Fail, Text: fmt.Sprintf("no answer within %s", bound), Do: "see what holds it up, then try again"}
		}
	}
	f.Name = c.Name
	return f
}
