package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// MaxLine is the longest line, in bytes.
const MaxLine = 1 << 20

// Bounds of a connection.
const (
	lineTime = 5 * time.Second // to send a line
	atOnce   = 32              // connections that are served
)

// Server answers requests.
//
// Concurrency: Close may be called from any goroutine. The handler is called from
// one goroutine for each connection.
type Server struct {
	path   string
	socket net.Listener
	handle func(context.Context, Request) (any, error)
	life   context.Context
	end    context.CancelFunc
	all    sync.WaitGroup
	places chan struct{}
}

// Listen begins to answer at path with handle. What handle returns is the value of
// the reply; an error that is a [*Failure], or has a code, is told with it. A
// socket that a dead process left there is replaced; one that somebody listens on
// is an error.
func Listen(path string, handle func(context.Context, Request) (any, error)) (*Server, error) {
	if err := clear(path); err != nil {
		return nil, err
	}
	socket, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("the control socket cannot be made: %w", err)
	}
	s := &Server{path: path, socket: socket, handle: handle, places: make(chan struct{}, atOnce)}
	s.life, s.end = context.WithCancel(context.Background())
	s.all.Go(s.accept)
	return s, os.Chmod(path, 0o600)
}

// clear removes a socket that nobody listens on.
func clear(path string) error {
	c, err := net.DialTimeout("unix", path, lineTime)
	if err == nil {
		c.Close()
		return fmt.Errorf("the control socket %s is in use", path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the control socket cannot be made: %w", err)
	}
	return nil
}

// Path is where the server listens.
func (s *Server) Path() string { return s.path }

// Close ends what is being answered, and the socket.
func (s *Server) Close() error {
	s.end()
	err := s.socket.Close() // removes the file too
	s.all.Wait()
	return err
}

func (s *Server) accept() {
	for {
		c, err := s.socket.Accept()
		switch {
		case s.life.Err() != nil:
			if err == nil {
				c.Close()
			}
			return
		case err != nil: // out of descriptors, most likely: later there may be some
			select {
			case <-s.life.Done():
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		select {
		case s.places <- struct{}{}:
			s.all.Go(func() {
				defer func() { <-s.places }()
				s.serve(c)
			})
		default:
			c.Close()
		}
	}
}

func (s *Server) serve(c net.Conn) {
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(lineTime))
	stop := context.AfterFunc(s.life, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	var req Request
	if err := readLine(c, &req); err != nil {
		send(c, Reply{Error: &Failure{CodeBadRequest, err.Error()}})
		return
	}
	ctx, cancel := context.WithCancel(s.life)
	defer cancel()
	value, err := s.handle(ctx, req)
	send(c, replyOf(value, err))
}

func replyOf(value any, err error) Reply {
	if err != nil {
		return Reply{Error: failureOf(err)}
	}
	if value == nil {
		return Reply{}
	}
	raw, err := json.Marshal(value)
	if err == nil && len(raw) > MaxLine/2 {
		err = fmt.Errorf("the answer has %d bytes", len(raw))
	}
	if err != nil {
		return Reply{Error: &Failure{CodeInternal, err.Error()}}
	}
	return Reply{Value: raw}
}

func failureOf(err error) *Failure {
	var known *Failure
	if errors.As(err, &known) {
		return known
	}
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return &Failure{coded.Code(), err.Error()}
	}
	return &Failure{CodeInternal, err.Error()}
}

// send writes a reply; who asked and went away does not get it.
func send(c net.Conn, r Reply) {
	raw, err := json.Marshal(r)
	if err != nil {
		return
	}
	_ = c.SetWriteDeadline(time.Now().Add(lineTime))
	_, _ = c.Write(append(raw, '\n'))
}

// readLine reads one line of JSON into v.
func readLine(c net.Conn, v any) error {
	r := bufio.NewReader(io.LimitReader(c, MaxLine+1))
	line, err := r.ReadBytes('\n')
	switch {
	case err != nil && len(line) > MaxLine:
		return fmt.Errorf("a line has more than %d bytes", MaxLine)
	case err != nil:
		return fmt.Errorf("a line is not complete: %w", err)
	}
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("a line is not JSON of the right form: %w", err)
	}
	return nil
}
