package rehearsed

import (
	"hash/fnv"
	"math"
	"strconv"
)

// Share picks calls that fail: as many as its fraction says, spread over the run.
// The same seed picks the same calls, whatever the order in which they start.
type Share struct {
	Fraction float64 // from 0 to 1
	Seed     uint64
}

// Picks reports whether call number seq, from 1, is one of them. The calls are cut
// into stretches that hold one each; where in its stretch it lies is drawn.
func (s Share) Picks(seq int) bool {
	if s.Fraction <= 0 || seq < 1 {
		return false
	}
	length := max(1/s.Fraction, 1)
	nearest := int(float64(seq-1) / length)
	for i := max(nearest-1, 0); i <= nearest; i++ {
		from, to := math.Ceil(float64(i)*length), math.Ceil(float64(i+1)*length)
		if int(from)+int(s.draw(i)*(to-from))+1 == seq {
			return true
		}
	}
	return false
}

// draw is a number from 0 to 1 for one stretch.
func (s Share) draw(i int) float64 {
	h := fnv.New64a()
	h.Write([]byte(strconv.FormatUint(s.Seed, 16) + "/" + strconv.Itoa(i)))
	mixed := h.Sum64() * 0x9e3779b97f4a7c15 // neighbours differ in their last byte only
	return float64(mixed>>11) / (1 << 53)
}
