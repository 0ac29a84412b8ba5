package openai

import (
	"net/url"
	"slices"
	"strings"
)

// Replay says which assistant messages are sent with their reasoning.
type Replay string

// The ways of a Replay.
const (
	ReplayNever Replay = "never" // the server refuses the field
	ReplayKept  Replay = "kept"  // wherever the message has reasoning
	// ReplayCalls is ReplayKept, and messages with tool calls carry the field
	// even if it is empty: the server refuses them without.
	ReplayCalls Replay = "calls"
)

// Profile is what one kind of server wants. It is data; the zero value stands
// for "choose by the base URL".
type Profile struct {
	Name string
	// Efforts are the levels of reasoning that the server has, rising, out of
	// low, medium, high, xhigh and max.
	Efforts []string
	// Off is the value of reasoning_effort that switches thinking off. It is
	// empty where the server has none.
	Off string
	// Thinking is set where thinking{"type":"enabled"|"disabled"} switches
	// thinking on and off.
	Thinking bool
	// MaxTokensField is the name of the field that bounds the answer.
	MaxTokensField string
	// MaxTokens bounds the answers of requests that do not say; 0 sends none.
	MaxTokens int
	Reasoning Replay
	// NeedsKey is set where a request without a key cannot succeed.
	NeedsKey bool
}

// Profiles returns the profiles that are built in. The last one, generic, is
// what other servers get.
func Profiles() []Profile {
	return []Profile{
		{
			Name: "deepseek", Efforts: []string{"low", "high", "max"}, Thinking: true,
			MaxTokensField: "max_tokens", Reasoning: ReplayCalls, NeedsKey: true,
		},
		{
			Name: "openai", Efforts: []string{"low", "medium", "high", "xhigh"}, Off: "none",
			MaxTokensField: "max_completion_tokens", Reasoning: ReplayNever, NeedsKey: true,
		},
		{
			Name: "generic", Efforts: []string{"low", "medium", "high"}, Off: "none",
			MaxTokensField: "max_tokens", Reasoning: ReplayKept,
		},
	}
}

// ProfileNamed returns the built-in profile of that name.
func ProfileNamed(name string) (Profile, bool) {
	for _, p := range Profiles() {
		if p.Name == name {
			return p, true
		}
	}
	return Profile{}, false
}

// ProfileFor returns the profile of the server that a base URL names: deepseek
// and openai by their hosts, generic for all others.
func ProfileFor(baseURL string) Profile {
	name := "generic"
	if u, err := url.Parse(baseURL); err == nil {
		switch host := strings.ToLower(u.Hostname()); {
		case host == "deepseek.com" || strings.HasSuffix(host, ".deepseek.com"):
			name = "deepseek"
		case host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com"):
			name = "openai"
		}
	}
	p, _ := ProfileNamed(name)
	return p
}

// levels are the efforts that a request may ask for, rising.
func levels() []string { return []string{"low", "medium", "high", "xhigh", "max"} }

// Effort maps a level (low, medium, high, xhigh, max or off) to the word that
// is sent. The nearest level stands in for one that the server does not have,
// the higher of two that are equally near; exact tells whether that happened.
// An empty level maps to itself. An empty word for any other level means that
// nothing comes near and that [Encode] refuses the request.
func (p Profile) Effort(level string) (word string, exact bool) {
	switch level {
	case "":
		return "", true
	case "off":
		if p.Thinking {
			return "disabled", true
		}
		return p.Off, p.Off != ""
	}
	all := levels()
	want := slices.Index(all, level)
	if want < 0 {
		return "", false
	}
	best := len(all)
	for rank, l := range all {
		distance := max(want-rank, rank-want)
		if distance <= best && slices.Contains(p.Efforts, l) {
			word, best = l, distance
		}
	}
	return word, best == 0
}
