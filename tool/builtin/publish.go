package builtin

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// errRaced says that the file was changed or created by someone else between
// the look at it and the publication.
var errRaced = errors.New("the file was changed by someone else")

// publish makes content the content of the file, at once and as a whole, and
// returns the version that it then has. The content is written to a file in a
// private folder beside the target first. A new file is published by a hard
// link, which never replaces what someone else created meanwhile; an existing
// one by rename, with its mode and, where allowed, its owner kept.
func (ch *change) publish(content []byte) (version, error) {
	dir := filepath.Dir(ch.target.rel)
	if ch.info == nil {
		if err := ch.root.MkdirAll(dir, 0o777); err != nil {
			return "", err
		}
	} else if err := ch.writable(); err != nil {
		return "", err
	}
	staging := filepath.Join(dir, stagingName(filepath.Base(ch.target.rel)))
	if err := ch.root.Mkdir(staging, 0o700); err != nil {
		return "", err
	}
	defer func() { _ = ch.root.RemoveAll(staging) }()
	temp := filepath.Join(staging, "new")
	if err := ch.stage(temp, content); err != nil {
		return "", err
	}
	if err := ch.commit(temp, content); err != nil {
		return "", err
	}
	// Not the published file is looked at but the path: if someone replaced the
	// file already, the model has not seen that.
	return ch.published(temp)
}

// stagingName is a hidden name beside the file that tells who made it.
func stagingName(base string) string {
	if len(base) > 100 {
		base = base[:100]
	}
	return fmt.Sprintf(".%s.%d.%s.tmpdir", base, os.Getpid(), rand.Text())
}

// writable fails for a file that its owner has protected. Replacing it would
// only need a writable folder.
func (ch *change) writable() error {
	f, err := ch.root.OpenFile(ch.target.rel, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// stage writes the content to a new file with the mode that it is to have.
func (ch *change) stage(temp string, content []byte) error {
	mode := fs.FileMode(0o666) // less umask
	if ch.info != nil {
		mode = 0o600
	}
	f, err := ch.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && ch.info != nil {
		err = ch.keepOwnerAndMode(f)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (ch *change) keepOwnerAndMode(f *os.File) error {
	if uid, gid, ok := owner(ch.info); ok {
		if now, err := f.Stat(); err == nil {
			if u, g, _ := owner(now); u != uid || g != gid {
				_ = f.Chown(uid, gid) // only root can, and then it should
			}
		}
	}
	return f.Chmod(ch.info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
}

func (ch *change) commit(temp string, content []byte) error {
	if ch.info == nil {
		return ch.create(temp, content)
	}
	now, err := ch.root.Lstat(ch.target.rel)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || versionOf(now) != ch.version() {
		return errRaced
	}
	return ch.root.Rename(temp, ch.target.rel)
}

// create publishes a file that must not be there yet.
func (ch *change) create(temp string, content []byte) error {
	err := ch.root.Link(temp, ch.target.rel)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return errRaced
	case errors.Is(err, fs.ErrNotExist):
		return err
	}
	// A file system without hard links: still exclusive, though not at once.
	f, err := ch.root.OpenFile(ch.target.rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return errRaced
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = ch.root.Remove(ch.target.rel)
	}
	return err
}

// published is the version of the new file. A link is dropped first, since that
// changes the time of change.
func (ch *change) published(temp string) (version, error) {
	if err := ch.root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	info, err := ch.root.Stat(ch.target.rel)
	if err != nil {
		return "", err
	}
	return versionOf(info), nil
}
