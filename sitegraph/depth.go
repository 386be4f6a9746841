package sitegraph

// Refresh recomputes the depths of every server whose links changed since the last call, and
// returns those servers. It makes one breadth-first pass over each.
func (g *Graph) Refresh() []ServerID {
	var refreshed []ServerID
	pages := 0 // of these servers
	for s := range g.servers {
		if g.servers[s].stale {
			refreshed = append(refreshed, ServerID(s))
			pages += len(g.servers[s].pages)
		}
	}
	if g.file != nil && pages > g.Pages()/2 {
		g.refreshTogether(refreshed)
		return refreshed
	}
	var queue []PageID
	for _, s := range refreshed {
		queue = g.refreshServer(s, queue[:0])
	}
	return refreshed
}

// refreshServer assigns depths by breadth-first search: the shortest path from a start page [LINK
// 3.1]. The frames of a start page are shown with it, so they are also start pages, and so are
// their frames [LINK 3.2].
func (g *Graph) refreshServer(s ServerID, queue []PageID) []PageID {
	queue = g.enter(s, queue)
	depth := g.depth
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
	g.isFresh(s)
	return queue
}

// enter makes the pages of a server unreached, except its start pages and their frames, which it
// appends.
func (g *Graph) enter(s ServerID, queue []PageID) []PageID {
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
	return queue
}

// isFresh notes that the depths of a server were computed.
func (g *Graph) isFresh(s ServerID) {
	g.servers[s].stale = false
	g.servers[s].version++
}

// refreshTogether is refreshServer for many servers: one depth of all of them after the other, the
// pages of each in order, so that links are read in the order of their file. With little memory,
// the scattered links of one server after the other would each need a read of the disk.
func (g *Graph) refreshTogether(servers []ServerID) {
	var queue []PageID
	for _, s := range servers {
		queue = g.enter(s, queue[:0])
	}
	reached := true
	for from := int8(1); from < MaxDepth && reached; from++ {
		reached = false
		for p, depth := range g.depth {
			if depth != from || !g.servers[g.server[p]].stale {
				continue
			}
			for _, q := range g.Links(PageID(p)) {
				if g.depth[q] == 0 {
					g.depth[q], reached = from+1, true
				}
			}
		}
	}
	for _, s := range servers {
		g.isFresh(s)
	}
}

// Version counts how often the depths of a server were recomputed. Results from the same version
// are still valid.
func (g *Graph) Version(s ServerID) int { return g.servers[s].version }

// SetVersion lets a rebuilt graph continue the count of another one.
func (g *Graph) SetVersion(s ServerID, version int) { g.servers[s].version = version }
