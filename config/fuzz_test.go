package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzLoad reads any text as the file of a user. It ends soon, each fault has a
// place and one line of text, and what is taken has the bounds that it promises
// and can be used.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		corp, team, "limits: {agents: -1}", "a: &a [*a]", "providers:\n  ? [a]\n  : b", "limits: [", "\xff", "{}\n---\n", "%YAML 1.1\n---\n",
		"models: {\"a\\0b\": {}}", "providers: {a: {retry: {max: 1, initial: 1ns}}}", "aliases: {haiku: inherit, fast: sim}",
		"limits: {source: 1 GiB, log: 0x10}", "defaults: !!str x", "<<: {a: b}", "null", "defaults: {model: 'a/b'}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), fileName)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		s, err := Load(Sources{Home: filepath.Dir(path), Lookup: env("CORP_KEY", "secret-of-a-variable")})
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("took %s", took)
		}
		var faults Faults
		if errors.As(err, &faults) {
			for _, f := range faults {
				if f.Origin.Name != path || f.Text == "" || strings.ContainsAny(f.String(), "\n\r\x1b") {
					t.Errorf("fault %q", f)
				}
			}
			return
		}
		if err != nil {
			t.Fatalf("%v is no list of faults", err)
		}
		l := s.File.Limits
		if l.Agents < 0 || l.Concurrency < 0 || l.Source < 0 || l.Deadline < 0 || l.Grace < 0 {
			t.Errorf("limits %+v", l)
		}
		for _, v := range s.Values() {
			if v.Key == "" || strings.Contains(v.Value, "secret-of-a-variable") {
				t.Errorf("value %+v", v)
			}
		}
		s.Known()
		def, err := s.Default()
		if err == nil {
			s.Route(def, "", "haiku")
		} else if errors.As(err, new(*Error)) == false {
			t.Errorf("%v has no code", err)
		}
	})
}
