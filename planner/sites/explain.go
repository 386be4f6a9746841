package sites

import (
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// surprising is the least factor of the odds for which a reason names other pages' outcomes.
	surprising = 1.5
	// rebuiltLooks is the least number of surprising visits for which Explain reports a rebuild.
	rebuiltLooks = 5
)

// speakers maps each expert to the one that explanations name for its kind: expertRates by default.
var speakers = [evidence.Experts]int{expertAll: expertSite, expertServer: expertSite,
	expertSite: expertSite, expertAge: expertAge, expertState: expertState}

// loudest returns the kind of experts that adds most to the log odds of a change, and the sum.
func (v *Policy) loudest(p sitegraph.PageID) (expert int, adds float32) {
	o, asked := v.mixture.Asked[p]
	if !asked {
		o, _, _ = v.opinions(p, v.now)
	}
	w, start := v.speaking(p), v.start(p, v.now)
	var all evidence.Opinions
	for k := range o {
		all[speakers[k]] += w[k] * (o[k] - start)
	}
	adds = slices.Max(all[:])
	return slices.Index(all[:], adds), adds
}

// reason says why a page is visited, by the strongest evidence for a change: outcomes of other
// pages since its last visit, or an expert.
func (v *Policy) reason(p sitegraph.PageID) planner.Reason {
	g, h := v.groups, &v.Pages.Memory(p).History
	last := g.pages[p].last
	ago := float64(max(v.now-g.day(last), 0))
	if gone := v.isGone(p); gone > 0 && 2*gone*v.GoneWorth*v.weight(p) >= v.worth(p) {
		first := &v.gone.gone[0].All
		return planner.Because("no links lead to it any more; of %.0f such pages visited, %.0f "+
			"were gone", float64(first.Count), float64(first.Sum))
	}
	loudest, adds := v.loudest(p)
	least := max(evidence.Exp32(min(adds, 10)), surprising)
	b := v.effects(p, last)
	beyond, factors, all := b.beyond()
	all = evidence.Power(all, b.trust)
	most := slices.Index(factors[:], slices.Max(factors[:]))
	const found = "%.0f visits there since its own last one, %.0f saw a change; expected: %.2g"
	switch told := &g.told[topChanged]; {
	case b.top >= max(least, all):
		return planner.Because("its top changed since its last visit, %s ago; of %.0f pages "+
			"visited after their top had changed, %.0f had also changed", ago,
			float64(told.Visits), float64(told.Changed))
	case all >= least:
		of := &beyond[most]
		return planner.Because("more changes than expected "+groupNames[most]+": of "+found,
			math.Ceil(float64(of.Visits)), float64(of.Changed), float64(of.Expected))
	}
	rates := g.rates(g.of(p))
	const past = "changes seen in %.0f of %.0f visits, over %s"
	format := "its own past: " + past
	switch {
	case adds <= 0:
		return planner.Because("its last visit was %s ago, and pages here change every %s in the "+
			"mean", ago, 1/float64(rates.all))
	case loudest == expertAge && g.ages.Told():
		return planner.Because("it was born %s ago, and of %.0f visits to pages born here, %.0f "+
			"saw a change", float64(v.now-g.day(h.Epoch)), float64(g.ages.Visits),
			float64(g.ages.Changes))
	case loudest == expertState:
		server := v.Pages.Graph.Server(p)
		passed := g.hours.Passed(server, g.day(last), v.now)
		return planner.Because("its states return: a share of %.2f of the visits %s after the one "+
			"before sees a change", float64(g.states.Share(server, float32(ago), passed)), ago)
	case loudest == expertSite && b.groups[ofSite].Changed >= 1:
		return planner.Because("by the clock of its site: since its own last visit, %s ago, %.0f "+
			"of %.0f visits there saw a change", ago, float64(b.groups[ofSite].Changed),
			math.Ceil(float64(b.groups[ofSite].Visits)))
	case loudest == expertSite || h.Visits < 2:
		return planner.Because("its last visit was %s ago, and pages of its site change every %s",
			ago, 1/float64(rates.site))
	case slices.Contains(v.Pages.Graph.StartPages(v.Pages.Graph.Server(p)), p):
		format = "the start page of its server: " + past
	case g.pages[p].traits&isTop != 0:
		format = "the top of its site: " + past
	}
	return planner.Because(format, float64(h.Changes), float64(h.Visits-1),
		float64(evidence.InDays(h.Last-h.Epoch)))
}

