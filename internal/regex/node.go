package regex

type kind uint8

const (
	kindEmpty kind = iota
	kindChar
	kindAny
	kindSet
	kindStart // ^
	kindEnd   // $
	kindWord  // \b
	kindNotWord
	kindSeq
	kindAlt
	kindGroup  // captures where n > 0
	kindRef    // to one of refs, or to the groups called name
	kindLook   // look-ahead or look-behind
	kindRepeat // kids[0], min to max times
)

// node is one part of the pattern as it was read.
type node struct {
	kind     kind
	r        rune
	set      set
	kids     []*node
	n        int   // number of a group
	refs     []int // of a back-reference
	name     string
	behind   bool
	negative bool
	min, max int // max < 0: no bound
	lazy     bool
	from, to int // groups inside of a repeat, to not included
}
