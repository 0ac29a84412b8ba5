package lower

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// place maps an offset in the code to one in the body.
type place struct{ code, body int }

// places are sorted by their offset in the code.
type places []place

func (p places) origin(offset int) int {
	i, found := slices.BinarySearchFunc(p, offset, func(a place, b int) int { return a.code - b })
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	return p[i].body
}

// readMap reads a source map, whose columns count UTF-16 units. The body begins
// at an offset of the source.
func readMap(raw []byte, code, source string, begin, size int) (places, error) {
	var m struct {
		Mappings string `json:"mappings"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	inCode, inSource := newLines(code), newLines(source)
	var out places
	line, column := 0, 0
	fields := [4]int{} // generated column, source, line, column
	for rest := m.Mappings; rest != ""; {
		switch rest[0] {
		case ';':
			line++
			fields[0] = 0
			rest = rest[1:]
			continue
		case ',':
			rest = rest[1:]
			continue
		}
		for i := 0; rest != "" && rest[0] != ',' && rest[0] != ';'; i++ {
			n, tail, err := varint(rest)
			if err != nil {
				return nil, err
			}
			if rest = tail; i < len(fields) {
				fields[i] += n
			}
		}
		column = fields[0]
		at := inSource.offset(fields[2], fields[3])
		out = append(out, place{inCode.offset(line, column), min(max(at-begin, 0), size)})
	}
	return out, nil
}

const digits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// varint reads one number: digits of five bits, the lowest first, and the lowest
// bit of all is the sign.
func varint(s string) (int, string, error) {
	n := 0
	for shift := 0; ; shift += 5 {
		if s == "" || shift > 40 {
			return 0, "", errors.New("broken number")
		}
		d := strings.IndexByte(digits64, s[0])
		if d < 0 {
			return 0, "", errors.New("broken digit")
		}
		s = s[1:]
		n |= (d & 31) << shift
		if d&32 == 0 {
			break
		}
	}
	if n&1 == 1 {
		return -(n >> 1), s, nil
	}
	return n >> 1, s, nil
}

// lines finds offsets by line and column.
type lines struct {
	text   string
	starts []int
}

func newLines(text string) lines {
	l := lines{text: text, starts: []int{0}}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n', c == '\r' && !strings.HasPrefix(text[i+1:], "\n"):
			l.starts = append(l.starts, i+1)
		case strings.HasPrefix(text[i:], "\u2028"), strings.HasPrefix(text[i:], "\u2029"):
			l.starts = append(l.starts, i+len("\u2028"))
		}
	}
	return l
}

// offset counts the column in UTF-16 units.
func (l lines) offset(line, column int) int {
	if line >= len(l.starts) {
		return len(l.text)
	}
	at := l.starts[line]
	for column > 0 && at < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[at:])
		at += size
		if column--; r > 0xffff {
			column--
		}
	}
	return at
}
