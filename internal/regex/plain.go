package regex

// plain tells whether a matcher that walks each text once, as RE2 does, gives the
// same result for a tree: then nothing in it looks around or back, and no repeat
// has to forget what its last turn captured.
func (p *parser) plain(n *node) bool {
	if p.flags.whole() || p.flags.Indices {
		return false
	}
	switch n.kind {
	case kindRef, kindLook:
		return false
	case kindChar:
		return n.r < 0x80 || !p.flags.IgnoreCase && (n.r < 0xd800 || n.r >= 0xe000)
	case kindSet:
		for _, s := range n.set {
			if p.flags.IgnoreCase && s.lo >= 0x80 || 0xd800 <= s.lo && s.lo < 0xe000 || 0xd800 <= s.hi && s.hi < 0xe000 {
				return false
			}
		}
	case kindRepeat:
		if n.to > n.from || n.min > 100 || n.max > 100 || nullable(n.kids[0]) {
			return false
		}
	}
	for _, kid := range n.kids {
		if !p.plain(kid) {
			return false
		}
	}
	return true
}

// nullable tells whether a tree can match nothing.
func nullable(n *node) bool {
	switch n.kind {
	case kindChar, kindAny, kindSet:
		return false
	case kindSeq, kindGroup:
		for _, kid := range n.kids {
			if !nullable(kid) {
				return false
			}
		}
		return true
	case kindAlt:
		for _, kid := range n.kids {
			if nullable(kid) {
				return true
			}
		}
		return false
	case kindRepeat:
		return n.min == 0 || nullable(n.kids[0])
	}
	return true
}
