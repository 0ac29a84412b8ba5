package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-go/dsh-workflow/trust"
)

// asked is a command whose user sits at real pipes and types text.
type asked struct {
	t          *testing.T
	home, repo string
	env        env
	question   string // what the user saw
	left       string // of the input, when that was decided
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := &asked{t: t, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo")}
	for _, folder := range []string{a.home, filepath.Join(a.repo, ".git"), filepath.Join(a.repo, "sub")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(a.repo, "AGENTS.md"), []byte("rule"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.env = env{dir: filepath.Join(a.repo, "sub"), home: a.home, terminal: true}
	return a
}

// decide lets the user type and gives what was decided.
func (a *asked) decide(typed string, asks bool, o runOptions) decision {
	a.t.Helper()
	in, keyboard, err := os.Pipe()
	if err != nil {
		a.t.Fatal(err)
	}
	screen, errs, err := os.Pipe()
	if err != nil {
		a.t.Fatal(err)
	}
	defer in.Close()
	defer screen.Close()
	if _, err := keyboard.WriteString(typed); err != nil {
		a.t.Fatal(err)
	}
	keyboard.Close()
	a.env.stdin, a.env.stderr = in, errs
	adm, err := newAdmission(a.env, o)
	if err != nil {
		a.t.Fatal(err)
	}
	adm.asks = asks
	var s decision
	for range 2 { // it is asked once
		if s, err = adm.decide(); err != nil {
			a.t.Fatal(err)
		}
	}
	errs.Close()
	seen, err := io.ReadAll(screen)
	if err != nil {
		a.t.Fatal(err)
	}
	rest, err := io.ReadAll(in)
	if err != nil {
		a.t.Fatal(err)
	}
	a.question, a.left = string(seen), string(rest)
	return s
}

func (a *asked) kept() trust.Answer {
	a.t.Helper()
	v, err := trust.New(trust.Config{Home: filepath.Join(a.home, ".dsh"), UserHome: a.home}).Look(a.repo)
	if err != nil {
		a.t.Fatal(err)
	}
	return v.Answer
}

func TestQuestion(t *testing.T) {
	for _, test := range []struct {
		typed   string
		trusted bool
		kept    trust.Answer
		times   int // the question is put
		left    string
	}{
		{"y\nmore\n", true, trust.Trusted, 1, "more\n"},
		{" YES \r\n", true, trust.Trusted, 1, ""},
		{"yes", true, trust.Trusted, 1, ""}, // the input ends without a line's end
		{"n\n", false, trust.Refused, 1, ""},
		{"No\n", false, trust.Refused, 1, ""},
		{"\n", false, trust.Unasked, 1, ""},
		{"", false, trust.Unasked, 1, ""},
		{"maybe\ny\n", true, trust.Trusted, 2, ""},
		{"a\nb\nc\ny\n", false, trust.Unasked, 3, "y\n"},
		{strings.Repeat("y", 5000) + "\n", false, trust.Unasked, 1, strings.Repeat("y", 5000-4096) + "\n"},
	} {
		a := newAsked(t)
		s := a.decide(test.typed, true, runOptions{})
		if s.trusted != test.trusted || a.kept() != test.kept || s.project != a.repo {
			t.Errorf("%.20q: %+v, kept %s", test.typed, s, a.kept())
		}
		if n := strings.Count(a.question, "Trust it?"); n != test.times || a.left != test.left {
			t.Errorf("%.20q: asked %d times, %.20q is left", test.typed, n, a.left)
		}
		want := "Do you trust " + a.repo + "?\n  It brings: AGENTS.md.\n"
		if !strings.HasPrefix(a.question, want) {
			t.Errorf("%.20q: asked %s", test.typed, a.question)
		}
	}
}

// An answer that is kept is not asked for again, and neither is one that the command
// line gives.
func TestAskedOnce(t *testing.T) {
	for typed, trusted := range map[string]bool{"y\n": true, "n\n": false} {
		a := newAsked(t)
		a.decide(typed, true, runOptions{})
		s := a.decide("", true, runOptions{})
		if s.trusted != trusted || a.question != "" {
			t.Errorf("%q: %+v, asked %q", typed, s, a.question)
		}
		if s = a.decide("", true, runOptions{placeOptions: placeOptions{trust: true}}); !s.trusted || a.question != "" {
			t.Errorf("%q, --trust: %+v, asked %q", typed, s, a.question)
		}
		if want := map[bool]trust.Answer{true: trust.Trusted, false: trust.Refused}[trusted]; a.kept() != want {
			t.Errorf("%q: --trust changed what is kept to %s", typed, a.kept())
		}
	}
	a := newAsked(t)
	if s := a.decide("y\n", false, runOptions{}); s.trusted || a.question != "" || a.left != "y\n" {
		t.Errorf("without a terminal: %+v, asked %q", s, a.question)
	}
}

// What a project is called cannot steer the terminal on which it is asked about.
func TestQuestionIsPlainText(t *testing.T) {
	var out strings.Builder
	askTrust(strings.NewReader("\n"), &out, decision{project: "/x\x1b[2J\r/y\n", offers: []string{"a\x1b]0;b/AGENTS.md"}})
	if strings.ContainsAny(out.String(), "\x1b\r") {
		t.Errorf("asked %q", out.String())
	}
}

func TestWhoCanBeAsked(t *testing.T) {
	text := "-"
	for _, test := range []struct {
		o    runOptions
		arg  string
		want bool
	}{
		{runOptions{}, "x.js", false}, {runOptions{}, "-", true}, {runOptions{args: &text}, "x.js", true}, {runOptions{meta: "-"}, "x.js", true},
	} {
		if got := readsStdin(test.o, test.arg); got != test.want {
			t.Errorf("%+v %s: %t", test.o, test.arg, got)
		}
	}
}

func TestQuoted(t *testing.T) {
	for argument, want := range map[string]string{"a/b.c-d_1": "a/b.c-d_1", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "é": "'é'"} {
		if got := quoted(argument); got != want {
			t.Errorf("%q: %s, want %s", argument, got, want)
		}
	}
}
