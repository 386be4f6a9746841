package sitegraph

// clustering is an undirected weighted graph. Weights are whole numbers, so that sums do not depend
// on their order. There are two kinds:
//
//   - a graph of links: out and in; the target of a link gives its weight
//   - a graph of groups: out has each edge at both its ends, with its weight
type clustering struct {
	strength   []int64 // by node: weight of its edges, inner ones twice
	out, in    rows
	linkWeight []uint32 // graph of links: by target
	weight     []int64  // graph of groups: beside out.to
}

// rows are the neighbours of each node, in one slice.
type rows struct {
	first []int // by node; one more at the end
	to    []int32
}

func (r *rows) of(i int) []int32 {
	if r.first == nil {
		return nil
	}
	return r.to[r.first[i]:r.first[i+1]]
}

// fullLink is the sum of the weights of all links to one page; large, so that it divides almost
// exactly among its links.
const fullLink = 1 << 31

// clustering returns the graph of the links between counted pages, each of the weight 1 / in-links
// of its target.
func (l *listing) clustering() *clustering {
	n, links := len(l.pages), 0
	for _, p := range l.pages {
		links += len(l.Links(p))
	}
	out := rows{make([]int, n+1), make([]int32, 0, links)}
	in := rows{make([]int, n+1), nil}
	seen := make([]int32, n)
	for i := range n {
		out.to = l.targets(out.to, i, seen)
		out.first[i+1] = len(out.to)
		for _, j := range out.of(i) {
			in.first[j]++
		}
	}
	// in.first has the number of in-links by page, then their ends, and filled from the end, their
	// starts.
	for i := range n {
		in.first[i+1] += in.first[i]
	}
	in.to = make([]int32, len(out.to))
	for i := n - 1; i >= 0; i-- {
		for _, j := range out.of(i) {
			in.first[j]--
			in.to[in.first[j]] = int32(i)
		}
	}
	c := &clustering{strength: make([]int64, n), out: out, in: in, linkWeight: make([]uint32, n)}
	for i := range n {
		degree := len(in.of(i))
		c.linkWeight[i] = fullLink / uint32(max(1, degree))
		c.strength[i] = int64(degree) * int64(c.linkWeight[i])
	}
	for i := range n {
		for _, j := range out.of(i) {
			c.strength[i] += int64(c.linkWeight[j])
		}
	}
	return c
}

func (c *clustering) nodes() int { return len(c.strength) }

// all returns the strength of all nodes: twice the weight of all edges.
func (c *clustering) all() float64 {
	sum := 0.0
	for _, k := range c.strength {
		sum += float64(k)
	}
	return sum
}

// tally adds the weight of a node's edges by the group of their other end.
func (c *clustering) tally(near *tally, i int, group []int32) {
	if c.linkWeight == nil {
		weight := c.weight[c.out.first[i]:]
		for e, j := range c.out.of(i) {
			near.add(group[j], weight[e])
		}
		return
	}
	for _, j := range c.out.of(i) {
		near.add(group[j], int64(c.linkWeight[j]))
	}
	for _, j := range c.in.of(i) {
		near.add(group[j], int64(c.linkWeight[i]))
	}
}

const noGroup = -1

// tally sums weights by group.
type tally struct {
	met    []int32 // groups, in order of their first weight
	weight []int64 // beside them
	place  []int32 // by group: place in met, plus one; 0: not met
}

func newTally(groups int) *tally { return &tally{place: make([]int32, groups)} }

func (t *tally) add(d int32, weight int64) {
	if p := t.place[d]; p > 0 {
		t.weight[p-1] += weight
		return
	}
	t.met, t.weight = append(t.met, d), append(t.weight, weight)
	t.place[d] = int32(len(t.met))
}

func (t *tally) clear() {
	for _, d := range t.met {
		t.place[d] = 0
	}
	t.met, t.weight = t.met[:0], t.weight[:0]
}

// best returns the group with which a node of strength own raises modularity most, and by how much;
// among equals the smallest number. strength has the strengths of the groups; all is their sum.
func (t *tally) best(own int64, strength []int64, all float64) (best int32, most float64) {
	share := float64(own) / all
	best = noGroup
	for m, d := range t.met {
		// Converted: never fused, the same on all machines.
		gain := float64(t.weight[m]) - float64(share*float64(strength[d]))
		if best == noGroup || gain > most || gain == most && d < best {
			best, most = d, gain
		}
	}
	return best, most
}

// join returns the graph whose nodes are n groups of nodes. Edges inside a group count in its
// strength only.
func (c *clustering) join(group []int32, n int) *clustering {
	const shrinks = 2 // edges of real servers shrink by more; append handles less
	capacity := len(c.out.to) / shrinks
	joined := &clustering{
		strength: make([]int64, n),
		out:      rows{make([]int, n+1), make([]int32, 0, capacity)},
		weight:   make([]int64, 0, capacity),
	}
	for i, d := range group {
		joined.strength[d] += c.strength[i]
	}
	begin, nodes := nodesOf(group, n)
	near := newTally(n)
	for d := range n {
		near.add(int32(d), 0) // first, to be left out
		for _, i := range nodes[begin[d]:begin[d+1]] {
			c.tally(near, int(i), group)
		}
		joined.out.to, joined.weight = append(
			joined.out.to,
			near.met[1:]...), append(
			joined.weight,
			near.weight[1:]...)
		joined.out.first[d+1] = len(joined.out.to)
		near.clear()
	}
	return joined
}

// nodesOf lists the nodes of each of n groups: nodes[begin[d]:begin[d+1]], ascending.
func nodesOf(group []int32, n int) (begin, nodes []int32) {
	begin, nodes = make([]int32, n+1), make([]int32, len(group))
	for _, d := range group {
		begin[d+1]++
	}
	for d := range n {
		begin[d+1] += begin[d]
	}
	next := append([]int32(nil), begin...)
	for i, d := range group {
		nodes[next[d]] = int32(i)
		next[d]++
	}
	return begin, nodes
}

// renumber makes labels dense, in order of first appearance, and returns their number.
func renumber(label []int32) (n int) {
	number := make([]int32, len(label))
	for i, d := range label {
		if number[d] == 0 {
			n++
			number[d] = int32(n)
		}
		label[i] = number[d] - 1
	}
	return n
}
