package eval

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
)

// alone is a web whose pages change independently, each at its own rate (a Poisson process). So
// there are only rates to learn, and they are log-normal.
type alone struct{ servers, pages, weeks int }

const (
	medianRate = 0.02 // changes a day
	sigmaRate  = 1.5  // deviation of its logarithm
)

// histories returns the pages, the times of their changes in days, and their rates, in one order.
func (o alone) histories(seed uint64) (all []*history.Server, changes [][]float64,
	rates []float64) {
	rng := rand.New(rand.NewPCG(seed, 4))
	for s := range o.servers {
		top := fmt.Sprintf("http://s%d.example/", s)
		var pages []*history.Page
		var links []string
		for i := range o.pages {
			p := page(fmt.Sprintf("%sp%d", top, i), shows(0, "0"))
			rate, times := medianRate*math.Exp(sigmaRate*rng.NormFloat64()), []float64(nil)
			for at := rng.ExpFloat64() / rate; at < float64(7*o.weeks); {
				t := int64(at*daySeconds) + int64(len(times)) + 1 // no two at the same time
				p.Versions = append(p.Versions, shows(t, fmt.Sprint(t)))
				times = append(times, at)
				at += rng.ExpFloat64() / rate
			}
			links, pages = append(links, p.URL), append(pages, p)
			changes, rates = append(changes, times), append(rates, rate)
		}
		pages = append(pages, page(top, shows(0, "top", links...)))
		all = append(all, server(fmt.Sprintf("s%d.example", s), 0, pages...))
	}
	return all, changes, rates
}

// posterior has the weights of rates on a grid after visits to a page.
type posterior []float64

// ratesOfGrid returns the rates on the grid, and the prior for the pages of alone.
func ratesOfGrid() (rates []float64, prior posterior) {
	for z := -4.0; z <= 4; z += 0.1 {
		rates = append(rates, medianRate*math.Exp(sigmaRate*z))
		prior = append(prior, math.Exp(-z*z/2))
	}
	return rates, prior
}

// greedy visits the pages with the highest probability of a change, a share of them a day. It
// returns how many visits found a change after the first weeks. It knows the distribution of rates
// and keeps the posterior of each page, or it knows the rates.
func greedy(changes [][]float64, known []float64, budget float64, from, weeks int) (found int) {
	grid, prior := ratesOfGrid()
	n := len(changes)
	last, order := make([]float64, n), make([]int, n)
	learnt, probability := make([]posterior, n), make([]float64, n)
	for i := range learnt {
		learnt[i], order[i], last[i] = slices.Clone(prior), i, 7
	}
	quota := 0.0
	for day := 8.0; day <= float64(7*(weeks+1)); day++ {
		for i := range order {
			if known != nil {
				probability[i] = -math.Expm1(-known[i] * (day - last[i]))
				continue
			}
			all, same := 0.0, 0.0
			for k, w := range learnt[i] {
				all += w
				same += w * math.Exp(-grid[k]*(day-last[i]))
			}
			probability[i] = 1 - same/all
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(-cmp.Compare(probability[a], probability[b]), cmp.Compare(a, b))
		})
		quota += budget * float64(n)
		for _, i := range order[:int(quota)] {
			quota--
			changed := slices.ContainsFunc(changes[i], func(at float64) bool {
				return last[i] < at && at <= day
			})
			if changed && day > float64(7*(from+1)) {
				found++
			}
			for k := range learnt[i] {
				if same := math.Exp(-grid[k] * (day - last[i])); changed {
					learnt[i][k] *= 1 - same
				} else {
					learnt[i][k] *= same
				}
			}
			last[i] = day
		}
	}
	return found
}

// TestPagesThatChangeAlone checks that value finds nearly as many changes as true-rates if pages
// change independently, and true-rates as many as another greedy method with the same rates.
// RECRAWL_LONG uses a larger web, and compares with the exact posterior.
func TestPagesThatChangeAlone(t *testing.T) {
	t.Parallel()
	web, from, runs, budgets := alone{servers: 4, pages: 100, weeks: 21}, 10, 1, []float64{0.1}
	if os.Getenv("RECRAWL_LONG") != "" {
		web, from, runs = alone{servers: 20, pages: 300, weeks: 41}, 20, 4
		budgets = []float64{0.01, 0.02, 0.05, 0.1}
	}
	weeks := web.weeks - 1
	for _, budget := range budgets {
		found := map[string]float64{}
		fresh := map[string]float64{}
		for run := range uint64(runs) {
			histories, changes, rates := web.histories(run + 1)
			r, err := newCorpus(t, histories, Options{Base: week}).Stream(t.Context(),
				StreamOptions{Weeks: weeks, Budget: budget, Seed: run + 1},
				[]string{"sites", "hier", "true-rates"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Results {
				of := &r.Results[i]
				for _, w := range of.Weekly[from:] {
					found[of.Policy] += float64(w.UpdateRate) * float64(w.Refetched)
				}
				fresh[of.Policy] += float64(of.Freshness) / float64(runs)
			}
			found["greedy by true rates"] += float64(greedy(changes, rates, budget, from, weeks))
			if runs > 1 { // only in the long run
				found["exact posterior"] += float64(greedy(changes, nil, budget, from, weeks))
			}
		}
		for _, policy := range slices.Sorted(maps.Keys(found)) {
			t.Logf("%2.0f %% a day: %-20s finds %.3f of what true-rates finds, freshness %.3f",
				100*budget, policy, found[policy]/found["true-rates"], fresh[policy])
		}
		if share := found["sites"] / found["true-rates"]; budget >= 0.1 && !(share >= 0.85) {
			t.Errorf("value finds %.3f of what true-rates finds", share)
		}
		by := found["greedy by true rates"] / found["true-rates"]
		if !(by >= 0.95 && by <= 1.05) {
			t.Errorf("greedy by true rates finds %.3f of what true-rates finds", by)
		}
	}
}
