// Command embed runs a batch of workflow scripts from a Go program: three
// scripts at once on one harness, with simulated agents. It follows the records
// of the first run as they are written, and prints what each run came to.
//
//	go run ./examples/embed
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
	"github.com/dsh-go/dsh-workflow/workflow"
)

const greet = `export const meta = { name: 'greet', description: 'asks one agent' }
return await agent('Say hello.', { label: 'hello' })`

const fanOut = `export const meta = { name: 'fan-out', description: 'asks one agent an item' }
const answers = await parallel(['a', 'b', 'c'].map((x) => () => agent('Describe ' + x + '.', { label: x })))
return answers.filter((a) => a !== null).length + ' of ' + answers.length + ' answered'`

const sum = `export const meta = { name: 'sum', description: 'works on its args' }
return args.numbers.reduce((a, b) => a + b, 0)`

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	// Memory: nothing is written to disk. A program that keeps its runs gives a Home.
	h, err := dsh.Open(dsh.Config{
		Memory: true, Environ: os.Environ(), Endpoint: config.Endpoint{Provider: config.Sim, Model: config.Sim},
		// The folder is our own: agents may change it, and its AGENTS.md counts. Left
		// out, no folder is trusted, and agents can only read.
		Trusts: func(folder string) bool { return folder == root },
	})
	if err != nil {
		return err
	}
	defer h.Close()

	var runs []*workflow.Run
	for _, source := range []string{greet, fanOut, sum} {
		r, err := h.Engine().Start(ctx, workflow.Request{Source: source, Args: []byte(`{"numbers":[1,2,3]}`), Root: root})
		if err != nil {
			return err // nothing ran; the error says which line is to blame
		}
		defer r.Close()
		runs = append(runs, r)
	}
	for _, record := range runs[0].Follow(ctx, 0) {
		fmt.Fprintf(out, "%d %T\n", record.N, record.Fact)
	}
	for _, r := range runs {
		res, err := r.Wait(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s, %d agents, value %s\n", res.Name, res.Status, res.Agents.Started, res.Value)
	}
	return nil
}
