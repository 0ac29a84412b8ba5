package proc

import (
	"os"
	"path/filepath"
)

// Capture is what a process wrote to one stream.
type Capture struct {
	// Tail is the last bytes of the stream, all of it if Total fits.
	Tail []byte
	// Total counts the bytes of the whole stream.
	Total int64
	// Spill is the file that holds the whole stream. It is empty if Tail is the
	// whole stream, if the stream was longer than a spill may be, or if the disk
	// refused. The file and its folder belong to the caller.
	Spill string
}

// Truncated reports whether Tail is not the whole stream.
func (c Capture) Truncated() bool { return c.Total > int64(len(c.Tail)) }

// recorder keeps the tail of a stream and, once that is not all, the whole
// stream in a file. One goroutine writes; finish comes after it.
type recorder struct {
	keep  int
	cap   int64
	dir   string
	name  string
	tail  []byte
	total int64
	spill *os.File
	lost  bool // the spill was given up
	own   bool // the folder was made for this file alone
}

// Write never fails: a stream that cannot be kept is still drained.
func (r *recorder) Write(p []byte) (int, error) {
	r.total += int64(len(p))
	if r.total > int64(r.keep) {
		r.toSpill(p)
	}
	r.tail = append(r.tail, p...)
	if len(r.tail) > 2*r.keep {
		r.tail = append(r.tail[:0], r.tail[len(r.tail)-r.keep:]...)
	}
	return len(p), nil
}

// toSpill writes p behind all that came before it. The tail still holds all of
// that when the file is opened.
func (r *recorder) toSpill(p []byte) {
	if r.lost {
		return
	}
	if r.total > r.cap {
		r.giveUp()
		return
	}
	if r.spill == nil {
		if err := r.open(); err != nil {
			r.giveUp()
			return
		}
		if _, err := r.spill.Write(r.tail); err != nil {
			r.giveUp()
			return
		}
	}
	if _, err := r.spill.Write(p); err != nil {
		r.giveUp()
	}
}

// open makes the file, in a new private folder if the caller named none.
func (r *recorder) open() (err error) {
	if r.dir == "" {
		if r.dir, err = os.MkdirTemp("", "dsh-output-"); err != nil {
			return err
		}
		r.own = true
	} else if err = os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	r.spill, err = os.CreateTemp(r.dir, "*-"+r.name)
	return err
}

func (r *recorder) giveUp() {
	r.lost = true
	if r.spill != nil {
		path := r.spill.Name()
		_ = r.spill.Close()
		_ = os.Remove(path)
		if r.own {
			_ = os.Remove(filepath.Dir(path))
		}
		r.spill = nil
	}
}

func (r *recorder) finish() Capture {
	c := Capture{Tail: r.tail, Total: r.total}
	if len(c.Tail) > r.keep {
		c.Tail = c.Tail[len(c.Tail)-r.keep:]
	}
	if r.spill != nil {
		path := r.spill.Name()
		if err := r.spill.Close(); err == nil {
			c.Spill = path
		} else {
			_ = os.Remove(path)
		}
	}
	return c
}
