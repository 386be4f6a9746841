package tune

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Visited is a page as its visits saw it, without a history of versions.
type Visited struct {
	URL     string
	History sitegraph.History
	Links   []string // to pages of its server; may be nil
}

// Visits is a model of pages from visits: each changes at a steady rate. The pages of its server
// (estimator.Prior) supply what is unknown about the rate, which is drawn anew for each future.
// Weeks with many or few changes of a server are as frequent as in the last 32 weeks.
type Visits struct {
	servers []visitedServer
	prior   *estimator.Prior
	// frailty is the variance of the weekly factor of all rates of a server, with mean 1: 0 if
	// pages change independently.
	frailty float64
}

type visitedServer struct {
	name  string
	pages []Visited
	top   string // start page
}

// InformedWeeks is the number of weeks before the base in a future drawn from visits. A policy sees
// their weekly states (Options.Base and Options.History), like a planner that knows its pages.
const InformedWeeks = 12

// LearnVisits learns from pages with a copy. At least one must have been visited twice.
func LearnVisits(pages []Visited) (*Visits, error) {
	v := &Visits{}
	byName := map[string]int{}
	repeated := 0
	for _, p := range pages {
		if p.History.Visits == 0 {
			continue
		}
		if p.History.Visits > 1 {
			repeated++
		}
		name := sitegraph.ServerName(p.URL)
		s, ok := byName[name]
		if !ok {
			s = len(v.servers)
			byName[name] = s
			v.servers = append(v.servers, visitedServer{name: name, top: sitegraph.Root(p.URL)})
		}
		v.servers[s].pages = append(v.servers[s].pages, p)
	}
	if repeated == 0 {
		return nil, fmt.Errorf("no page was visited twice: nothing is known of how pages change")
	}
	site := make([]int32, len(v.servers))
	for s := range site {
		site[s] = int32(s)
	}
	v.prior = estimator.NewPrior(estimator.DefaultRates(), estimator.DefaultStrength,
		len(v.servers), site)
	const rounds = 10 // as Prior.Learn documents
	for range rounds {
		v.prior.Learn(v.grids())
	}
	v.frailty = v.overdispersion()
	return v, nil
}

func (v *Visits) grids() iter.Seq2[int32, *estimator.Grid] {
	return func(yield func(int32, *estimator.Grid) bool) {
		for s := range v.servers {
			for _, p := range v.servers[s].pages {
				g := estimator.GridFromHistory(p.History)
				if p.History.Visits > 1 && !yield(int32(s), &g) {
					return
				}
			}
		}
	}
}

// Seen implements Watched: how often visits saw pages change.
func (v *Visits) Seen() (byServer map[string]estimator.ChangeRate, all estimator.ChangeRate) {
	byServer = map[string]estimator.ChangeRate{}
	for _, s := range v.servers {
		var rate estimator.ChangeRate
		for _, p := range s.pages {
			rate.Add(estimator.Seen(p.History))
		}
		byServer[s.name] = rate
		all.Add(rate)
	}
	return byServer, all
}

// overdispersion estimates the frailty by the method of moments: how much more the weekly numbers
// of changed pages vary than if pages changed independently. With sums over servers and weeks it is
//
//	(sum of (C - E)^2 - sum of E (1 - E/n)) / (sum of E^2)
//
// where C of n pages compared in a week had changed. E is the expectation of C, scaled so that the
// expectations of a server add up to its changes. The result is 0 to 10.
func (v *Visits) overdispersion() float64 {
	excess, squares := 0.0, 0.0
	for s := range v.servers {
		last := uint32(0)
		for _, p := range v.servers[s].pages {
			last = max(last, sitegraph.Week(p.History.Last))
		}
		var n, c, e [32]float64
		for _, p := range v.servers[s].pages {
			if p.History.Visits < 2 || last-sitegraph.Week(p.History.Last) >= 32 {
				continue
			}
			g := estimator.GridFromHistory(p.History)
			posterior := g.Posterior(&v.prior.Sites[s])
			seen, changed := p.History.WeeksBefore(last)
			for ; seen != 0; seen &= seen - 1 {
				w := bits.TrailingZeros32(seen)
				n[w]++
				c[w] += float64(changed >> w & 1)
				e[w] += posterior.Probability(7)
			}
		}
		sumC, sumE := 0.0, 0.0
		for w := range n {
			sumC, sumE = sumC+c[w], sumE+e[w]
		}
		if sumE == 0 {
			continue
		}
		for w := range n {
			if n[w] == 0 {
				continue
			}
			expected := e[w] * sumC / sumE
			excess += (c[w]-expected)*(c[w]-expected) - expected*(1-min(expected/n[w], 1))
			squares += expected * expected
		}
	}
	if squares == 0 {
		return 0
	}
	return min(max(excess/squares, 0), 10)
}

