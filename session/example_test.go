package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
)

// One step in the order that makes its request rebuildable, and the request made
// again from the file.
func Example() {
	if err := step(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// sent    be brief / hello
	// rebuilt be brief / hello
}

func step() error {
	dir, err := os.MkdirTemp("", "session")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s1.jsonl")
	header := session.Header{ID: "s1"}
	sink, err := session.OpenFile(path, header)
	if err != nil {
		return err
	}
	log, err := session.New(header, session.Options{Sink: sink})
	if err != nil {
		return err
	}
	hello := llm.Message{ID: "m1", Role: llm.RoleUser, Source: llm.Source{Kind: llm.SourceUser}, Content: []llm.Block{llm.Text{Text: "hello"}}}
	log.Append(session.TurnStart{Turn: 1})
	log.Append(session.UserMessage{Message: hello})
	history := log.Messages() // before the step starts
	log.Append(session.StepStart{Turn: 1, Step: 1})
	route := llm.Config{Provider: "sim", Model: "sim"}
	if err := log.RecordHeader(session.EpochHeader{Config: route, System: "be brief"}, true); err != nil {
		return err
	}
	if err := log.Flush(context.Background()); err != nil { // before the provider sees it
		return err
	}
	sent, _ := log.RequestHeader()
	fmt.Println("sent   ", sent.System, "/", history[0].Content[0].(llm.Text).Text)
	if err := log.Close(); err != nil {
		return err
	}

	_, events, err := session.Load(path)
	if err != nil {
		return err
	}
	for _, attempt := range session.Attempts(events) {
		request, err := session.Rebuild(events, attempt)
		if err != nil {
			return err
		}
		fmt.Println("rebuilt", request.System, "/", request.Messages[0].Content[0].(llm.Text).Text)
	}
	return nil
}
