package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
	"github.com/dsh-go/dsh-workflow/llm"
)

// The tags of the file. They stand here and nowhere else.
const (
	tagTurnStart        = "turn/start"
	tagTurnEnd          = "turn/end"
	tagStepStart        = "step/start"
	tagStepEnd          = "step/end"
	tagUserMessage      = "user/message"
	tagAssistantChunk   = "assistant/chunk"
	tagAssistantMessage = "assistant/message"
	tagToolCall         = "tool/call"
	tagToolResult       = "tool/result"
	tagRequestHeader    = "request/header"
	tagInboxSpliced     = "agent/inbox/spliced"
	tagDescriptor       = "subagent/descriptor"
	tagRetry            = "llm/retry"
	tagRetryStarted     = "llm/retry-started"
	tagEndSeed          = "session/end-seed"
	tagTodoWrite        = "todo/write"
	tagHeader           = "session" // the first line of a file
)

// foreign are the types of rooms above: this room carries them as [Opaque] and
// knows only that they exist, so that a log with one of them can be loaded.
// A type that ends in a slash stands for all types below it.
var foreign = [...]string{
	"request/context", tagTodoWrite, "compaction/", "hook/", "tool/code-dispatch",
	"tool/code-dispatch-start", "approval/", "sandbox/mode", "session/title", "goal/",
	"plan/mode", "command/", "tool-workflow/",
}

// tagOf returns the tag of d, and "" for a nil Data.
func tagOf(d Data) string {
	switch d := d.(type) {
	case TurnStart:
		return tagTurnStart
	case TurnEnd:
		return tagTurnEnd
	case StepStart:
		return tagStepStart
	case StepEnd:
		return tagStepEnd
	case UserMessage:
		return tagUserMessage
	case AssistantChunk:
		return tagAssistantChunk
	case AssistantMessage:
		return tagAssistantMessage
	case ToolCall:
		return tagToolCall
	case ToolResult:
		return tagToolResult
	case RequestHeader:
		return tagRequestHeader
	case InboxSpliced:
		return tagInboxSpliced
	case Descriptor:
		return tagDescriptor
	case Retry:
		return tagRetry
	case RetryStarted:
		return tagRetryStarted
	case EndSeed:
		return tagEndSeed
	case Opaque:
		return d.Type
	}
	return ""
}

// typed says whether tag has a Data type of its own.
func typed(tag string) bool {
	_, err := decodeData(tag, []byte("{}"))
	return !errors.Is(err, errForeign)
}

func isForeign(tag string) bool {
	for _, f := range foreign {
		if tag == f || strings.HasSuffix(f, "/") && strings.HasPrefix(tag, f) {
			return true
		}
	}
	return false
}

// onSurface says whether events of this kind produce messages.
func onSurface(d Data) bool {
	switch d.(type) {
	case UserMessage, AssistantMessage, ToolResult:
		return true
	}
	return false
}

// encodeData writes the payload of an event.
func encodeData(d Data) (json.RawMessage, error) {
	if chunk, ok := d.(AssistantChunk); ok {
		return encodeChunk(chunk)
	}
	raw, err := plainjson.Marshal(wireOf(d))
	if err != nil {
		return nil, wrapped(CodeNotJSON, err, "session event %q carries non-JSON-serializable data", tagOf(d))
	}
	if tooDeep(raw, 1) {
		return nil, fault(CodeNotJSON, "session event %q carries non-JSON-serializable data: it nests too deep to be read again", tagOf(d))
	}
	return raw, nil
}

// tooDeep reports whether JSON could not be read any more that stands inside so
// many other brackets: the decoder has a limit, and a line that is over it would
// make the whole log unreadable.
func tooDeep(raw []byte, inside int) bool {
	const sure = 9_000 // brackets that are under the limit however they nest
	if bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) < sure {
		return false
	}
	wrapped := bytes.Repeat([]byte("["), inside)
	wrapped = append(wrapped, raw...)
	return !json.Valid(append(wrapped, bytes.Repeat([]byte("]"), inside)...))
}

// encodeChunk writes what marshal would: a stream has many chunks.
func encodeChunk(d AssistantChunk) (json.RawMessage, error) {
	raw := make([]byte, 0, 128)
	raw = strconv.AppendInt(append(raw, `{"turn":`...), int64(d.Turn), 10)
	raw = strconv.AppendInt(append(raw, `,"step":`...), int64(d.Step), 10)
	raw, err := llm.AppendChunk(append(raw, `,"chunk":`...), d.Chunk)
	if err != nil {
		return nil, wrapped(CodeNotJSON, err, "session event %q carries non-JSON-serializable data", tagAssistantChunk)
	}
	return append(raw, '}'), nil
}

// errForeign says that a tag has no Data type here.
var errForeign = errors.New("type of another room")

