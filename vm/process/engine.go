package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/dsh-go/dsh-workflow/internal/proc"
	"github.com/dsh-go/dsh-workflow/vm"
)

// Defaults of [Config].
const (
	DefaultMemory = 512 << 20
	DefaultSync   = 30 * time.Second
)

// Config is what an [Engine] is made of. The zero value of a field means its
// default.
type Config struct {
	// Memory is how many bytes a realm may hold. The kernel's bound is a little
	// over twice as much: the engine's garbage needs room. Default 512 MiB.
	Memory int64
	// Warm keeps one process ready, for hosts that start many runs. It costs about
	// 20 MB, and is used for one run like any other.
	Warm bool
	// Program is the program whose main function calls [Main]; default this one.
	Program string
}

// Engine starts realms in processes.
//
// Concurrency: any goroutine may use it.
type Engine struct {
	cfg Config

	mu     sync.Mutex
	warm   *child // ready, or nil
	making bool   // somebody starts the next one
	closed bool
}

// New makes an engine. Close ends it.
func New(c Config) *Engine {
	if c.Memory <= 0 {
		c.Memory = DefaultMemory
	}
	e := &Engine{cfg: c}
	if c.Warm {
		e.refill()
	}
	return e
}

// Close ends the process that waits. Runs go on.
func (e *Engine) Close() error {
	e.mu.Lock()
	warm := e.warm
	e.warm, e.closed = nil, true
	e.mu.Unlock()
	if warm != nil {
		warm.end()
	}
	return nil
}

// Realm is a realm to be, with its bounds. It runs any number of scripts, each
// in a process of its own.
type Realm struct {
	Engine *Engine
	// Options bound it; the default of SyncLimit is [DefaultSync], that of MaxMemory
	// is the engine's.
	Options vm.Options
}

// Run runs one script to its settlement, as [vm.InProcess.Run] does, and with the
// same errors. Besides them there are *StartError, and what the death of the
// process comes to: a *vm.LimitError or a *vm.PanicError.
func (r Realm) Run(ctx context.Context, s vm.Script, h vm.Host) (vm.Result, error) {
	if ctx.Err() != nil {
		return vm.Result{}, context.Cause(ctx)
	}
	o := r.Options
	if o.SyncLimit <= 0 {
		o.SyncLimit = DefaultSync
	}
	if o.MaxMemory <= 0 || o.MaxMemory > r.Engine.cfg.Memory {
		o.MaxMemory = r.Engine.cfg.Memory
	}
	begin, err := startFrame(s, o, h)
	if err != nil {
		return vm.Result{}, err
	}
	c, err := r.Engine.take(ctx)
	if err != nil {
		return vm.Result{}, err
	}
	return newSession(ctx, c, h, o).run(begin)
}

// Probe starts a realm, asks what keeps it in, and ends it.
func (e *Engine) Probe(ctx context.Context) (Shields, error) {
	c, err := e.take(ctx)
	if err != nil {
		return Shields{}, err
	}
	c.end()
	return c.hello.Shields, nil
}

// StartError says that a realm's process could not be started. The run can be
// tried again, or run in process.
type StartError struct{ Err error }

func (e *StartError) Error() string {
	return "the process of the script could not be started: " + e.Err.Error() + "; --realm inprocess runs it without one"
}

// Code is REALM_START.
func (e *StartError) Code() string { return "REALM_START" }

func (e *StartError) Unwrap() error { return e.Err }

// take gives a process that nobody has used: the warm one, if it lives.
func (e *Engine) take(ctx context.Context) (*child, error) {
	e.mu.Lock()
	c := e.warm
	e.warm = nil
	e.mu.Unlock()
	if e.cfg.Warm {
		e.refill()
	}
	if c != nil && c.alive() {
		return c, nil
	}
	return e.start(ctx)
}

// refill starts the next warm process beside the run that took the last one.
func (e *Engine) refill() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.making || e.warm != nil {
		return
	}
	e.making = true
	go func() {
		c, err := e.start(context.Background())
		e.mu.Lock()
		e.making = false
		if err == nil && !e.closed {
			e.warm, c = c, nil
		}
		e.mu.Unlock()
		if c != nil {
			c.end()
		}
	}()
}

// child is a process that has said hello.
type child struct {
	*proc.Peer
	hello hello
}

// end ends the process and waits until it is gone.
func (c *child) end() {
	c.Kill()
	<-c.Done()
	_ = c.In.Close()
	_ = c.Out.Close()
}

func (c *child) alive() bool {
	select {
	case <-c.Done():
		c.end()
		return false
	default:
		return true
	}
}

// patience is how long a process may take to say hello. It does next to nothing
// before, but the machine may be busy.
const patience = 30 * time.Second

func (e *Engine) start(ctx context.Context) (*child, error) {
	path, err := e.program()
	if err != nil {
		return nil, &StartError{err}
	}
	peer, err := proc.StartPeer(path, os.Args[0], word, strconv.FormatInt(e.cfg.Memory, 10))
	if err != nil {
		return nil, &StartError{err}
	}
	c := &child{Peer: peer}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("it said nothing"))
	defer cancel()
	stop := context.AfterFunc(ctx, peer.Kill)
	err = c.greet()
	if !stop() && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		c.end()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &StartError{fmt.Errorf("%w (%s)", err, epitaph(c.Exit()))}
	}
	return c, nil
}

// greet reads the first word of a process.
func (c *child) greet() error {
	r, err := readFrame(c.Out)
	if err != nil {
		return err
	}
	text := r.blob()
	if err := r.check(); err != nil || r.kind != saysHello {
		return errFrame
	}
	if err := json.Unmarshal(text, &c.hello); err != nil {
		return err
	}
	if c.hello.Protocol != protocol || c.hello.Prelude != vm.PreludeVersion {
		return fmt.Errorf("it is another version of this program (protocol %d, prelude %q)", c.hello.Protocol, c.hello.Prelude)
	}
	return nil
}

// program is the file to start. On Linux it is the running one, also when another
// version was installed over it.
func (e *Engine) program() (string, error) {
	switch {
	case e.cfg.Program != "":
		return e.cfg.Program, nil
	case runtime.GOOS == "linux":
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
