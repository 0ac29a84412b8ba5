package prompt

import (
	"slices"
	"sort"
	"unicode/utf8"
)

// renderChains renders the files of both chains, the user's first, each chain
// within budget bytes and both within twice that. It returns the files that
// the model was told about, in order.
func renderChains(files []source, st style, budget int) (string, []source) {
	if len(files) == 0 || budget <= 0 {
		return "", nil
	}
	if all := whole(files, nil, st, budget); len(all.text) <= budget {
		return all.text, all.represented()
	}
	split := slices.IndexFunc(files, func(f source) bool { return f.chain == projectChain })
	if split <= 0 {
		r := renderChain(files, st, budget)
		return r.text, r.represented()
	}
	user, project := renderChain(files[:split], st, budget), renderChain(files[split:], st, budget)
	both := merge(user, project, st, budget)
	if (!user.framed || !project.framed) && len(both.text) > 2*budget {
		// The frame that a chain could not afford does not fit now either.
		both = renderChain(files, st, budget)
	}
	return both.text, both.represented()
}

// merge puts one frame around two renderings.
func merge(a, b rendering, st style, budget int) rendering {
	r := rendering{framed: true, left: slices.Concat(a.left, b.left), pieces: slices.Concat(a.pieces, b.pieces)}
	switch {
	case a.framed && a.intro == st[0] || b.framed && b.intro == st[0]:
		r.intro = st[0]
	case a.framed || b.framed:
		r.intro = introCompact
	}
	r.text = r.frame(budget)
	return r
}

// renderChain fits files, broad ones first, into budget bytes: as many of the
// most specific ones as fit in full, else a part of the last one, else less.
func renderChain(files []source, st style, budget int) rendering {
	for start := range files {
		if r := whole(files[start:], files[:start], st, budget); len(r.text) <= budget {
			return r
		}
	}
	last := files[len(files)-1]
	left := files[:len(files)-1]
	for i, intro := range st {
		r, fits := truncated(last, left, intro, budget)
		// The intro that comes next is shorter and leaves more room.
		if fits && (r.pieces[0].shown != "" || last.content == "" || i == len(st)-1) {
			return r
		}
	}
	return frameless(last, left, budget)
}

// truncated shows the longest beginning of f that fits, be it empty.
func truncated(f source, left []source, intro string, budget int) (rendering, bool) {
	render := func(n int) rendering {
		r := rendering{framed: true, intro: intro, left: left}
		r.pieces = []piece{{source: f, shown: prefix(f.content, n), truncated: true}}
		r.text = r.frame(budget)
		return r
	}
	// The first length that is too long; a longer beginning is never shorter.
	over := sort.Search(len(f.content)+1, func(n int) bool { return len(render(n).text) > budget })
	if over == 0 {
		return rendering{}, false
	}
	return render(over - 1), true
}

// frameless shows the marker and the heading of f, or as much of the marker as
// there is room for.
func frameless(f source, left []source, budget int) rendering {
	heading := piece{source: f, truncated: true}
	r := rendering{left: left, pieces: []piece{heading}}
	r.text = escape(r.marker(budget)) + "\n\n" + escape(heading.section())
	if len(r.text) <= budget {
		return r
	}
	r.pieces[0].bare = true
	r.text = prefix(escape(r.marker(budget)), budget)
	return r
}

// prefix is the longest beginning of s that has at most n bytes and does not
// split a character.
func prefix(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
