package vm

import "time"

// Options bound a realm. The zero value of every field means its default.
type Options struct {
	// SyncLimit bounds every synchronous stretch of script: the first one and
	// every one after an await. Default 5 s, and at most what [BoundRegex] says.
	SyncLimit time.Duration
	// MaxItems is the longest list that one parallel() or pipeline() call takes.
	// Default 4096.
	MaxItems int
	// MaxSource is the longest body in bytes. Default 512 KiB.
	MaxSource int
	// MaxDepth is how deep brackets may nest in the source; chains of operators
	// may be eight times as long. Default 500.
	MaxDepth int
	// MaxStack is how deep calls may nest. Default 2000.
	MaxStack int
	// MaxValueDepth is how deep a value may nest that crosses the border of the
	// realm, in either direction. Default 500.
	MaxValueDepth int
	// MaxValue is the longest JSON text in bytes of a value that leaves the
	// realm. Default 64 MiB.
	MaxValue int
	// MaxString is the longest string in UTF-16 units, and the longest buffer in
	// bytes, that one built-in call may make (repeat, padStart, padEnd,
	// ArrayBuffer). Default 128 Mi.
	MaxString int
	// MaxArray is the longest array that a built-in call with a length may make or
	// fill. Default 4 Mi.
	MaxArray int
	// MaxMemory is how many bytes a realm may hold. It is an estimate that is made
	// while script runs: in a process with other work, what that allocates
	// meanwhile counts too. Default 512 MiB.
	MaxMemory int64
}

// withDefaults is the one home of the defaults.
func (o Options) withDefaults() Options {
	if o.SyncLimit <= 0 {
		o.SyncLimit = defaultSyncLimit
	}
	o.SyncLimit = min(o.SyncLimit, regexBound())
	o.MaxItems = orDefault(o.MaxItems, 4096)
	o.MaxSource = orDefault(o.MaxSource, 512<<10)
	o.MaxDepth = orDefault(o.MaxDepth, 500)
	o.MaxStack = orDefault(o.MaxStack, 2000)
	o.MaxValueDepth = orDefault(o.MaxValueDepth, 500)
	o.MaxValue = orDefault(o.MaxValue, 64<<20)
	o.MaxString = orDefault(o.MaxString, 128<<20)
	o.MaxArray = orDefault(o.MaxArray, 4<<20)
	o.MaxMemory = orDefault(o.MaxMemory, 512<<20)
	return o
}

func orDefault[N int | int64](n, def N) N {
	if n <= 0 {
		return def
	}
	return n
}
