package lint

import (
	"net/url"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
)

// Rules of what refuses a script before any rule looks at it. They cannot be
// turned off.
const (
	Syntax  RuleID = "syntax"
	Meta    RuleID = "meta"
	Schema  RuleID = "schema"
	Request RuleID = "request"
)

// Refusals lists the rules of what refuses a script, for those who list all that
// a report may name.
func Refusals() []Rule {
	return []Rule{
		{Syntax, Error, "the script does not parse"},
		{Meta, Error, "the meta statement is not one"},
		{Schema, Error, "a schema that an agent cannot be held to"},
		{Request, Error, "the script cannot be read, or is too long"},
	}
}

// File is what was found in one script.
type File struct {
	Path string // as the user named it
	Name string // of the workflow; empty when its meta could not be read
	Report
}

// JSON is the report for programs, with a newline at its end.
func JSON(files []File) ([]byte, error) {
	type finding struct {
		Rule       RuleID   `json:"rule"`
		Severity   Severity `json:"severity"`
		Message    string   `json:"message"`
		Suggestion string   `json:"suggestion,omitempty"`
		Line       int      `json:"line,omitempty"`
		Column     int      `json:"column,omitempty"`
		EndLine    int      `json:"endLine,omitempty"`
		EndColumn  int      `json:"endColumn,omitempty"`
	}
	type file struct {
		Path       string    `json:"path"`
		Name       string    `json:"name,omitempty"`
		OK         bool      `json:"ok"`
		Suppressed int       `json:"suppressed"`
		Findings   []finding `json:"findings"`
	}
	out := struct {
		SchemaVersion int    `json:"schemaVersion"`
		Errors        int    `json:"errors"`
		Warnings      int    `json:"warnings"`
		Files         []file `json:"files"`
	}{SchemaVersion: 1, Files: []file{}}
	for _, f := range files {
		errors := f.Count(Error)
		out.Errors += errors
		out.Warnings += f.Count(Warn)
		to := file{Path: f.Path, Name: f.Name, OK: errors == 0, Suppressed: f.Suppressed, Findings: []finding{}}
		for _, one := range f.Findings {
			to.Findings = append(to.Findings, finding{one.Rule, one.Severity, one.Message, one.Suggestion, one.Pos.Line, one.Pos.Column, one.End.Line, one.End.Column})
		}
		out.Files = append(out.Files, to)
	}
	raw, err := plainjson.Marshal(out)
	return append(raw, '\n'), err
}

// uri is a path as a SARIF artifact names it.
func uri(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
	}
	return u.String()
}

// level is a severity in the words of SARIF.
func level(s Severity) string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// said is a message with its way out.
func said(f Finding) string {
	if f.Suggestion == "" {
		return f.Message
	}
	return f.Message + " (" + f.Suggestion + ")"
}
