package figures

import "github.com/recrawl/recrawl/eval"

// Result is what was found among the pages fetched.
type Result struct {
	Fetched        int         `json:"fetched"`
	ChangedFetched int         `json:"changed_fetched"`
	Share          eval.Number `json:"share"` // of all pages fetched
	UpdateRate     eval.Number `json:"update_rate"`
	Coverage       eval.Number `json:"coverage"`
}

// Method is the result of a method by sites; "whole" fetches all pages [LINK fig. 5 to 8].
type Method struct {
	Policy string `json:"policy"`
	Result
	BreadthFirst eval.Number  `json:"breadth_first"` // coverage with as many pages
	ServerTrue   eval.Number  `json:"server_true"`   // coverage with as many pages
	Spread       *eval.Spread `json:"spread,omitempty"`
}

// Depth is breadth-first down to a depth [LINK fig. 9].
type Depth struct {
	Depth int `json:"depth"`
	Result
}

// ByServer is server-true over thresholds, alone or with a method inside the servers.
type ByServer struct {
	Policy string      `json:"policy"`
	Points []Threshold `json:"points"`
}

// Threshold is what the servers with a rate hold [LINK fig. 12 to 18].
type Threshold struct {
	Threshold float64 `json:"threshold"`
	Servers   int     `json:"servers"`
	Result
}

// Rate is a policy by servers: its gain, and what the first pages hold, as many as
// server-true fetches of the servers that change at a rate of 10 % or more.
type Rate struct {
	Policy string      `json:"policy"`
	Gain   eval.Number `json:"gain"`
	Result
}

// leastRate is the threshold at which the paper quotes numbers, and Rates are compared.
const leastRate = 0.1

func resultOf(t eval.Tally) Result {
	return Result{t.Fetched, t.Found, ratio(t.Fetched, t.Pages), ratio(t.Found, t.Fetched), ratio(t.Found, t.Changed)}
}

func ratio(a, b int) eval.Number { return eval.Number(divide(float64(a), float64(b))) }

// period makes the figures of one period.
func (p *counted) period(times []int, o Options) Period {
	totals := p.horizon.Totals()
	servers, changing := p.servers(times)
	r := Period{Weeks: p.weeks, Servers: servers, Changing: changing, Pages: totals.Pages, Changed: totals.Changed, Vanished: totals.Vanished,
		Methods: p.results(times, o, group{})}
	sum := eval.Tally{Pages: totals.Pages, Changed: totals.Changed}
	for d, step := range p.breadthFirst(times) {
		sum.Fetched += step.Pages
		sum.Found += step.Changed
		r.Depths = append(r.Depths, Depth{d + 1, resultOf(sum)})
	}
	for _, m := range append([]string{whole}, paperSites...) {
		policy := ByServer{Policy: byServers(m)}
		for _, threshold := range o.Thresholds {
			t, servers := p.atLeast(threshold, m, times)
			policy.Points = append(policy.Points, Threshold{threshold, servers, resultOf(t)})
		}
		r.Thresholds = append(r.Thresholds, policy)
	}
	first, _ := p.atLeast(leastRate, whole, times)
	for _, policy := range rated {
		s := p.rates[policy]
		first.Found = s.Found(first.Fetched)
		r.Rates = append(r.Rates, Rate{policy, s.Result.Gain, resultOf(first)})
	}
	return r
}

// byServers is the policy of server-true with a method.
func byServers(method string) string {
	if method == whole {
		return "server-true"
	}
	return "server-true+" + method
}

// results are those of whole and of the methods by sites.
func (p *counted) results(times []int, o Options, g group) []Method {
	var all []Method
	first, cho := p.breadthFirst(times), p.byServers(times)
	for _, m := range append([]string{whole}, sites...) {
		t := p.methods[m].sum(times)
		r := Method{Policy: m, Result: resultOf(t),
			BreadthFirst: eval.Number(divide(first.found(t.Fetched), float64(t.Changed))),
			ServerTrue:   eval.Number(divide(cho.found(t.Fetched), float64(t.Changed)))}
		if o.Spread {
			r.Spread = p.spread(m, len(times), o.Seed, g)
		}
		all = append(all, r)
	}
	return all
}

// spread resamples all servers; of a drawn corpus the group is looked at.
func (p *counted) spread(method string, servers int, seed uint64, g group) *eval.Spread {
	var coverage, rate []float64
	for times := range eval.Resamples(servers, seed) {
		t := p.methods[method].sum(g.only(times))
		coverage = append(coverage, float64(ratio(t.Found, t.Changed)))
		rate = append(rate, float64(ratio(t.Found, t.Fetched)))
	}
	return &eval.Spread{Coverage: eval.Interval(coverage), UpdateRate: eval.Interval(rate)}
}
