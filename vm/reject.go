package vm

import "github.com/dop251/goja"

// rejections follows the promises that were rejected while nobody listened.
// Loop only.
type rejections struct {
	body  *goja.Promise // its rejection is the outcome of the run
	order []*rejection
	open  map[*goja.Promise]*rejection
	told  map[*goja.Object]bool // reasons; one may reject a whole chain of promises
	fatal []*goja.Promise       // ripe ones whose reason is an error of the host
}

type rejection struct {
	promise *goja.Promise
	aged    bool // it has outlived one drain of the job queue
}

// track is called by the engine inside a stretch of script.
func (q *rejections) track(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionHandle {
		delete(q.open, p)
		return
	}
	one := &rejection{promise: p}
	q.open[p] = one
	q.order = append(q.order, one)
}

// ripe takes the rejections that are still unhandled: those that were so at the
// last drain already, or all of them at the end. A handler that comes one tick
// late is in time.
func (q *rejections) ripe(final bool) []*goja.Promise {
	var out []*goja.Promise
	kept := q.order[:0]
	for _, one := range q.order {
		if q.open[one.promise] != one || one.promise == q.body {
			continue
		}
		if one.aged || final {
			out = append(out, one.promise)
			continue
		}
		one.aged = true
		kept = append(kept, one)
	}
	clear(q.order[len(kept):])
	q.order = kept
	return out
}

// sweep reports what nobody handled, once each. Fatal errors are left for the
// end of the run: until then somebody may still look at them.
func (r *realm) sweep(final bool) error {
	ripe := r.rejected.ripe(final)
	if len(ripe) == 0 {
		return nil
	}
	return r.slice(func() error {
		for _, p := range ripe {
			if r.fatal(p.Result()) != nil {
				r.rejected.fatal = append(r.rejected.fatal, p)
				continue
			}
			delete(r.rejected.open, p)
			if r.rejected.again(p.Result()) {
				continue
			}
			if err := r.noteUnhandled(p.Result()); err != nil {
				return err
			}
		}
		return nil
	})
}

// again says whether a reason was reported before.
func (q *rejections) again(reason goja.Value) bool {
	obj, ok := reason.(*goja.Object)
	if !ok {
		return false
	}
	before := q.told[obj]
	q.told[obj] = true
	return before
}

// unobserved is the first fatal error that nobody has looked at to the end.
func (r *realm) unobserved() error {
	for _, p := range r.rejected.fatal {
		if _, open := r.rejected.open[p]; open {
			return r.fatal(p.Result())
		}
	}
	return nil
}

func (r *realm) noteUnhandled(reason goja.Value) error {
	text, err := r.render(reason)
	if err != nil {
		return err
	}
	r.host.Note(Note{
		Kind: NoteUnhandled, Level: "warn",
		Message: "unhandled rejection: " + text, Pos: r.placeIn(text),
	})
	return nil
}
