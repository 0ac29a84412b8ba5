package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStartUp holds what the packages that draw cost a command that draws
// nothing. What they allocate is the same on every machine; the time is logged.
func TestStartUp(t *testing.T) {
	built, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(built, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	var clock, all float64
	var size, allocs, packages int
	for line := range strings.Lines(trace.String()) {
		var name string
		var at, took float64
		var b, n int
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &took, &b, &n); err != nil {
			continue
		}
		all += took
		for _, word := range []string{"charm", "uax29", "runewidth", "colorful", "uniseg", "terminfo", "displaywidth", "cancelreader"} {
			if strings.Contains(name, word) {
				clock, size, allocs, packages = clock+took, size+b, allocs+n, packages+1
				break
			}
		}
	}
	t.Logf("%d packages that draw: %.2f ms of %.2f, %d bytes, %d allocations", packages, clock, all, size, allocs)
	if packages == 0 || size > 256<<10 || allocs > 1000 {
		t.Errorf("%d packages allocate %d bytes in %d pieces before main", packages, size, allocs)
	}
}
