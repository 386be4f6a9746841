package sitegraph

// Refresh recomputes the depths of every server whose links changed since the last call,
// and returns those servers. Cost: one breadth-first pass over each of them.
func (g *Graph) Refresh() []ServerID {
	var refreshed []ServerID
	var queue []PageID
	for s := range g.servers {
		if g.servers[s].stale {
			queue = g.refreshServer(ServerID(s), queue[:0])
			refreshed = append(refreshed, ServerID(s))
		}
	}
	return refreshed
}

// refreshServer assigns depths by breadth-first search: the shortest path from a start
// page [LINK 3.1]. The frames of a start page are shown with it, so they are start pages
// too, and so are theirs [LINK 3.2].
func (g *Graph) refreshServer(s ServerID, queue []PageID) []PageID {
	sv, depth := &g.servers[s], g.depth
	for _, p := range sv.pages {
		depth[p] = 0
	}
	for _, p := range sv.start {
		if depth[p] == 0 {
			depth[p] = 1
			queue = append(queue, p)
		}
	}
	for i := 0; i < len(queue); i++ { // grows while frames have frames
		for _, q := range g.Frames(queue[i]) {
			if depth[q] == 0 {
				depth[q] = 1
				queue = append(queue, q)
			}
		}
	}
	for head := 0; head < len(queue); head++ {
		p := queue[head]
		if depth[p] == MaxDepth {
			continue
		}
		for _, q := range g.Links(p) {
			if depth[q] == 0 {
				depth[q] = depth[p] + 1
				queue = append(queue, q)
			}
		}
	}
	sv.stale = false
	sv.version++
	return queue
}

// Version counts how often the depths of a server were recomputed. What was derived from the same
// version is still valid.
func (g *Graph) Version(s ServerID) int { return g.servers[s].version }

// SetVersion lets a graph that was built anew count on from where another one stopped.
func (g *Graph) SetVersion(s ServerID, version int) { g.servers[s].version = version }
