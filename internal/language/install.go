package language

import (
	_ "embed"
	"sync"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
)

// Host is what the library asks of the realm around it.
type Host struct {
	// Stop is asked by calls that may run long. With an error of it the call ends,
	// and with it the script.
	Stop func() error
	// MaxDepth is how deep JSON may nest.
	MaxDepth int
	// Source is the script: what it does not name is not made.
	Source string
}

// Library is the part of one realm's library that is ours.
type Library struct {
	rt        *goja.Runtime
	host      Host
	patterns  patterns
	arrayTest goja.Callable // Array.isArray
	collators map[string]*collate.Collator
	async     *goja.Object // what lowered syntax calls, once made
}

// file is the name of our own code in stack frames.
const file = "<hooks>"

//go:embed async.js
var asyncSource string

var asyncProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile(file, asyncSource, false) })

//go:embed regexp.js
var regexpSource string

var regexpProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile(file, regexpSource, false) })

// Install changes a fresh realm.
func Install(rt *goja.Runtime, host Host) (*Library, error) {
	l := &Library{rt: rt, host: host}
	l.patterns.index = map[string]int{}
	symbol := rt.Get("Symbol").ToObject(rt)
	if err := symbol.DefineDataProperty("asyncIterator", goja.NewSymbol("Symbol.asyncIterator"), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		return nil, err
	}
	array := rt.Get("Array").ToObject(rt)
	l.arrayTest, _ = goja.AssertFunction(array.Get("isArray"))
	json := rt.Get("JSON").ToObject(rt)
	l.define(json, "stringify", l.function("stringify", 3, l.stringify), true)
	l.define(json, "parse", l.function("parse", 2, l.parse), true)
	if err := l.fill(); err != nil {
		return nil, err
	}
	return l, nil
}

// Async gives a function that lowered syntax calls, by its name.
func (l *Library) Async(name string) (goja.Value, error) {
	if l.async == nil {
		made, err := l.run(asyncProgram())
		if err != nil {
			return nil, err
		}
		l.async = made.ToObject(l.rt)
	}
	return l.async.Get(name), nil
}

// function makes a native function with the name and length that a script sees.
func (l *Library) function(name string, length int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	made := l.rt.ToValue(f).(*goja.Object)
	l.define(made, "name", l.rt.ToValue(name), false)
	l.define(made, "length", l.rt.ToValue(length), false)
	return made
}

// define adds a property that is not enumerable, as those of the language are.
func (l *Library) define(to *goja.Object, name string, v goja.Value, writable bool) {
	flag := goja.FLAG_FALSE
	if writable {
		flag = goja.FLAG_TRUE
	}
	if err := to.DefineDataProperty(name, v, flag, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// run runs a program whose value is a function, and calls that.
func (l *Library) run(prog *goja.Program, args ...goja.Value) (goja.Value, error) {
	made, err := l.rt.RunProgram(prog)
	if err != nil {
		return nil, err
	}
	call, _ := goja.AssertFunction(made)
	return call(goja.Undefined(), args...)
}

// typeError throws an error of the language.
func (l *Library) typeError(text string) { l.throw("TypeError", text) }

// throw throws an error of the named kind with a text.
func (l *Library) throw(kind, text string) {
	made, err := l.rt.New(l.rt.Get(kind), l.rt.ToValue(text))
	if err != nil {
		panic(err)
	}
	panic(made)
}

// stop ends the script with the reason, which the realm knows.
func (l *Library) stop(err error) {
	l.rt.Interrupt(err)
}
