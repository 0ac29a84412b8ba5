package vm

import (
	"slices"
	"testing"
	"time"
)

// waitingHost answers only when the realm says that its script waits.
type waitingHost struct {
	testHost
	open  []func() // settles and fires that were not called
	made  int      // how many were
	heard []int
	stale int
}

func (h *waitingHost) Agent(c AgentCall, settle Settle) error {
	h.open = append(h.open, func() { settle(text(c.Prompt), nil) })
	return nil
}

func (h *waitingHost) After(_ time.Duration, fire func()) func() {
	h.open = append(h.open, fire)
	return func() {}
}

func (h *waitingHost) Waiting(heard int) {
	h.heard = append(h.heard, heard)
	if heard != h.made {
		h.stale++
		return
	}
	if len(h.open) > 0 {
		next := h.open[0]
		h.open = h.open[1:]
		h.made++
		next()
	}
}

// TestWaiting has a host that does one thing each time the script waits: it is
// told after every stretch, a timer that was cleared meanwhile counts as heard.
func TestWaiting(t *testing.T) {
	h := &waitingHost{}
	res, err := InProcess{}.Run(t.Context(), Script{Name: "t", Body: `
		const timer = setTimeout(() => {}, 1000)
		await null; await null
		const a = agent('a'), b = agent('b')
		clearTimeout(timer)
		const first = await a
		return [first, await b, await agent('c')]`}, h)
	if err != nil {
		t.Fatal(err)
	}
	if string(res.Value) != `["a","b","c"]` {
		t.Errorf("value %s", res.Value)
	}
	if want := []int{0, 1, 2, 3}; !slices.Equal(h.heard, want) || h.stale != 0 {
		t.Errorf("heard %v, want %v; %d stale", h.heard, want, h.stale)
	}
}
