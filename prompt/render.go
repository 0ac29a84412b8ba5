package prompt

import (
	"fmt"
	"strings"
)

// Texts of a baseline.
const (
	introFull = "The following workspace instructions may be relevant to your work. " +
		"Use them as guidance when applicable. " +
		"More specific instructions take precedence over broader ones. " +
		"They do not override system, developer, or direct user instructions."
	introCompact     = "Workspace instructions were omitted or truncated to fit the configured byte budget."
	replacesEarlier  = "This complete workspace instruction baseline replaces all earlier workspace instruction baselines. "
	introReplacement = replacesEarlier + introFull
	nothingLeft      = replacesEarlier + "No workspace instructions are currently active."

	frameOpen    = "<system-reminder>"
	frameClose   = "</system-reminder>"
	frameEscaped = `<\/system-reminder>`
)

// style is the introductions of a text, the one that is wanted first; an empty
// one is none.
type style []string

var (
	baselineStyle    = style{introFull, introCompact}
	replacementStyle = style{introReplacement, introCompact}
	changeStyle      = style{""}
)

// piece is a file with as much of its content as is shown.
type piece struct {
	source
	shown     string
	truncated bool
	bare      bool // named in the marker only: not even its heading is shown
}

// rendering is what became of one list of files under a budget.
type rendering struct {
	framed bool
	intro  string // may be empty
	pieces []piece
	left   []source // left out
	text   string
}

// represented lists the files of which the model sees enough to count as told:
// at least a byte, or all of an empty one.
func (r rendering) represented() []source {
	var out []source
	for _, p := range r.pieces {
		if !p.bare && (p.shown != "" || p.content == "") {
			out = append(out, p.source)
		}
	}
	return out
}

// whole shows files in full behind the wanted intro, with a marker for those that
// are left out.
func whole(files, left []source, st style, budget int) rendering {
	r := rendering{framed: true, intro: st[0], left: left}
	for _, f := range files {
		r.pieces = append(r.pieces, piece{source: f, shown: f.content})
	}
	r.text = r.frame(budget)
	return r
}

// frame is the text of a framed rendering.
func (r rendering) frame(budget int) string {
	var blocks []string
	if m := r.marker(budget); m != "" {
		blocks = append(blocks, m)
	}
	if r.intro != "" {
		blocks = append(blocks, r.intro)
	}
	for _, p := range r.pieces {
		if !p.bare {
			blocks = append(blocks, p.section())
		}
	}
	return frameOpen + "\n" + escape(strings.Join(blocks, "\n\n")) + "\n" + frameClose
}

// section tells one file, as a part of a baseline or as a change.
func (p piece) section() string {
	switch p.action {
	case actionSet:
		reach := "These instructions apply to work under `" + p.folder + "`."
		if p.chain == userChain {
			reach = "These user-global instructions apply to all work."
		}
		return "Additional instructions from: " + p.display + "\n\n" + reach + " Use them as guidance when relevant; " +
			"more specific instructions take precedence. They do not override system, developer, or direct user instructions.\n\n" + p.shown
	case actionReplace:
		return "Updated instructions from: " + p.display + "\n\nThis file changed after it was loaded. " +
			"Use the following content instead of the previously loaded instructions from this file.\n\n" + p.shown
	case actionRemove:
		return "Instructions removed: " + p.display + "\n\nThe previously loaded instructions from this file no longer apply."
	}
	return "Instructions from: " + p.display + "\n\n" + p.shown
}

// marker says what is missing; it is empty when nothing is.
func (r rendering) marker(budget int) string {
	var omitted, truncated []string
	for _, f := range r.left {
		omitted = append(omitted, f.display)
	}
	for _, p := range r.pieces {
		if p.truncated {
			truncated = append(truncated, fmt.Sprintf("%s from %d to %d bytes", p.display, len(p.content), len(p.shown)))
		}
	}
	var parts []string
	if len(omitted) > 0 {
		parts = append(parts, "omitted "+strings.Join(omitted, ", "))
	}
	if len(truncated) > 0 {
		parts = append(parts, "truncated "+strings.Join(truncated, ", "))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("Workspace instruction budget %d bytes: %s", budget, strings.Join(parts, "; "))
}

// escape keeps a text from ending the frame that it stands in.
func escape(s string) string { return strings.ReplaceAll(s, frameClose, frameEscaped) }
