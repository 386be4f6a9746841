package eval

// ServerChanges counts the changes of a server in a number of days after the base.
type ServerChanges struct {
	Server string
	Pages  int   // at the base
	Daily  []int // events by day, from the first after the base
}

// Changes counts the events of the stream protocol by server. They do not depend on policy or
// budget.
func (c *Dataset) Changes(weeks int) []ServerChanges {
	t := c.newTruth(weeks * 7)
	all := make([]ServerChanges, len(c.World.Servers))
	for s, server := range c.World.Servers {
		all[s] = ServerChanges{Server: server.Name, Daily: make([]int, c.lastStep(t))}
	}
	now := make([]bool, len(t.pages)) // alive
	for i, p := range t.pages {
		now[i] = p.start.alive
		if p.base {
			all[p.server].Pages++
		}
	}
	for d := range c.lastStep(t) {
		for _, next := range t.byStep[d+1] {
			if now[next.page] && next.now.alive {
				all[t.pages[next.page].server].Daily[d]++
			}
			now[next.page] = next.now.alive
		}
	}
	return all
}