// Added counts the start pages that are not among the pages. Futures have them anyway.
func (v *Visits) Added() (n int) {
	for _, s := range v.servers {
		if !slices.ContainsFunc(s.pages, func(p Visited) bool { return p.URL == s.top }) {
			n++
		}
	}
	return n
}

// Limit sets base and history to the weeks that a future begins with, and ends with the window.
func (v *Visits) Limit(o Options) Options {
	o.Base, o.History = InformedWeeks, InformedWeeks
	o.Weeks = min(o.Weeks, eval.WindowWeeks-InformedWeeks)
	return o
}

// Doubts reports what futures from visits lack.
func (v *Visits) Doubts() (doubts []string) {
	if n := v.Added(); n > 0 {
		doubts = append(doubts, words.Plural(n, "start page")+
			" not among the pages: a start page that never changes replaces each")
	}
	return append(doubts, fmt.Sprintf("a planner that has known its pages for %d weeks is "+
		"predicted; "+
		"no page is born or dies in what is drawn", InformedWeeks))
}

// Pages returns the number of known pages.
func (v *Visits) Pages() (n int) {
	for _, s := range v.servers {
		n += len(s.pages)
	}
	return n
}

// Future draws InformedWeeks and then a number of weeks. The start page of each server links to all
// its pages; no page is born or dies.
func (v *Visits) Future(seed uint64, number, weeks int) []*history.Server {
	all := make([]*history.Server, len(v.servers))
	for s := range all {
		server := &v.servers[s]
		h := fnv.New64a()
		h.Write([]byte(server.name))
		d := drawn{rng: rand.New(rand.NewPCG(seed^h.Sum64(), uint64(number))), salt: h.Sum64() | 1}
		frailty := make([]float64, InformedWeeks+weeks)
		for w := range frailty {
			frailty[w] = 1
			if v.frailty > 0 {
				frailty[w] = gamma(1/v.frailty, d.rng) / (1 / v.frailty)
			}
		}
		top := &history.Page{URL: server.top}
		pages := []*history.Page{top}
		var links []string
		for _, p := range server.pages {
			g := estimator.GridFromHistory(p.History)
			posterior := g.Posterior(&v.prior.Sites[s])
			versions := d.versions(d.rate(&posterior), frailty, p.Links)
			if p.URL == server.top {
				top.Versions = versions
				continue
			}
			links = append(links, p.URL)
			pages = append(pages, &history.Page{URL: p.URL, Versions: versions})
		}
		if top.Versions == nil {
			top.Versions = d.versions(0, nil, nil)
		}
		for i := range top.Versions {
			top.Versions[i].Links = links
		}
		all[s] = history.NewServer(server.name, history.WorldEpoch.Unix(), pages)
	}
	return all
}

// drawn makes versions.
type drawn struct {
	rng  *rand.Rand
	salt uint64
	made uint64
}

// rate draws a rate per day from a posterior.
func (d *drawn) rate(r *estimator.Rates) float64 {
	u := d.rng.Float64()
	for i, w := range r.Weight {
		if u < w {
			return estimator.GridRate(i)
		}
		u -= w
	}
	return estimator.GridRate(0)
}

// mostInWeek limits the changes of a page in a week: for daily visits seven are equivalent.
const mostInWeek = 100

// versions returns those of a page with this rate per day, multiplied by each week's frailty.
func (d *drawn) versions(rate float64, frailty []float64, links []string) []history.Version {
	version := func(t int64) history.Version {
		d.made++
		return history.Version{
			T:          history.WorldEpoch.Unix() + t,
			Digests:    sitegraph.Digests{Bytes: content(d.salt, d.made)},
			Links:      links,
			LinksKnown: true,
		}
	}
	all := []history.Version{version(0)}
	for w, x := range frailty {
		n := int(min(poisson(rate*7*x, d.rng), mostInWeek))
		times := make([]int64, n)
		for i := range times {
			times[i] = int64(w)*weekSeconds + 1 + d.rng.Int64N(weekSeconds-1)
		}
		slices.Sort(times)
		for _, t := range slices.Compact(times) {
			all = append(all, version(t))
		}
	}
	return all
}
