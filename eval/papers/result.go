package papers

import (
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/satstore/machine"
)

// Result is the result for fetched pages.
type Result struct {
	Fetched        int         `json:"fetched"`
	ChangedFetched int         `json:"changed_fetched"`
	Share          eval.Number `json:"share"` // of all pages fetched
	UpdateRate     eval.Number `json:"update_rate"`
	Coverage       eval.Number `json:"coverage"`
	Spread         *Spread     `json:"spread,omitempty"`
}

// Method is the result of a method by sites; "whole" fetches all pages [LINK fig. 5 to 8].
type Method struct {
	Policy string `json:"policy"`
	Result
	BreadthFirst       eval.Number `json:"breadth_first"` // coverage with as many pages
	BreadthFirstSpread Interval    `json:"breadth_first_spread"`
	ServerTrue         eval.Number `json:"server_true"` // coverage with as many pages
	ServerTrueSpread   Interval    `json:"server_true_spread"`
}

// Depth is breadth-first order down to a depth [LINK fig. 9].
type Depth struct {
	Depth int `json:"depth"`
	Result
}

// ByServer is server-true over thresholds, alone or with a method inside the servers.
type ByServer struct {
	Policy string      `json:"policy"`
	Points []Threshold `json:"points"`
}

// Threshold has the content of servers at or above a rate [LINK fig. 12 to 18].
type Threshold struct {
	Threshold float64 `json:"threshold"`
	Servers   int     `json:"servers"`
	Result
}

// Rate is a policy by servers: its gain, and the content of its first pages, as many as server-true
// fetches from servers with a rate of 10 % or more.
type Rate struct {
	Policy     string      `json:"policy"`
	Gain       eval.Number `json:"gain"`
	GainSpread Interval    `json:"gain_spread"`
	Result
}

// leastRate is the threshold of the numbers in the paper, and for Rates.
const leastRate = 0.1

func resultOf(t eval.Tally) Result {
	return Result{Fetched: t.Fetched, ChangedFetched: t.Found, Share: shareOf(t.Fetched, t.Pages),
		UpdateRate: shareOf(t.Found, t.Fetched), Coverage: shareOf(t.Found, t.Changed)}
}

func shareOf(a, b int) eval.Number { return eval.Number(divide(float64(a), float64(b))) }

// period makes the figures of one period.
func (p *counted) period(o FiguresOptions, d draws) Period {
	totals := p.horizon.Totals()
	servers, changing := p.servers(p.once())
	r := p.shares(p.once(), o)
	r.Weeks, r.Servers, r.Changing, r.Pages, r.Changed, r.Vanished = p.weeks, servers, changing,
		totals.Pages, totals.Changed, totals.Vanished
	p.spread(&r, o, d)
	for _, policy := range rated {
		r.Rates = append(r.Rates, p.rated(policy, d))
	}
	return r
}

// shares computes the figures that are shares of the pages of a corpus.
func (p *counted) shares(times []int, o FiguresOptions) Period {
	r := Period{Methods: p.results(times)}
	sum := p.methods[Whole].sum(times)
	sum.Fetched, sum.Found = 0, 0
	for d, step := range p.breadthFirst(times) {
		sum.Fetched += step.Pages
		sum.Found += step.Changed
		r.Depths = append(r.Depths, Depth{d + 1, resultOf(sum)})
	}
	for _, m := range append([]string{Whole}, PaperPolicies...) {
		policy := ByServer{Policy: ByServers(m)}
		for _, threshold := range o.Thresholds {
			t, servers := p.atLeast(threshold, m, times)
			policy.Points = append(policy.Points, Threshold{threshold, servers, resultOf(t)})
		}
		r.Thresholds = append(r.Thresholds, policy)
	}
	return r
}

// rated judges a policy by servers after as many visits as there are pages on the servers whose
// true rate is at least leastRate.
func (p *counted) rated(policy string, d draws) Rate {
	s := p.rates[policy]
	path := pathOf(s)
	first, _ := p.atLeast(leastRate, Whole, p.once())
	first.Found = s.Found(first.Fetched)
	r := Rate{
		Policy:     policy,
		Gain:       s.Result.Gain,
		GainSpread: d.interval(p.gain(path)),
		Result:     resultOf(first),
	}
	found := func(of func(found float64, t eval.Tally) float64) Interval {
		return d.interval(func(times []int) float64 {
			t, _ := p.atLeast(leastRate, Whole, times)
			return of(path.line(times).found(t.Fetched), t)
		})
	}
	r.Spread = &Spread{
		Share: d.interval(func(times []int) float64 {
			t, _ := p.atLeast(leastRate, Whole, times)
			return float64(resultOf(t).Share)
		}),
		UpdateRate: found(
			func(found float64, t eval.Tally) float64 { return divide(found, float64(t.Fetched)) },
		),
		Coverage: found(
			func(found float64, t eval.Tally) float64 { return divide(found, float64(t.Changed)) },
		),
	}
	return r
}

