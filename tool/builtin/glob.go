package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dsh-go/dsh-workflow/tool"
)

// globShown is the most paths that a result shows.
const globShown = 100

//go:embed glob.md
var globDoc string

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"The glob that paths must match, such as **/*.go."`
	Path    string `json:"path,omitempty" jsonschema:"The directory to search, instead of the working directory."`
}

func globTool() tool.Tool {
	t := tool.Of("glob", strings.TrimSpace(globDoc), glob)
	t.Timeout = searchTime
	t.Parallel = func(json.RawMessage) bool { return true }
	t.Harmless = true
	return t
}

// found is a file and when it was changed, in nanoseconds.
type found struct {
	rel string
	at  int64
}

func glob(ctx context.Context, c tool.Call, in globArgs) (tool.Result, error) {
	if err := checkPattern(in.Pattern); err != nil {
		return tool.Result{}, err
	}
	p, err := locatePlace(c, in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	if !p.dir {
		return tool.Result{}, fault(NotDirectory, nil, `cannot search "%s": not a directory`, p.shown)
	}
	g, err := compileGlob(in.Pattern, p.path)
	if err != nil {
		return tool.Result{}, err
	}
	all, unread, err := g.files(ctx, p)
	if err != nil {
		return tool.Result{}, searchEnd(ctx, p.shown, err)
	}
	text := "No files found"
	if len(all) > 0 {
		text = globPage(c, p, all)
	}
	return tool.Result{Content: tool.Text(text + unreadable(unread))}, nil
}

// files finds what matches, the file first that was changed longest ago.
func (g pathGlob) files(ctx context.Context, p place) (all []found, unread int, err error) {
	if versionControlled(p) {
		return nil, 0, nil
	}
	size := 0
	w := walk{root: p.path, enter: g.under, visit: func(rel string, e fs.DirEntry) error {
		if !g.matches(rel) {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil // gone since
		}
		if size += len(p.prefix) + len(rel) + 1; size > searchBytes {
			return errOverflow
		}
		all = append(all, found{rel, info.ModTime().UnixNano()})
		return nil
	}}
	if err := w.run(ctx); err != nil {
		return nil, 0, err
	}
	all, err = sorted(ctx, all, func(a, b found) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.rel, b.rel)) })
	return all, w.unread, err
}

// versionControlled says whether a place lies inside a version control folder
// that the path of the call entered.
func versionControlled(p place) bool {
	for _, name := range strings.FieldsFunc(p.prefix, func(c rune) bool { return c == '/' || c == '\\' }) {
		if versionControl[name] {
			return true
		}
	}
	return false
}

func globPage(c tool.Call, p place, all []found) string {
	var sb strings.Builder
	for i, f := range all[:min(len(all), globShown)] {
		if i > 0 {
			sb.WriteByte('\n')
		}
		sb.WriteString(p.show(f.rel))
	}
	if len(all) > globShown {
		fmt.Fprintf(&sb, "\n\n(Showing %d of %d paths. %s)", globShown, len(all), recovery("Full sorted result", store(c, p, all), "pattern or path"))
	}
	return sb.String()
}

// store writes all paths to a file; the path of it is empty if that failed.
func store(c tool.Call, p place, all []found) string {
	var s spill
	s.begin(c, "glob.txt")
	for _, f := range all {
		if err := s.write(p.show(f.rel) + "\n"); err != nil {
			return s.end(false)
		}
	}
	return s.end(true)
}
