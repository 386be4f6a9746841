package estimator

import "iter"

// Pool gathers the posteriors of the pages of a group, a site or a server, into a prior of
// its pages. The zero value is empty.
type Pool struct {
	Sum   Rates   // of posteriors; its weights sum to Pages
	Pages float64 // may be a fraction where pages count less
}

// Add counts a page by its posterior.
func (p *Pool) Add(posterior *Rates) {
	for i, w := range &posterior.Weight {
		p.Sum.Weight[i] += w
	}
	p.Pages++
}

// Remove undoes Add; so a page can be judged by the others alone.
func (p *Pool) Remove(posterior *Rates) {
	for i, w := range &posterior.Weight {
		p.Sum.Weight[i] = max(p.Sum.Weight[i]-w, 0)
	}
	p.Pages = max(p.Pages-1, 0)
}

// Merge counts all pages of another pool.
func (p *Pool) Merge(other *Pool) {
	for i, w := range &other.Sum.Weight {
		p.Sum.Weight[i] += w
	}
	p.Pages += other.Pages
}

// Prior is that of a page of the group: the mean of the posteriors of its pages, with the
// parent's prior counting as strength pages beside them. So an empty group has its parent's prior,
// one of many pages its own; strength 0 is no pooling, an infinite one nothing else.
func (p *Pool) Prior(parent *Rates, strength float64) Rates {
	total := 0.0
	r := *parent
	if p.Pages > 0 && strength < 1e15 {
		strength = max(strength, 0)
		for i := range &r.Weight {
			r.Weight[i] = strength*parent.Weight[i] + p.Sum.Weight[i]
		}
	}
	for _, w := range &r.Weight {
		total += w
	}
	if total > 0 {
		for i := range &r.Weight {
			r.Weight[i] /= total
		}
	}
	return r
}

// DefaultStrength is how many pages a parent's prior counts for.
const DefaultStrength = 5

// Prior is the hierarchy of priors: page <- site <- server <- corpus, each learnt from the
// pages below it. Sites and servers are numbered from 0 by the caller; a page of site s
// starts from Sites[s], also if nothing was seen of it.
type Prior struct {
	Root     Rates // believed before any page was seen; counts as Strength pages
	Strength float64
	Corpus   Rates
	Servers  []Rates
	Sites    []Rates

	serverOf []int32
	pools    []Pool // of sites, then of servers, then of the corpus; reused
}

// NewPrior is the hierarchy before anything was learnt: all levels are root. serverOf gives
// the server of each site, below servers.
func NewPrior(root Rates, strength float64, servers int, serverOf []int32) *Prior {
	p := &Prior{
		Root:     root,
		Strength: strength,
		Corpus:   root,
		Servers:  make([]Rates, servers),
		Sites:    make([]Rates, len(serverOf)),
		serverOf: serverOf,
		pools:    make([]Pool, len(serverOf)+servers+1),
	}
	for i := range p.Servers {
		p.Servers[i] = root
	}
	for i := range p.Sites {
		p.Sites[i] = root
	}
	return p
}

// Learn is a round of expectation and maximisation on the grid (NPMLE, Laird 1978, with pooling):
// posteriors of all pages under the priors as they are, then priors from their sums, from the
// corpus down. pages yields the site of each page and what was seen of it; pages of which nothing
// was seen may be left out. It returns the sum of the pages' LogEvidence before the round. Some 10
// rounds settle what can be told apart. Cost: GridSize exponentials a page.
func (p *Prior) Learn(pages iter.Seq2[int32, *Grid]) (logEvidence float64) {
	clear(p.pools)
	sites, servers := p.pools[:len(p.Sites)], p.pools[len(p.Sites):len(p.Sites)+len(p.Servers)]
	corpus := &p.pools[len(p.pools)-1]
	for site, seen := range pages {
		posterior, evidence := seen.posterior(&p.Sites[site])
		logEvidence += evidence
		sites[site].Add(&posterior)
	}
	for i := range sites {
		servers[p.serverOf[i]].Merge(&sites[i])
	}
	for i := range servers {
		corpus.Merge(&servers[i])
	}
	p.Corpus = corpus.Prior(&p.Root, p.Strength)
	for i := range servers {
		p.Servers[i] = servers[i].Prior(&p.Corpus, p.Strength)
	}
	for i := range sites {
		p.Sites[i] = sites[i].Prior(&p.Servers[p.serverOf[i]], p.Strength)
	}
	return logEvidence
}