// ByServers returns the policy of server-true with a method.
func ByServers(method string) string {
	if method == Whole {
		return "server-true"
	}
	return "server-true+" + method
}

// results returns the results of whole and of the methods by sites.
func (p *counted) results(times []int) []Method {
	var all []Method
	first, cho := p.breadthFirst(times), p.byServers(times)
	for _, m := range append([]string{Whole}, SitePolicies...) {
		t := p.methods[m].sum(times)
		all = append(all, Method{Policy: m, Result: resultOf(t),
			BreadthFirst: eval.Number(divide(first.found(t.Fetched), float64(t.Changed))),
			ServerTrue:   eval.Number(divide(cho.found(t.Fetched), float64(t.Changed)))})
	}
	return all
}

// Interval is the 5th and 95th percentile over the resamples in which a number is defined.
type Interval = [2]eval.Number

// Spread has the intervals of a Result by resampling servers.
type Spread struct {
	Share      Interval `json:"share"`
	UpdateRate Interval `json:"update_rate"`
	Coverage   Interval `json:"coverage"`
}

// draws are the resampled corpora for all comparisons: how often each server is in each.
type draws [][]int

func resampled(servers int, seed uint64) draws {
	var all draws
	for times := range eval.Resamples(servers, seed) {
		all = append(all, slices.Clone(times))
	}
	return all
}

// of restricts the draws to a group.
func (d draws) of(g group) draws {
	all := make(draws, len(d))
	for i, times := range d {
		all[i] = g.only(times)
	}
	return all
}

// interval returns the interval of a statistic.
func (d draws) interval(of statistic) Interval {
	return intervalOf(d, func(times []int) float64 { return rounded(of(times)) })
}

func intervalOf[T any](all []T, value func(T) float64) Interval {
	values := make([]float64, len(all))
	for i, v := range all {
		values[i] = value(v)
	}
	return eval.Interval(values)
}

// spread fills in the intervals of a period: of the same numbers in each drawn corpus.
func (p *counted) spread(r *Period, o FiguresOptions, d draws) {
	drawn := make([]Period, len(d))
	machine.EachOnCores(len(d), func(i int) { drawn[i] = p.shares(d[i], o) })
	spreadMethods(r.Methods, drawn, func(p *Period) []Method { return p.Methods })
	for i := range r.Depths {
		r.Depths[i].Spread = spreadOfResults(drawn,
			func(p *Period) *Result { return &p.Depths[i].Result })
	}
	for i := range r.Thresholds {
		for k := range r.Thresholds[i].Points {
			r.Thresholds[i].Points[k].Spread = spreadOfResults(drawn,
				func(p *Period) *Result { return &p.Thresholds[i].Points[k].Result })
		}
	}
}

// spreadMethods fills in the intervals of methods, for a period or a group.
func spreadMethods[T any](methods []Method, drawn []T, of func(*T) []Method) {
	for i := range methods {
		m := &methods[i]
		m.Spread = spreadOfResults(drawn, func(t *T) *Result { return &of(t)[i].Result })
		m.BreadthFirstSpread = intervalOf(drawn, func(t T) float64 {
			return float64(of(&t)[i].BreadthFirst)
		})
		m.ServerTrueSpread = intervalOf(drawn, func(t T) float64 {
			return float64(of(&t)[i].ServerTrue)
		})
	}
}

func spreadOfResults[T any](drawn []T, of func(*T) *Result) *Spread {
	interval := func(value func(*Result) float64) Interval {
		return intervalOf(drawn, func(t T) float64 { return value(of(&t)) })
	}
	return &Spread{Share: interval(share), UpdateRate: interval(UpdateRate),
		Coverage: interval(Coverage)}
}

// UpdateRate returns the update rate of a result, 0 to 1.
func UpdateRate(r *Result) float64 { return float64(r.UpdateRate) }

// Coverage returns the coverage of a result, 0 to 1.
func Coverage(r *Result) float64 { return float64(r.Coverage) }

func share(r *Result) float64 { return float64(r.Share) }

// UpdateRateOf returns the interval of the update rate.
func UpdateRateOf(s *Spread) Interval { return s.UpdateRate }

// CoverageOf returns the interval of the coverage.
func CoverageOf(s *Spread) Interval { return s.Coverage }
