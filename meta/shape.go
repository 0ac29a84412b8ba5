package meta

import (
	"encoding/json"
	"fmt"
)

// sink takes faults and warnings about values.
type sink interface {
	fault(code string, at int, format string, args ...any)
	warn(code string, at int, format string, args ...any)
}

// shape checks what a meta must hold and builds it. It gives nil when anything
// is missing or wrong.
func shape(v *value, to sink) *Meta {
	if v.kind != isObject {
		to.fault(CodeInvalid, v.at, "meta must be an object")
		return nil
	}
	s := &shaper{sink: to}
	m := &Meta{}
	var name, description bool
	for _, f := range v.members {
		path := join("meta", f.key)
		switch f.key {
		case "name":
			name = true
			m.Name = s.required(f.value, path)
		case "description":
			description = true
			m.Description = s.required(f.value, path)
		case "whenToUse":
			m.WhenToUse = s.optional(f.value, path)
		case "phases":
			m.Phases = s.phases(f.value)
		default:
			s.extra(m, f, path)
		}
	}
	if !name {
		s.refuse(v, "meta.name must be a non-empty string")
	}
	if !description {
		s.refuse(v, "meta.description must be a non-empty string")
	}
	if s.failed {
		return nil
	}
	return m
}

type shaper struct {
	sink
	failed bool
}

// refuse reports a fault of v, unless v is one that was reported already.
func (s *shaper) refuse(v *value, format string, args ...any) {
	s.failed = true
	if v.kind != isRefused {
		s.fault(CodeInvalid, v.at, format, args...)
	}
}

func (s *shaper) required(v *value, path string) string {
	if v.kind != isText || v.text == "" {
		s.refuse(v, "%s must be a non-empty string", path)
	}
	return v.text
}

func (s *shaper) optional(v *value, path string) string {
	if v.kind != isText {
		s.refuse(v, "%s must be a string", path)
	}
	return v.text
}

func (s *shaper) extra(m *Meta, f member, path string) {
	if !f.value.sound() {
		s.failed = true
		return
	}
	s.warn(CodeUnknownKey, f.at,
		"%s is not a recognized field (name/description/whenToUse/phases): it is kept as extra data", path)
	if m.Extra == nil {
		m.Extra = map[string]json.RawMessage{}
	}
	m.Extra[f.key] = f.value.json()
}

func (s *shaper) phases(v *value) []Phase {
	if v.kind != isList {
		s.refuse(v, "meta.phases must be an array")
		return nil
	}
	phases := make([]Phase, 0, len(v.items))
	for i, item := range v.items {
		phases = append(phases, s.phase(item, fmt.Sprintf("meta.phases[%d]", i)))
	}
	return phases
}

func (s *shaper) phase(v *value, path string) (p Phase) {
	switch v.kind {
	case isText:
		p.Title = s.required(v, path)
		return p
	case isObject:
	default:
		s.refuse(v, "%s must be an object or a non-empty string", path)
		return p
	}
	titled := false
	for _, f := range v.members {
		where := join(path, f.key)
		switch f.key {
		case "title":
			titled = true
			p.Title = s.required(f.value, where)
		case "detail":
			p.Detail = s.optional(f.value, where)
		case "provider":
			p.Provider = s.optional(f.value, where)
		case "model":
			p.Model = s.optional(f.value, where)
		default:
			if !f.value.sound() {
				s.failed = true
				continue
			}
			s.warn(CodeUnknownKey, f.at, "%s is not a recognized field (title/detail/provider/model)", where)
		}
	}
	if !titled {
		s.refuse(v, "%s.title must be a non-empty string", path)
	}
	return p
}
