package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-go/dsh-workflow/observe"
	"github.com/dsh-go/dsh-workflow/trust"
)

// tries is how often the question is put to somebody who answers something else.
const tries = 3

// askTrust asks whether a project may contribute and agents may change things in it.
// The end of the input, and an empty line, answer nothing.
func askTrust(in io.Reader, out io.Writer, s decision) trust.Answer {
	brings := "nothing that would count yet"
	if len(s.offers) > 0 {
		brings = few(s.offers)
	}
	fmt.Fprintf(out, "Do you trust %s?\n"+
		"  It brings: %s.\n"+
		"  If you do, that counts, and agents can change files and run commands here.\n"+
		"  If you do not, it is left out, and agents can only read files here.\n",
		observe.OneLine(s.project, maxShownPath), observe.OneLine(brings, maxShown))
	for range tries {
		fmt.Fprint(out, "Trust it? [y]es, [n]o (both are remembered), or Enter for not this time: ")
		line, err := readLine(in)
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return trust.Trusted
		case "n", "no":
			return trust.Refused
		case "":
			if err != nil {
				fmt.Fprintln(out) // the cursor still stands behind the question
			}
			return trust.Unasked
		}
		if err != nil {
			return trust.Unasked
		}
	}
	return trust.Unasked
}

// readLine reads up to the end of a line and no byte further: the rest of the input
// is not ours.
func readLine(in io.Reader) (string, error) {
	const most = 4096
	var line []byte
	for one := make([]byte, 1); len(line) < most; {
		n, err := in.Read(one)
		switch {
		case n == 1 && one[0] == '\n':
			return string(line), nil
		case n == 1:
			line = append(line, one[0])
		}
		if err != nil {
			return string(line), err
		}
	}
	return "", io.ErrShortBuffer
}
