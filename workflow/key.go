package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/gowebpki/jcs"
)

// keyVersion stands in front of every key, so that a later way to compute keys
// can be told from this one.
const keyVersion = "k1:"

// keyParts is everything about a call that can change its answer, as the script
// wrote it. Absent options and their written-out defaults are the same.
type keyParts struct {
	Prompt    string          `json:"prompt"`
	Schema    json.RawMessage `json:"schema,omitempty"`
	Model     string          `json:"model,omitempty"`
	Provider  string          `json:"provider,omitempty"`
	Effort    string          `json:"effort,omitempty"`
	Isolation string          `json:"isolation,omitempty"`
	AgentType string          `json:"agentType,omitempty"`
	Tools     *[]string       `json:"tools,omitempty"`
	Cwd       string          `json:"cwd,omitempty"` // relative to the root, slashes
}

// keyOf computes the key of a call: the SHA-256 of the RFC 8785 form of what
// changes its answer.
func keyOf(prompt string, o options) (string, error) {
	parts := keyParts{
		Prompt: prompt, Schema: o.Schema, Model: o.Model, Provider: o.Provider, Effort: o.Effort, Isolation: o.Isolation, AgentType: o.AgentType, Cwd: o.Cwd,
	}
	if o.Tools != nil {
		sorted := slices.Sorted(slices.Values(o.Tools))
		parts.Tools = &sorted
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		return "", err
	}
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return keyVersion + hex.EncodeToString(sum[:]), nil
}
