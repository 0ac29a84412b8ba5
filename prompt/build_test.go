package prompt_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/google/go-cmp/cmp"
)

func build(t *testing.T, sections []prompt.Section, vars ...prompt.Variable) string {
	t.Helper()
	text, err := prompt.Build(sections, vars)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// proves: A103, A104, A108
func TestBuildOrders(t *testing.T) {
	sections := []prompt.Section{
		{Name: "b", Order: 101, Text: "second tool"},
		{Name: "a", Order: 101, Text: "third tool"},
		{Name: "r", Order: 100.5, Text: "first tool"},
		prompt.Persona("You audit code."),
		prompt.Identity(),
	}
	want := "You are an AI agent powered by the DeepSeek Harness SDK.\n\nYou audit code.\n\nfirst tool\n\nsecond tool\n\nthird tool"
	if diff := cmp.Diff(want, build(t, sections)); diff != "" {
		t.Error(diff)
	}
	if sections[0].Name != "b" {
		t.Error("the caller's list was sorted")
	}
	sections[3] = prompt.Persona("")
	want = strings.Replace(want, "You audit code.\n\n", "", 1)
	if diff := cmp.Diff(want, build(t, sections)); diff != "" {
		t.Error(diff)
	}
	_, err := prompt.Build(append(sections, prompt.Persona("again")), nil)
	if err == nil || err.Error() != `prompt section "deployment:persona" is already registered` {
		t.Errorf("got %v", err)
	}
}

// proves: A119
func TestBuildNothing(t *testing.T) {
	if text := build(t, []prompt.Section{prompt.Persona("")}); text != "" {
		t.Errorf("got %q", text)
	}
}

// proves: A105, A106, A116
func TestBuildRefuses(t *testing.T) {
	tests := []struct {
		sections []prompt.Section
		vars     []prompt.Variable
		want     string
	}{
		{sections: []prompt.Section{{Name: "x"}, {Name: "x"}}, want: `prompt section "x" is already registered`},
		{sections: []prompt.Section{{}}, want: "prompt section names must be non-empty"},
		{sections: []prompt.Section{{Name: "x", Order: math.NaN()}}, want: `order of prompt section "x" must be a finite number`},
		{sections: []prompt.Section{{Name: "x", Order: math.Inf(-1)}}, want: `order of prompt section "x" must be a finite number`},
		{vars: []prompt.Variable{{Name: "a"}, {Name: "a"}}, want: `prompt variable "a" is already registered`},
		{vars: []prompt.Variable{{Name: "Model"}}, want: `prompt variable name "Model" must match ^[a-z][a-z0-9_]*$`},
		{vars: []prompt.Variable{{Name: "1x"}}, want: `prompt variable name "1x" must match ^[a-z][a-z0-9_]*$`},
	}
	for _, test := range tests {
		_, err := prompt.Build(test.sections, test.vars)
		if err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// proves: A107, A118
func TestSectionFuncRunsEachTime(t *testing.T) {
	n := 0
	sections := []prompt.Section{{Name: "x", Func: func(vars []prompt.Variable) (string, error) {
		n++
		value := vars[0].Value
		vars[0].Value = "changed"
		return "{{cwd}} seen as " + value, nil
	}}}
	for range 2 {
		if got := build(t, sections, prompt.Variable{Name: "cwd", Value: "/w"}); got != "/w seen as /w" {
			t.Errorf("got %q", got)
		}
	}
	if n != 2 {
		t.Errorf("called %d times", n)
	}
	bad := errors.New("no idea")
	_, err := prompt.Build([]prompt.Section{{Name: "x", Func: func([]prompt.Variable) (string, error) { return "", bad }}}, nil)
	if !errors.Is(err, bad) || err.Error() != `prompt section "x": no idea` {
		t.Errorf("got %v", err)
	}
}

// proves: A110, A111, A112, A113, A114
func TestInterpolationErrors(t *testing.T) {
	vars := []prompt.Variable{{Name: "model", Value: "m"}, {Name: "cwd", Absent: true}}
	const tail = ` in section "S" (references are complete simple {{name}} groups)`
	tests := []struct {
		text, want string
		vars       []prompt.Variable
	}{
		{"a {{other}}", `unknown prompt variable "{{other}}" in section "S"; registered variables: model, cwd`, vars},
		{"a {{other}}", `unknown prompt variable "{{other}}" in section "S"; registered variables: (none)`, nil},
		{"{{constructor}}", `unknown prompt variable "{{constructor}}" in section "S"; registered variables: model, cwd`, vars},
		{"{{cwd}}", `prompt variable "{{cwd}}" has no value for this assembly (section "S")`, vars},
		{"x {{ model }} y", `malformed prompt variable reference at "{{ model }} y…"` + tail, vars},
		{"{{}}", `malformed prompt variable reference at "{{}}…"` + tail, vars},
		{"{{a.b}}", `malformed prompt variable reference at "{{a.b}}…"` + tail, vars},
		{"{{{model}}}", `malformed prompt variable reference at "{{{model}}}…"` + tail, vars},
		{"{{ünïcödé {x} and more}}", `malformed prompt variable reference at "{{ünïcödé {x} an…"` + tail, vars},
		{"{{model}} then {{open and }} later", `malformed prompt variable reference at "{{open and }} la…"` + tail, vars},
	}
	for _, test := range tests {
		_, err := prompt.Build([]prompt.Section{{Name: "S", Text: test.text}}, test.vars)
		if err == nil || err.Error() != test.want {
			t.Errorf("%q\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}

// proves: A113, A115
func TestInterpolation(t *testing.T) {
	vars := []prompt.Variable{{Name: "a", Value: "{{b}} }}"}, {Name: "b", Value: "B"}}
	tests := map[string]string{
		"{{a}}{{b}}":          "{{b}} }}B",
		"open {{ for ever":    "open {{ for ever",
		"{{{{ and {":          "{{{{ and {",
		"closed }} only":      "closed }} only",
		"{{b}} then {{ open":  "B then {{ open",
		"{b} and { {b} }":     "{b} and { {b} }",
		"two\n{{b}}\nlines\n": "two\nB\nlines\n",
	}
	for text, want := range tests {
		if got := build(t, []prompt.Section{{Name: "S", Text: text}}, vars...); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// proves: A122, A123
func TestLayerShadows(t *testing.T) {
	base := []prompt.Section{
		prompt.Identity(),
		{Name: "deployment:persona", Func: func([]prompt.Variable) (string, error) {
			t.Error("a section that was replaced is evaluated")
			return "", nil
		}},
		{Name: "z", Order: 5, Text: "z"},
	}
	both, err := prompt.Layer(base, []prompt.Section{{Name: "y", Order: 5, Text: "y"}, prompt.Persona("scoped")})
	if err != nil {
		t.Fatal(err)
	}
	want := "You are an AI agent powered by the DeepSeek Harness SDK.\n\nscoped\n\nz\n\ny"
	if got := build(t, both); got != want {
		t.Errorf("got %q", got)
	}
	if base[1].Func == nil {
		t.Error("the base was changed")
	}
	if _, err := prompt.Layer(base, []prompt.Section{{Name: "q"}, {Name: "q"}}); err == nil {
		t.Error("a layer may not hold a name twice")
	}
	if _, err := prompt.Layer([]prompt.Section{{Name: "q"}, {Name: "q"}}, nil); err == nil {
		t.Error("the base may not hold a name twice")
	}
}

// The fixed sections hold no references, so no configuration can break them.
func TestFixedSections(t *testing.T) {
	fixed := []prompt.Section{prompt.StructuredOutput(), prompt.Worktree(), prompt.WorkflowChild(), prompt.Delegation(), prompt.Identity()}
	text := build(t, fixed)
	at := -1
	for _, words := range []string{"DeepSeek Harness SDK", "refused automatically", "passed verbatim to the script", "a git worktree made for you alone", "calling the `structured_output` tool"} {
		i := strings.Index(text, words)
		if i <= at {
			t.Errorf("%q stands at %d, after %d", words, i, at)
		}
		at = i
	}
	if strings.Contains(text, "\n\n\n") || strings.HasSuffix(text, "\n") {
		t.Error("blank lines are left at the borders")
	}
}

// FuzzBuild checks that a text either comes out with every complete reference
// replaced, or is refused, and that nothing else about it changes.
func FuzzBuild(f *testing.F) {
	for _, seed := range []string{"", "{{v}}", "{{", "}}", "{{v}}{{", "{{{v}}}", "{{ v }}", "a{{v}}b{{v}}c", "{{v}} {{x}}", "{{}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := prompt.Build([]prompt.Section{{Name: "S", Text: text}}, []prompt.Variable{{Name: "v", Value: "\x00{{w}}\x00"}})
		if err != nil {
			if !strings.Contains(text, "{{") || !strings.Contains(text, "}}") {
				t.Errorf("%q refused without a reference: %v", text, err)
			}
			return
		}
		if back := strings.ReplaceAll(got, "\x00{{w}}\x00", "{{v}}"); back != text && !strings.Contains(text, "\x00") {
			t.Errorf("%q became %q", text, got)
		}
	})
}
