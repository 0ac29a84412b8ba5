package plainjson

import (
	"encoding/json"
	"testing"
)

func TestMarshal(t *testing.T) {
	for want, v := range map[string]any{
		`"<a href='&'>\n"`:           "<a href='&'>\n",
		`{"r":{"b":1,"a":"\u003c"}}`: map[string]any{"r": json.RawMessage(`{ "b": 1, "a": "\u003c" }`)},
		`null`:                       nil,
	} {
		got, err := Marshal(v)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	if _, err := Marshal(make(chan int)); err == nil {
		t.Error("a channel was written")
	}
}
