package lower

import (
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The body stands between two markers, so that one that closes the function
// around it can be told: then they are not in one function any more.
const (
	First = "dsh:first"
	Last  = "dsh:last"
)

const (
	before = `return (async () => {"` + First + `";`
	after  = "\n;\"" + Last + `"})`
)

// Error is a fault in the source.
type Error struct {
	Reason string
	// Offset is in bytes of the body.
	Offset int
}

func (e *Error) Error() string { return e.Reason }

// Output is a rewritten body.
type Output struct {
	// Code is one function expression without parameters. It declares helpers by
	// var statements and returns the async function whose body is the script's.
	Code string

	places places
}

// Body rewrites the body of a script.
func Body(body string) (*Output, error) { return transform(body, api.LoaderJS) }

func transform(body string, loader api.Loader) (*Output, error) {
	result := api.Transform(before+body+after, api.TransformOptions{
		Loader: loader, Target: api.ESNext, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
		Supported:      map[string]bool{"async-generator": false, "for-await": false},
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		Banner:         "(function () {", Footer: "})",
		TsconfigRaw: `{"compilerOptions": {"verbatimModuleSyntax": true, "useDefineForClassFields": true}}`,
	})
	if len(result.Errors) > 0 {
		return nil, faultOf(body, result.Errors[0])
	}
	code := string(result.Code)
	places, err := readMap(result.Map, code, before+body+after, len(before), len(body))
	if err != nil {
		return nil, fmt.Errorf("the map of positions: %w", err)
	}
	return &Output{Code: code, places: places}, nil
}

func faultOf(body string, m api.Message) *Error {
	e := &Error{Reason: m.Text}
	if m.Location == nil {
		return e
	}
	offset := 0
	for range m.Location.Line - 1 {
		_, rest, _ := strings.Cut((before + body + after)[offset:], "\n")
		offset = len(before+body+after) - len(rest)
	}
	e.Offset = min(max(offset+m.Location.Column-len(before), 0), len(body))
	return e
}

// Origin is the offset in the author's body for an offset in the code.
func (o *Output) Origin(offset int) int { return o.places.origin(offset) }
