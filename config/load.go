package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
)

// Sources say where values come from. Every member may be left out.
type Sources struct {
	Home string // the folder of the user's file, absolute
	Dir  string // the working directory, for the project's file
	// Trusted says that the project's file may count. Where it may not, it is not
	// even read; see [Settings.Ignored].
	Trusted bool
	// Lookup gives the value of a variable, or the empty string.
	Lookup func(string) string
	// Base holds values for what nothing else says. It comes over what is built in.
	Base File
	// Choice and Limits are flags of the command line.
	Choice Choice
	Limits Limits
}

// Choice is what a user said about the model on the command line.
type Choice struct {
	Model   string // a name, "provider/name", an alias, or Sim; empty takes a default
	BaseURL string // of an OpenAI-compatible endpoint, with its /v1
	KeyEnv  string // name of the variable that holds the key for BaseURL
}

// Settings are what all layers come to. They are immutable; any goroutine may
// use them.
type Settings struct {
	// File holds the values that count. Members that have a default are filled in.
	File File
	// User and Project are the paths of the files that were read, empty for none.
	User, Project string
	// Ignored is the path of a project's file that does not count.
	Ignored string

	origins map[key]Origin
	written map[key]bool // values and sections that a file has
	model   string       // the default that files name
	lookup  func(string) string
}

// Load reads all layers. The error is [Faults] with all that is wrong in any of
// them.
func Load(s Sources) (*Settings, error) {
	if s.Lookup == nil {
		s.Lookup = func(string) string { return "" }
	}
	out := &Settings{origins: map[key]Origin{}, written: map[key]bool{}, lookup: s.Lookup}
	layers := []layer{{kind: FromDefault, raw: document(builtIn())}, {kind: FromDefault, raw: document(s.Base)}}
	layers = append(layers, out.files(s)...)
	layers = append(layers, environment(s.Lookup), flags(s.Choice, s.Limits))

	merged := koanf.New(keySeparator)
	var faults Faults
	whole := true
	for _, l := range layers {
		found, readable, err := out.add(merged, l)
		if err != nil {
			return nil, err
		}
		whole = whole && readable
		faults = append(faults, found...)
	}
	var err error
	if out.File, err = decode(merged); err != nil {
		return nil, err
	}
	if whole { // what refers to a file that cannot be read is no fault of its own
		faults = append(faults, out.check()...)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	out.fill()
	return out, nil
}

// files gives the layers of files, and notes which there are.
func (s *Settings) files(from Sources) (found []layer) {
	if from.Home != "" {
		if l := userFile(from.Home); l.raw != nil || l.faulty != "" {
			s.User = l.path
			found = append(found, l)
		}
	}
	switch path := ProjectFile(from.Dir, from.Home); {
	case path == "":
	case !from.Trusted:
		s.Ignored = path
	default:
		s.Project = path
		l := layer{kind: FromProject, path: path}
		l.raw, l.faulty = readFile(path)
		found = append(found, l)
	}
	return found
}

// add lays one layer over those before; readable is false if nothing can be known
// of what it says. An error is a mistake of this package.
func (s *Settings) add(merged *koanf.Koanf, l layer) (faults Faults, readable bool, err error) {
	if l.faulty != "" {
		return Faults{{Origin: l.origin("", 0), Text: l.faulty}}, false, nil
	}
	inFile := l.kind == FromUser || l.kind == FromProject
	var before File
	if inFile {
		if before, err = decode(merged); err != nil {
			return nil, false, err
		}
	}
	r := &reader{rules: rules(), origin: l.origin, places: map[key]Origin{}}
	if err := merged.Load(rawbytes.Provider(l.raw), r); err != nil {
		return nil, false, fmt.Errorf("read %s: %w", l.origin("", 0), err)
	}
	maps.Copy(s.origins, r.places)
	if !inFile {
		return r.faults, !r.broken, nil
	}
	after, err := decode(merged)
	if err != nil {
		return nil, false, err
	}
	s.model = after.Defaults.Model
	for k := range r.places {
		s.written[k] = true
	}
	return append(r.faults, pairing(before, after, r.places)...), !r.broken, nil
}

// decode gives what the layers so far come to.
func decode(merged *koanf.Koanf) (f File, err error) {
	err = merged.UnmarshalWithConf("", &f, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{TagName: "json", ErrorUnused: true}})
	if err != nil {
		return f, fmt.Errorf("configuration: %w", err)
	}
	return f, nil
}

// The defaults of a provider.
const (
	DefaultConcurrency = 64
	defaultRetries     = 5
)

// fill sets what nobody said.
func (s *Settings) fill() {
	for name, p := range s.File.Providers {
		if p.Concurrency == 0 {
			p.Concurrency = DefaultConcurrency
		}
		if p.Retry.Max == nil {
			most := defaultRetries
			p.Retry.Max = &most
		}
		s.File.Providers[name] = p
	}
}

// originOf says where a value comes from.
func (s *Settings) originOf(names ...string) Origin {
	if o, ok := s.origins[keyOf(names...)]; ok {
		return o
	}
	return Origin{Layer: FromDefault}
}

// Written says whether a file has a section for the provider.
func (s *Settings) Written(provider string) bool { return s.written[keyOf("providers", provider)] }

// Value is one value that counts, as people write it.
type Value struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin Origin `json:"origin"`
}

// Values lists all values that count, in the order of the file's sections and of
// names. No secret is among them.
func (s *Settings) Values() []Value {
	var all []Value
	s.list(&all, "", reflect.ValueOf(s.File))
	return all
}

func (s *Settings) list(all *[]Value, k key, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
		if v.Kind() != reflect.Struct {
			s.one(all, k, v)
			return
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			s.list(all, k.with(nameOf(v.Type().Field(i))), v.Field(i))
		}
	case reflect.Map:
		for _, name := range slices.Sorted(maps.Keys(mapOf(v))) {
			s.list(all, k.with(name), mapOf(v)[name])
		}
	default:
		if !v.IsZero() {
			s.one(all, k, v)
		}
	}
}

func mapOf(v reflect.Value) map[string]reflect.Value {
	out := map[string]reflect.Value{}
	for it := v.MapRange(); it.Next(); {
		out[it.Key().String()] = it.Value()
	}
	return out
}

func (s *Settings) one(all *[]Value, k key, v reflect.Value) {
	text := fmt.Sprint(v.Interface())
	if v.Kind() == reflect.Float64 {
		text = strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	*all = append(*all, Value{Key: k.String(), Value: text, Origin: s.originOf(k.names()...)})
}
