// Command llmserver answers chat-completions requests on the loopback address,
// as the prompts themselves say: see package llmtest. It prints one line,
// `llmserver http://127.0.0.1:PORT/v1`, when it listens, and ends on SIGTERM, on
// SIGINT, or, with --stdin, when its standard input ends.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/dsh-go/dsh-workflow/llm/llmtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "llmserver:", err)
		os.Exit(2)
	}
}

// run serves until ctx or, if asked, the input ends.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	opts, logFile, watchInput, err := parse(args, out)
	if err != nil {
		return err
	}
	if logFile != "" {
		file, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		opts.Log = file
	}
	server, err := llmtest.New(opts)
	if err != nil {
		return err
	}
	defer server.Close()
	if _, err := fmt.Fprintln(out, "llmserver", server.URL); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if watchInput {
		go func() { // ends with the input, at the latest with the process
			_, _ = io.Copy(io.Discard, in)
			cancel()
		}()
	}
	<-ctx.Done()
	return nil
}

func parse(args []string, out io.Writer) (opts llmtest.Options, logFile string, watchInput bool, err error) {
	opts.KeepBytes = -1
	flags := flag.NewFlagSet("llmserver", flag.ContinueOnError)
	flags.SetOutput(out)
	var models, retryAfter string
	millis := func(to *time.Duration, name, usage string) {
		flags.Func(name, usage+" (milliseconds, or a duration such as 2s)", func(text string) error {
			d, err := time.ParseDuration(text)
			if err != nil {
				d, err = time.ParseDuration(text + "ms")
			}
			if err == nil && d < 0 {
				err = errors.New("negative")
			}
			*to = d
			return err
		})
	}
	flags.IntVar(&opts.Port, "port", 0, "port on 127.0.0.1; 0 lets the system choose")
	flags.StringVar(&logFile, "log", "", "append each request to this file as one JSON line")
	millis(&opts.Latency, "latency", "time before an answer's headers")
	millis(&opts.TTFT, "ttft", "more time before the first event")
	flags.IntVar(&opts.RPM, "rpm", 0, "requests admitted in a minute; 0 is no limit")
	flags.IntVar(&opts.Concurrency, "concurrency", 0, "requests admitted at once; 0 is no limit")
	flags.StringVar(&retryAfter, "retry-after", "", "Retry-After values of refusals, separated by |")
	flags.StringVar(&models, "models", "", "models that exist, separated by commas; empty means all")
	flags.StringVar(&opts.Key, "key", "", "key that requests must bear")
	flags.BoolVar(&opts.StrictHistory, "strict", false, "refuse histories with any fault")
	flags.BoolVar(&opts.DeepSeek, "deepseek", false, "refuse what DeepSeek's thinking models refuse")
	flags.BoolVar(&watchInput, "stdin", false, "end when the standard input ends")
	if err := flags.Parse(args); err != nil {
		return opts, "", false, err
	}
	if flags.NArg() > 0 {
		return opts, "", false, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if models != "" {
		opts.Models = strings.Split(models, ",")
	}
	if retryAfter != "" {
		opts.RetryAfter = strings.Split(retryAfter, "|")
	}
	return opts, logFile, watchInput, nil
}
