package meta

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// slugLength bounds a slug, so that it fits every file system with a suffix.
const slugLength = 64

// Slug gives a file name stem for a workflow name: ASCII letters in lower case,
// digits, '_' and '-', never empty, at most 64 bytes, never a name that Windows
// reserves. A name that loses letters on the way (another script, too long, only
// signs) gets a hash, so that two such names do not meet; names that differ only
// in case, spaces or signs may.
func Slug(name string) string {
	var b strings.Builder
	lost := false
	for _, r := range strings.ToLower(name) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' || r == '-':
			b.WriteRune(r)
		default:
			lost = lost || r >= 0x80
			if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
				b.WriteByte('-')
			}
		}
	}
	slug := strings.Trim(b.String(), "-")
	const hashed = 9 // a hyphen and eight digits
	if !lost && slug != "" && len(slug) <= slugLength && !reserved(slug) {
		return slug
	}
	sum := sha256.Sum256([]byte(name))
	slug = strings.TrimRight(slug[:min(len(slug), slugLength-hashed)], "-")
	if slug == "" {
		slug = "workflow"
	}
	return slug + "-" + hex.EncodeToString(sum[:4])
}

func reserved(slug string) bool {
	switch slug {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(slug) == 4 && (strings.HasPrefix(slug, "com") || strings.HasPrefix(slug, "lpt")) &&
		slug[3] >= '0' && slug[3] <= '9'
}
