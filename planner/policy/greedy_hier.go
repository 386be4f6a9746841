package policy

import (
	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// hier scores by the probability of change under a hierarchical prior: the mean rate of a page's
// directory, pulled toward its server's, pulled toward that of all pages (empirical Bayes).
type hier struct {
	*posteriors
	place     []int32 // by page: its directory's number
	directory map[string]int32
	server    []sitegraph.ServerID // by directory
	priors    []estimator.GammaPoisson
}

func newHier(s Settings) planner.Policy {
	h := &hier{posteriors: &posteriors{pages: s.Pages}, directory: map[string]int32{}}
	h.prior = func(p sitegraph.PageID) estimator.GammaPoisson {
		if int(p) < len(h.place) {
			return h.priors[h.place[p]]
		}
		return estimator.DefaultPrior
	}
	return newGreedy(s, h)
}

func (h *hier) score(p sitegraph.PageID, days float64) float64 {
	return h.of(p).Exponent(estimator.FromDays(days))
}

// pull is the weight of the mean one level up, in changes.
const pull = 2

// tallied sums the changes and the watched days of several pages.
type tallied struct{ changes, days float64 }

func (t *tallied) add(h *sitegraph.History) {
	t.changes += float64(h.Changes)
	t.days += estimator.Days(h.Elapsed())
}

// under returns the rate of the pages, pulled toward that of the level above.
func (t tallied) under(parent float64) float64 {
	return (t.changes + pull) / (t.days + pull/parent)
}

func (h *hier) begin(planner.Round) {
	g := h.pages.Graph
	for p := sitegraph.PageID(len(h.place)); int(p) < h.pages.Count(); p++ {
		name := sitegraph.Directory(g.URL(p))
		d, ok := h.directory[name]
		if !ok {
			d = int32(len(h.server))
			h.directory[name] = d
			h.server = append(h.server, g.Server(p))
		}
		h.place = append(h.place, d)
	}
	directories, servers := make([]tallied, len(h.server)), make([]tallied, g.Servers())
	var all tallied
	for p := range h.place {
		history := &h.pages.Memory(sitegraph.PageID(p)).History
		d := h.place[p]
		directories[d].add(history)
		servers[h.server[d]].add(history)
		all.add(history)
	}
	corpus := all.under(estimator.DefaultPrior.Mean())
	h.priors = h.priors[:0]
	for d, t := range directories {
		mean := t.under(servers[h.server[d]].under(corpus))
		h.priors = append(
			h.priors,
			estimator.GammaPoisson{
				Shape: estimator.DefaultPrior.Shape,
				Days:  estimator.DefaultPrior.Shape / mean,
			},
		)
	}
}
