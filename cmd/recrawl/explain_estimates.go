package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/sitegraph"
)

// estimates are all that the estimators say of a page, side by side.
func (o *opened) estimates(r *sitegraph.Record, age time.Duration) []estimateResult {
	h := r.History
	intervals := max(int(h.Visits)-1, 0)
	changes, days := int(h.Changes), estimator.Days(h.Elapsed())
	grouped := estimator.FromHistory(h)
	prior := o.pagePrior(r.Page)
	seen := estimator.GridFromHistory(h)
	lately := estimator.GridOfWeeks(h, estimator.KeepPerDay)
	var buf [32]estimator.Observed
	weeks := estimator.Weeks(h, &buf)
	var clock estimator.Periodic
	for _, week := range weeks {
		clock.Observe(week)
	}
	corpus, page, recent := seen.Posterior(&prior.Corpus), seen.Posterior(prior.ofPage()), lately.Posterior(prior.ofPage())
	named := func(method string, e estimator.Estimate) estimator.Estimate {
		e.Method = method
		return e
	}
	all := []estimator.Estimate{
		estimator.NaiveEstimate(changes, intervals, days).At(age),
		estimator.BiasReducedEstimate(changes, intervals, days).At(age),
		estimator.LastModifiedEstimate(h, !r.LastModified.IsZero()).At(age),
		estimator.Interval(h, r.Interval, estimator.DefaultLimits).At(age),
		grouped.Estimate(intervals).At(age),
		grouped.SmoothedEstimate(intervals).At(age),
		o.corpus.Prior().Estimate(h, age),
		named("grid-corpus", corpus.Estimate(intervals, age)),
		named("grid-site", page.Estimate(intervals, age)),
		named("grid-weeks", recent.Estimate(len(weeks), age)),
		clock.Estimate(prior.ofPage(), age),
	}
	results := make([]estimateResult, len(all))
	for i, e := range all {
		results[i] = resultOf(e)
	}
	return results
}

// pagePrior is the hierarchy of priors that a page starts from.
type pagePrior struct {
	*estimator.Prior
	site int32
}

func (p pagePrior) ofPage() *estimator.Rates { return &p.Sites[p.site] }

const (
	// priorPages bounds the pages that a prior is learnt from, of the page's own server and of
	// all others each: 25 MB and about a second.
	priorPages  = 50_000
	priorRounds = 8
)

// pagePrior learns the priors of a page's site, its server and the corpus from all that was
// revisited, or a part of it that is evenly spread if there are many. Sites are those of
// partition A; another server, and what of this one is in no site, counts as one site. The page itself is left out.
func (o *opened) pagePrior(page sitegraph.PageID) pagePrior {
	g := o.corpus.Graph
	server := g.Server(page)
	own := g.ServerPages(server)
	siteOf := make(map[sitegraph.PageID]int32, len(own))
	serverOf := make([]int32, g.Servers()) // sites 0..servers-1 are the servers' own
	for s := range serverOf {
		serverOf[s] = int32(s)
	}
	for _, site := range g.PartitionA(server, nil).Sites {
		number := int32(len(serverOf))
		serverOf = append(serverOf, int32(server))
		for _, p := range slices.Concat(site.Tops, site.Members) {
			siteOf[p] = number
		}
	}
	type seen struct {
		site int32
		grid estimator.Grid
	}
	var pages []seen
	look := func(p sitegraph.PageID) {
		h := o.corpus.Memory(p).History
		if p == page || h.Visits < 2 {
			return
		}
		site, ok := siteOf[p]
		if !ok {
			site = int32(g.Server(p))
		}
		pages = append(pages, seen{site, estimator.GridFromHistory(h)})
	}
	for i := 0; i < len(own); i += 1 + len(own)/priorPages {
		look(own[i])
	}
	for p := 0; p < o.corpus.Pages(); p += 1 + o.corpus.Pages()/priorPages {
		if g.Server(sitegraph.PageID(p)) != server {
			look(sitegraph.PageID(p))
		}
	}
	prior := estimator.NewPrior(estimator.DefaultRates(), estimator.DefaultStrength, g.Servers(), serverOf)
	for range priorRounds {
		prior.Learn(func(yield func(int32, *estimator.Grid) bool) {
			for i := range pages {
				if !yield(pages[i].site, &pages[i].grid) {
					return
				}
			}
		})
	}
	site, ok := siteOf[page]
	if !ok {
		site = int32(server)
	}
	return pagePrior{prior, site}
}

// estimateResult is an estimate as it is printed.
type estimateResult struct {
	Method       string  `json:"method"`
	RatePerDay   float64 `json:"rate_per_day"`
	Low          float64 `json:"low"` // 95 % interval of the rate; both equal to it where the method gives none
	High         float64 `json:"high"`
	IntervalDays float64 `json:"interval_days"`
	Probability  float64 `json:"probability"` // of a change since the last visit
	Revisits     int     `json:"revisits"`
	Warning      string  `json:"warning"`
}

func resultOf(e estimator.Estimate) estimateResult {
	return estimateResult{e.Method, e.RatePerDay, e.Low, e.High, estimator.Days(e.Interval), e.Probability, e.Observations, e.Warning}
}

const estimatesNote = `
grid-corpus, grid-site: the rates that fit all visits, under what other pages of the corpus, or of the same site, did.
grid-weeks and periodic: of the last 32 weeks, a visit a week at most; in grid-weeks, what is 69 days old counts half.
`

func (p *program) printEstimates(estimates []estimateResult) error {
	if len(estimates) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(p.stdout); err != nil {
		return err
	}
	t := report.Table{Title: "Estimates", Header: []string{"method", "changes a day", "95 % interval", "days between", "p(changed)", "rests on", "note"}}
	for _, x := range estimates {
		t.Rows = append(t.Rows, []string{x.Method, fmt.Sprintf("%.4f", x.RatePerDay), rangeOf(x),
			daysBetween(x), fmt.Sprintf("%.3f", x.Probability), report.Plural(x.Revisits, "revisit"), x.Warning})
	}
	if err := t.Text(p.stdout); err != nil {
		return err
	}
	_, err := fmt.Fprint(p.stdout, estimatesNote)
	return err
}

func rangeOf(x estimateResult) string {
	switch {
	case x.Low == x.High:
		return "-"
	case x.High >= estimator.FastestRate:
		return fmt.Sprintf("%.4f..any", x.Low)
	}
	return fmt.Sprintf("%.4f..%.4f", x.Low, x.High)
}

func daysBetween(x estimateResult) string {
	if x.RatePerDay == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", x.IntervalDays)
}
