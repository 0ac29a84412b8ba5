package prompt

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pass looks once at every place that counts for an agent. Places of one folder,
// and the two homes, are a group and share their fate: where one of them cannot be
// looked at, the whole group stays as it was told.
type pass struct {
	config InstructionsConfig
	watch  *Watch
	told   *told
	root   string
	border *border

	groups [][]candidate
	seen   map[string]bool // files, without links
}

// item is what a pass found at a place: something to tell, if action is set, and
// what is to be remembered, nil for nothing.
type item struct {
	source
	memory *memory
}

// run gives what it found, in the order in which things are told: the user's
// places, those of the baseline from the root down, others that were told before,
// then those that were touched.
func (p *pass) run(s Situation, stands bool) []item {
	p.seen = map[string]bool{}
	standing := p.told.standing()
	ofUser := func(scope string) bool {
		return strings.HasPrefix(scope, userScope+"\x00") || strings.HasPrefix(scope, agentsScope+"\x00")
	}
	if stands || slices.ContainsFunc(standing, ofUser) {
		p.add(p.config.homes())
	}
	if stands && !p.config.UserOnly {
		for _, dir := range foldersBetween(p.root, s.Cwd) {
			p.add(p.config.folder(p.root, dir))
		}
	}
	for _, scope := range standing {
		if !ofUser(scope) {
			p.addTold(scope)
		}
	}
	if !p.config.UserOnly {
		for _, file := range s.Touched {
			p.addBelow(s.Cwd, file)
		}
	}
	var found []item
	now := time.Now()
	for _, group := range p.groups {
		found = append(found, p.group(group, now)...)
	}
	return found
}

// add takes a group unless it is there.
func (p *pass) add(group []candidate) {
	if len(group) == 0 {
		return
	}
	for _, g := range p.groups {
		if g[0].group == group[0].group {
			return
		}
	}
	p.groups = append(p.groups, group)
}

// addTold takes the folder of a scope that was told. A place that does not count
// any more, because its name or its project does not, is one where nothing is.
func (p *pass) addTold(scope string) {
	folder, name, _ := strings.Cut(scope, "\x00")
	dir := filepath.Join(p.root, filepath.FromSlash(folder))
	if !p.config.UserOnly {
		p.add(p.config.folder(p.root, dir))
	}
	at := slices.IndexFunc(p.groups, func(g []candidate) bool { return g[0].group == dir })
	if at < 0 {
		p.groups = append(p.groups, []candidate{gone(dir, folder, name)})
		return
	}
	if !slices.ContainsFunc(p.groups[at], func(c candidate) bool { return c.scope() == scope }) {
		p.groups[at] = append(slices.Clone(p.groups[at]), gone(dir, folder, name))
	}
}

func gone(dir, folder, name string) candidate {
	at := placeIn(dir, folder, name)
	at.void = true
	return at
}

// addBelow takes the folders below cwd on the way to a file, up to one that is a
// project of its own: what that says was not asked for.
func (p *pass) addBelow(cwd, file string) {
	rel, err := filepath.Rel(cwd, filepath.Dir(filepath.Clean(file)))
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return
	}
	dir := cwd
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		dir = filepath.Join(dir, part)
		if marked, err := p.config.marked(dir); marked || err != nil {
			return
		}
		p.add(p.config.folder(p.root, dir))
	}
}

// group looks at the places of one group. It finds nothing where one of those that
// count cannot be looked at.
func (p *pass) group(places []candidate, now time.Time) []item {
	var found []item
	kept := map[string]bool{} // contents without the white space around them
	for _, at := range places {
		_, standing := p.told.effective(at.scope())
		if p.watch.omitted[at.scope()] {
			if standing {
				found = append(found, removal(at))
			}
			continue
		}
		one, ok := p.place(at, kept, now)
		switch _, known := p.watch.known[at.scope()]; {
		case ok:
			found = append(found, one...)
		case standing || known:
			return nil
		}
	}
	return found
}

// place looks at one place; false if it cannot.
func (p *pass) place(at candidate, kept map[string]bool, now time.Time) ([]item, bool) {
	before, standing := p.told.effective(at.scope())
	p.look(&at)
	switch {
	case at.unsure:
		return nil, false
	case at.info == nil && standing:
		return []item{removal(at)}, true
	case at.info == nil:
		return []item{{source: source{candidate: at}}}, true
	case p.seen[at.target]:
		return nil, true
	}
	m := p.watch.known[at.scope()]
	var file source
	read := func() (err error) { file, m, err = p.config.take(at, now); return err }
	if !m.of(at) {
		if read() != nil {
			return nil, false
		}
	}
	p.seen[at.target] = true
	if kept[m.trimmed] {
		twin := item{source: source{candidate: at}, memory: &m}
		if standing {
			twin.action = actionRemove
		}
		return []item{twin}, true
	}
	kept[m.trimmed] = true
	if standing && before.Digest == m.digest {
		return []item{{source: source{candidate: at}, memory: &m}}, true
	}
	if file.digest == "" && read() != nil {
		return nil, false
	}
	file.action = actionSet
	if standing {
		file.action = actionReplace
	}
	return []item{{source: file, memory: &m}}, true
}

func (p *pass) look(at *candidate) {
	switch {
	case at.void:
	case at.chain == userChain:
		at.look(nil)
	default:
		at.look(p.border)
	}
}

func removal(at candidate) item {
	return item{source: source{candidate: at, action: actionRemove}}
}
