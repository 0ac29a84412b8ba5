package session

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
)

// Load reads the log at path without changing it and without a lock; an open
// turn stays open. Lines that are nothing, and what stands behind the last event
// without a gap, are left out. It fails with an [*Error] of code
// SESSION_NOT_FOUND when there is no log, UNSUPPORTED_LOG when another version
// wrote it, and CORRUPT_LOG when an event is missing or damaged before the end of
// a turn.
func Load(path string) (Header, []Event, error) {
	loaded, err := load(path)
	return loaded.header, loaded.events, err
}

// loaded is the good part of a file.
type loaded struct {
	header Header
	events []Event
	size   int64 // bytes of the good part, its last newline included
}

func load(path string) (loaded, error) {
	var is loaded
	var damage error // the first; what follows it is only looked at
	headed := false
	for line, err := range jsonl.Scan(path) {
		switch {
		case err != nil:
			return loaded{}, fileError(err, path)
		case !headed && line.Value == nil:
			return loaded{}, fault(CodeCorrupt, "session log %s: line %d: %s", path, line.Number, line.Skipped)
		case line.Value == nil:
			continue // if an event is missing, the number of the next one tells
		case !headed:
			if is.header, err = decodeHeader(line.Value); err != nil {
				return loaded{}, err
			}
			headed = true
		case damage != nil:
			if endsTurn(line.Value) {
				return loaded{}, damage
			}
			continue
		default:
			if damage, err = is.take(line); err != nil {
				return loaded{}, err
			}
		}
		if damage == nil {
			is.size = line.Offset + line.Size
		}
	}
	if !headed {
		return loaded{}, fault(CodeCorrupt, "session log %s has no header", path)
	}
	return is, nil
}

// take adds the event of a line. damage is set for a line that is no event or
// not the next one, err for a log that cannot be read at all.
func (is *loaded) take(line jsonl.Line) (damage, err error) {
	e, err := decodeLine(line.Value)
	var why *Error
	switch {
	case errors.As(err, &why) && why.Kind == CodeUnsupported:
		return nil, err
	case err != nil && endsTurn(line.Value):
		return nil, err
	case err != nil:
		return err, nil
	case int(e.Seq) != len(is.events):
		gap := fault(CodeCorrupt, "line %d has event %d, expected %d", line.Number, e.Seq, len(is.events))
		if endsTurn(line.Value) {
			return nil, gap
		}
		return gap, nil
	}
	is.events = append(is.events, e)
	return nil, nil
}

// endsTurn says whether a line is the end of a turn, whatever else is wrong with it.
func endsTurn(value []byte) bool {
	var line struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(value, &line) == nil && line.Type == tagTurnEnd
}

// decodeHeader reads the first line of a file. The version is looked at before
// anything else, because the rest may mean something else in another one.
func decodeHeader(raw []byte) (Header, error) {
	var version struct {
		Type    string `json:"type"`
		Version *int   `json:"version"`
	}
	if err := json.Unmarshal(raw, &version); err != nil || version.Type != tagHeader || version.Version == nil {
		return Header{}, fault(CodeCorrupt, "not the header of a session log: %.80q", raw)
	}
	if *version.Version != FormatVersion {
		return Header{}, Header{Version: *version.Version}.check()
	}
	var head fileHeader
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&head); err != nil {
		return Header{}, wrapped(CodeCorrupt, err, "header of a session log")
	}
	return head.Header, head.check()
}
