package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dsh-go/dsh-workflow/tool"
)

const (
	grepShown      = 250       // matches of a result
	grepShownBytes = 120 << 10 // of them all: less than tool.DefaultInline, so that they are not cut again
	grepLine       = 2000      // bytes of a line that are shown
)

//go:embed grep.md
var grepDoc string

type grepArgs struct {
	Pattern string `json:"pattern" jsonschema:"The regular expression (RE2) that lines must match."`
	Path    string `json:"path,omitempty" jsonschema:"The directory or file to search, instead of the working directory."`
	Include string `json:"include,omitempty" jsonschema:"A glob that limits the files, such as *.go or *.{ts,tsx}."`
}

// grepper searches in files.
type grepper struct {
	rg   *ripgrep
	from int64 // see sieveFrom
}

func grepTool(g grepper) tool.Tool {
	t := tool.Of("grep", strings.TrimSpace(grepDoc), g.grep)
	t.Timeout = searchTime
	t.Parallel = func(json.RawMessage) bool { return true }
	t.Harmless = true
	return t
}

func (g grepper) grep(ctx context.Context, c tool.Call, in grepArgs) (tool.Result, error) {
	if err := checkPattern(in.Pattern); err != nil {
		return tool.Result{}, err
	}
	scan, err := newScanner(in.Pattern)
	if err != nil {
		return tool.Result{}, err
	}
	p, err := locatePlace(c, in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	include, err := includeOf(c, in, p)
	if err != nil {
		return tool.Result{}, err
	}
	m := matches{call: c}
	h := hunt{place: p, scan: scan, from: g.from, hit: m.add}
	if p.dir {
		h.sieve = g.rg.sieved(c, p.path, in.Pattern)
		if literal, _ := scan.re.LiteralPrefix(); literal != "" {
			h.from *= sieveLiteral
		}
	}
	err = h.search(ctx, include)
	if err != nil {
		m.all.end(false)
		return tool.Result{}, searchEnd(ctx, p.shown, err)
	}
	return tool.Result{Content: tool.Text(m.render() + unreadable(h.unread))}, nil
}

// includeOf gives the filter of an include; nil is none.
func includeOf(c tool.Call, in grepArgs, p place) (*pathGlob, error) {
	var raw struct{ Include *string }
	if err := json.Unmarshal(c.Arguments, &raw); err == nil && raw.Include == nil && in.Include == "" {
		return nil, nil
	}
	outside, _ := commas(in.Include)
	switch {
	case strings.TrimSpace(in.Include) == "":
		return nil, badArgument("include must not be blank")
	case strings.HasPrefix(in.Include, "!"):
		return nil, badArgument("include must not start with !: name what to search")
	case outside:
		return nil, badArgument("include must be one glob; use braces for alternatives, such as *.{ts,tsx}")
	case len(in.Include) > patternBytes:
		return nil, badArgument(fmt.Sprintf("include must have at most %d bytes", patternBytes))
	}
	g, err := compileGlob(in.Include, p.path)
	return &g, err
}

// matches collects what is shown of the matches and, from the first that is not,
// writes all of them to a file.
type matches struct {
	call  tool.Call
	shown strings.Builder
	kept  int
	total int
	file  string // of the last match
	all   spill
}

func (m *matches) add(file string, n int, text string) error {
	m.total++
	piece := fmt.Sprintf("Line %d: %s\n", n, text)
	if file != m.file || m.total == 1 {
		piece = file + "\n" + piece
		if m.total > 1 {
			piece = "\n" + piece
		}
	}
	m.file = file
	if m.kept == m.total-1 && m.kept < grepShown && m.shown.Len()+len(piece) <= grepShownBytes {
		m.kept++
		m.shown.WriteString(piece)
		return nil
	}
	if m.kept == m.total-1 {
		m.all.begin(m.call, "grep.txt")
		if err := m.all.write(m.shown.String()); err != nil {
			return err
		}
	}
	return m.all.write(piece)
}

func (m *matches) render() string {
	if m.total == 0 {
		return "No matches found"
	}
	head, tail := fmt.Sprintf("Found %d matches", m.total), ""
	switch {
	case m.kept < m.total:
		head = fmt.Sprintf("Found %d of %d matches", m.kept, m.total)
		tail = "\n\n(" + recovery("Full grep result", m.all.end(true), "pattern, path or include") + ")"
	case m.total == 1:
		head = "Found 1 match"
	}
	return head + "\n\n" + strings.TrimSuffix(m.shown.String(), "\n") + tail
}
