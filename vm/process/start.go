package process

import (
	"encoding/json"
	"fmt"

	"github.com/dsh-go/dsh-workflow/vm"
)

// protocol changes when a realm of another build would misread this one's
// frames.
const protocol = 1

// hello is the first word of a realm.
type hello struct {
	Protocol int     `json:"protocol"`
	Prelude  string  `json:"prelude"`
	Shields  Shields `json:"shields"`
}

// start is the one job of a realm. Body and args go beside the rest, as they are.
type start struct {
	Name    string     `json:"name"`
	Total   *float64   `json:"total,omitempty"`
	Options vm.Options `json:"options"`
	Waiter  bool       `json:"waiter"` // the host is a vm.Waiter
}

func startFrame(s vm.Script, o vm.Options, h vm.Host) (*builder, error) {
	_, waiter := h.(vm.Waiter)
	job, err := json.Marshal(start{Name: s.Name, Total: s.BudgetTotal, Options: o, Waiter: waiter})
	if err != nil {
		return nil, err
	}
	w := frame(tellsStart).blob(job).blob([]byte(s.Body)).blob(s.Args)
	if !w.fits() {
		return nil, &vm.ArgumentError{Hook: "args", Reason: fmt.Sprintf("args cannot enter the script: they are longer than %d bytes", maxFrame)}
	}
	return w, nil
}

func readStart(r *record) (start, vm.Script, error) {
	job, body, args := r.blob(), r.blob(), r.blob()
	if err := r.check(); err != nil {
		return start{}, vm.Script{}, err
	}
	var s start
	if err := json.Unmarshal(job, &s); err != nil {
		return start{}, vm.Script{}, err
	}
	return s, vm.Script{Name: s.Name, Body: string(body), Args: args, BudgetTotal: s.Total}, nil
}

// Shields says, in words for people, what keeps a realm's process in. An empty
// field means that this system cannot do it.
type Shields struct {
	Memory     string `json:"memory"`     // who bounds its memory, and at what
	Filesystem string `json:"filesystem"` // what keeps it from files
	Network    string `json:"network"`    // what keeps it from sockets
	Exec       string `json:"exec"`       // what keeps it from starting programs
	// Missing are the reasons why a shield is not up.
	Missing []string `json:"missing,omitempty"`
}
