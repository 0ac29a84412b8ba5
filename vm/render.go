package vm

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// maxRendered bounds, in bytes, what a thrown value may become.
const maxRendered = 16 << 10

// frameEnd is how the engine ends a frame: line, column, and a program counter
// that means nothing to an author.
var frameEnd = regexp.MustCompile(`:(\d+):(\d+)\(\d+\)(\)?)$`)

// render says what was thrown: its stack, else its message, else its string. It
// may run code of the script (a toString), inside the bound of the slice; its
// error is the end of the realm.
func (r *realm) render(v goja.Value) (string, error) {
	r.seen(v)
	text, err := r.js.render(goja.Undefined(), v)
	if err != nil {
		return "", err
	}
	return r.advise(tidyStack(text.String())), nil
}

// tidyStack drops our own frames and the engine's from a stack.
func tidyStack(stack string) string {
	if !strings.Contains(stack, "\n\tat ") {
		return clip(stack, maxRendered)
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(stack, "\n"), "\n") {
		frame, ok := strings.CutPrefix(line, "\tat ")
		switch {
		case !ok:
			out = append(out, line)
		case strings.HasPrefix(frame, hooksFile+":"), strings.Contains(frame, " ("+hooksFile+":"):
		default:
			out = append(out, "    at "+frameEnd.ReplaceAllString(frame, ":$1:$2$3"))
		}
	}
	return clip(strings.Join(out, "\n"), maxRendered)
}

// clip shortens text to n bytes without cutting a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// placeIn finds the first frame of a stack that lies in the script.
func (r *realm) placeIn(stack string) Position {
	for {
		_, rest, found := strings.Cut(stack, r.file+":")
		if !found {
			return Position{}
		}
		line, rest2, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(line); err == nil {
			return r.inCharacters(Position{Line: n, Column: max(1, leadingInt(rest2))})
		}
		stack = rest
	}
}

func leadingInt(s string) int {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(s[:end])
	return n
}

// show is a value as log and console print it: strings as they are, data as
// JSON, errors with their stack. The realm's render is the last resort.
func (r *realm) show(v goja.Value, render goja.Callable) string {
	obj, ok := v.(*goja.Object)
	if sym, is := v.(*goja.Symbol); is {
		return "Symbol(" + sym.String() + ")"
	}
	if !ok {
		return v.String()
	}
	if !isProxy(obj) && obj.ClassName() != "Error" {
		if _, callable := goja.AssertFunction(obj); callable {
			return "[function]"
		}
		if text, _, err := r.encode(obj, ""); err == nil {
			return text
		}
	}
	r.seen(v)
	text, err := render(goja.Undefined(), v)
	if err != nil {
		panic(err) // uncatchable, or it would have been rendered
	}
	return tidyStack(text.String())
}

// describe names the type of a value in words.
func describe(v goja.Value) string {
	switch t := v.(type) {
	case *goja.Object:
		return describeObject(t)
	case goja.String:
		if t.Length() == 0 {
			return "an empty string"
		}
		return "a string"
	case *goja.Symbol:
		return "a symbol"
	}
	switch {
	case goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "null"
	case goja.IsBigInt(v):
		return "a bigint"
	case goja.IsNumber(v):
		return "a number"
	}
	return "a boolean"
}

func describeObject(o *goja.Object) string {
	if isPromise(o) {
		return "a promise"
	}
	if _, callable := goja.AssertFunction(o); callable {
		return "a function"
	}
	if !isProxy(o) && o.ClassName() == "Array" {
		return "an array"
	}
	return "an object"
}
