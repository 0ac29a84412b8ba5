package workflow

import (
	"runtime"
	"time"
)

// Limits bound one run. A zero member means its default.
type Limits struct {
	AtOnce   int           `json:"atOnce"`      // agents at once; min(16, max(2, CPUs-2))
	Agents   int           `json:"agents"`      // agent() calls a run; 1000
	Items    int           `json:"items"`       // items of one parallel() or pipeline(); 4096
	Source   int           `json:"source"`      // bytes of a script; 512 KiB
	Log      int           `json:"log"`         // bytes that a run logs, and as many of warnings; 16 MiB
	Sync     time.Duration `json:"syncNs"`      // one synchronous stretch of script; 5 s
	Deadline time.Duration `json:"deadlineNs"`  // wall time of the run; none
	Grace    time.Duration `json:"graceNs"`     // for children to stop once they were cancelled; 5 s
	Stall    time.Duration `json:"stallNs"`     // silence of a model; the provider's default
	Write    time.Duration `json:"writeWaitNs"` // how long a full or failing disk is waited for; 30 s
}

// limitsOf fills in the defaults. It is their only home.
func limitsOf(l Limits) (Limits, error) {
	for name, v := range map[string]int64{
		"atOnce": int64(l.AtOnce), "agents": int64(l.Agents), "items": int64(l.Items), "source": int64(l.Source), "log": int64(l.Log),
		"sync": int64(l.Sync), "deadline": int64(l.Deadline), "grace": int64(l.Grace), "stall": int64(l.Stall), "write": int64(l.Write),
	} {
		if v < 0 {
			return l, newError(InvalidArgument, "limit %s must not be negative, got %d", name, v)
		}
	}
	orInt(&l.AtOnce, min(16, max(2, runtime.NumCPU()-2)))
	orInt(&l.Agents, 1000)
	orInt(&l.Items, 4096)
	orInt(&l.Source, 512<<10)
	orInt(&l.Log, 16<<20)
	orDuration(&l.Sync, 5*time.Second)
	orDuration(&l.Grace, 5*time.Second)
	orDuration(&l.Write, 30*time.Second)
	return l, nil
}

func orInt(v *int, d int) {
	if *v == 0 {
		*v = d
	}
}

func orDuration(v *time.Duration, d time.Duration) {
	if *v == 0 {
		*v = d
	}
}
