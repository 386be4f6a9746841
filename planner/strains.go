package planner

import "github.com/recrawl/recrawl/sitegraph"

// Strains are by how much what is wanted of each server is more than it can answer; 0 where it is
// not. The loop weighs them, and due times go by them.
type Strains struct {
	Of     []float32 // by server
	Visits []int32   // by server, since it was weighed
	Pauses []int32   // by server: milliseconds between two visits then, as the user has it
}

// Strains are those of the servers. An image has them.
func (p *Planner) Strains() *Strains { return &p.strains }

// Visited counts a visit to a server, if it was weighed.
func (s *Strains) Visited(server sitegraph.ServerID) {
	if int(server) < len(s.Visits) {
		s.Visits[server]++
	}
}
