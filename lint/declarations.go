package lint

import _ "embed"

//go:embed workflow.d.ts
var declarations string

// Declarations is workflow.d.ts: what a script finds declared, in the words of
// TypeScript, for editors.
func Declarations() string { return declarations }
