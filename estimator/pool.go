package estimator

import "iter"

// Pool sums the posteriors of the pages of a group, such as a site or a server, into a prior of its
// pages. The zero value is empty.
type Pool struct {
	Sum   Rates   // of posteriors; its weights sum to Pages
	Pages float64 // a fraction if pages count less
}

// Add counts a page by its posterior.
func (p *Pool) Add(posterior *Rates) {
	for i, w := range &posterior.Weight {
		p.Sum.Weight[i] += w
	}
	p.Pages++
}

// Remove undoes Add, so that a page can be judged by the others alone.
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

// Prior returns the prior of a page of the group: the mean of the posteriors of its pages and of
// the parent's prior, which has the weight of strength pages. So an empty group has its parent's
// prior, and a large one its own. Strength 0 means no pooling, infinite strength only the parent.
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

// DefaultStrength is the weight of a parent's prior, in pages.
const DefaultStrength = 5

// Prior is the hierarchy of priors: page <- site <- server <- corpus, each learnt from its pages.
// The caller numbers sites and servers from 0. A page of site s starts from Sites[s], even without
// data.
type Prior struct {
	Root     Rates // prior without data, with the weight of Strength pages
	Strength float64
	Corpus   Rates
	Servers  []Rates
	Sites    []Rates

	serverOf []int32
	pools    []Pool // of sites, then of servers, then of the corpus; reused
}

// NewPrior returns the hierarchy before any learning: all levels equal root. serverOf has the
// server of each site, below servers.
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

// Learn makes a step of expectation and maximisation on the grid (NPMLE, Laird 1978, with pooling):
// posteriors of all pages under the present priors, then priors from their sums, from the corpus
// down. pages yields the site and the data of each page; pages without data may be left out. It
// returns the sum of the pages' LogEvidence before the step. About 10 steps suffice. A step takes
// GridSize exponentials a page.
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
