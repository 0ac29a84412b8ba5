package vm

import (
	"strings"
	"testing"
)

// proves: C02
func TestUnknownNamesInTemplates(t *testing.T) {
	for body, hint := range map[string]string{
		"const a = 1\nreturn agent(`Print ${HOME} and stop.`)":      "hint: line 2: ${…} in a template is an expression, and nothing in the script is called HOME; for the text itself write \\${HOME}",
		"await null\nconst p = `\n  日本 ${a}\n  cd ${PWD}\n`\nlet a": "",
		"const a = 1\nconst p = `\n  日本 ${a}\n  cd ${PWD}\n`":       "hint: line 4: ${…} in a template is an expression, and nothing in the script is called PWD; for the text itself write \\${PWD}",
		"return `${USER.name}`":                                                "\\${USER}",
		"return `${[1].map(() => HOME)}`":                                      "",
		"return HOME":                                                          "",
		"const x = `${1}`\nreturn HOME":                                        "",
		"throw 'ReferenceError: HOME is not defined'":                          "",
		"const t = `HOME`\nreturn 1 + HOME + `${t.HOME}`":                      "",
		"throw new ReferenceError('HOME is not defined') // and `${HOME}` too": "",
	} {
		err := wantCode(t, &testHost{}, body, CodeScriptError)
		if got := err.Error(); strings.Contains(got, "hint:") != (hint != "") || !strings.Contains(got, hint) {
			t.Errorf("%s\n got %s\nwant %q", body, got, hint)
		}
	}
	err := wantCode(t, &testHost{}, "const a = 1\nreturn agent(`Print ${HOME} and stop.`)", CodeScriptError)
	if want := "ReferenceError: HOME is not defined\n    at workflow:t:2:"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %s", err)
	}
}
