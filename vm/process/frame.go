package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf8"
)

// maxFrame is the longest frame in bytes. It holds the longest value that may
// leave a realm.
const maxFrame = 96 << 20

// kind says what a frame is.
type kind byte

// What the realm says.
const (
	saysHello kind = iota + 1
	saysCall
	saysPhase
	saysNote
	saysSpent
	saysAfter
	saysClear
	saysSeen
	saysAlive
	saysWaiting
	saysEnd
	saysFault
)

// What the host says.
const (
	tellsStart kind = iota + 64
	tellsVerdict
	tellsSpent
	tellsSettle
	tellsFired
	tellsPing
)

var errFrame = errors.New("a frame makes no sense")

// builder makes one frame: four bytes of length, the kind, the fields.
type builder struct{ b []byte }

func frame(k kind) *builder { return &builder{b: []byte{0, 0, 0, 0, byte(k)}} }

func (w *builder) uint(n uint64) *builder {
	w.b = binary.AppendUvarint(w.b, n)
	return w
}

func (w *builder) bool(v bool) *builder {
	if v {
		return w.uint(1)
	}
	return w.uint(0)
}

func (w *builder) float(v float64) *builder {
	w.b = binary.BigEndian.AppendUint64(w.b, math.Float64bits(v))
	return w
}

func (w *builder) text(s string) *builder {
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
	return w
}

// blob tells nothing from empty.
func (w *builder) blob(b []byte) *builder {
	if b == nil {
		return w.uint(0)
	}
	w.uint(uint64(len(b)) + 1)
	w.b = append(w.b, b...)
	return w
}

// bytes is the frame with its length in front.
func (w *builder) bytes() []byte {
	binary.BigEndian.PutUint32(w.b, uint32(len(w.b)-4))
	return w.b
}

func (w *builder) fits() bool { return len(w.b)-4 <= maxFrame }

// record is a received frame, read field by field. The first field that is not
// there makes it bad, and everything after it zero.
type record struct {
	kind kind
	rest []byte
	bad  bool
}

func (r *record) fail() { r.bad, r.rest = true, nil }

func (r *record) uint() uint64 {
	n, used := binary.Uvarint(r.rest)
	if used <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[used:]
	return n
}

// small is a number that an int holds.
func (r *record) small() int {
	n := r.uint()
	if n > math.MaxInt32 {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *record) bool() bool {
	n := r.uint()
	if n > 1 {
		r.fail()
	}
	return n == 1
}

func (r *record) float() float64 {
	if len(r.rest) < 8 {
		r.fail()
		return 0
	}
	v := math.Float64frombits(binary.BigEndian.Uint64(r.rest))
	r.rest = r.rest[8:]
	return v
}

func (r *record) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// text is valid UTF-8, as everything is that goes into a journal.
func (r *record) text() string {
	b := r.take(r.uint())
	if !utf8.Valid(b) {
		r.fail()
		return ""
	}
	return string(b)
}

func (r *record) blob() []byte {
	n := r.uint()
	if n == 0 {
		return nil
	}
	b := r.take(n - 1)
	if b == nil && !r.bad {
		b = []byte{}
	}
	return b
}

// check is the error of a record that was not read to its exact end.
func (r *record) check() error {
	if r.bad || len(r.rest) > 0 {
		return fmt.Errorf("%w (kind %d)", errFrame, r.kind)
	}
	return nil
}

// readFrame reads one frame. Memory grows with what has really come, not with
// what the length promises.
func readFrame(from io.Reader) (*record, error) {
	var head [4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint32(head[:]))
	if size < 1 || size > maxFrame {
		return nil, fmt.Errorf("%w: it would be %d bytes long", errFrame, size)
	}
	body, err := readBody(from, size)
	if err != nil {
		return nil, err
	}
	return &record{kind: kind(body[0]), rest: body[1:]}, nil
}

// firstPart is what a frame may take before any of it has come.
const firstPart = 64 << 10

func readBody(from io.Reader, size int) ([]byte, error) {
	body := make([]byte, 0, min(size, firstPart))
	for len(body) < size {
		if len(body) == cap(body) {
			grown := make([]byte, len(body), min(size, 2*cap(body)))
			copy(grown, body)
			body = grown
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err != nil && len(body) < size {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return body, nil
}

// atEnd tells whether the other side is gone, rather than wrong.
func atEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed)
}

// valid is a text that may be sent.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
