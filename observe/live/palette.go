package live

import "github.com/charmbracelet/x/ansi"

// look is the sequence of a style; empty for one that changes nothing.
func (s style) look() ansi.Style {
	switch s {
	case strong:
		return ansi.Style{}.Bold()
	case faint:
		return ansi.Style{}.Faint()
	case good:
		return ansi.Style{}.ForegroundColor(ansi.Green)
	case bad:
		return ansi.Style{}.ForegroundColor(ansi.Red)
	case busy:
		return ansi.Style{}.ForegroundColor(ansi.Cyan)
	case asked:
		return ansi.Style{}.Bold().ForegroundColor(ansi.Yellow)
	case plain:
	}
	return nil
}

// paint gives a text the look of a style.
func (s style) paint(text string) string {
	if text == "" {
		return ""
	}
	return s.look().Styled(text)
}
