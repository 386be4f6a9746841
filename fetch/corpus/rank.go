package corpus

import "math"

// Damping is the usual damping factor.
const Damping = 0.85

// LinkRanks is a graph of pages, numbered from 0. A page links to another one at most once, and not
// to itself.
//
// The graph ranks pages by the links to them, so that the planner visits important pages more
// often. Two of the ranks resist link farms: pages that are made to link to each other.
//
// # Ranks
//
//	plain    PageRank: a visitor follows a link with probability Damping, or else starts at any page
//	servers  the number of other servers with a link to the page
//	trust    like plain, but the visitor starts only at seeds, pages that people chose [TRUST]
//
// # What a farm can do
//
//   - plain: a visitor may start at each page of a farm, so that the rank grows with the farm,
//     without a bound below 1.
//   - servers: a farm on one server counts once. A farm on n servers, which needs n names, counts n
//     times.
//   - trust: no visitor starts in a farm. Let T be the trust of all its pages. Let I be the trust
//     of outside pages, each times the share of its links that lead into the farm. Then T <=
//     Damping * (I + T), and so T <= I * Damping / (1 - Damping) for a farm of any size and
//     structure. Only links on trusted pages raise it, for example in comments there.
//
// All ranks except servers add up to 1. Work is proportional to the links, times about 50 rounds.
// Memory is 4 octets a link and 30 a page.
//
// Sources: Page, Brin, Motwani, Winograd 1999 (PageRank); Gyöngyi, Garcia-Molina, Pedersen, VLDB
// 2004 [TRUST]; Gyöngyi, Garcia-Molina, VLDB 2005 (what a farm gains by PageRank).
type LinkRanks struct {
	Servers []int32   // by page
	Links   [][]int32 // by page
}

// Plain returns the PageRank of each page.
func (w *LinkRanks) Plain() []float64 {
	all := make([]int32, len(w.Links))
	for p := range all {
		all[p] = int32(p)
	}
	return w.from(all)
}

// Trust returns the rank of visitors who start at seeds, or nil without seeds.
func (w *LinkRanks) Trust(seeds []int32) []float64 {
	if len(seeds) == 0 {
		return nil
	}
	return w.from(seeds)
}

const (
	// closeEnough is the change of all ranks in a round that ends the iteration.
	closeEnough = 1e-9
	mostRounds  = 200
)

func (w *LinkRanks) from(begin []int32) []float64 {
	rank, next := make([]float64, len(w.Links)), make([]float64, len(w.Links))
	for _, p := range begin {
		rank[p] += 1 / float64(len(begin))
	}
	for range mostRounds {
		clear(next)
		ends := 0. // at pages without links: the visitor starts again
		for p, links := range w.Links {
			if len(links) == 0 {
				ends += rank[p]
				continue
			}
			part := Damping * rank[p] / float64(len(links))
			for _, to := range links {
				next[to] += part
			}
		}
		again := (1 - Damping + Damping*ends) / float64(len(begin))
		for _, p := range begin {
			next[p] += again
		}
		moved := 0.
		for p := range rank {
			moved += math.Abs(next[p] - rank[p])
		}
		rank, next = next, rank
		if moved < closeEnough {
			break
		}
	}
	return rank
}

// FromServers returns for each page the number of other servers with a link to it.
func (w *LinkRanks) FromServers() []float64 {
	// Server by server; last has for each page the last server that counted.
	order, counts, last := byServer(w.Servers), make([]float64, len(w.Links)),
		make([]int32, len(w.Links))
	for i := range last {
		last[i] = -1
	}
	for _, p := range order {
		from := w.Servers[p]
		for _, to := range w.Links[p] {
			if w.Servers[to] != from && last[to] != from {
				last[to] = from
				counts[to]++
			}
		}
	}
	return counts
}

// byServer returns the pages sorted by server, by counting sort.
func byServer(servers []int32) []int32 {
	most := int32(-1)
	for _, s := range servers {
		most = max(most, s)
	}
	starts := make([]int32, most+2)
	for _, s := range servers {
		starts[s+1]++
	}
	for s := range most + 1 {
		starts[s+1] += starts[s]
	}
	order := make([]int32, len(servers))
	for p, s := range servers {
		order[starts[s]] = int32(p)
		starts[s]++
	}
	return order
}
