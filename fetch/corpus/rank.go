package corpus

import "math"

// Damping is the usual one.
const Damping = 0.85

// LinkRanks is a graph of pages, which are numbers from 0. A page links to each page once at most,
// and not to itself.
//
// It weighs pages by the links to them, so that the planner visits more often what counts more. Two
// of its ranks stand against link farms: pages that are made to link to each other.
//
// # Ranks
//
//	plain    PageRank: a visitor follows a link with probability Damping, else begins at any page
//	servers  how many other servers link to the page: all links of a server count once
//	trust    as plain, but the visitor begins at seeds alone, pages that people chose [TRUST]
//
// # What a farm can do
//
//   - plain: each page of a farm is a place to begin, so that rank grows with the farm, without any
//     bound below 1.
//   - servers: a farm of one server counts once, however many pages it has. One of n servers,
//     which takes n names, counts n times.
//   - trust: nobody begins in a farm. With T the trust of all its pages, and I what pages outside
//     pass to it by their links (of each page its trust, times the share of its links that go
//     there), T <= Damping * (I + T), so that T <= I * Damping / (1 - Damping), whatever the size
//     of the farm and however it is linked inside. It moves by links from trusted pages alone, as
//     of comments that it places there.
//
// All ranks but servers add up to 1 over the pages. Work is proportional to the links, times some
// 50 rounds; memory is 4 octets a link and 30 a page.
//
// Sources: Page, Brin, Motwani, Winograd 1999 (PageRank); Gyöngyi, Garcia-Molina, Pedersen, VLDB
// 2004 [TRUST]; Gyöngyi, Garcia-Molina, VLDB 2005 (what a farm gains by PageRank).
type LinkRanks struct {
	Servers []int32   // by page
	Links   [][]int32 // by page
}

// Plain is PageRank.
func (w *LinkRanks) Plain() []float64 {
	all := make([]int32, len(w.Links))
	for p := range all {
		all[p] = int32(p)
	}
	return w.from(all)
}

// Trust is the rank of those who begin at seeds; nil: there is none.
func (w *LinkRanks) Trust(seeds []int32) []float64 {
	if len(seeds) == 0 {
		return nil
	}
	return w.from(seeds)
}

const (
	// closeEnough is how much rank may still move in a round, of 1 in all.
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
		ends := 0. // at pages without links: the visitor begins again
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

// FromServers is how many other servers link to each page.
func (w *LinkRanks) FromServers() []float64 {
	// Pages server by server; of each page the last server that counted.
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

// byServer sorts pages by their servers, by counting.
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
