package builtin

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
)

const (
	sieveFrom    = 1 << 20  // bytes of files from which on a process is worth its start
	sieveLiteral = 8        // times as many if all matches begin with the same text: that is found fast
	huntBytes    = 16 << 20 // of files that are searched together: what a useless sieve costs
	huntFiles    = 4000
	huntNames    = 96 << 10 // bytes of their names, which are arguments of a process
	huntIsMost   = 2        // a sieve that lets more than one part in so many through is no use
)

// hunt searches the files that it is given, in their order. Some wait until they
// are enough for ripgrep to say which of them are worth it.
type hunt struct {
	place place
	scan  *scanner
	sieve *sieve // nil: all are
	from  int64  // bytes that must wait for the sieve to be asked
	hit   func(file string, n int, text string) error

	waiting []prey
	bytes   int64
	names   int
	unread  int // files that could not be read
}

// prey is a file and its size.
type prey struct {
	rel  string
	size int64
}

// search goes through the files of the place, or searches the one that it is.
func (h *hunt) search(ctx context.Context, include *pathGlob) error {
	if !h.place.dir {
		return h.scan.file(ctx, h.place.path, func(n int, text string) error { return h.hit(h.place.shown, n, text) })
	}
	w := walk{root: h.place.path, curated: true}
	if include != nil {
		w.named, w.enter = include.matches, include.under
	}
	w.visit = func(rel string, e fs.DirEntry) error {
		if include != nil && !include.matches(rel) {
			return nil
		}
		info, err := e.Info()
		switch {
		case err == nil && info.Size() == 0:
			return nil // nothing is in it, or it is the kernel's and may never end
		case err != nil:
			return h.add(ctx, rel, 0)
		}
		return h.add(ctx, rel, info.Size())
	}
	err := w.run(ctx)
	if err == nil {
		err = h.flush(ctx)
	}
	h.unread += w.unread
	return err
}

func (h *hunt) add(ctx context.Context, rel string, size int64) error {
	if h.sieve == nil {
		return h.read(ctx, rel)
	}
	h.waiting = append(h.waiting, prey{rel, size})
	h.bytes += size
	h.names += len(rel) + 3
	if h.bytes >= huntBytes || len(h.waiting) >= huntFiles || h.names >= huntNames {
		return h.flush(ctx)
	}
	return nil
}

// flush searches the files that wait.
func (h *hunt) flush(ctx context.Context) error {
	waiting := h.waiting
	worth := h.worth(ctx)
	h.waiting, h.bytes, h.names = nil, 0, 0
	for _, p := range waiting {
		if worth != nil && !worth[p.rel] {
			continue
		}
		if err := h.read(ctx, p.rel); err != nil {
			return err
		}
	}
	return nil
}

// worth is the files that may have a match; nil stands for all that wait.
func (h *hunt) worth(ctx context.Context) map[string]bool {
	if h.sieve == nil || h.bytes < h.from {
		return nil
	}
	files := make([]string, len(h.waiting))
	for i, p := range h.waiting {
		files[i] = p.rel
	}
	worth, ok := h.sieve.pass(ctx, files)
	if !ok {
		return nil
	}
	var passed int64
	for _, p := range h.waiting {
		if worth[p.rel] {
			passed += p.size
		}
	}
	if passed > h.bytes/huntIsMost {
		h.sieve = nil // what comes is likely to be the same
	}
	return worth
}

// read searches one file.
func (h *hunt) read(ctx context.Context, rel string) error {
	var stop error
	err := h.scan.file(ctx, filepath.Join(h.place.path, filepath.FromSlash(rel)), func(n int, text string) error {
		stop = h.hit(h.place.show(rel), n, text)
		return stop
	})
	switch {
	case stop != nil:
		return stop
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		h.unread++
	}
	return nil
}
