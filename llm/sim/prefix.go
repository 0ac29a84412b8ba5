package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

const (
	charsPerToken = 4
	blockChars    = 256
	blockTokens   = blockChars / charsPerToken
)

// Tokens estimates the tokens of a text of that many characters: four each,
// rounded up.
func Tokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }

// Meter measures a request: write to it, in the order in which a provider
// reads it, everything that makes the request. Its zero value is ready. One
// goroutine uses it.
type Meter struct {
	block  []byte
	inside int // characters in block
	total  int
	chain  [8]byte
	keys   []uint64
}

// Write adds a part of the request. It never fails.
func (m *Meter) Write(part []byte) (int, error) {
	begun := 0 // of what is not yet in the block
	for i, b := range part {
		if b&0xC0 == 0x80 { // not the first byte of a character
			continue
		}
		if m.inside == blockChars {
			m.block = append(m.block, part[begun:i]...)
			begun = i
			m.seal()
		}
		m.inside++
		m.total++
	}
	m.block = append(m.block, part[begun:]...)
	return len(part), nil
}

// WriteString is Write for a string.
func (m *Meter) WriteString(part string) (int, error) { return m.Write([]byte(part)) }

// seal ends a block. Its key depends on all blocks before it, so that one
// lookup compares a whole prefix.
func (m *Meter) seal() {
	sum := sha256.Sum256(append(m.block, m.chain[:]...))
	copy(m.chain[:], sum[:])
	m.keys = append(m.keys, binary.LittleEndian.Uint64(sum[:]))
	m.block, m.inside = m.block[:0], 0
}

// Tokens returns the size of what was written.
func (m *Meter) Tokens() int { return Tokens(m.total) }

// sum identifies the whole request.
func (m *Meter) sum() uint64 { return hashOf(string(m.chain[:]), string(m.block)) }

// prefix returns the keys of the full blocks.
func (m *Meter) prefix() []uint64 {
	if m.inside == blockChars {
		m.seal()
	}
	return m.keys
}

// Prefixes is a provider's prefix cache: it remembers the beginnings of requests
// in blocks of 256 characters. It holds a bounded number of blocks and forgets
// those that were not used for long.
//
// Concurrency: all methods may be called from any goroutine.
type Prefixes struct {
	mu    sync.Mutex
	known recent[struct{}]
}

// prefixBlocks bounds the cache to some 60 million characters.
const prefixBlocks = 1 << 17

// NewPrefixes returns an empty cache.
func NewPrefixes() *Prefixes { return &Prefixes{known: recent[struct{}]{limit: prefixBlocks}} }

// Cached returns how many tokens at the beginning of the request are known.
func (p *Prefixes) Cached(m *Meter) int {
	keys := m.prefix()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, key := range keys {
		if _, ok := p.known.find(key); !ok {
			return i * blockTokens
		}
	}
	return len(keys) * blockTokens
}

// Store remembers the request, which a provider does when its response begins.
func (p *Prefixes) Store(m *Meter) {
	keys := m.prefix()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, key := range keys {
		p.known.put(key, struct{}{})
	}
}

// recent is a map of bounded size that forgets what was not used for long. Two
// generations give that for the price of two lookups. Not safe for concurrent use.
type recent[V any] struct {
	limit      int
	young, old map[uint64]V
}

func (r *recent[V]) find(key uint64) (V, bool) {
	if v, ok := r.young[key]; ok {
		return v, true
	}
	v, ok := r.old[key]
	if ok {
		r.put(key, v)
	}
	return v, ok
}

func (r *recent[V]) put(key uint64, v V) {
	if r.young == nil || len(r.young) >= r.limit {
		r.old, r.young = r.young, make(map[uint64]V)
	}
	r.young[key] = v
}

// hashOf returns a number that depends on the texts and their borders only, the
// same in every process.
func hashOf(texts ...string) uint64 {
	h := sha256.New()
	var size [8]byte
	for _, t := range texts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(t)))
		h.Write(size[:])
		h.Write([]byte(t))
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}
