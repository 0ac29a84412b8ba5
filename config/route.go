package config

import (
	"fmt"
	"slices"
	"strings"
)

// aliases are model names that scripts use for "a small one" or "the best one"
// of another product.
var aliases = []string{"haiku", "sonnet", "opus", "fable"}

// Model resolves the model that a script asked for on an endpoint whose default
// is def. An empty name and "inherit" are the default. An alias that maps to
// nothing is the default too, and note says so.
func Model(asked, def string) (model, note string) {
	name := strings.ToLower(asked)
	switch {
	case asked == "" || name == "inherit":
		return def, ""
	case slices.Contains(aliases, name):
		return def, fmt.Sprintf("the alias %q is mapped to no model; %s is used for it", asked, def)
	}
	return asked, ""
}
