package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine bounds one line and one event of a stream, in bytes.
const maxLine = 16 << 20

var errLongLine = errors.New("a line of the stream is longer than 16 MiB")

// sseEvent is one event of a stream. The data is valid until the next read.
type sseEvent struct {
	name string
	data []byte
	// cut is set if the stream ended inside the event's last line.
	cut bool
}

// eventReader reads server-sent events. Beyond the standard it takes two data
// lines that are complete JSON each for two events, since some servers leave
// out the blank line, and it delivers what is pending when the stream ends.
type eventReader struct {
	src     io.Reader
	buf     []byte // unread bytes are buf[r:w]
	r, w    int
	scanned int // up to here there is no end of line
	err     error
	skipLF  bool // the last line ended with CR: an LF that follows belongs to it

	name    string
	data    []byte
	pending bool
	held    []byte // value of a data line that opens the next event
	hasHeld bool
	heldCut bool
}

var doneMark = []byte("[DONE]")

// next returns the next event that has data. The error is io.EOF at the end.
func (e *eventReader) next() (sseEvent, error) {
	e.data, e.pending = e.data[:0], false
	if e.hasHeld {
		e.hasHeld = false
		if e.add(e.held, e.heldCut) {
			return e.take(e.heldCut), nil
		}
	}
	for {
		line, cut, err := e.line()
		if err != nil {
			if e.pending && errors.Is(err, io.EOF) {
				return e.take(false), nil
			}
			return sseEvent{}, err
		}
		if len(line) == 0 {
			if e.pending {
				return e.take(false), nil
			}
			e.name = ""
			continue
		}
		field, value := splitField(line)
		switch {
		case string(field) == "event":
			e.name = string(value)
		case string(field) == "data" && len(value) > 0:
			if e.pending && e.startsNext(value) {
				e.held, e.hasHeld, e.heldCut = value, true, cut
				return e.take(false), nil
			}
			if e.add(value, cut) {
				return e.take(cut), nil
			}
			if len(e.data) > maxLine {
				return sseEvent{}, errLongLine
			}
		}
	}
}

// startsNext reports whether a data line belongs to an event of its own though
// no blank line came before it.
func (e *eventReader) startsNext(value []byte) bool {
	return bytes.Equal(value, doneMark) || value[0] == '{' && json.Valid(e.data)
}

// add appends a data line and reports whether the event is complete already:
// nothing follows the end mark, though a server may keep the connection open.
func (e *eventReader) add(value []byte, cut bool) bool {
	if e.pending {
		e.data = append(e.data, '\n')
	}
	e.data = append(e.data, value...)
	e.pending = true
	return cut || bytes.Equal(value, doneMark)
}

func (e *eventReader) take(cut bool) sseEvent {
	ev := sseEvent{name: e.name, data: e.data, cut: cut}
	if !e.hasHeld {
		e.name = ""
	}
	e.pending = false
	return ev
}

func splitField(line []byte) (field, value []byte) {
	field, value, _ = bytes.Cut(line, []byte{':'})
	return field, bytes.TrimRight(bytes.TrimPrefix(value, []byte{' '}), " \t")
}

// line returns the next line without its end. cut is set for a last line that
// has none.
func (e *eventReader) line() (line []byte, cut bool, err error) {
	for {
		if e.skipLF && e.r < e.w {
			if e.buf[e.r] == '\n' {
				e.r++
				e.scanned = max(e.scanned, e.r)
			}
			e.skipLF = false
		}
		fresh := e.buf[e.scanned:e.w]
		end := bytes.IndexByte(fresh, '\n')
		if end >= 0 {
			fresh = fresh[:end]
		}
		if cr := bytes.IndexByte(fresh, '\r'); cr >= 0 {
			end, e.skipLF = cr, true
		}
		if end >= 0 {
			line = e.buf[e.r : e.scanned+end]
			e.r = e.scanned + end + 1
			e.scanned = e.r
			return line, false, nil
		}
		e.scanned = e.w
		if e.w-e.r > maxLine {
			return nil, false, errLongLine
		}
		if e.err != nil {
			if e.r == e.w || !errors.Is(e.err, io.EOF) {
				return nil, false, e.err
			}
			line = e.buf[e.r:e.w]
			e.r = e.w
			return line, true, nil
		}
		e.fill()
	}
}

// fill reads once, after it has made room.
func (e *eventReader) fill() {
	if e.r > 0 {
		copy(e.buf, e.buf[e.r:e.w])
		e.w, e.scanned, e.r = e.w-e.r, e.scanned-e.r, 0
	}
	if e.w == len(e.buf) {
		grown := make([]byte, max(2*len(e.buf), 8<<10))
		copy(grown, e.buf[:e.w])
		e.buf = grown
	}
	n, err := e.src.Read(e.buf[e.w:])
	e.w += n
	e.err = err
}

// first skips white space and a byte order mark and returns the first byte of
// the body without consuming it.
func (e *eventReader) first() (byte, error) {
	for {
		rest := e.buf[e.r:e.w]
		if bytes.HasPrefix(rest, []byte("\ufeff")) {
			rest = rest[3:]
		}
		rest = bytes.TrimLeft(rest, " \t\r\n")
		e.r = e.w - len(rest)
		e.scanned = max(e.scanned, e.r)
		if len(rest) > 2 || len(rest) > 0 && (rest[0] != 0xEF || e.err != nil) {
			return rest[0], nil
		}
		if e.err != nil {
			return 0, e.err
		}
		e.fill()
	}
}

// rest returns all that is left, at most maxLine bytes.
func (e *eventReader) rest() ([]byte, error) {
	for e.err == nil && e.w-e.r <= maxLine {
		e.fill()
	}
	if e.err == nil {
		return nil, errLongLine
	}
	if !errors.Is(e.err, io.EOF) {
		return e.buf[e.r:e.w], e.err
	}
	return e.buf[e.r:e.w], nil
}
