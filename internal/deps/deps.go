//go:build never

// Package deps pins modules while the rooms are being built; it goes before the first release.
package deps

import (
	_ "github.com/aymanbagabas/go-udiff"
	_ "github.com/cenkalti/backoff/v5"
	_ "github.com/dlclark/regexp2/v2"
	_ "github.com/dop251/goja"
	_ "github.com/dop251/goja_nodejs/url"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/jsonschema-go/jsonschema"
	_ "github.com/google/uuid"
	_ "github.com/gowebpki/jcs"
	_ "github.com/oklog/ulid/v2"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/sashabaranov/go-openai"
	_ "github.com/spf13/cobra"
	_ "go.uber.org/goleak"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "pgregory.net/rapid"
)
