package sitegraph

import "slices"

// Limits of the search for communities. Real servers take about 5 passes and 4 levels; the
// limits bound the time on graphs made to be slow.
const (
	maxPasses = 12
	maxLevels = 12

	// fewMoves: a search ends when at most 1/fewMoves of the nodes moved in a pass; the next level
	// gains the rest.
	fewMoves = 10
)

// communities gives each node of a graph its community by modularity [Blondel et al. 2008] and
// returns the graph of the communities. None has fewer than least nodes, if edges allow it.
func (c *clustering) communities(least int) (community []int32, joined *clustering) {
	community = make([]int32, c.nodes())
	for i := range community {
		community[i] = int32(i)
	}
	joined = c
	merge := func(group []int32, n int) (merged bool) {
		if n == joined.nodes() {
			return false
		}
		for i, d := range community {
			community[i] = group[d]
		}
		joined = joined.join(group, n)
		return true
	}
	for level := 0; level < maxLevels && merge(joined.move()); level++ {
	}
	for merge(joined.absorb(community, least)) {
	}
	return community, joined
}

// move is the first phase of Louvain: starting alone, each node in turn joins the community next to
// it that raises modularity most,
//
//	w(node, community) - strength(node) * strength(community) / strength(all)
//
// until hardly any moves. On a tie it stays, or joins the community of the smallest number. Only
// neighbours of moved nodes are considered again. move returns the community of each node, numbered
// by first node, and their number. The second phase is join.
func (c *clustering) move() (community []int32, n int) {
	community = make([]int32, c.nodes())
	for i := range community {
		community[i] = int32(i)
	}
	strength := slices.Clone(c.strength) // by community
	idle := make([]bool, c.nodes())
	near, all := newTally(c.nodes()), c.all()
	for moved, pass := c.nodes(), 0; moved > c.nodes()/fewMoves && pass < maxPasses; pass++ {
		moved = 0
		for i, k := range c.strength {
			if idle[i] {
				continue
			}
			idle[i] = true
			own := community[i]
			strength[own] -= k
			near.add(own, 0) // first
			c.tally(near, i, community)
			best, most := near.best(k, strength, all)
			expected := float64(float64(k) / all * float64(strength[own]))
			if stay := float64(near.weight[0]) - expected; stay == most {
				best = own
			}
			near.clear()
			strength[best] += k
			if best == own {
				continue
			}
			community[i] = best
			moved++
			for _, row := range [][]int32{c.out.of(i), c.in.of(i)} {
				for _, j := range row {
					if community[j] != best {
						idle[j] = false
					}
				}
			}
		}
	}
	return community, renumber(community)
}

// absorb lets each community of fewer than least pages join the neighbour that costs least
// modularity. It returns the group of each community, and their number; two small ones may make one
// that is still small.
func (c *clustering) absorb(community []int32, least int) (group []int32, n int) {
	pages := make([]int32, c.nodes())
	for _, d := range community {
		pages[d]++
	}
	group, alone := make([]int32, c.nodes()), make([]int32, c.nodes())
	for d := range group {
		group[d], alone[d] = int32(d), int32(d)
	}
	root := func(d int32) int32 {
		for group[d] != d {
			group[d] = group[group[d]]
			d = group[d]
		}
		return d
	}
	near, all := newTally(c.nodes()), c.all()
	for d, k := range c.strength {
		if int(pages[d]) >= least {
			continue
		}
		c.tally(near, d, alone)
		if best, _ := near.best(k, c.strength, all); best != noGroup {
			a, b := root(int32(d)), root(best)
			group[max(a, b)] = min(a, b) // roots have the smallest number, so the search ends
		}
		near.clear()
	}
	for d := range group {
		group[d] = root(int32(d))
	}
	return group, renumber(group)
}
