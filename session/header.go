package session

import (
	"bytes"
	"path/filepath"
	"reflect"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
)

// Reasons of a RequestHeader.
const (
	ReasonInitial = "initial" // the first header of the log
	ReasonResume  = "resume"  // the first header of another loop over the same log
	ReasonChange  = "change"  // differs from the one before
)

// OriginSubagent is the Origin of a session that another agent started.
const OriginSubagent = "subagent"

// check says which rule the header breaks, or nil.
func (h Header) check() error {
	switch {
	case h.Version != FormatVersion && h.Version > FormatVersion:
		return fault(CodeUnsupported, "session log has version %d: it was written by a newer harness, upgrade to read it", h.Version)
	case h.Version != FormatVersion:
		return fault(CodeUnsupported, "session log has version %d, older than the supported v%d: there is no upgrade path", h.Version, FormatVersion)
	case h.ID == "":
		return fault(CodeHeader, "session header id must not be empty")
	case h.CreatedAt < 0:
		return fault(CodeHeader, "session header createdAt must not be negative, got %d", h.CreatedAt)
	case h.Cwd != "" && !filepath.IsAbs(h.Cwd):
		return fault(CodeHeader, "session header cwd must be an absolute path, got %q", h.Cwd)
	case h.SeedLength < 0:
		return fault(CodeHeader, "session header seedLength must not be negative, got %d", h.SeedLength)
	case h.Origin != "" && h.Origin != OriginSubagent:
		return fault(CodeHeader, "session header origin must be %q or absent, got %q", OriginSubagent, h.Origin)
	case h.DelegationDepth < 0:
		return fault(CodeHeader, "session header delegationDepth must not be negative, got %d", h.DelegationDepth)
	}
	return nil
}

// canonical drops empty members: empty and absent are the same.
func (h EpochHeader) canonical() EpochHeader {
	if len(h.Tools) == 0 {
		h.Tools = nil
	}
	if len(h.Config.Stop) == 0 {
		h.Config.Stop = nil
	}
	return h
}

// Equal says whether both headers make the same request. Empty and absent
// members are equal; the order of tools, and of the keys of their schemas,
// counts, because it shapes the bytes that a provider caches.
func (h EpochHeader) Equal(other EpochHeader) bool {
	h, other = h.canonical(), other.canonical()
	if reflect.DeepEqual(h, other) {
		return true
	}
	// A log holds texts as their JSON reads, which may differ from what was given.
	a, errA := plainjson.Marshal(h)
	b, errB := plainjson.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
