package process

import (
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// hard is the bound that ends the process, beside the one that ends the script:
// a collector needs room for what it has not collected, and the step that made a
// script too large should still be named.
func hard(memory int64) int64 { return 2*memory + 128<<20 }

// watched starts the watch on this process's own memory, which ends it where the
// kernel's bound does not, and lets the collector know the aim.
func watched(memory int64) Shields {
	debug.SetMemoryLimit(memory + memory/4)
	go watchMemory(hard(memory), 25*time.Millisecond, func() {
		fmt.Fprintf(os.Stderr, "the process holds more than %d MiB\n", hard(memory)>>20)
		os.Exit(exitMemory)
	})
	return Shields{Memory: fmt.Sprintf("its own watch at %d MiB for the script and %d MiB for the process", memory>>20, hard(memory)>>20)}
}

// watchMemory calls over once when the process holds more than most bytes.
func watchMemory(most int64, every time.Duration, over func()) {
	for range time.Tick(every) {
		if resident() > most {
			over()
			return
		}
	}
}

// resident is what the process has of the system and has not given back.
func resident() int64 {
	read := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(read)
	return int64(read[0].Value.Uint64() - read[1].Value.Uint64())
}

// note adds the reason why a shield is not up.
func (s *Shields) note(what string, err error) {
	if err != nil {
		s.Missing = append(s.Missing, what+": "+err.Error())
	}
}
