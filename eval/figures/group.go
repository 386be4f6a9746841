package figures

import (
	"maps"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph"
)

// group is some servers of a corpus.
type group struct {
	name    string
	servers []int // ServerIDs, in rising order
}

// groupsOf divides the servers, groups in order of their names.
func groupsOf(c *eval.Dataset, groupOf func(server string) string) []group {
	g := c.Graph()
	byName := map[string][]int{}
	for s := range g.Servers() {
		name := groupOf(g.ServerName(sitegraph.ServerID(s)))
		byName[name] = append(byName[name], s)
	}
	var all []group
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, group{name, byName[name]})
	}
	return all
}

// only returns how often each server of the group is in a corpus.
func (g group) only(times []int) []int { return pick(times, g.servers) }

// in is the period as if the corpus were the group: groups share no server, so all together
// cost what the whole corpus does.
func (p *counted) in(g group) *counted {
	q := &counted{weeks: p.weeks, methods: map[string]tallies{}, depths: pick(p.depths, g.servers)}
	for method, t := range p.methods {
		q.methods[method] = pick(t, g.servers)
	}
	q.sortByRate()
	return q
}

// of makes a statistic of the group's servers one of the corpus.
func (g group) of(s statistic) statistic {
	return func(times []int) float64 { return s(g.only(times)) }
}

func pick[S ~[]T, T any](all S, servers []int) S {
	some := make(S, len(servers))
	for i, s := range servers {
		some[i] = all[s]
	}
	return some
}
