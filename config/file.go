package config

import "time"

// File is the shape of a configuration file. What is left out, the zero value,
// says nothing: a layer below decides.
//
// The tags are read by the loader and by [Schema]: json names a key, is names the
// rule for its value, each that for the values of a map and name that for its keys.
type File struct {
	Providers map[string]Provider `json:"providers,omitempty" name:"provider" jsonschema:"endpoints that speak the OpenAI protocol, by a name of your own; deepseek and openai are built in"`
	Models    map[string]Model    `json:"models,omitempty" name:"model" jsonschema:"what is known about models, by the name that their endpoint has for them"`
	Aliases   map[string]string   `json:"aliases,omitempty" name:"alias" each:"model" jsonschema:"what a script means by haiku, sonnet, opus, fable, inherit or a name of your own"`
	Defaults  Defaults            `json:"defaults,omitzero" jsonschema:"what a run uses when neither script nor flag says otherwise"`
	Limits    Limits              `json:"limits,omitzero" jsonschema:"bounds of one run"`
}

// Provider is an endpoint. Base URL and key belong together: who changes the
// first in a file names the second beside it.
type Provider struct {
	BaseURL     string `json:"baseUrl,omitempty" is:"url" jsonschema:"up to, not including, /chat/completions"`
	KeyEnv      string `json:"keyEnv,omitempty" is:"variable" jsonschema:"name of the environment variable that holds the key; left out where none is needed"`
	Profile     string `json:"profile,omitempty" is:"profile" jsonschema:"the habits of the server; found by the host if left out"`
	Concurrency int    `json:"concurrency,omitempty" is:"count" jsonschema:"requests at once, over all runs of a process; 64"`
	Retry       Retry  `json:"retry,omitzero" jsonschema:"what is done about requests that fail for a reason that passes"`
}

// Retry is the policy of a provider for failed requests. After the first delay
// each one doubles; a wait that the server asks for is taken as it is.
type Retry struct {
	Max      *int     `json:"max,omitempty" is:"whole" jsonschema:"attempts after the first one; 0 is none; 5"`
	Initial  Duration `json:"initial,omitempty" is:"duration" jsonschema:"the first delay; 500ms"`
	MaxDelay Duration `json:"maxDelay,omitempty" is:"duration" jsonschema:"the longest delay of our own; 10s"`
}

// Model is what is known about one model.
type Model struct {
	Provider string `json:"provider,omitempty" is:"provider" jsonschema:"who serves it; the default provider if left out"`
	Context  int    `json:"context,omitempty" is:"count" jsonschema:"its context window in tokens"`
	Price    *Price `json:"price,omitempty" jsonschema:"US dollars a million tokens; without it the cost of a run is unknown"`
}

// Price is in US dollars a million tokens.
type Price struct {
	Input  *float64 `json:"input,omitempty" is:"dollars" jsonschema:"tokens that are sent"`
	Cached *float64 `json:"cached,omitempty" is:"dollars" jsonschema:"tokens that are sent and found in the provider's cache; the price of input if left out"`
	Output *float64 `json:"output,omitempty" is:"dollars" jsonschema:"tokens that the model writes, thinking included"`
}

// Defaults are what a run uses when nothing else says otherwise.
type Defaults struct {
	Model string `json:"model,omitempty" is:"model" jsonschema:"the model of agents that name none: a name, provider/name, an alias, or sim"`
	Realm string `json:"realm,omitempty" is:"realm" jsonschema:"where scripts run"`
}

// Limits bound one run.
type Limits struct {
	Concurrency int      `json:"concurrency,omitempty" is:"count" jsonschema:"agents at once; min(16, max(2, CPUs-2))"`
	Agents      int      `json:"agents,omitempty" is:"count" jsonschema:"agents in all; 1000"`
	Items       int      `json:"items,omitempty" is:"count" jsonschema:"items of one parallel() or pipeline(); 4096"`
	Source      int      `json:"source,omitempty" is:"size" jsonschema:"bytes of a script; 512KiB"`
	Log         int      `json:"log,omitempty" is:"size" jsonschema:"bytes that a run may log; 16MiB"`
	Sync        Duration `json:"sync,omitempty" is:"duration" jsonschema:"one stretch of script that waits for nothing; 30s in a process of its own, 5s in process"`
	Deadline    Duration `json:"deadline,omitempty" is:"duration" jsonschema:"wall time of a run; none"`
	Grace       Duration `json:"grace,omitempty" is:"duration" jsonschema:"how long cancelled agents may take to stop; 5s"`
	Stall       Duration `json:"stall,omitempty" is:"duration" jsonschema:"the longest silence of a model; 180s"`
	Write       Duration `json:"write,omitempty" is:"duration" jsonschema:"how long a full or failing disk is waited for; 30s"`
}

// Duration is a length of time that is written like 90s, 1m30s or 2h.
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the duration as it stands in a file.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration as it stands in a file.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}
