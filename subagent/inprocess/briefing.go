package inprocess

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/prompt"
	"github.com/dsh-go/dsh-workflow/session"
)

// briefing tells one child what the instruction files say: all of it before the
// first prompt, and between steps what has changed since. All that it knows of the
// child stands in the log, so that a step which does not begin is as if it had not
// been asked, and a child that is resumed goes on as it would have.
//
// Concurrency: it belongs to the goroutine that drives the agent.
type briefing struct {
	watch *prompt.Watch
	cwd   string
	log   *session.Log
	warn  *slog.Logger
	last  session.Seq // of a step/start, behind which the last one may stand
}

// newBriefing returns nil where no instructions count.
func (s *spawn) newBriefing(site Site, log *session.Log) *briefing {
	files := s.cfg.Instructions(site)
	if files == nil || site.Cwd == "" {
		return nil
	}
	return &briefing{watch: files.Watch(), cwd: site.Cwd, log: log, warn: s.cfg.Log}
}

// preStep gives the messages that enter a step. The first prompt stands behind the
// instructions, so that siblings share them; everything later stands before them.
func (b *briefing) preStep(step agent.Proposal) ([]llm.Message, error) {
	if b == nil {
		return step.Claimed, nil
	}
	history := b.log.History()
	if len(history) == 0 && len(step.Claimed) == 0 {
		return nil, nil // nothing to work on
	}
	news, err := b.watch.Look(prompt.Situation{Cwd: b.cwd, History: history, Touched: b.touched()})
	if err != nil {
		return nil, err
	}
	for _, w := range news.Warnings {
		b.warn.Warn(w)
	}
	message, ok := news.Message("")
	switch {
	case !ok:
		return step.Claimed, nil
	case len(history) == 0:
		return append([]llm.Message{message}, step.Claimed...), nil
	}
	return append(slices.Clone(step.Claimed), message), nil
}

// touched lists the files that the tools of the last step have read or changed.
// Results of a step all stand in the log before the next one is proposed.
func (b *briefing) touched() []string {
	events := b.log.Events(b.last)
	for i, e := range slices.Backward(events) {
		if _, ok := e.Data.(session.StepStart); ok {
			b.last, events = e.Seq, events[i:]
			break
		}
	}
	var files []string
	for _, e := range events {
		result, ok := e.Data.(session.ToolResult)
		if !ok || result.Error != nil || isError(result.Message) || len(e.Sources) == 0 || e.Sources[0] < events[0].Seq {
			continue
		}
		call, ok := events[e.Sources[0]-events[0].Seq].Data.(session.ToolCall)
		if path := fileOf(call); ok && path != "" {
			if !filepath.IsAbs(path) {
				path = filepath.Join(b.cwd, path)
			}
			files = append(files, path)
		}
	}
	return files
}

// fileOf is the file that a call names; empty if its tool is none of those that
// read and change files.
func fileOf(call session.ToolCall) string {
	switch call.Name {
	case "read", "write", "edit":
	default:
		return ""
	}
	var args struct {
		FilePath string `json:"file_path"`
	}
	if err := json.Unmarshal([]byte(call.Arguments), &args); err != nil || strings.TrimSpace(args.FilePath) == "" {
		return ""
	}
	return args.FilePath
}
