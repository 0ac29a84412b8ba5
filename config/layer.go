package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Names of the environment that are read here. docs/configuration.md lists all.
const (
	varModel   = "DSH_MODEL"
	varBaseURL = "DSH_BASE_URL"
	varKey     = "DSH_API_KEY"
)

// layer is one source of values: a document, and what its lines are called.
type layer struct {
	kind   Layer
	raw    []byte
	path   string         // of a file
	names  map[key]string // of variables and flags
	faulty string         // what is wrong with it as a whole
}

func (l layer) origin(k key, line int) Origin {
	switch l.kind {
	case FromUser, FromProject:
		return Origin{Layer: l.kind, Name: l.path, Line: line}
	case FromVariable, FromFlag:
		return Origin{Layer: l.kind, Name: l.names[k]}
	case FromDefault:
	}
	return Origin{Layer: FromDefault}
}

// document makes the text of a layer that is no file.
func document(f File) []byte {
	raw, err := json.Marshal(f)
	if err != nil { // there is nothing in a File that JSON does not have
		panic(fmt.Sprintf("config: %v", err))
	}
	return raw
}

// vendor is a provider that is built in.
type vendor struct {
	name, keyEnv, urlEnv, url, model string
}

// vendors returns the known ones; the first whose key is set is the default.
func vendors() []vendor {
	return []vendor{
		{"deepseek", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "https://api.deepseek.com", "deepseek-v4-flash"},
		{"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", ""},
	}
}

// builtIn is what is known without anybody saying it.
func builtIn() File {
	f := File{Providers: map[string]Provider{}, Models: map[string]Model{
		"deepseek-v4-flash": {Provider: "deepseek", Context: 1000000},
		"deepseek-v4-pro":   {Provider: "deepseek", Context: 1000000},
	}}
	for _, v := range vendors() {
		f.Providers[v.name] = Provider{BaseURL: v.url, KeyEnv: v.keyEnv}
	}
	return f
}

// environment is the layer of variables.
func environment(lookup func(string) string) layer {
	l := layer{kind: FromVariable, names: map[key]string{}}
	f := File{Providers: map[string]Provider{}}
	for _, v := range vendors() {
		if url := lookup(v.urlEnv); url != "" {
			f.Providers[v.name] = Provider{BaseURL: url}
			l.names[keyOf("providers", v.name, "baseUrl")] = v.urlEnv
		}
	}
	if url := lookup(varBaseURL); url != "" {
		f.Providers[Custom] = Provider{BaseURL: url, KeyEnv: varKey}
		l.names[keyOf("providers", Custom, "baseUrl")] = varBaseURL
		l.names[keyOf("providers", Custom, "keyEnv")] = varBaseURL
	}
	f.Defaults.Model = lookup(varModel)
	l.names[keyOf("defaults", "model")] = varModel
	l.raw = document(f)
	return l
}

// flags is the layer of the command line.
func flags(c Choice, limits Limits) layer {
	f := File{Providers: map[string]Provider{}, Limits: limits}
	f.Defaults.Model = c.Model
	l := layer{kind: FromFlag, names: map[key]string{
		keyOf("defaults", "model"):            "--model",
		keyOf("providers", Custom, "baseUrl"): "--base-url",
		keyOf("providers", Custom, "keyEnv"):  "--api-key-env",
		keyOf("limits", "concurrency"):        "--concurrency",
		keyOf("limits", "agents"):             "--max-agents",
		keyOf("limits", "deadline"):           "--deadline",
	}}
	switch {
	case c.BaseURL != "":
		f.Providers[Custom] = Provider{BaseURL: c.BaseURL, KeyEnv: c.KeyEnv}
		if c.KeyEnv == "" {
			f.Providers[Custom] = Provider{BaseURL: c.BaseURL, KeyEnv: varKey}
			l.names[keyOf("providers", Custom, "keyEnv")] = "--base-url"
		}
	case c.KeyEnv != "":
		f.Providers[Custom] = Provider{KeyEnv: c.KeyEnv}
	}
	l.raw = document(f)
	return l
}

// userFile is the layer of the harness home.
func userFile(home string) layer {
	l := layer{kind: FromUser, path: UserFile(home)}
	l.raw, l.faulty = readFile(l.path)
	return l
}

// UserFile is where the configuration of a user lies.
func UserFile(home string) string { return filepath.Join(home, fileName) }

// fileName is what a configuration file is called.
const fileName = "config.yaml"

// ProjectFile finds the configuration file of the project that dir is in: the
// nearest .dsh/config.yaml from dir up to the root of its repository, or in dir
// alone where there is none. It is empty if there is no such file, and does not
// find the one of home, which is the user's.
func ProjectFile(dir, home string) string {
	if dir == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	root := Repository(dir)
	if root == "" {
		root = dir
	}
	for ; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".dsh", fileName)
		if _, err := os.Lstat(path); err == nil && !sameFile(path, UserFile(home)) {
			return path
		}
		if dir == root || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// Repository is the nearest folder at or above dir that has a .git, or empty.
func Repository(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
