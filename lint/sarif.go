package lint

import "github.com/dsh-go/dsh-workflow/internal/plainjson"

// The part of SARIF 2.1.0 that a report needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool `json:"executionSuccessful"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               RuleID             `json:"id"`
		ShortDescription sarifText          `json:"shortDescription"`
		Configuration    sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    RuleID          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

// SARIF is the report as a SARIF 2.1.0 log, for code scanning. version is that of
// the program.
func SARIF(files []File, version string) ([]byte, error) {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "dsh-workflow", Version: version}},
		Invocations: []sarifInvocation{{true}}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	index := map[RuleID]int{}
	for _, r := range append(Refusals(), Rules()...) {
		index[r.ID] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.ID, sarifText{r.Summary}, sarifConfiguration{level(r.Severity)}})
	}
	for _, f := range files {
		for _, one := range f.Findings {
			where := sarifPhysical{Artifact: sarifArtifact{uri(f.Path)}}
			if one.Pos.Line > 0 {
				where.Region = &sarifRegion{one.Pos.Line, one.Pos.Column, one.End.Line, one.End.Column}
			}
			run.Results = append(run.Results, sarifResult{
				RuleID: one.Rule, RuleIndex: index[one.Rule], Level: level(one.Severity), Message: sarifText{said(one)},
				Locations: []sarifLocation{{where}},
			})
		}
	}
	raw, err := plainjson.Marshal(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
	return append(raw, '\n'), err
}
