package meta_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh-workflow/meta"
)

// proves: W23, W24, W26
func TestFromJSON(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want meta.Meta
	}{
		{`{"name":"a","description":"b"}`, meta.Meta{Name: "a", Description: "b"}},
		{`{"name":"a","description":"b","phases":[]}`, meta.Meta{Name: "a", Description: "b", Phases: []meta.Phase{}}},
		{`{"name":"a","description":"b","whenToUse":"c","phases":[{"title":"t","detail":"d","provider":"p","model":"m"},{"title":"u"}]}`,
			meta.Meta{Name: "a", Description: "b", WhenToUse: "c", Phases: []meta.Phase{{Title: "t", Detail: "d", Provider: "p", Model: "m"}, {Title: "u"}}}},
		{`{"name":"a","description":"b","color":{"z":1,"a":[12345678901234567890]}}`,
			meta.Meta{Name: "a", Description: "b", Extra: map[string]json.RawMessage{"color": json.RawMessage(`{"z":1,"a":[12345678901234567890]}`)}}},
	} {
		raw := json.RawMessage(c.raw)
		m, warnings, err := meta.FromJSON(raw)
		if err != nil {
			t.Errorf("FromJSON(%s): %v", c.raw, err)
			continue
		}
		for i := range raw {
			raw[i] = 'x'
		}
		if diff := cmp.Diff(c.want, *m); diff != "" {
			t.Errorf("FromJSON(%s): %s", c.raw, diff)
		}
		if (len(warnings) > 0) != (c.want.Extra != nil) {
			t.Errorf("FromJSON(%s) warns %+v", c.raw, warnings)
		}
		back, err := json.Marshal(m)
		if err != nil || string(back) != c.raw {
			t.Errorf("Marshal = %s, %v; want %s", back, err, c.raw)
		}
	}
}

// proves: W25, W27, W28, W30, W31
func TestFromJSONRefuses(t *testing.T) {
	const name, description = "meta.name must be a non-empty string", "meta.description must be a non-empty string"
	for _, c := range []struct{ raw, want string }{
		{``, "meta must be an object"},
		{`"x"`, "meta must be an object"},
		{`null`, "meta must be an object"},
		{`[]`, "meta must be an object"},
		{`{"description":"b"}`, name},
		{`{"name":"","description":"b"}`, name},
		{`{"name":"a"}`, description},
		{`{"name":"a","description":7}`, description},
		{`{"name":"a","description":"b","whenToUse":7}`, "meta.whenToUse must be a string"},
		{`{"name":"a","description":"b","phases":"x"}`, "meta.phases must be an array"},
		{`{"name":"a","description":"b","phases":[1]}`, "meta.phases[0] must be an object or a non-empty string"},
		{`{"name":"a","description":"b","phases":[{"title":""}]}`, "meta.phases[0].title must be a non-empty string"},
		{`{"name":"a","description":"b","phases":[{"title":"t"},{"title":"t","detail":1,"provider":2,"model":3}]}`,
			"meta.phases[1].detail must be a string; meta.phases[1].provider must be a string; meta.phases[1].model must be a string"},
		{`{"name":"a","description":"b","x":{"__proto__":1}}`, "meta.x.__proto__ is not allowed as a key"},
		{`{"whenToUse":1,"phases":[{},"x"]}`,
			"meta.whenToUse must be a string; meta.phases[0].title must be a non-empty string; " + name + "; " + description},
		{`{"name":"a"`, "meta is not JSON: EOF"},
		{`{"name":"a","description":"b"} 1`, "meta is not JSON: more than one value"},
		{`{"x":` + strings.Repeat("[", 10000), "meta is not JSON: it is nested deeper than 100 levels"},
	} {
		m, _, err := meta.FromJSON(json.RawMessage(c.raw))
		var d meta.Diagnostics
		if !errors.As(err, &d) || d.Code() != meta.CodeInvalid {
			t.Errorf("FromJSON(%.80s) = %+v, %v", c.raw, m, err)
			continue
		}
		if got := strings.TrimPrefix(err.Error(), "invalid meta: "); got != c.want {
			t.Errorf("FromJSON(%.80s):\n got %s\nwant %s", c.raw, got, c.want)
		}
	}
}

func TestMetaReadsItself(t *testing.T) {
	var m meta.Meta
	if err := json.Unmarshal([]byte(`{"name":"a","description":"b","x":1}`), &m); err != nil || string(m.Extra["x"]) != "1" {
		t.Errorf("%+v, %v", m, err)
	}
	if err := json.Unmarshal([]byte(`{"name":"a"}`), &m); err == nil {
		t.Error("a meta without description is accepted")
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"review":                "review",
		"Review PR":             "review-pr",
		"prismcr:review":        "prismcr-review",
		"_template":             "_template",
		"TODO-loop":             "todo-loop",
		"thermo_quality":        "thermo_quality",
		"../../etc/passwd":      "etc-passwd",
		" a  b ":                "a-b",
		"con":                   "con-",
		"...":                   "workflow-",
		"审查":                    "workflow-",
		"größe":                 "gr-e-",
		"a\x00b":                "a-b",
		strings.Repeat("x", 99): strings.Repeat("x", 55) + "-",
	} {
		got := meta.Slug(name)
		hashed := strings.HasSuffix(want, "-") // and eight digits follow
		if !hashed && got != want || !strings.HasPrefix(got, want) || len(got) > 64 {
			t.Errorf("Slug(%q) = %s, want %s", name, got, want)
		}
	}
	if meta.Slug("审查") == meta.Slug("检查") {
		t.Error("two names meet")
	}
}
