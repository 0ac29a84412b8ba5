package workflow

// RunPaused says that no agent is started until RunContinued; those that run go on.
type RunPaused struct {
	Reason string `json:"reason,omitempty"` // for people
}

// RunContinued ends a pause.
type RunContinued struct{}

func (RunPaused) fact()    {}
func (RunContinued) fact() {}

// Pause starts no agent from here on. Those that run go on, and what they come to
// reaches the script; time limits run on too. It reports false if the run is
// paused already, or has ended.
func (r *Run) Pause(reason string) bool {
	return r.ctx.Err() == nil && r.slots.hold(func() { r.ledger.append(RunPaused{Reason: reason}, true, nil) })
}

// Continue starts agents again. It reports false if the run is not paused.
func (r *Run) Continue() bool {
	return r.slots.unhold(func() { r.ledger.append(RunContinued{}, true, nil) })
}

// Paused tells whether the run is paused.
func (r *Run) Paused() bool {
	return r.slots.isHeld()
}
