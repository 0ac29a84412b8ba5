//go:build linux || darwin

package main

import (
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is the terminal behind a stream of this process.
//
// Concurrency: methods may be called from any goroutine.
type terminal struct {
	file *os.File

	mu    sync.Mutex
	saved *unix.Termios // what it was before hush; nil while it is that
}

// terminalOf returns the terminal behind a stream, or nil if it is something else.
func terminalOf(stream any) *terminal {
	file, ok := stream.(*os.File)
	if !ok {
		return nil
	}
	if _, err := unix.IoctlGetTermios(int(file.Fd()), getTermios); err != nil {
		return nil
	}
	return &terminal{file: file}
}

// foreground says whether this process may change the terminal and read from it.
func (t *terminal) foreground() bool {
	group, err := unix.IoctlGetInt(int(t.file.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// size is how many columns and lines the terminal has, 0 if it does not tell.
func (t *terminal) size() (width, height int) {
	s, err := unix.IoctlGetWinsize(int(t.file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(s.Col), int(s.Row)
}

// hush makes keys come one by one and unseen. The keys that interrupt and suspend
// remain signals.
func (t *terminal) hush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, err := unix.IoctlGetTermios(int(t.file.Fd()), getTermios)
	if err != nil {
		return
	}
	if t.saved == nil {
		t.saved = now
	}
	quiet := *now
	quiet.Lflag &^= unix.ECHO | unix.ICANON
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 1, 0
	_ = unix.IoctlSetTermios(int(t.file.Fd()), setTermios, &quiet)
}

// forget drops what was typed and not read, so that a key that was pressed before
// a question is no answer to it.
func (t *terminal) forget() { flushInput(int(t.file.Fd())) }

// showCursor also ends what a picture may have been in the middle of.
const showCursor = "\x1b[?2026l\x1b[0m\x1b[?25h"

// restore undoes hush and shows the cursor, whatever state a picture was left
// in. A terminal that takes no output holds nothing up.
func (t *terminal) restore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved == nil {
		return
	}
	_ = unix.IoctlSetTermios(int(t.file.Fd()), setTermios, t.saved)
	t.saved = nil
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.WriteString(t.file, showCursor)
	}()
	select {
	case <-done:
	case <-time.After(200 * time.Millisecond):
	}
}
