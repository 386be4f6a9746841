package planner

import "github.com/recrawl/recrawl/sitegraph"

// Strains tell which servers cannot answer all visits that their pages want. The strain of a server
// is the ratio of wanted to possible visits, or 0 where all fit. The loop computes strains, and
// lengthens the due times of pages by them.
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
