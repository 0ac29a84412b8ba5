package subagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// Capabilities says which parts of a [Request] a provider honours.
type Capabilities struct {
	Schema   bool // Request.Schema
	Tools    bool // Request.Tools
	Worktree bool // Request.Worktree
	Type     bool // Request.Type
}

// Capable is implemented by providers that do not honour every part of a
// request. A provider without it has all capabilities.
type Capable interface {
	// Capabilities may be called from any goroutine and always answers the same.
	Capabilities() Capabilities
}

func checkCapabilities(p Provider, req Request) error {
	limited, ok := p.(Capable)
	if !ok {
		return nil
	}
	has := limited.Capabilities()
	switch {
	case req.Schema != nil && !has.Schema:
		return unsupported(p, "outputSchema")
	case req.Tools != nil && !has.Tools:
		return unsupported(p, "toolFilter")
	case req.Worktree && !has.Worktree:
		return unsupported(p, "isolation")
	case req.Type != nil && !has.Type:
		return unsupported(p, "agentType")
	}
	return nil
}

func unsupported(p Provider, capability string) error {
	return &Error{
		Kind:    CodeUnsupported,
		Message: fmt.Sprintf("subagent provider %q does not support the %q capability", p.Name(), capability),
	}
}

// checkRequest refuses what no provider could start.
func checkRequest(req Request) error {
	if req.Prompt == "" {
		return invalid("subagent prompt must not be empty")
	}
	if _, err := ChildDepth(req.Lineage); err != nil {
		return err
	}
	if req.Stall < 0 {
		return invalid("subagent stall must not be negative")
	}
	if err := checkPlace(req.Lineage); err != nil {
		return err
	}
	return checkSchemaRoot(req.Schema)
}

// checkPlace compares paths as text: links inside the root are the business of
// whoever touches files.
func checkPlace(l Lineage) error {
	if l.Root != "" && !filepath.IsAbs(l.Root) {
		return invalid("subagent root must be an absolute path: %s", l.Root)
	}
	if l.Cwd != "" && !filepath.IsAbs(l.Cwd) {
		return invalid("subagent cwd must be an absolute path: %s", l.Cwd)
	}
	if l.Root == "" || l.Cwd == "" {
		return nil
	}
	rel, err := filepath.Rel(l.Root, l.Cwd)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return invalid("subagent cwd %s is outside its root %s", l.Cwd, l.Root)
	}
	return nil
}

// checkSchemaRoot looks at the root alone; whoever made the request has
// compiled the rest.
func checkSchemaRoot(schema json.RawMessage) error {
	if schema == nil {
		return nil
	}
	var root struct {
		Type any `json:"type"`
	}
	text := bytes.TrimSpace(schema)
	if len(text) == 0 || text[0] != '{' || json.Unmarshal(text, &root) != nil {
		return invalid("unsupported JSON schema: schema must be a schema object")
	}
	if root.Type != nil && root.Type != "object" {
		return invalid(`unsupported JSON schema: schema.type must be "object" (structured output is object-rooted)`)
	}
	return nil
}

func invalid(format string, args ...any) error {
	return &Error{Kind: CodeInvalidStart, Message: fmt.Sprintf(format, args...)}
}
