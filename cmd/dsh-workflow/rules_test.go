package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The pages of what refuses a script as a whole, through the command: the bad
// example has an error of this rule, the good one has none at all.
func TestPagesOfRefusals(t *testing.T) {
	example := regexp.MustCompile("(?s)(Bad|Good):\n\n```js\n(.*?)```")
	for _, rule := range []string{"syntax", "meta", "schema"} {
		page, err := os.ReadFile("../../docs/rules/" + rule + ".md")
		if err != nil {
			t.Fatal(err)
		}
		all := example.FindAllSubmatch(page, -1)
		if len(all) != 2 {
			t.Errorf("%s: %d examples", rule, len(all))
		}
		for _, m := range all {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "x.js"), m[2], 0o600); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			code := run(env{args: []string{"check", "x.js", "--format", "json"}, dir: dir, home: dir, stdin: &bytes.Buffer{}, stdout: &stdout, stderr: &stderr})
			var report struct {
				Files []struct{ Findings []struct{ Rule string } }
			}
			if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			bad := string(m[1]) == "Bad"
			if bad != (code == exitInvalid) || bad != (len(report.Files[0].Findings) > 0) || bad && report.Files[0].Findings[0].Rule != rule {
				t.Errorf("%s, %s: exit %d\n%s%s", rule, m[1], code, &stdout, &stderr)
			}
		}
	}
}

// Reports and plans of real scripts fit what is published about them.
func TestReportsMatchTheSchemas(t *testing.T) {
	report, plan := published(t, "check"), published(t, "plan")
	dir := t.TempDir()
	call := func(args ...string) []byte {
		var stdout, stderr bytes.Buffer
		e := env{args: args, dir: dir, home: dir, environ: []string{"HOME=" + dir}, stdin: &bytes.Buffer{}, stdout: &stdout, stderr: &stderr}
		run(e)
		if stdout.Len() == 0 {
			t.Errorf("%v said nothing: %s", args, &stderr)
		}
		return stdout.Bytes()
	}
	bad := filepath.Join(dir, "bad.js")
	source := "export const meta = { name: 'bad', description: 'd', x: 1 }\nagent('x'); nope()\nreturn await agent('y', { schema: { type: 'array' } })"
	if err := os.WriteFile(bad, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	validate(t, report, call("check", examples, bad, "missing.js", "--format", "json"))
	validate(t, plan, call("run", bad, "--dry-run", "--output", "json"))
	for _, name := range []string{"review", "research", "until-dry"} {
		path := filepath.Join(examples, name+".js")
		validate(t, plan, call("run", path, "--dry-run=fail:30%", "--args", `{"question":"q"}`, "--output", "json"))
	}
}
