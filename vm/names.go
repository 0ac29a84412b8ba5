package vm

import (
	"slices"
	"sync"
)

// globals is what a realm without a script has, read once.
var globals = sync.OnceValue(func() []string {
	r := newRealm(Script{}, nil, Options{}.withDefaults())
	defer r.close()
	if r.furnish() != nil || r.bindArgs() != nil {
		return nil // the run of any script says why
	}
	names := r.rt.GlobalObject().GetOwnPropertyNames()
	slices.Sort(names)
	return names
})

// Globals lists the names that every script finds declared: those of the
// language, and the hooks. The slice is the caller's.
func Globals() []string { return slices.Clone(globals()) }
