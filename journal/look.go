package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/workflow"
)

// Session returns the path of the session log of one of a run's agents, whether
// it exists or not. It fails with an [*Error] for a child that is no plain name.
func (d *Dir) Session(id workflow.RunID, child string) (string, error) {
	if err := d.known(id); err != nil {
		return "", err
	}
	if !plainName(workflow.RunID(child)) {
		return "", &Error{Kind: CodeDamaged, Run: id, Err: errors.New("the id of a child is no plain name")}
	}
	return filepath.Join(d.Path(id), dirSessions, child+".jsonl"), nil
}

// Size returns the bytes of all files of a run. Links are not followed.
func (d *Dir) Size(id workflow.RunID) (int64, error) {
	if err := d.known(id); err != nil {
		return 0, err
	}
	var size int64
	err := filepath.WalkDir(d.Path(id), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return ignoreGone(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreGone(err)
		}
		size += info.Size()
		return nil
	})
	return size, err
}

// ignoreGone drops the error of a file that another process has removed.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// RecordsSize returns the bytes of a run's records so far, 0 if there are none:
// while it stays the same there is nothing new to read.
func (d *Dir) RecordsSize(id workflow.RunID) int64 {
	if d.known(id) != nil {
		return 0
	}
	info, err := os.Stat(filepath.Join(d.Path(id), fileRecords))
	if err != nil {
		return 0
	}
	return info.Size()
}
