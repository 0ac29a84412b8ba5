package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/internal/atomicfile"
	"github.com/dsh-go/dsh-workflow/observe"
)

// helloScript is the workflow that init writes.
//
//go:embed hello.js
var helloScript []byte

func initCommand(e env) *cobra.Command {
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration file to begin with, and a first workflow",
		Long: "Write .dsh/config.yaml, in which every setting stands as a comment, and .dsh/workflows/hello.js, which runs without\n" +
			"a key. A file that exists is left as it is.",
		Example: "  dsh-workflow init",
		Args:    cobra.NoArgs,
	}
	f := c.Flags()
	user := f.Bool("user", false, "write the user's config.yaml into $DSH_HOME instead (default: ~/.dsh)")
	force := f.Bool("force", false, "write over files that exist, and say which")
	cwd := f.String("cwd", "", "`DIR` of the project (default: the current one)")
	home := f.String("home", "", "`DIR` for --user (default: $DSH_HOME or ~/.dsh)")
	c.RunE = func(*cobra.Command, []string) error {
		harness, err := e.harnessHome(*home)
		if err != nil && *user {
			return err
		}
		if *user {
			return writeAll(e, *force, []newFile{{config.UserFile(harness), commented(config.Example), 0o600}})
		}
		adm, err := newAdmission(e, runOptions{placeOptions: placeOptions{cwd: *cwd}})
		if err != nil {
			return err
		}
		root := adm.dir
		if err := writeAll(e, *force, []newFile{
			{filepath.Join(root, ".dsh", "config.yaml"), commented(config.Example), 0o644},
			{filepath.Join(root, ".dsh", "workflows", "hello.js"), helloScript, 0o644},
		}); err != nil {
			return err
		}
		next := "dsh-workflow run hello --model sim"
		if d, err := adm.decide(); err != nil || !d.trusted {
			next = adm.command() + ", then " + next // what was written counts in a trusted project only
		}
		fmt.Fprintln(e.stderr, observe.Lines(reach(root, harness)+"\nnext: "+next))
		return nil
	}
	return c
}

// newFile is a file that init wants to write.
type newFile struct {
	path string
	text []byte
	mode os.FileMode
}

// writeAll writes files and tells on stdout what became of each. One that exists
// is kept unless force is on. If one cannot be looked at, or is something else
// than a file, nothing is written.
func writeAll(e env, force bool, files []newFile) error {
	exists := map[string]bool{}
	for _, f := range files {
		info, err := os.Lstat(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return usage("nothing is written: %v", err)
		case !info.Mode().IsRegular():
			return usage("nothing is written: %s is not a regular file; move it away", f.path)
		default:
			exists[f.path] = true
		}
	}
	for _, f := range files {
		said := "wrote %s"
		switch {
		case exists[f.path] && !force:
			said = "kept %s (it exists; --force writes over it)"
		case exists[f.path]:
			said = "wrote over %s"
		}
		if force || !exists[f.path] {
			if err := os.MkdirAll(filepath.Dir(f.path), folderMode(f.mode)); err != nil {
				return err
			}
			if err := atomicfile.Write(f.path, f.text, f.mode); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(e.stdout, said+"\n", observe.OneLine(f.path, maxShownPath)); err != nil {
			return err
		}
	}
	return nil
}

// folderMode is that of a folder whose files have the mode.
func folderMode(mode os.FileMode) os.FileMode {
	if mode&0o077 == 0 {
		return 0o700
	}
	return 0o755
}

// commented makes every line of an example a comment.
func commented(example string) []byte {
	var b strings.Builder
	b.WriteString("# Configuration of dsh-workflow. Take the # away from the lines that you need; docs/configuration.md says more,\n" +
		"# and dsh-workflow doctor shows what counts. No key belongs here: keyEnv names the variable that holds it.\n\n")
	for line := range strings.Lines(example) {
		b.WriteString("# " + line)
	}
	return []byte(b.String())
}

// reach says for which folders files in root count.
func reach(root, home string) string {
	top := config.Repository(root)
	switch {
	case home != "" && filepath.Join(root, ".dsh") == home:
		return "note: this is your home: the files count everywhere, like those of init --user"
	case top == "":
		return "note: this folder is in no repository: the files count in this very folder only"
	case top != root:
		return "note: the files count below this folder, not in the whole repository " + top
	}
	return "note: the files count in the whole repository"
}
