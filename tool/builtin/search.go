package builtin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/tool"
)

// Codes of failed searches.
const (
	InvalidPattern = "SEARCH_INVALID_PATTERN"
	SearchOverflow = "SEARCH_RAW_OUTPUT_OVERFLOW"
	SearchAborted  = "SEARCH_ABORTED"
)

const (
	searchTime   = 30 * time.Second
	searchBytes  = 20_000_000 // of all that a search finds
	patternBytes = 16 << 10   // of a pattern
)

var errOverflow = searchFault(SearchOverflow, "the search found more than %d bytes; narrow pattern or path", searchBytes)

func searchFault(code, format string, args ...any) error {
	return &tool.Error{Name: "SearchError", Kind: code, Message: fmt.Sprintf(format, args...)}
}

// searchEnd turns the failure of a search into the one that the model sees. It
// does not wrap the end of ctx, which would make it any tool's abort.
func searchEnd(ctx context.Context, shown string, err error) error {
	if ctx.Err() != nil {
		return searchFault(SearchAborted, "search aborted")
	}
	return ioFault("search", shown, err)
}

// place is where a search begins.
type place struct {
	target
	dir bool
	// prefix stands before the paths that are found: empty in the working directory.
	prefix string
}

// locatePlace resolves the path argument of a search. Empty is the working directory.
func locatePlace(c tool.Call, argument string) (place, error) {
	switch {
	case argument == "":
		argument = c.Cwd
	case strings.TrimSpace(argument) == "":
		return place{}, badArgument("path must be a non-empty string")
	case strings.ContainsRune(argument, 0):
		return place{}, badArgument("path must not contain a NUL character")
	}
	t, err := locate(c, "search", argument)
	if err != nil {
		return place{}, err
	}
	info, err := os.Stat(t.path)
	switch {
	case err != nil:
		return place{}, ioFault("search", t.shown, err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return place{}, fault(NotRegular, nil, `cannot search "%s": not a regular file or a directory`, t.shown)
	}
	p := place{target: t, dir: info.IsDir(), prefix: t.shown}
	if t.shown == oneLine(filepath.Clean(c.Cwd)) {
		p.prefix = ""
	}
	return p, nil
}

// show is how a path below the place stands in a result.
func (p place) show(rel string) string {
	return oneLine(filepath.Join(p.prefix, filepath.FromSlash(rel)))
}

// checkPattern refuses what no search can mean.
func checkPattern(pattern string) error {
	switch {
	case pattern == "":
		return badArgument("pattern must be a non-empty string")
	case len(pattern) > patternBytes:
		return badArgument(fmt.Sprintf("pattern must have at most %d bytes", patternBytes))
	}
	return nil
}

// unreadable is the line about what a search could not look at; empty if nothing.
func unreadable(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "\n\n(1 path could not be read.)"
	}
	return fmt.Sprintf("\n\n(%d paths could not be read.)", n)
}
