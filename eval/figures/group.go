package figures

import (
	"maps"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph"
)

// group is some servers of a corpus; the zero value is all of them.
type group struct {
	name   string
	member []bool // by ServerID
}

// groupsOf divides the servers, groups in order of their names.
func groupsOf(c *eval.Corpus, groupOf func(server string) string) []group {
	g := c.Graph()
	byName := map[string]group{}
	for s := range g.Servers() {
		name := groupOf(g.ServerName(sitegraph.ServerID(s)))
		if byName[name].member == nil {
			byName[name] = group{name, make([]bool, g.Servers())}
		}
		byName[name].member[s] = true
	}
	var all []group
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name])
	}
	return all
}

// only returns a corpus without the servers that are not of the group, and leaves times alone.
func (g group) only(times []int) []int {
	if g.member == nil {
		return times
	}
	left := slices.Clone(times)
	for s := range left {
		if !g.member[s] {
			left[s] = 0
		}
	}
	return left
}
