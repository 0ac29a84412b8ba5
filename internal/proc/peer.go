package proc

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Exit is how a peer ended.
type Exit struct {
	Code   int    // -1 if a signal ended it
	Signal string // for example SIGKILL; empty if it exited
	// Stderr is the beginning of what it wrote there, at most [PeerStderr] bytes.
	Stderr string
}

// PeerStderr is how many bytes of a peer's standard error are kept. A crash
// says what happened first.
const PeerStderr = 16 << 10

// Peer is a process that talks with this one over its standard input and
// output, and has no other file, no variable of the environment and a process
// group of its own, so that no key of a terminal reaches it.
//
// Concurrency: In belongs to one goroutine and Out to one; the methods may be
// called from any.
type Peer struct {
	In    io.WriteCloser // what the peer reads
	Out   io.ReadCloser  // what the peer writes
	child *exec.Cmd
	done  chan struct{}
	exit  Exit // set before done is closed
}

// StartPeer starts a program as a peer; argv begins with the name that it sees
// for itself. On Linux the peer ends with this process, however that ends.
func StartPeer(path string, argv ...string) (*Peer, error) {
	var pipes [4]*os.File // two pairs: reader, writer
	for i := 0; i < len(pipes); i += 2 {
		reader, writer, err := os.Pipe()
		if err != nil {
			closeAll(pipes[:])
			return nil, err
		}
		pipes[i], pipes[i+1] = reader, writer
	}
	said := &beginning{max: PeerStderr}
	p := &Peer{In: pipes[1], Out: pipes[2], done: make(chan struct{})}
	p.child = &exec.Cmd{
		Path: path, Args: argv, Dir: "/", Env: []string{},
		Stdin: pipes[0], Stdout: pipes[3], Stderr: said,
		SysProcAttr: peerAttributes(), WaitDelay: time.Second,
	}
	started := make(chan error)
	go p.attend(said, started)
	err := <-started
	closeAll([]*os.File{pipes[0], pipes[3]})
	if err != nil {
		closeAll([]*os.File{pipes[1], pipes[2]})
		return nil, err
	}
	return p, nil
}

// attend starts the peer and waits for it on one thread: the kernel ends a child
// that is bound to its parent when the thread that made it ends.
func (p *Peer) attend(said *beginning, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.child.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.child.Wait() // what it says is in the state
	p.exit = Exit{Code: -1, Stderr: said.text.String()}
	if state := p.child.ProcessState; state != nil {
		p.exit.Code, p.exit.Signal = state.ExitCode(), signalOf(state)
	}
	close(p.done)
}

// ID is the number of the process.
func (p *Peer) ID() int { return p.child.Process.Pid }

// Kill ends the peer at once. A peer that has ended is left alone.
func (p *Peer) Kill() { _ = p.child.Process.Kill() }

// Done is closed when the peer has ended and was collected.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Exit waits for the end of the peer and tells how it came.
func (p *Peer) Exit() Exit {
	<-p.done
	return p.exit
}

// beginning keeps the first bytes of a stream and takes the rest for nothing.
type beginning struct {
	text strings.Builder
	max  int
}

func (b *beginning) Write(p []byte) (int, error) {
	b.text.Write(p[:min(len(p), b.max-b.text.Len())])
	return len(p), nil
}
