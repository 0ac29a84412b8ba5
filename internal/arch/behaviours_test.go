package arch

import (
	"bufio"
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxProofs is how many behaviours one test may claim.
const maxProofs = 5

var (
	ledgerLine = regexp.MustCompile(`^- \*\*([WAC]\d+)\*\* (.+)$`)
	exemption  = regexp.MustCompile(`— (exempt|later): (.+)$`)
	proofID    = regexp.MustCompile(`^[WAC]\d+$`)
)

// promise is one line of docs/behaviours.
type promise struct {
	file   string
	excuse string // why there is no proof, or empty
}

// TestBehaviours holds docs/behaviours against the tests: every promise has a
// proof or says why not, and every proof names a promise.
func TestBehaviours(t *testing.T) {
	promises := readLedger(t)
	proofs := readProofs(t)
	for id, p := range promises {
		switch {
		case len(proofs[id]) == 0 && p.excuse == "":
			t.Errorf("%s: %s has neither a proof nor an exemption", p.file, id)
		case len(proofs[id]) > 0 && p.excuse != "":
			t.Errorf("%s: %s is proved by %s and still excused (%s)", p.file, id, proofs[id][0], p.excuse)
		}
	}
	for id, where := range proofs {
		if _, ok := promises[id]; !ok {
			t.Errorf("%s proves %s, which is in no ledger", where[0], id)
		}
	}
	t.Logf("%d behaviours, %d with a proof", len(promises), len(proofs))
}

func readLedger(t *testing.T) map[string]promise {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(moduleRoot(t), "docs", "behaviours", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no ledger: %v", err)
	}
	promises := map[string]promise{}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		for line := range strings.Lines(string(raw)) {
			m := ledgerLine.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				if strings.HasPrefix(line, "- **") {
					t.Errorf("%s: not a promise: %q", base, strings.TrimSpace(line))
				}
				continue
			}
			if _, twice := promises[m[1]]; twice {
				t.Errorf("%s: %s stands twice", base, m[1])
			}
			p := promise{file: base}
			if e := exemption.FindStringSubmatch(m[2]); e != nil {
				p.excuse = e[2]
			}
			promises[m[1]] = p
		}
	}
	return promises
}

// readProofs collects the ids that tests claim, with the places that claim them.
func readProofs(t *testing.T) map[string][]string {
	t.Helper()
	proofs := map[string][]string{}
	claim := func(where, list string) {
		ids := strings.Fields(strings.ReplaceAll(list, ",", " "))
		if len(ids) > maxProofs {
			t.Errorf("%s claims %d behaviours, over %d", where, len(ids), maxProofs)
		}
		for _, id := range ids {
			if !proofID.MatchString(id) {
				t.Errorf("%s: %q is no id", where, id)
				continue
			}
			if !slices.Contains(proofs[id], where) {
				proofs[id] = append(proofs[id], where)
			}
		}
	}
	files, fset := readModule(t)
	for _, f := range files {
		if !f.Test {
			continue
		}
		claimed := map[*ast.CommentGroup]bool{}
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil {
				continue
			}
			claimed[fn.Doc] = true
			for _, c := range fn.Doc.List {
				if list, ok := strings.CutPrefix(c.Text, "// proves: "); ok {
					if !isTest(fn.Name.Name) {
						t.Errorf("%s: %s is no test and proves nothing", fset.Position(c.Pos()), fn.Name.Name)
					}
					claim(f.Path+" "+fn.Name.Name, list)
				}
			}
		}
		for _, g := range f.AST.Comments {
			for _, c := range g.List {
				if strings.HasPrefix(c.Text, "// proves:") && !claimed[g] {
					t.Errorf("%s: a proof stands directly above its test", fset.Position(c.Pos()))
				}
			}
		}
	}
	scriptProofs(t, claim)
	return proofs
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// scriptProofs reads the claims of script tests: a line "# proves: ..." of a
// txtar file.
func scriptProofs(t *testing.T, claim func(where, list string)) {
	t.Helper()
	root := moduleRoot(t)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".txtar") {
			return err
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		for s.Scan() {
			if list, ok := strings.CutPrefix(s.Text(), "# proves: "); ok {
				claim(filepath.Base(p), list)
			}
		}
		return s.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
