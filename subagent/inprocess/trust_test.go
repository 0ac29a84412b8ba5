package inprocess_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/subagent/inprocess"
	"github.com/dsh-go/dsh-workflow/tool"
)

// A child in a folder that the user does not trust has the harmless tools, each
// confined, and is told what that means.
func TestUntrustedChild(t *testing.T) {
	var sites []inprocess.Site
	confined := map[string]bool{}
	toolOf := func(name string, harmless bool) tool.Tool {
		return tool.Tool{
			Name: name, Description: name, Input: []byte(`{"type":"object"}`), Harmless: harmless,
			Run: func(_ context.Context, c tool.Call) (tool.Result, error) {
				confined[c.Name] = c.Confined
				return tool.Result{Content: tool.Text("ok")}, nil
			},
		}
	}
	registry, err := tool.NewRegistry(toolOf("read", true), toolOf("bash", false))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(c *inprocess.Config) {
		c.Tools = func(context.Context, inprocess.Site) (*tool.Registry, error) { return registry, nil }
		c.Sections = []prompt.Section{{Name: "tool:bash", Order: 105, Text: "bash habit"}, {Name: "tool:read", Order: 100, Text: "read habit"}}
		c.Instructions = func(s inprocess.Site) *prompt.Instructions {
			sites = append(sites, s)
			return nil
		}
	}, calls(llm.ToolCall{ID: "1", Name: "bash", Arguments: "{}"}, llm.ToolCall{ID: "2", Name: "read", Arguments: "{}"}), says("done"))

	req := r.request()
	req.Lineage.Trusted = false // Guided alone says nothing
	_, log := r.run(req)
	if !strings.Contains(story(log), "result:UNKNOWN_TOOL result:ok") {
		t.Error(story(log))
	}
	if diff := cmp.Diff(map[string]bool{"read": true}, confined); diff != "" {
		t.Error(diff)
	}
	sent := r.model.sent()[0]
	if len(sent.Tools) != 1 || strings.Contains(sent.System, "bash habit") || !strings.Contains(sent.System, "read habit") {
		t.Errorf("tools %v, system %q", sent.Tools, sent.System)
	}
	if !strings.Contains(sent.System, "has not said that the folder you work in can be trusted") {
		t.Errorf("system %q", sent.System)
	}
	if sites[0].Trusted || sites[0].Guided {
		t.Errorf("site %+v", sites[0])
	}

	// An allow-list only narrows: what it names is known, and still not there.
	req.Tools = []string{"bash"}
	r.run(req)
	if sent := r.model.sent()[2]; len(sent.Tools) != 0 {
		t.Errorf("tools %v", sent.Tools)
	}

	r.run(r.request())
	sent = r.model.sent()[4]
	if len(sent.Tools) != 2 || strings.Contains(sent.System, "has not said") || confined["read"] || !sites[2].Guided {
		t.Errorf("a trusted child: tools %v, confined %v, site %+v", sent.Tools, confined, sites[2])
	}
}
