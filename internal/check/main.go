// Command check runs what a change must pass, on a machine that has Go and
// nothing else of ours:
//
//	go run ./internal/check         everything: lint, tests, the static binary
//	go run ./internal/check test    all tests
//	go run ./internal/check lint    format, vet, tidy, linters
//	go run ./internal/check fuzz 20s  every fuzz target, so long each
//
// What the linters need is fetched by the go command.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// The linters, pinned.
const (
	staticcheck = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
	errorlint   = "github.com/polyfloyd/go-errorlint@v1.8.0"
)

func main() {
	if err := check(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func check(args []string) error {
	what := "all"
	if len(args) > 0 {
		what = args[0]
	}
	switch what {
	case "all":
		return errors.Join(lint(), test(), build())
	case "lint":
		return lint()
	case "test":
		return test()
	case "build":
		return build()
	case "fuzz":
		time := "20s"
		if len(args) > 1 {
			time = args[1]
		}
		return fuzz(time)
	}
	return fmt.Errorf("%q is none of all, lint, test, build, fuzz", what)
}

// test runs all tests, with the race detector where there is a C compiler.
func test() error {
	if _, err := exec.LookPath("git"); err != nil {
		return errors.New("the tests need git")
	}
	if _, err := exec.LookPath("rg"); err != nil {
		fmt.Println("no ripgrep: the tests do not compare grep with it")
	}
	args := []string{"test", "-shuffle=on", "-count=1", "-timeout=20m"}
	if raceWorks() {
		args = append(args, "-race")
	} else {
		fmt.Println("no C compiler: the tests run without the race detector")
	}
	return run("go", append(args, "./...")...)
}

// raceWorks tells whether the race detector can be linked.
func raceWorks() bool {
	out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	if err != nil {
		return false
	}
	enabled, cc, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if enabled != "1" {
		return false
	}
	_, err = exec.LookPath(strings.Fields(cc + " cc")[0])
	return err == nil
}

// lint checks form; the rules about rooms and sizes are tests.
func lint() error {
	return errors.Join(
		format(),
		run("go", "vet", "./..."),
		run("go", "mod", "tidy", "-diff"),
		run("go", "run", staticcheck, "./..."),
		run("go", "run", errorlint, "-test=false", "-asserts=false", "./..."),
	)
}

func format() error {
	out, err := exec.Command("gofmt", "-l", ".").Output()
	if err != nil {
		return fmt.Errorf("gofmt: %w", err)
	}
	if names := bytes.TrimSpace(out); len(names) > 0 {
		return fmt.Errorf("gofmt -w is owed to:\n%s", names)
	}
	return nil
}

// build makes the one static binary and starts it.
func build() error {
	out := filepath.Join("bin", "dsh-workflow")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "./cmd/dsh-workflow")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := stream(cmd); err != nil {
		return err
	}
	return run(out, "version")
}

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzz runs every fuzz target of the module, one after the other.
func fuzz(time string) error {
	var files []string
	err := filepath.WalkDir(".", func(p string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, "_test.go") {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		for _, m := range fuzzTarget.FindAllSubmatch(src, -1) {
			// Unless it is told otherwise, go spends up to a minute on making one
			// interesting input shorter, and tries no other meanwhile.
			err := run("go", "test", "-run=^$", "-fuzz=^"+string(m[1])+"$", "-fuzztime="+time, "-fuzzminimizetime=2s", "./"+filepath.Dir(f))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func run(name string, args ...string) error { return stream(exec.Command(name, args...)) }

// stream runs a command with our streams.
func stream(cmd *exec.Cmd) error {
	fmt.Println("+", strings.Join(cmd.Args, " "))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return nil
}
