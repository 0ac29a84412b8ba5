package journal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-go/dsh-workflow/internal/jsonl"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// Fork makes the run of h from a copy of run id: its scripts, its records up to
// the line before, and the logs of its agents, which share their bytes with the
// first where the file system can.
func (d *Dir) Fork(ctx context.Context, id workflow.RunID, h workflow.Header, before int) (workflow.Journal, workflow.Kept, error) {
	if err := ctx.Err(); err != nil {
		return nil, workflow.Kept{}, err
	}
	if err := d.known(id); err != nil {
		return nil, workflow.Kept{}, err
	}
	script, err := d.Script(id)
	if err != nil {
		return nil, workflow.Kept{}, err
	}
	j, err := d.Create(ctx, h, script)
	if err != nil {
		return nil, workflow.Kept{}, err
	}
	if err := d.copy(id, h.RunID, before); err != nil {
		var gap *Gap
		if !errors.As(err, &gap) {
			err = &Error{Kind: CodeWrite, Run: h.RunID, Err: err}
		}
		return nil, workflow.Kept{}, errors.Join(err, j.Close(), os.RemoveAll(d.Path(h.RunID)))
	}
	if err := j.Close(); err != nil {
		return nil, workflow.Kept{}, err
	}
	return d.Reopen(ctx, h.RunID)
}

func (d *Dir) copy(from, to workflow.RunID, before int) error {
	if err := d.copyRecords(from, to, before); err != nil {
		return err
	}
	return filepath.WalkDir(d.Path(from), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(d.Path(from), path)
		if err != nil || name == "." {
			return err
		}
		target := filepath.Join(d.Path(to), name)
		switch inside := strings.HasPrefix(filepath.ToSlash(name), dirSessions+"/"); {
		case entry.IsDir() && (inside || name == dirSessions):
			return os.MkdirAll(target, 0o700)
		case entry.IsDir():
			return fs.SkipDir
		case entry.Type().IsRegular() && (inside || strings.HasPrefix(name, "script-")):
			return linkOrCopy(path, target)
		}
		return nil
	})
}

// copyRecords copies the lines of a journal that are records.
func (d *Dir) copyRecords(from, to workflow.RunID, before int) error {
	out, err := os.OpenFile(filepath.Join(d.Path(to), fileRecords), os.O_WRONLY|os.O_TRUNC|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	check := &sequence{run: from}
	for line, err := range jsonl.Scan(filepath.Join(d.Path(from), fileRecords)) {
		if before > 0 && line.Number >= before {
			break
		}
		if err == nil {
			err = check.check(line)
		}
		if err != nil {
			return errors.Join(err, out.Close())
		}
		if _, record := numberOf(line.Value); record {
			w.Write(line.Value) // the writer keeps its first error until Flush
			w.WriteByte('\n')
		}
	}
	return errors.Join(w.Flush(), out.Sync(), out.Close())
}

func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
