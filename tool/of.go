package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Of makes a tool from a function with typed arguments. In is a struct: its
// json tags name the arguments, omitempty or omitzero makes one optional, a
// jsonschema tag describes it. Objects of structs are open: keys that In does
// not have are ignored. No argument may be null.
//
// Of panics if In is not a struct that JSON Schema can describe, since that is a
// mistake of the program and not of its input.
func Of[In any](name, doc string, run func(ctx context.Context, call Call, in In) (Result, error)) Tool {
	input, names, err := inputOf[In]()
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	return Tool{
		Name:        name,
		Description: doc,
		Input:       input,
		Run: func(ctx context.Context, call Call) (Result, error) {
			in, err := decode[In](call.Arguments, names)
			if err != nil {
				return Result{}, err
			}
			return run(ctx, call, in)
		},
	}
}

// inputOf gives the schema of In and the names of its properties.
func inputOf[In any]() (json.RawMessage, map[string]bool, error) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, nil, err
	}
	plain(s)
	if s.Type != "object" || s.AdditionalProperties != nil {
		return nil, nil, errors.New("arguments must be a struct")
	}
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	names := make(map[string]bool, len(s.Properties))
	for n := range s.Properties {
		names[n] = true
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, nil, err
	}
	return text, names, nil
}

// plain makes a derived schema one that providers and models understand: no
// lists of types (slices and pointers are derived as "null or …") and objects
// of structs open.
func plain(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if a := s.AdditionalProperties; a != nil && a.Not != nil {
		s.AdditionalProperties = nil
	}
	plain(s.AdditionalProperties)
	plain(s.Items)
	for _, p := range s.Properties {
		plain(p)
	}
}

// decode reads arguments that are valid against the schema of In. Members that
// are no property by their exact name are dropped first: encoding/json matches
// names without case, so that "Path" could replace the "path" which a guard saw.
func decode[In any](args json.RawMessage, names map[string]bool) (In, error) {
	var in In
	var members map[string]json.RawMessage
	if err := json.Unmarshal(args, &members); err != nil {
		return in, invalid(err.Error(), err)
	}
	for name, value := range members {
		if !names[name] {
			delete(members, name)
			continue
		}
		members[name] = wholeNumbers(value)
	}
	exact, err := json.Marshal(members)
	if err != nil {
		return in, invalid(err.Error(), err)
	}
	if err := json.Unmarshal(exact, &in); err != nil {
		return in, invalid(misfit(err), err)
	}
	return in, nil
}

// misfit says which argument a Go type could not hold, without naming the type.
func misfit(err error) string {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		return fmt.Sprintf("%q is a %s that does not fit", te.Field, te.Value)
	}
	return err.Error()
}

// wholeNumbers spells a number such as 2.0 or 1e3, which JSON Schema counts as
// an integer, as Go's decoder wants it.
func wholeNumbers(value json.RawMessage) json.RawMessage {
	text := string(bytes.TrimSpace(value))
	if text == "" || strings.IndexByte("-0123456789", text[0]) < 0 || len(text) > 40 || !strings.ContainsAny(text, ".eE") {
		return value
	}
	if f, _, err := big.ParseFloat(text, 10, 256, big.ToNearestEven); err != nil || f.MantExp(nil) > 63 {
		return value
	} else if n, exact := f.Int(nil); exact == big.Exact {
		return json.RawMessage(n.String())
	}
	return value
}

func invalid(text string, cause error) *Error {
	return &Error{Name: "ToolArgsError", Kind: KindInvalidArgs, Message: "invalid arguments: " + text, Err: cause}
}
