package lint_test

import (
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/lint"
)

// TestIndex: the index of the pages lists every rule, in order, with its summary.
func TestIndex(t *testing.T) {
	raw, err := os.ReadFile("../docs/rules/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, r := range append(lint.Refusals(), lint.Rules()...) {
		want = append(want, "| ["+string(r.ID)+"]("+string(r.ID)+".md) | "+r.Summary+" |")
	}
	slices.Sort(want)
	got := regexp.MustCompile(`(?m)^\| \[.*$`).FindAllString(string(raw), -1)
	if !slices.Equal(want, got) {
		t.Errorf("the index is\n%s\nbut the rules are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSARIF holds a report to what the format asks for.
func TestSARIF(t *testing.T) {
	files := []lint.File{
		{Path: "dir with blank/ä.js", Report: check(t, "agent('x')\nconst r = await agent('y')\nreturn r.length", lint.Options{})},
		{Path: "/abs/b.js", Report: lint.Report{Findings: []lint.Finding{{Rule: lint.Request, Severity: lint.Error, Message: "it does not exist"}}}},
	}
	raw, err := lint.SARIF(files, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			ColumnKind string
			Tool       struct {
				Driver struct {
					Name, Version string
					Rules         []struct {
						ID                   string
						ShortDescription     struct{ Text string }
						DefaultConfiguration struct{ Level string }
					}
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine, StartColumn, EndLine, EndColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 {
		t.Fatalf("%s", raw)
	}
	run := log.Runs[0]
	rules := run.Tool.Driver.Rules
	levels := []string{"none", "note", "warning", "error"}
	if run.ColumnKind != "unicodeCodePoints" || run.Tool.Driver.Name == "" || run.Tool.Driver.Version != "1.2.3" || len(run.Results) != 3 {
		t.Errorf("%s", raw)
	}
	seen := map[string]bool{}
	for _, r := range rules {
		if seen[r.ID] || r.ShortDescription.Text == "" || !slices.Contains(levels, r.DefaultConfiguration.Level) {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
	}
	for i, r := range run.Results {
		at := r.Locations[0].PhysicalLocation
		u, err := url.Parse(at.ArtifactLocation.URI)
		if err != nil || rules[r.RuleIndex].ID != r.RuleID || !slices.Contains(levels, r.Level) || r.Message.Text == "" {
			t.Errorf("%+v: %v", r, err)
		}
		if want := []string{"dir with blank/ä.js", "dir with blank/ä.js", "/abs/b.js"}[i]; u.Path != want || (u.Scheme == "file") != (i == 2) {
			t.Errorf("URI %s", at.ArtifactLocation.URI)
		}
		if reg := at.Region; (reg == nil) != (i == 2) || reg != nil && (reg.StartLine < 1 || reg.StartColumn < 1 || reg.EndLine < reg.StartLine) {
			t.Errorf("region %+v", reg)
		}
	}
}
