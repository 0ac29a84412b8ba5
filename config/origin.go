package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Layer says what kind of source a value has.
type Layer string

// Layers, the later ones over the earlier ones.
const (
	FromDefault  Layer = "default"
	FromUser     Layer = "user"     // $DSH_HOME/config.yaml
	FromProject  Layer = "project"  // .dsh/config.yaml
	FromVariable Layer = "variable" // of the environment
	FromFlag     Layer = "flag"
)

// Origin says where a value was set.
type Origin struct {
	Layer Layer `json:"layer"`
	// Name is the path of the file, the variable or the flag; empty for a default.
	Name string `json:"name,omitempty"`
	Line int    `json:"line,omitempty"` // of a file
}

func (o Origin) String() string {
	switch {
	case o.Layer == FromDefault || o.Layer == "":
		return string(FromDefault)
	case o.Line > 0:
		return o.Name + ":" + strconv.Itoa(o.Line)
	}
	return o.Name
}

// file says whether the value stands in a file.
func (o Origin) file() bool { return o.Layer == FromUser || o.Layer == FromProject }

// key is the way to one value: its names, joined by a character that no name has.
type key string

const keySeparator = "\x00"

func keyOf(names ...string) key { return key(strings.Join(names, keySeparator)) }

func (k key) with(name string) key {
	if k == "" {
		return key(name)
	}
	return k + keySeparator + key(name)
}

func (k key) names() []string { return strings.Split(string(k), keySeparator) }

// String is the key as people write it: names joined by dots, quoted where a name
// has one.
func (k key) String() string {
	if k == "" {
		return ""
	}
	parts := k.names()
	for i, p := range parts {
		if p == "" || strings.ContainsAny(p, ". \"") {
			parts[i] = strconv.Quote(p)
		}
	}
	return strings.Join(parts, ".")
}

// Fault is one thing that is wrong with the configuration.
type Fault struct {
	Origin Origin `json:"origin"`
	Key    string `json:"key,omitempty"`
	// Text says what is wrong and what to do. It holds no secret.
	Text string `json:"text"`
}

// String names the key only where the origin does not do so itself.
func (f Fault) String() string {
	if f.Key == "" || f.Origin.Layer == FromFlag || f.Origin.Layer == FromVariable {
		return fmt.Sprintf("%s: %s", f.Origin, f.Text)
	}
	return fmt.Sprintf("%s: %s: %s", f.Origin, f.Key, f.Text)
}

// Faults are all that is wrong with the configuration, in the order of the
// layers and lines.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

// Code returns INVALID_CONFIG.
func (f Faults) Code() string { return "INVALID_CONFIG" }