// decodeData reads the payload of an event with a type of this room.
func decodeData(tag string, raw []byte) (Data, error) {
	switch tag {
	case tagTurnStart:
		return decodeAs[TurnStart](raw)
	case tagTurnEnd:
		return decodeAs[TurnEnd](raw)
	case tagStepStart:
		return decodeAs[StepStart](raw)
	case tagStepEnd:
		return decodeAs[StepEnd](raw)
	case tagUserMessage:
		return decodeWire[wireUserMessage](raw)
	case tagAssistantChunk:
		return decodeWire[wireAssistantChunk](raw)
	case tagAssistantMessage:
		return decodeWire[wireAssistantMessage](raw)
	case tagToolCall:
		return decodeAs[ToolCall](raw)
	case tagToolResult:
		return decodeWire[wireToolResult](raw)
	case tagRequestHeader:
		return decodeAs[RequestHeader](raw)
	case tagInboxSpliced:
		return decodeAs[InboxSpliced](raw)
	case tagDescriptor:
		return decodeAs[Descriptor](raw)
	case tagRetry:
		return decodeAs[Retry](raw)
	case tagRetryStarted:
		return decodeAs[RetryStarted](raw)
	case tagEndSeed:
		return EndSeed{}, nil
	}
	return nil, errForeign
}

func decodeAs[D Data](raw []byte) (Data, error) {
	var d D
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, err
	}
	return d, nil
}

func decodeWire[W interface{ event() (Data, error) }](raw []byte) (Data, error) {
	var w W
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, err
	}
	return w.event()
}

// envelope is one line of a file. Surface is "append" or a replacement.
type envelope struct {
	Type      string          `json:"type"`
	Seq       Seq             `json:"seq"`
	Time      int64           `json:"time"`
	Data      json.RawMessage `json:"data"`
	Surface   json.RawMessage `json:"surfaceOp,omitempty"`
	Sources   *[]Seq          `json:"sourceEventSeqs,omitempty"`
	Ignorable bool            `json:"ignorable,omitempty"`
}

type wireReplace struct {
	Op    string `json:"op"`
	Start Seq    `json:"start"`
	End   Seq    `json:"end"`
}

// MarshalJSON writes the event as it stands in a log.
func (e Event) MarshalJSON() ([]byte, error) {
	data, err := encodeData(e.Data)
	if err != nil {
		return nil, err
	}
	return encodeLine(e, data), nil
}

const surfaceAppend = `"append"`

// encodeLine writes the line of e, whose payload is data. It is put together by
// hand because data is compact JSON already and may be long.
func encodeLine(e Event, data json.RawMessage) []byte {
	line := make([]byte, 0, len(data)+128)
	line = llm.AppendString(append(line, `{"type":`...), tagOf(e.Data))
	line = strconv.AppendInt(append(line, `,"seq":`...), int64(e.Seq), 10)
	line = strconv.AppendInt(append(line, `,"time":`...), e.Time.UnixMilli(), 10)
	line = append(append(line, `,"data":`...), data...)
	switch {
	case e.Replace != nil:
		line = strconv.AppendInt(append(line, `,"surfaceOp":{"op":"replace","start":`...), int64(e.Replace.Start), 10)
		line = strconv.AppendInt(append(line, `,"end":`...), int64(e.Replace.End), 10)
		line = append(line, '}')
	case onSurface(e.Data):
		line = append(line, `,"surfaceOp":"append"`...)
	}
	if e.Sources != nil {
		line = append(line, `,"sourceEventSeqs":[`...)
		for i, source := range e.Sources {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendInt(line, int64(source), 10)
		}
		line = append(line, ']')
	}
	if e.Ignorable {
		line = append(line, `,"ignorable":true`...)
	}
	return append(line, '}')
}

// decodeLine reads one line of a file. An unknown type is an error of code
// UNSUPPORTED_LOG unless the line says that it may be skipped; a line that is
// not an event is one of code CORRUPT_LOG.
func decodeLine(raw []byte) (Event, error) {
	var line envelope
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&line); err != nil {
		return Event{}, wrapped(CodeCorrupt, err, "not a session event")
	}
	if line.Type == "" || line.Data == nil {
		return Event{}, fault(CodeCorrupt, "not a session event: type and data are required")
	}
	data, err := decodeData(line.Type, line.Data)
	switch {
	case errors.Is(err, errForeign) && !line.Ignorable && !isForeign(line.Type):
		return Event{}, fault(CodeUnsupported, "session event %d has the unknown type %q: the log was written by a newer harness, upgrade to read it", line.Seq, line.Type)
	case errors.Is(err, errForeign):
		data = Opaque{Type: line.Type, Raw: line.Data}
	case err != nil:
		return Event{}, wrapped(CodeCorrupt, err, "session event %d (%s)", line.Seq, line.Type)
	}
	e := Event{Seq: line.Seq, Time: time.UnixMilli(line.Time).UTC(), Data: data, Ignorable: line.Ignorable}
	if line.Sources != nil {
		e.Sources = *line.Sources
	}
	if e.Replace, err = decodeSurface(line.Surface, onSurface(data)); err != nil {
		return Event{}, wrapped(CodeCorrupt, err, "session event %d (%s)", line.Seq, line.Type)
	}
	return e, nil
}

func decodeSurface(raw json.RawMessage, surface bool) (*Range, error) {
	switch {
	case raw == nil && !surface:
		return nil, nil
	case raw == nil:
		return nil, errors.New("surfaceOp is missing")
	case !surface:
		return nil, errors.New("surfaceOp is not allowed on this type")
	case string(raw) == surfaceAppend:
		return nil, nil
	}
	var op wireReplace
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&op); err != nil || op.Op != "replace" {
		return nil, fmt.Errorf("surfaceOp %s is unknown", raw)
	}
	return &Range{Start: op.Start, End: op.End}, nil
}
