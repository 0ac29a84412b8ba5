package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/dsh-go/dsh-workflow/control"
	"github.com/dsh-go/dsh-workflow/workflow"
)

// socket is where this process will listen for stop, pause and resume; empty when
// there is no place for it.
func (e env) socket() string {
	dir, err := control.Folder(e.lookup("XDG_RUNTIME_DIR"))
	if err != nil {
		return ""
	}
	return filepath.Join(dir, fmt.Sprintf("%d.sock", os.Getpid()))
}

// served is a run that other processes can speak to.
//
// Concurrency: answer is called from the goroutines of the server; mu orders what
// it does to the run.
type served struct {
	run    *workflow.Run
	server *control.Server
	mu     sync.Mutex
}

// serve listens for words to the run at the socket that its lock names. A run
// without a socket goes on, and says that it cannot be reached.
func serve(e env, r *workflow.Run, socket string) *served {
	s := &served{run: r}
	if r.Dir() == "" {
		return s
	}
	err := errors.New("there is no safe folder for a socket")
	if socket != "" {
		s.server, err = control.Listen(socket, s.answer)
	}
	if err != nil {
		fmt.Fprintf(e.stderr, "dsh-workflow: stop and pause cannot reach this run: %v\n", err)
	}
	return s
}

func (s *served) close() {
	if s.server != nil {
		_ = s.server.Close() // the process ends
	}
}

// errNotHere refuses words to a run of another process.
var errNotHere = &control.Failure{Kind: "NO_RUN", Message: "this process does not run that run"}

// standing is the answer to every request: how the run stands now.
type standing struct {
	Status workflow.Status `json:"status"`
	// Changed is false when the run stood so before.
	Changed bool `json:"changed"`
}

func (s *served) answer(ctx context.Context, r control.Request) (any, error) {
	if r.Run != string(s.run.ID()) {
		return nil, errNotHere
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Op {
	case control.Status:
		return s.stands(false), nil
	case control.Pause:
		return s.stands(s.run.Pause(r.Reason)), nil
	case control.Resume:
		return s.stands(s.run.Continue()), nil
	case control.Stop:
		s.run.Cancel(errors.New(stopReason(r.Reason)))
		res, err := s.run.Wait(ctx)
		if err != nil {
			return nil, err
		}
		return standing{Status: res.Status, Changed: true}, nil
	case control.Answer:
	}
	return nil, &control.Failure{Kind: control.CodeBadRequest, Message: fmt.Sprintf("a run has no answer to %q", r.Op)}
}

func (s *served) stands(changed bool) standing {
	if s.run.Paused() {
		return standing{workflow.StatusPaused, changed}
	}
	return standing{workflow.StatusRunning, changed}
}

func stopReason(why string) string {
	if why == "" {
		return "stopped by dsh-workflow stop"
	}
	return "stopped: " + why
}

// tell asks the process of a run for something. The run must be one that a process
// writes to.
func tell(ctx context.Context, h history, id workflow.RunID, r control.Request) (standing, error) {
	owner, writing := h.Writing(id)
	switch {
	case !writing:
		return standing{}, usage("run %s is not running: it is %s", id, h.quick(id).Status)
	case owner.Socket == "":
		return standing{}, &exitError{exitFailed, fmt.Sprintf("run %s has no control socket; its process is %d, and SIGINT cancels it", id, owner.PID)}
	}
	r.Run = string(id)
	raw, err := control.Ask(ctx, owner.Socket, r)
	if err != nil {
		return standing{}, &exitError{exitFailed, fmt.Sprintf("run %s (process %d): %v", id, owner.PID, err)}
	}
	var s standing
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, &exitError{exitFailed, fmt.Sprintf("run %s gave an answer that this version cannot read: %v", id, err)}
	}
	return s, nil
}
