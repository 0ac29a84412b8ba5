package llm

import (
	"math"
	"slices"
	"time"
)

// MaxRetryAfter is the longest wait that a provider can ask for; a longer one
// is shortened to it.
const MaxRetryAfter = 5 * time.Minute

// Retry decides whether a failed attempt is tried again, and when. It is pure:
// whoever runs the attempts keeps the count, the clock and the random source.
// Zero fields have the defaults named beside them.
type Retry struct {
	Max      int           // retries after the first attempt; 0 is 5, negative is none
	Initial  time.Duration // the first delay; 0 is 500 ms; it doubles each time
	MaxDelay time.Duration // the longest delay of our own; 0 is 10 s
	Jitter   float64       // share of the delay that varies, 0 to 1; 0 is 0.1, negative is none
	Codes    []Code        // what is worth a retry; nil is [RetryableCodes]
	Always   bool          // Max does not bound the number of retries
}

// RetryableCodes returns the classes of failure that are tried again unless a
// policy says otherwise.
func RetryableCodes() []Code {
	return []Code{CodeEmpty, CodeRateLimit, CodeServer, CodeStreamClosed, CodeTimeout, CodeTransport}
}

// Next decides about the attempt that failed with err. attempt counts the
// failed attempts so far, from 1; random is in [0, 1). If again is true, the
// next attempt may start after delay.
//
// A malformed answer is worth exactly one more attempt, whatever Codes says.
// A wait that the provider asked for is taken as it is, at most
// [MaxRetryAfter].
func (r Retry) Next(attempt int, err *Error, random float64) (delay time.Duration, again bool) {
	r = r.withDefaults()
	if err == nil || attempt < 1 || (!r.Always && attempt > r.Max) || !r.worth(attempt, err.Kind) {
		return 0, false
	}
	if err.RetryAfter > 0 {
		return min(err.RetryAfter, MaxRetryAfter), true
	}
	delay = r.MaxDelay
	if exact := float64(r.Initial) * math.Pow(2, float64(attempt-1)); exact < float64(delay) {
		delay = time.Duration(exact)
	}
	spread := 1 + r.Jitter*(2*random-1)
	return min(time.Duration(float64(delay)*spread), r.MaxDelay), true
}

func (r Retry) worth(attempt int, code Code) bool {
	if code == CodeAborted {
		return false
	}
	if code == CodeMalformed && attempt == 1 {
		return true
	}
	return slices.Contains(r.Codes, code)
}

func (r Retry) withDefaults() Retry {
	if r.Max == 0 {
		r.Max = 5
	}
	if r.Initial <= 0 {
		r.Initial = 500 * time.Millisecond
	}
	if r.MaxDelay <= 0 {
		r.MaxDelay = 10 * time.Second
	}
	if r.Jitter == 0 {
		r.Jitter = 0.1
	}
	r.Jitter = min(max(r.Jitter, 0), 1)
	if r.Codes == nil {
		r.Codes = RetryableCodes()
	}
	return r
}
