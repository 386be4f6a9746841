package figures

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph"
)

// OwnPolicies are this project's policies by sites: sites that are no directories, and tops chosen
// by what they told.
var OwnPolicies = []string{
	"prefix",
	"shape",
	"community",
	"auto",
	"sentinel-a",
	"sentinel-prefix",
	"sentinel-shape",
	"sentinel-community",
	"sentinel-auto",
}

// EvenGain is how far two gains on a server may lie apart and count as even.
const EvenGain = 0.01

// Beyond sets this project's methods by sites beside A to C, server by server, in one period.
type Beyond struct {
	Weeks   int         `json:"weeks"`
	Rival   string      `json:"rival"` // of A to C, that with the largest mean gain in servers
	Methods []Own       `json:"methods"`
	Servers []ServerRow `json:"servers"` // where some pages changed and some did not
}

// Own is one method: all of a, b, b-closure, c, c-closure and this project's.
type Own struct {
	Policy string `json:"policy"`
	Result
	Gain                eval.Number `json:"gain"`
	GainSpread          Interval    `json:"gain_spread"`
	GainInServers       eval.Number `json:"gain_in_servers"`
	GainInServersSpread Interval    `json:"gain_in_servers_spread"`
	// Difference of the gain in servers to the rival's, 5th and 95th percentile over the
	// resamples of servers.
	Difference Interval `json:"difference"`
	// Servers on which the gain is larger than the largest of A to C there, about the same,
	// and smaller.
	Better int `json:"better"`
	Even   int `json:"even"`
	Worse  int `json:"worse"`
}

// ServerRow is one server: who does best there, and how well all do.
type ServerRow struct {
	Server   string                 `json:"server"`
	Pages    int                    `json:"pages"`
	Changed  int                    `json:"changed"`
	Gains    map[string]eval.Number `json:"gains"`
	BestLink string                 `json:"best_of_a_to_c"`
	BestOwn  string                 `json:"best_of_own"`
}

// beyond compares on the sweeps of a period.
func (p *counted) beyond(c *eval.Dataset, d draws) Beyond {
	b := Beyond{Weeks: p.weeks, Servers: []ServerRow{}}
	gains := map[string][]eval.Number{}
	for policy, sweep := range p.orders {
		gains[policy] = sweep.GainByServer()
	}
	b.Rival = Best(SitePolicies, func(policy string) eval.Number {
		return p.orders[policy].Result.GainInServers
	})
	link := make([]eval.Number, len(p.depths)) // the best of A to C, by server
	for s := range p.depths {
		of := func(policy string) eval.Number { return gains[policy][s] }
		first := Best(SitePolicies, of)
		link[s] = of(first)
		if math.IsNaN(float64(link[s])) {
			continue
		}
		t := p.methods[Whole][s]
		row := ServerRow{
			Server:   c.Graph().ServerName(sitegraph.ServerID(s)),
			Pages:    t.Pages,
			Changed:  t.Changed,
			Gains:    map[string]eval.Number{},
			BestLink: first,
			BestOwn:  Best(OwnPolicies, of),
		}
		for policy := range gains {
			row.Gains[policy] = of(policy)
		}
		b.Servers = append(b.Servers, row)
	}
	b.Methods = make([]Own, len(SitePolicies)+len(OwnPolicies))
	machine.EachOnCores(len(b.Methods), func(i int) {
		policy := slices.Concat(SitePolicies, OwnPolicies)[i]
		b.Methods[i] = p.own(policy, gains[policy], gains[b.Rival], link, d)
	})
	return b
}

// own compares the gains of one method by server with those of the rival and with link, the
// largest of A to C.
func (p *counted) own(policy string, gains, rival, link []eval.Number, d draws) Own {
	r := p.orders[policy].Result
	less := make([]eval.Number, len(gains))
	for s := range gains {
		less[s] = gains[s] - rival[s]
	}
	m := Own{
		Policy:              policy,
		Gain:                r.Gain,
		GainSpread:          d.interval(p.gain(pathOf(p.orders[policy]))),
		GainInServers:       r.GainInServers,
		GainInServersSpread: d.interval(meanOver(gains)),
		Difference:          d.interval(meanOver(less)),
	}
	m.Result = resultOf(eval.Tally{
		Pages:   p.horizon.Totals().Pages,
		Changed: p.horizon.Totals().Changed,
		Fetched: r.Fetched,
		Found:   r.ChangedFetched,
	})
	for s, g := range gains {
		switch d := float64(g - link[s]); {
		case d > EvenGain:
			m.Better++
		case d < -EvenGain:
			m.Worse++
		case !math.IsNaN(d):
			m.Even++
		}
	}
	return m
}

// Best returns the policy with the largest value, the first of those.
func Best(policies []string, value func(string) eval.Number) string {
	first := policies[0]
	for _, policy := range policies[1:] {
		if value(policy) > value(first) {
			first = policy
		}
	}
	return first
}
