package main

import (
	"io"
	"sync"

	"github.com/dsh-go/dsh-workflow/observe/live"
)

// picture is the live view of a run on a terminal.
//
// Concurrency: methods may be called from any goroutine.
type picture struct {
	screen *live.Screen
	tty    *terminal
	done   chan struct{}
	once   sync.Once
}

// newPicture returns the live view for these streams and options, or nil where
// plain lines are shown: on anything but a terminal, on one that can only print,
// in the background, and where more is asked for than a picture can hold.
func newPicture(e env, o runOptions) *picture {
	tty := terminalOf(e.stderr)
	term := e.lookup("TERM")
	if tty == nil || o.quiet || o.verbose || term == "" || term == "dumb" || !tty.foreground() {
		return nil
	}
	screen := live.NewScreen(live.Terminal{Out: e.stderr, Environ: e.environ, Color: e.lookup("NO_COLOR") == ""})
	return &picture{screen: screen, tty: tty, done: make(chan struct{})}
}

func (p *picture) start() {
	p.tty.hush()
	p.screen.Start()
	go p.onSuspend(p.done)
}

// stop takes the picture off the terminal for good.
func (p *picture) stop() {
	p.once.Do(func() { close(p.done) })
	p.screen.Stop()
	p.tty.restore()
}

// redirect is a stream whose target can change. What other goroutines say while a
// picture is drawn goes above it.
//
// Concurrency: any goroutine may write.
type redirect struct {
	mu sync.Mutex
	w  io.Writer
}

func (r *redirect) Write(b []byte) (int, error) {
	r.mu.Lock()
	w := r.w
	r.mu.Unlock()
	return w.Write(b)
}

func (r *redirect) to(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.w = w
}
