package live

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// model is the program that draws a screen. The program calls its methods from
// one goroutine.
type model struct {
	screen        *Screen
	width, height int
	picture       string
}

// leave asks the program to take its picture off and to end.
type leave struct{}

// beat is the time for the next picture.
type beat struct{}

func next() tea.Cmd { return tea.Tick(pace, func(time.Time) tea.Msg { return beat{} }) }

// Init begins to beat.
func (m *model) Init() tea.Cmd { return next() }

// Update reacts to the size of the terminal, to time, and to the end.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.draw()
	case beat:
		if m.width == 0 {
			return m, next()
		}
		lines := m.screen.take(m.width)
		m.draw()
		if len(lines) > 0 {
			return m, tea.Batch(tea.Println(strings.Join(lines, "\n")), next())
		}
		return m, next()
	case leave:
		m.picture = ""
		return m, tea.Quit
	}
	return m, nil
}

func (m *model) draw() {
	m.picture = strings.Join(m.screen.draw(Picture{Width: m.width, Height: m.height, Now: time.Now()}), "\n")
}

// View is the picture. What has not changed is not sent again.
func (m *model) View() tea.View {
	v := tea.NewView(m.picture)
	v.DisableBracketedPasteMode = true
	return v
}
