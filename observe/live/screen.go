package live

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/workflow"
)

const (
	// pace is the time from one picture to the next.
	pace = 100 * time.Millisecond
	// maxAbove bounds the lines that wait to be printed above the picture. A
	// terminal that shows them all is slower than a script that writes them.
	maxAbove = 200
	// patience is how long a terminal may take for the last picture.
	patience = time.Second
)

// Terminal is where a screen draws.
type Terminal struct {
	Out     io.Writer // a terminal
	Environ []string  // TERM and its like, as NAME=value
	Color   bool
}

// Screen keeps the view of a run and draws it until Stop.
//
// Concurrency: every method may be called from any goroutine, and none waits for
// the terminal; Stop does, for a second. mu guards what the picture is made of.
// One goroutine draws: that of the program.
type Screen struct {
	terminal Terminal

	mu       sync.Mutex
	view     *observe.View
	lines    *observe.Text // writes what a log says into above
	above    []string      // lines that the terminal has not got yet
	left     int           // lines beyond maxAbove
	question []string
	program  *tea.Program  // nil while nothing is drawn
	gone     chan struct{} // closed when program has left the terminal
}

// NewScreen makes a screen that draws nothing until Start.
func NewScreen(t Terminal) *Screen {
	s := &Screen{terminal: t, view: observe.NewView()}
	s.lines = observe.NewText((*queue)(s))
	return s
}

// Apply shows one record.
func (s *Screen) Apply(r workflow.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.Apply(r)
	switch r.Fact.(type) {
	case workflow.Logged, workflow.Warned, workflow.LimitReached, workflow.RunPaused, workflow.RunContinued:
		s.lines.Apply(r)
	}
}

// See shows an event of an agent's session.
func (s *Screen) See(seq workflow.Seq, e session.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.See(seq, e)
}

// Write prints whole lines above the picture. It never fails.
func (s *Screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return (*queue)(s).Write(b)
}

// Ask puts a question below the picture; none takes it away.
func (s *Screen) Ask(question ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.question = question
}

// queue is the screen as the writer of the lines above its picture; the caller
// holds mu.
type queue Screen

func (q *queue) Write(b []byte) (int, error) {
	for text := range strings.Lines(string(b)) {
		if len(q.above) >= maxAbove {
			q.left++
			continue
		}
		q.above = append(q.above, observe.OneLine(strings.TrimRight(text, "\r\n"), 2000))
	}
	return len(b), nil
}

// take returns what is to be printed above, in lines that a terminal of that
// width does not break.
func (s *Screen) take(columns int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, text := range s.above {
		out = append(out, wrap(text, columns-1)...)
	}
	if s.left > 0 {
		out = append(out, wrap(fmt.Sprintf("… %d lines are not shown here; logs shows them", s.left), columns-1)...)
	}
	s.above, s.left = nil, 0
	return out
}

// draw makes the picture of now.
func (s *Screen) draw(p Picture) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Color, p.Question = s.terminal.Color, s.question
	return Frame(s.view, p)
}

// Start begins to draw.
func (s *Screen) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.program != nil {
		return
	}
	// No input: the keys stay with the terminal's driver, so that its interrupt and
	// suspend keys are signals also while nobody takes our output.
	p := tea.NewProgram(&model{screen: s}, tea.WithInput(nil), tea.WithOutput(s.terminal.Out), tea.WithEnvironment(s.terminal.Environ),
		tea.WithoutSignalHandler(), tea.WithFPS(int(time.Second/pace)))
	gone := make(chan struct{})
	s.program, s.gone = p, gone
	go func() {
		defer close(gone)
		_, _ = p.Run() // a picture that cannot be drawn is no fault of the run
	}()
}

// Pause takes the picture off the terminal; Start draws it again. It reports
// whether the terminal was left in time.
func (s *Screen) Pause() bool {
	s.mu.Lock()
	p, gone := s.program, s.gone
	s.program = nil
	s.mu.Unlock()
	if p == nil {
		return true
	}
	go p.Send(leave{}) // waits while the terminal takes nothing
	select {
	case <-gone:
		return true
	case <-time.After(patience):
		p.Kill()
		return false
	}
}

// Stop takes the picture off and leaves the lines that had not been printed, and
// a short account of the phases. It reports whether the terminal took it.
func (s *Screen) Stop() bool {
	if !s.Pause() {
		return false
	}
	rest := append(s.take(1<<16), s.draw(Picture{Width: 1 << 16, Height: 40, Now: time.Now(), Short: true})...)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.WriteString(s.terminal.Out, strings.Join(slices.Concat(rest, []string{""}), "\n"))
	}()
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}

// wrap breaks a text into lines of at most that many columns.
func wrap(text string, columns int) []string {
	columns = max(1, columns)
	var lines []string
	for {
		used, end := 0, 0
		for end < len(text) {
			cluster := first(text[end:])
			w := width(cluster)
			if used+w > columns && end > 0 {
				break
			}
			if w > columns {
				text, cluster, w = "…"+text[len(cluster):], "…", 1
			}
			used, end = used+w, end+len(cluster)
		}
		lines = append(lines, text[:end])
		if text = text[end:]; text == "" {
			return lines
		}
	}
}
