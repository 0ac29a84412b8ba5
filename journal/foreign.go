package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// Foreign reads the results of a run of Claude Code, in the order in which its
// script had them. path is the run's folder or the journal.jsonl in it; the
// transcripts of its agents stand beside that. Results that cannot be used are
// told with the reason, each in a line.
func Foreign(path string) (results []workflow.Imported, left []string, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, fileRecords)
	}
	lines := 0
	for line, err := range jsonl.Scan(path) {
		if err != nil {
			return nil, nil, fmt.Errorf("the journal of the other run cannot be read: %w", err)
		}
		var f foreignLine
		if line.Value == nil || json.Unmarshal(line.Value, &f) != nil || f.Type == "" {
			left = append(left, fmt.Sprintf("line %d is no line of such a journal", line.Number))
			continue
		}
		lines++
		if f.Type != "result" {
			continue
		}
		in, why := f.imported(filepath.Dir(path))
		if why != "" {
			left = append(left, fmt.Sprintf("line %d: %s", line.Number, why))
			continue
		}
		results = append(results, in)
	}
	if lines == 0 {
		return nil, nil, fmt.Errorf("%s is not the journal of a workflow run", path)
	}
	return results, left, nil
}

// foreignLine is one line of such a journal.
type foreignLine struct {
	Type   string          `json:"type"` // started, result or failed
	Agent  string          `json:"agentId"`
	Result json.RawMessage `json:"result"`
}

func (f foreignLine) imported(dir string) (in workflow.Imported, why string) {
	if len(f.Result) == 0 || string(f.Result) == "null" {
		return in, "its result is null, so it runs again"
	}
	if !plainName(workflow.RunID(f.Agent)) {
		return in, fmt.Sprintf("%.40q is not the id of an agent", f.Agent)
	}
	prompt, err := promptOf(filepath.Join(dir, "agent-"+f.Agent+".jsonl"))
	if err != nil {
		return in, err.Error()
	}
	return workflow.Imported{Prompt: prompt, Value: f.Result, Agent: f.Agent}, ""
}

// promptOf is the first thing that a transcript's user says.
func promptOf(path string) (string, error) {
	for line, err := range jsonl.Scan(path) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("the transcript %s is not there", filepath.Base(path))
		case err != nil:
			return "", err
		}
		var said struct {
			Type    string `json:"type"`
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		if line.Value == nil || json.Unmarshal(line.Value, &said) != nil || said.Type != "user" {
			continue
		}
		if text := plainText(said.Message.Content); text != "" {
			return text, nil
		}
	}
	return "", fmt.Errorf("the transcript %s has no prompt", filepath.Base(path))
}

// plainText is a content that is a string, or the texts of its blocks.
func plainText(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}
