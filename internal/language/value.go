package language

import (
	"strconv"

	"github.com/dop251/goja"
)

func itoa(n int) string { return strconv.Itoa(n) }

// call calls a function of the script. What it throws is thrown on.
func (l *Library) call(f goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	v, err := f(this, args...)
	if err != nil {
		panic(err)
	}
	return v
}

// ask ends a call that runs long when the script must end.
func (l *Library) ask() {
	if l.host.Stop == nil {
		return
	}
	if err := l.host.Stop(); err != nil {
		l.stop(err)
		panic(&goja.InterruptedError{})
	}
}

func (l *Library) isArray(o *goja.Object) bool {
	return l.call(l.arrayTest, goja.Undefined(), o).ToBoolean()
}

// length is the length of an array or of what looks like one.
func (l *Library) length(o *goja.Object) int { return int(toLength(o.Get("length"))) }
