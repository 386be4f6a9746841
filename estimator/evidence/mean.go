package evidence

import "github.com/recrawl/recrawl/sitegraph"

// Mean sums what some occasions brought: for example visits that found a page gone, or pages that a
// change made known.
type Mean struct{ Sum, Count float32 }

// Add adds what count occasions brought. Beyond most occasions some of the oldest are forgotten
// first.
func (m *Mean) Add(sum, count, most float32) {
	if m.Count > most {
		m.Sum *= most / m.Count
		m.Count = most
	}
	m.Sum += sum
	m.Count += count
}

// See adds an occasion that brought one or nothing.
func (m *Mean) See(brought bool, most float32) {
	sum := float32(0)
	if brought {
		sum = 1
	}
	m.Add(sum, 1, most)
}

// Toward returns the mean, pulled toward that of a larger group with the weight of some occasions
// (partial pooling).
func (m Mean) Toward(parent, weight float32) float32 {
	return (m.Sum + weight*parent) / (m.Count + weight)
}

// Pooled is the mean of all servers together, and that of each, which is pulled toward it.
type Pooled struct {
	All     Mean
	Servers []Mean
}

// Both returns the means of all servers and of one, without the pull.
func (p *Pooled) Both(s sitegraph.ServerID) [2]*Mean { return [2]*Mean{&p.All, At(&p.Servers, s)} }

// Add adds to both means what count occasions at a server brought in sum. Beyond most occasions a
// mean forgets some of its oldest first.
func (p *Pooled) Add(s sitegraph.ServerID, sum, count, most float32) {
	for _, of := range p.Both(s) {
		of.Add(sum, count, most)
	}
}

// See adds to both means an occasion at a server that brought one or nothing.
func (p *Pooled) See(s sitegraph.ServerID, brought bool, most float32) {
	for _, of := range p.Both(s) {
		of.See(brought, most)
	}
}

// Of returns the mean of a server, pulled toward that of all servers with the weight of some
// occasions. The mean of all is pulled toward first with firstWeight.
func (p *Pooled) Of(s sitegraph.ServerID, weight, first, firstWeight float32) float32 {
	return At(&p.Servers, s).Toward(p.All.Toward(first, firstWeight), weight)
}
