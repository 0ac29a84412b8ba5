package process

import (
	"encoding/json"
	"fmt"

	"github.com/dsh-go/dsh-workflow/vm"
)

// fault is the error that a realm ended with, as it crosses the pipe. Exactly one
// field is set.
type fault struct {
	Parse    *vm.ParseError    `json:"parse,omitempty"`
	Script   *vm.ScriptError   `json:"script,omitempty"`
	Value    *vm.ValueError    `json:"value,omitempty"`
	Argument *vm.ArgumentError `json:"argument,omitempty"`
	Limit    *vm.LimitError    `json:"limit,omitempty"`
	Stalled  *vm.StalledError  `json:"stalled,omitempty"`
	Bug      *bug              `json:"bug,omitempty"`
	Other    *codedError       `json:"other,omitempty"`
	Host     *uint64           `json:"host,omitempty"` // an error of the host, by its number
}

// bug is a vm.PanicError in words.
type bug struct {
	Value string `json:"value"`
	Stack []byte `json:"stack,omitempty"`
}

// codedError is an error of the realm that has no type of its own outside of it.
type codedError struct {
	Name    string `json:"code"`
	Message string `json:"message"`
}

func (e *codedError) Error() string { return e.Message }

// Code is the code that the error has in the realm.
func (e *codedError) Code() string { return e.Name }

// faultOf goes by the type of the error itself: an error of the engine may run
// code of the script when it is asked what it wraps.
func faultOf(err error) fault {
	switch e := err.(type) {
	case *vm.ParseError:
		return fault{Parse: e}
	case *vm.ScriptError:
		return fault{Script: e}
	case *vm.ValueError:
		return fault{Value: e}
	case *vm.ArgumentError:
		return fault{Argument: e}
	case *vm.LimitError:
		return fault{Limit: e}
	case *vm.StalledError:
		return fault{Stalled: e}
	case *hostError:
		return fault{Host: &e.number}
	case refusal:
		return fault{Host: &e.number}
	case *vm.PanicError:
		return fault{Bug: &bug{Value: fmt.Sprint(e.Value), Stack: e.Stack}}
	}
	if coded, ok := err.(interface{ Code() string }); ok {
		return fault{Other: &codedError{Name: coded.Code(), Message: err.Error()}}
	}
	return fault{Bug: &bug{Value: err.Error()}}
}

// errorFrom is the error that a realm reported; host finds errors of the host.
func errorFrom(text []byte, host func(number uint64) error) error {
	var f fault
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	switch {
	case f.Parse != nil:
		return f.Parse
	case f.Script != nil:
		return f.Script
	case f.Value != nil:
		return f.Value
	case f.Argument != nil:
		return f.Argument
	case f.Limit != nil:
		return f.Limit
	case f.Stalled != nil:
		return f.Stalled
	case f.Bug != nil:
		return &vm.PanicError{Value: f.Bug.Value, Stack: f.Bug.Stack}
	case f.Other != nil:
		return f.Other
	case f.Host != nil:
		if err := host(*f.Host); err != nil {
			return err
		}
	}
	return errFrame
}
