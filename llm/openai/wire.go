package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// wireEvent is what servers send as the data of an event, and as the body of an
// answer that is not a stream. Members that vary from server to server are read
// leniently.
type wireEvent struct {
	Model   looseText       `json:"model"`
	Choices []wireChoice    `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type wireChoice struct {
	Index   json.RawMessage `json:"index"`
	Delta   *wireDelta      `json:"delta"`
	Message *wireDelta      `json:"message"` // not a stream, or a last event that repeats everything
	Finish  looseText       `json:"finish_reason"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type wireDelta struct {
	Content   prose    `json:"content"`
	Refusal   prose    `json:"refusal"`
	Reasoning prose    `json:"reasoning_content"`
	Thoughts  prose    `json:"reasoning"` // the name that some servers have for reasoning_content
	Calls     callList `json:"tool_calls"`
}

type wireCall struct {
	Index    json.RawMessage `json:"index"`
	ID       looseText       `json:"id"`
	Function *wireFunction   `json:"function"`
}

type wireFunction struct {
	Name      looseText       `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// looseText is a string; a number keeps its digits and anything else is empty.
type looseText string

// UnmarshalJSON reads any JSON value.
func (t *looseText) UnmarshalJSON(data []byte) error {
	switch c := data[0]; {
	case c == '"':
		return json.Unmarshal(data, (*string)(t))
	case c == '-' || '0' <= c && c <= '9':
		*t = looseText(data)
	default:
		*t = ""
	}
	return nil
}

// prose is text that servers send as a string, as null or as a list of parts.
type prose string

// UnmarshalJSON reads a string, null, a part or a list of parts.
func (t *prose) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '"':
		return json.Unmarshal(data, (*string)(t))
	case 'n':
		return nil
	case '[':
		var parts []json.RawMessage
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
		var all strings.Builder
		for _, p := range parts {
			var one prose
			if err := one.UnmarshalJSON(p); err != nil {
				return err
			}
			all.WriteString(string(one))
		}
		*t = prose(all.String())
		return nil
	case '{':
		var part struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(data, &part); err != nil {
			return err
		}
		*t = prose(part.Text)
		return nil
	}
	return errors.New("a text is neither a string nor a list of parts")
}

// callList is a list of calls; null is empty and one call stands for itself.
type callList []wireCall

// UnmarshalJSON reads null, a call or a list of calls.
func (l *callList) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case 'n':
		return nil
	case '{':
		data = append(append([]byte{'['}, data...), ']')
	}
	return json.Unmarshal(data, (*[]wireCall)(l))
}

// fragment returns what a call says, with the arguments as text. Arguments that
// are a JSON object and not a string keep their bytes.
func (c wireCall) fragment() (fragment, error) {
	f := fragment{id: string(c.ID), index: strings.Trim(string(c.Index), `"`)}
	if f.index == "null" {
		f.index = ""
	}
	if c.Function == nil {
		return f, nil
	}
	f.name = string(c.Function.Name)
	raw := c.Function.Arguments
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return f, nil
	}
	if raw[0] == '"' {
		return f, json.Unmarshal(raw, &f.arguments)
	}
	f.arguments = string(raw)
	return f, nil
}
