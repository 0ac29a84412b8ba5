package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/similar"
	"github.com/dsh-go/dsh-workflow/internal/syntax"
)

// OptionNames lists the options of agent().
func OptionNames() []string {
	return []string{
		"label", "phase", "schema", "model", "provider", "effort", "isolation", "agentType", "stallMs", "timeoutMs", "retries", "tools", "cwd",
	}
}

// Efforts lists the values of the option effort.
func Efforts() []string { return []string{"low", "medium", "high", "xhigh", "max"} }

// options checks the options of one call of agent().
func (l *linter) options(call *syntax.Node) {
	o := l.optionsOf(call)
	for _, p := range o.list {
		if l.told[p.at] {
			continue // options are often shared
		}
		l.told[p.at] = true
		if p.value.Kind == syntax.Name && p.value.Text == "undefined" {
			continue
		}
		l.optionName(p)
		l.optionValue(p)
	}
	l.usePhase(o)
}

func (l *linter) optionName(p option) {
	known := OptionNames()
	if slices.Contains(known, p.name) {
		return
	}
	if meant, ok := similar.Closest(p.name, known, 2); ok {
		l.sayError("unknown-option", p.at, "write "+meant, "agent() has no option %q, and refuses it because it is close to %q", p.name, meant)
		return
	}
	hint := "leave it out; the options are " + strings.Join(known, ", ")
	if said, ok := foreignOptions()[p.name]; ok {
		hint = said
	}
	l.say("unknown-option", p.at, hint, "agent() has no option %q: it is ignored, and refused in strict mode", p.name)
}

// foreignOptions are options that other runtimes have, and what serves here.
func foreignOptions() map[string]string {
	return map[string]string{
		"timeout":         "use timeoutMs, in milliseconds",
		"maxTurns":        "use timeoutMs to bound an agent",
		"temperature":     "leave it out: models are asked with their own defaults",
		"system":          "put it into the prompt, or use agentType",
		"prompt":          "give the prompt as the first argument",
		"tier":            "use model, or effort",
		"thinkingLevel":   "use effort",
		"onFailure":       "test the result for null, or use agent.settled()",
		"readOnly":        "use tools: ['read', 'glob', 'grep']",
		"disallowedTools": "use tools, which lists what is allowed",
	}
}

// optionValue checks what an option is set to, as far as the source tells.
func (l *linter) optionValue(p option) {
	wants, fits := l.wanted(p)
	if fits {
		return
	}
	l.say("option-value", p.value, "", "the option %q of agent() must be %s", p.name, wants)
}

// wanted says what an option must be, and whether it may be that.
func (l *linter) wanted(p option) (wants string, fits bool) {
	v, c := l.valueOf(p.value), l.constant(p.value)
	is := func(kinds ...kind) bool { return v.kind == unknown || slices.Contains(kinds, v.kind) }
	text, static := c.Static()
	switch p.name {
	case "label", "phase", "model", "provider", "cwd", "agentType":
		return "a string", is(str, prose, answer)
	case "effort":
		return "one of " + strings.Join(Efforts(), ", "), is(str, prose, answer) && (!static || slices.Contains(Efforts(), strings.ToLower(text)))
	case "isolation":
		return "'worktree'", is(str) && (!static || text == "worktree")
	case "schema":
		return "a JSON Schema object", is(object, data, answer)
	case "stallMs", "timeoutMs", "retries":
		n, literal := c.Value()
		most := 2147483647.0
		if p.name == "retries" {
			most = 100
		}
		return fmt.Sprintf("a number from 0 to %.0f", most), is(number) && (!literal || n >= 0 && n <= most && (p.name != "retries" || n == float64(int(n))))
	case "tools":
		return "an array of strings", is(list)
	}
	return "", true
}

// prompt checks the first argument of agent().
func (l *linter) prompt(call *syntax.Node) {
	if len(call.Args()) == 0 {
		l.say("prompt-type", call, "give it a text that says what to do", "agent() needs a prompt")
		return
	}
	arg := call.Args()[0]
	v := l.valueOf(arg)
	if text, ok := l.constant(arg).Static(); ok && text == "" {
		l.say("prompt-type", arg, "say what to do", "the prompt is empty, which agent() refuses")
		return
	}
	hint := "put the parts that matter into a text, or JSON.stringify() it"
	what := ""
	switch v.kind {
	case object:
		what = "an object"
		if o := l.constant(arg); o.Kind == syntax.Object && o.Get("prompt") != nil {
			hint = "write agent(prompt, options)"
		}
	case data:
		what = "the data that another agent gave"
	case settled:
		what, hint = "what agent.settled() gave", "use its value"
	case list:
		what, hint = "a list", "join() it, or start one agent for each element"
	case number, boolean:
		what, hint = "no text", "write a text"
	case callable:
		what, hint = "a function", "call it"
	case nothing:
		what, hint = "null", "write a text"
	case promise:
		what, hint = "a promise", "put await before the call that gave it"
	default:
		return
	}
	l.say("prompt-type", arg, hint, "a prompt must be a text, but this is %s", what)
}

var (
	asksJSON = regexp.MustCompile(`(?i)\b(return|respond|reply|answer|output|produce|emit|provide)\b[^.\n]{0,60}?(^|[^./\w-])JSON\b([^./\w]|$|\.\s|\.$)`)
	noJSON   = regexp.MustCompile(`(?i)\b(not?|without|never|avoid)\b[^.\n]{0,20}JSON`)
	toFile   = regexp.MustCompile(`(?i)\b(to|into|in)\b[^.\n]{0,30}\b(file|path)\b|\.json\b|\bJSON (file|report)\b`)
)

// askedJSON looks for prompts that ask for JSON in words.
func (l *linter) askedJSON(call *syntax.Node) {
	o := l.optionsOf(call)
	if !o.whole || o.get("schema") != nil || len(call.Args()) == 0 {
		return
	}
	text := l.words(call.Args()[0])
	at := asksJSON.FindStringIndex(text)
	if at == nil || noJSON.MatchString(text) || toFile.MatchString(text) {
		return
	}
	l.say("json-without-schema", call.Args()[0], "give a schema in the options: the answer then is an object that was checked against it",
		"the prompt asks for JSON, but nothing holds the agent to it")
}

// maxWords bounds how much of a prompt is read.
const maxWords = 1 << 14

// words is the text that stands in the source of an expression, with … for what
// does not.
func (l *linter) words(n *syntax.Node) string {
	var b strings.Builder
	l.addWords(&b, n, maxAlias)
	return b.String()
}

func (l *linter) addWords(b *strings.Builder, n *syntax.Node, depth int) {
	if depth == 0 || b.Len() > maxWords {
		return
	}
	switch n = l.constant(n); {
	case n.Kind == syntax.String:
		b.WriteString(n.Text)
	case n.Kind == syntax.Template:
		for i, k := range n.Kids {
			if i%2 == 0 {
				b.WriteString(k.Text)
			} else {
				l.addWords(b, k, depth-1)
			}
		}
	case n.Kind == syntax.Binary && n.Text == "+":
		l.addWords(b, n.Kids[0], depth) // chains lean to the left
		l.addWords(b, n.Kids[1], depth-1)
	case n.Kind == syntax.Array && n.Parent.Kind == syntax.Member && n.Parent.Text == "join":
		for _, k := range n.Kids {
			l.addWords(b, k, depth-1)
			b.WriteByte('\n')
		}
	case n.Kind == syntax.Call && n.Kids[0].Kind == syntax.Member && n.Kids[0].Text == "join":
		l.addWords(b, n.Kids[0].Kids[0], depth-1)
	default:
		b.WriteString("…")
	}
}
