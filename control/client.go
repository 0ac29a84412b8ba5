package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"
)

// Ask sends a request to the process that listens at path and returns the value of
// its reply. The error is a [*Failure], of CodeUnreachable when nobody listens, or
// the cause of ctx.
func Ask(ctx context.Context, path string, r Request) (json.RawMessage, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, lost(ctx, CodeUnreachable, fmt.Errorf("nobody listens at %s: %w", path, err))
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, &Failure{CodeBadRequest, err.Error()}
	}
	if len(raw) >= MaxLine {
		return nil, &Failure{CodeBadRequest, fmt.Sprintf("the request has %d bytes, over %d", len(raw), MaxLine-1)}
	}
	if _, err := c.Write(append(raw, '\n')); err != nil {
		return nil, lost(ctx, CodeUnreachable, err)
	}
	var reply Reply
	if err := readLine(c, &reply); err != nil {
		return nil, lost(ctx, CodeBadReply, fmt.Errorf("the process at %s did not answer: %w", path, err))
	}
	if reply.Error != nil {
		return nil, reply.Error
	}
	return reply.Value, nil
}

// lost is the failure of a connection, or why ctx ended when that was the reason.
func lost(ctx context.Context, code string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var known *Failure
	if errors.As(err, &known) {
		return known
	}
	return &Failure{code, err.Error()}
}