// start returns the log odds that the mean page changes within the age of this page's copy.
func (v *predictor) start(p sitegraph.PageID, now float32) float32 {
	all, _, _ := v.groups.of(p)
	age := max(now-v.groups.day(v.groups.pages[p].last), 0)
	return evidence.LogOddsExpected(all.Rate(defaultRate) * age)
}

// Explain returns the parts of the probability that a page has changed: the log odds of the mean
// page, and what experts, feeds, outcomes of other pages and calibration add.
func (v *Policy) Explain(p sitegraph.PageID, at time.Time) (c planner.Contributions) {
	v.grow()
	v.groups.clock.Anchor(sitegraph.Unix32(at))
	now, last := v.groups.day(sitegraph.Unix32(at)), v.groups.pages[p].last
	o, _, _ := v.opinions(p, now)
	start := v.start(p, now)
	c.Start = float64(start)
	sum := c.Start
	add := func(evidence string, value, logOdds float64) {
		if sum += logOdds; logOdds != 0 {
			c.All = append(c.All, planner.Contribution{Evidence: evidence, Value: value,
				LogOdds: logOdds})
		}
	}
	for k, weight := range v.speaking(p) {
		if weight > 0 {
			says := 1 / (1 + math.Exp(-float64(o[k])))
			c.Experts = append(c.Experts, planner.Expert{Name: expertNames[k],
				Weight: float64(weight), Probability: says})
			add(expertNames[k], says, float64(weight*(o[k]-start)))
		}
	}
	h, b := v.hint(p), v.effects(p, last)
	beyond, factors, _ := b.beyond()
	add("the claim of a "+h.Kind.String()+" of its server", h.LogRatio, h.LogRatio)
	for i, of := range beyond {
		add("changes "+groupNames[i]+" since then beyond those expected",
			float64(of.Changed-of.Expected), float64(b.trust)*math.Log(float64(factors[i])))
	}
	add([...]string{topUnseen: "", topSame: "its top did not change since then",
		topChanged: "its top changed since then"}[v.groups.topState(p, last)],
		float64(b.top), math.Log(float64(b.top)))
	c.Rebuilt = evidence.Power(factors[ofServer], b.trust) >= surprising &&
		beyond[ofServer].Visits >= rebuiltLooks
	c.Probability = min(max(float64(v.believed(v.mixed(p, &o), b.total())), 1e-6), 1-1e-6)
	if rest := math.Log(c.Probability/(1-c.Probability)) - sum; math.Abs(rest) > 1e-3 {
		add("outcomes of earlier predictions like this one", 1/(1+math.Exp(-sum)), rest)
	}
	c.Sort()
	return c
}

// Site returns the top of a page's site or NoPage, its server's division, and the site's page
// count.
func (v *Policy) Site(p sitegraph.PageID) (top sitegraph.PageID, division string, pages int) {
	v.grow()
	of, in := &v.groups.servers[v.Pages.Graph.Server(p)], &v.groups.sites[v.groups.pages[p].site]
	return in.top, divisions[of.method], int(in.pages)
}

// Division returns how a server is divided, and the number of its sites and pages.
func (v *Policy) Division(s sitegraph.ServerID) (method string, sites, pages int) {
	v.grow()
	for i := range v.groups.sites {
		if of := &v.groups.sites[i]; of.server == s && of.pages > 0 {
			sites++
			pages += int(of.pages)
		}
	}
	return divisions[v.groups.servers[s].method], sites, pages
}
