package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// maxLine is the longest line that is read, in bytes. A longer one is skipped,
// so that a damaged file cannot eat the memory.
const maxLine = 1 << 28

// Line is one value of a file, or a piece of it that is none.
type Line struct {
	Number int    // of the line, from 1; values that share a line have the same
	Offset int64  // where the line begins
	Size   int64  // of the line with its newline, in bytes
	Value  []byte // the JSON value without the newline; nil when skipped
	// Skipped says why this piece of the file is not a value.
	Skipped string
	// Mended is set when the value did not stand alone on its line.
	Mended bool
	// Torn is set on what follows the last newline: a value whose newline is
	// missing, or the beginning of one.
	Torn bool
}

// Scan yields the lines of the file at path in order. Values are slices of their
// own. The only errors are those of the file system; the first one ends the
// sequence.
func Scan(path string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer file.Close()
		for line, err := range read(file) {
			if !yield(line, err) {
				return
			}
		}
	}
}

// At reads the line that Scan gave the offset and the size.
func At(path string, offset, size int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	line := make([]byte, size)
	if _, err := file.ReadAt(line, offset); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line, []byte("\n")), nil
}

// read splits r into lines and the lines into values.
func read(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		reader := bufio.NewReaderSize(r, 64<<10)
		var offset int64
		for number := 1; ; number++ {
			text, size, err := readLine(reader)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{}, err)
				return
			}
			line := Line{Number: number, Offset: offset, Size: size, Torn: err != nil}
			offset += size
			if size > 0 && !values(line, text, yield) {
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// readLine returns the next line without its newline, and its size with it. The
// text of a line that is too long is nil.
func readLine(r *bufio.Reader) (text []byte, size int64, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		size += int64(len(piece))
		if size <= maxLine {
			text = append(text, piece...)
		} else {
			text = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimSuffix(text, []byte("\n")), size, err
	}
}

// values yields what stands on one line and says whether to go on.
func values(line Line, text []byte, yield func(Line, error) bool) bool {
	skip := func(why string) bool {
		line.Value, line.Skipped, line.Mended = nil, why, false
		return yield(line, nil)
	}
	if line.Size > maxLine {
		return skip(fmt.Sprintf("line of %d bytes", line.Size))
	}
	if container(text) && json.Valid(text) {
		line.Value = text
		return yield(line, nil)
	}
	rest := bytes.Trim(text, "\x00 \t\r")
	if len(rest) == 0 {
		if len(text) == 0 {
			return skip("empty line")
		}
		return skip("no value, only NUL bytes or blanks")
	}
	for len(rest) > 0 {
		value, tail, ok := first(rest)
		if !ok {
			return skip(fmt.Sprintf("not a JSON object: %.60q", rest))
		}
		line.Value, line.Mended = value, true
		if !yield(line, nil) {
			return false
		}
		rest = bytes.Trim(tail, "\x00 \t\r")
	}
	return true
}

// container says whether text looks like an object or array and nothing else.
// Other values are no records: half a number is a number too.
func container(text []byte) bool {
	return len(text) > 1 && (text[0] == '{' || text[0] == '[')
}

// first cuts the value off with which text begins.
func first(text []byte) (value, tail []byte, ok bool) {
	if !container(text) {
		return nil, nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if decoder.Decode(&raw) != nil {
		return nil, nil, false
	}
	return raw, text[decoder.InputOffset():], true
}
