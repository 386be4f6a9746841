package evidence

import "github.com/recrawl/recrawl/sitegraph"

// Mean adds up what some occasions brought: visits that found a page gone, or pages that a change
// made known.
type Mean struct{ Sum, Count float32 }

// Add adds what so many occasions brought. Of more than most the oldest are forgotten before.
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

// Toward returns the mean, pulled toward that of a larger group, which counts for so many occasions
// (partial pooling).
func (m Mean) Toward(parent, weight float32) float32 {
	return (m.Sum + weight*parent) / (m.Count + weight)
}

// Pooled are the mean of all servers together, and those of each, which are pulled toward it.
type Pooled struct {
	All     Mean
	Servers []Mean
}

// Both returns the mean of all servers and that of one, without what pulls it.
func (p *Pooled) Both(s sitegraph.ServerID) [2]*Mean { return [2]*Mean{&p.All, At(&p.Servers, s)} }

// Add adds to both means what count occasions at a server brought in sum. A mean of more than most
// occasions forgets some of its oldest first.
func (p *Pooled) Add(s sitegraph.ServerID, sum, count, most float32) {
	for _, of := range p.Both(s) {
		of.Add(sum, count, most)
	}
}

// See adds to both an occasion at a server that brought one or nothing.
func (p *Pooled) See(s sitegraph.ServerID, brought bool, most float32) {
	for _, of := range p.Both(s) {
		of.See(brought, most)
	}
}

// Of returns the mean of a server, pulled toward the mean of all servers as if that were weight
// occasions. The mean of all is pulled toward first, as if that were firstWeight occasions.
func (p *Pooled) Of(s sitegraph.ServerID, weight, first, firstWeight float32) float32 {
	return At(&p.Servers, s).Toward(p.All.Toward(first, firstWeight), weight)
}
