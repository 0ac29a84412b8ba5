package vm

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSchemasOfLiterals(t *testing.T) {
	for body, want := range map[string]string{
		`agent('x')`:               ``,
		`agent('x', {label: 'a'})`: ``,
		`await agent('x', {label: 'a', schema: {type: 'object'}})`:                                                                          `1:39 {"type":"object"}`,
		`agent.settled("日本", {'schema': {"type": "object"}})`:                                                                               `1:32 {"type":"object"}`,
		"const S = {type: 'object'}\nf(() => agent('x', {schema: S}))":                                                                      `2:29 {"type":"object"}`,
		"agent('x', {schema})\nconst schema = {a: -1.5, b: [true, null, 'q']}":                                                              `1:13 {"a":-1.5,"b":[true,null,"q"]}`,
		"const A = {finding: {type: 'object', title: `t`}}\nagent(p, {schema: A.finding})\nagent(p, {schema: A['finding']})":                `2:19 {"type":"object","title":"t"};3:19 {"type":"object","title":"t"}`,
		"const T = {type: 'string'}, N = ['a', 'b'];\nagent(p, {schema: {...T, required: [...N, 'c'], p: T, type: 'array', u: undefined}})": `2:19 {"type":"array","required":["a","b","c"],"p":{"type":"string"}}`,
		"const O = {schema: {a: 1}}\nagent(p, O)\nagent(p, {...O, label: 'x'})\nagent(p, {schema: {b: 2}, ...O})":                           `1:20 {"a":1};3:14 {"a":1};4:30 {"a":1}`,
		"const S = Object.freeze({d: 'one ' + `two ${2}`})\nagent(p, {schema: S})\nlog(S.d.join(','), Object.keys(S))":                      `2:19 {"d":"one two 2"}`,
		"const S = {a: {b: S}}\nagent(p, {schema: S})":                                                                                      `skipped 1`,
		"agent(p, {schema: f()}); agent(p, {schema: args.s}); agent(p, {schema: c ? A : B})":                                                `skipped 3`,
		"let S = {type: 'object'}\nagent(p, {schema: S})":                                                                                   `skipped 1`,
		"const S = {type: 'object'}\nS.type = 'array'\nagent(p, {schema: S})":                                                               `skipped 1`,
		"const S = {r: []}\nS.r.push('x')\nagent(p, {schema: S})":                                                                           `skipped 1`,
		"const S = {r: {}}\nconst r = S.r\nObject.assign(r, {a: 1})\nagent(p, {schema: S})":                                                 `skipped 1`,
		"const S = {r: {}}\ndelete S.r\nagent(p, {schema: S})":                                                                              `skipped 1`,
		"const S = {r: {}}\nlist.map((S) => agent(p, {schema: S}))":                                                                         `skipped 1`,
		"const S = {r: {}}\nfor (const {S} of list) agent(p, {schema: S})":                                                                  `skipped 1`,
		"const S = {r: {}}\ntry { x() } catch (S) { agent(p, {schema: S}) }":                                                                `skipped 1`,
		"if (x) { const S = {r: {}}; agent(p, {schema: S}) }":                                                                               `skipped 1`,
		"agent(p, {schema: {a: 1}, ...more})":                                                                                               `skipped 1`,
		"agent(p, {...more, schema: {a: 1}})":                                                                                               `1:28 {"a":1}`,
		"agent(p, {schema: {get a() { return 1 }}}); agent(p, {schema: {a() {}}}); agent(p, {schema: [1, , 2]})":                            `skipped 3`,
		"agent(p, {schema: {[k]: 1}}); agent(p, {schema: {['k']: 1n}}); agent(p, {schema: {n: 1/0}})":                                       `skipped 3`,
		"agent(p, {schema: undefined})":                                                                                                     ``,
		"const agent = f\nagent(p, {schema: {a: 1}})":                                                                                       ``,
		"notAgent(p, {schema: {a: 1}}); x.agent(p, {schema: {a: 1}})":                                                                       ``,
	} {
		found, skipped, err := Schemas(Script{Name: "t", Body: body})
		var got []string
		for _, s := range found {
			got = append(got, fmt.Sprintf("%d:%d %s", s.Pos.Line, s.Pos.Column, s.JSON))
		}
		if skipped > 0 {
			got = append(got, fmt.Sprint("skipped ", skipped))
		}
		if text := strings.Join(got, ";"); err != nil || text != want {
			t.Errorf("%s\n got %s, %v\nwant %s", body, text, err, want)
		}
	}
	if _, _, err := Schemas(Script{Body: "const a = ="}); err == nil {
		t.Error("a body that does not parse has no schemas")
	}
}

// Constants inside of constants cost no more than the source allows.
func TestSchemasAreBounded(t *testing.T) {
	chain := func(first, next string, n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "const c0 = %s\n", first)
		for i := range n {
			fmt.Fprintf(&b, "const c%d = %s\n", i+1, strings.ReplaceAll(next, "c", fmt.Sprint("c", i)))
		}
		return b.String() + fmt.Sprintf("agent(p, {schema: c%d})", n)
	}
	for name, body := range map[string]string{
		"objects": chain("{a: 1}", "{a: c, b: c}", 60), "arrays": chain("[1]", "[...c, ...c]", 60),
		"text": chain("'ab'", "c + c", 60), "templates": chain("'ab'", "`${c}${c}`", 60), "deep": chain("{a: 1}", "{a: c}", 5000),
		"spreads": chain("{"+strings.Repeat("a: 1, ", 10_000)+"}", "{...c}", 5000),
		"keys": "agent(p, {schema: {" + func() (s string) {
			var b strings.Builder
			for i := range 30_000 {
				fmt.Fprintf(&b, "k%d: 1,", i)
			}
			return b.String()
		}() + "}})",
	} {
		start := time.Now()
		if _, _, err := Schemas(Script{Body: body}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}
