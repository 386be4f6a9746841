package sites

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// Policy visits the pages that are most likely to have changed. See the package comment.
type Policy struct {
	ranker
	samples samples
	trials  []trial                      // by server
	turns   map[sitegraph.PageID]float32 // days: when a new page was last refused a turn
	// before is the end of the last round, in days. In the first round it is the round's start, or
	// the last visit of the corpus if that was earlier.
	before   float32
	spent    spent // by visits of this round except samples
	begun    bool
	bounded  bool    // whether the round is of a stream with a budget
	learntAt float32 // days: when rates and hours were last learnt
}

// firstRounds is how often rates are fitted when a policy begins on pages with a past.
const firstRounds = 10

// learnEvery is the least time between two fits of rates and hours, in days: half an hour.
const learnEvery = 1.0 / 48

// outcome is the result of a visit that compared a page with its copy, or found it gone.
type outcome struct {
	page     sitegraph.PageID
	from, to uint32 // unix seconds
	changed  bool
	left     bool    // it is gone
	raw      float32 // the probability of a change before effects
	byGroups float32 // raw, with the effects of server and site
	expected float32 // byGroups, with the effect of the top
	top      float32 // odds factor of the top, before trust
	factor   float32 // odds factor of server and site, before trust
}

// Settings configure the policy.
type Settings struct {
	Pages *planner.Pages
	Mode  planner.Mode
	Seed  uint64
	// PerDay is the budget in fetches a day; 0 if unknown.
	PerDay float64 `state:"-"`
	// GoneWorth is the worth of finding that a page is gone, in changes found, such as
	// DefaultGoneWorth. With 0 the policy does not look for gone pages.
	GoneWorth float32
	Objective preferences.Objective // of streams; sweeps look for changes
	// Lag is the delay after a visit until its result is of use, in days; 0: at once.
	Lag float32
	Off Parts // parts that are switched off
}

// New returns the policy for a corpus.
func New(s Settings) *Policy {
	v := &Policy{}
	s.Objective = s.Objective.OrDefault()
	v.Settings, v.ties = s, planner.NewTies(s.Seed, s.Pages.Graph.Scratch())
	v.price, v.changesPerWorth = math.NaN(), 1
	v.lowest, v.crowd = math.NaN(), 1
	v.groups = newGroups(s.Pages, &v.ties)
	if v.groups.sweep = s.Mode == planner.Sweep; v.groups.sweep {
		v.Lag = 0
	}
	v.mixture.First = firstWeights
	v.trust.First, v.topTrust.First = 1, firstTopTrust
	v.samples.underWay = map[sitegraph.PageID]bool{}
	v.turns, v.gone.pages = map[sitegraph.PageID]float32{}, map[sitegraph.PageID]unreached{}
	if s.Mode == planner.Stream {
		v.tolerance = tolerance
	}
	return v
}

// Begin starts a round. The pages that are due follow by Offer.
func (v *Policy) Begin(r planner.Round) {
	v.settlePrice()
	v.bounded = v.Mode == planner.Stream && r.Budget != planner.Unlimited
	if v.rounds++; v.rounds == 0 {
		v.rounds = 1
	}
	v.groups.clock.Anchor(sitegraph.Unix32(r.Start))
	v.before, v.now = v.now, v.groups.day(sitegraph.Unix32(r.End))
	if v.groups.round = 1; v.Mode == planner.Stream && r.End.After(r.Start) {
		v.groups.round = min(float32(estimator.Days(r.End.Sub(r.Start))), 1)
	}
	v.grow()
	v.groups.divide(v.now)
	v.cycle = 0
	if v.Mode == planner.Stream && v.PerDay > 0 {
		v.cycle = float32(float64(v.Pages.Count()) / v.PerDay)
	}
	if !v.begun {
		v.groups.replayAll()
		v.before = v.groups.day(sitegraph.Unix32(r.Start))
		if last := v.groups.day(v.Pages.LastTried()); last > 0 {
			v.before = min(v.before, last)
		}
		for range firstRounds {
			v.groups.learnRates()
		}
		v.begun = true
	}
	clear(v.samples.underWay)
	v.samples.rebuilds.Begin()
	clear(v.mixture.Asked)
	if v.Mode == planner.Stream {
		if past := v.now - v.learntAt; past < 0 || past >= learnEvery {
			v.groups.hours.Begin(v.now)
			v.groups.learnRates()
			v.learntAt = v.now
		}
	}
	v.beginRanking()
	if v.Mode == planner.Stream && v.GoneWorth > 0 {
		v.gone.lookThrough(v)
	}
	v.samplesPlanned, v.offers = false, 0
}

// Offer takes candidates: pages that are due in this round.
func (v *Policy) Offer(pages []sitegraph.PageID) {
	v.grow()
	v.offers += len(pages)
	first := len(v.offered)
	for _, p := range pages {
		if v.Pages.Refetchable(p) {
			v.offered = append(v.offered, p)
		}
	}
	for _, p := range v.offered[first:] {
		v.rate(p)
	}
	v.unordered = true
}

// order ranks the offered pages and plans the samples of the round.
func (v *Policy) order() {
	if !v.unordered {
		return
	}
	v.unordered = false
	r := v.Pages.Round()
	if v.bounded && math.IsNaN(v.price) {
		fit := r.Budget
		if v.groups.round < 1 && int(v.PerDay) < v.Pages.Count() {
			fit = max(fit, int(v.PerDay)) // more would visit the same pages again
		}
		v.price = v.priceAt(fit)
		v.changesPerWorth = v.changesFrom(v.price)
	}
	v.orderRankings()
	if v.samplesPlanned {
		return
	}
	v.samplesPlanned = true
	if v.bounded {
		v.takeTurns(r.Budget)
		v.samples.starts(v, r)
	}
	switch {
	case v.Off&Samples != 0:
	case v.Mode == planner.Sweep:
		v.samples.sweep(v, r)
	case v.bounded:
		v.samples.begin(v, r)
	}
}

// grow makes room for pages and servers that became known.
func (v *Policy) grow() {
	v.groups.grow()
	if len(v.scores) < v.Pages.Count() {
		v.scores = arena.Grow(v.Pages.Graph.Scratch(), v.scores, v.Pages.Count())
	}
	servers := v.Pages.Graph.Servers()
	for s := sitegraph.ServerID(len(v.rankings)); int(s) < servers; s++ {
		tie := float32(planner.Tie(v.Seed, v.Pages.Graph.ServerName(s)))
		v.rankings = append(v.rankings, serverRanking{tie: tie})
	}
	for len(v.surprises) < servers { // a restart keeps all but rankings
		v.surprises = append(v.surprises, surpriseOf{})
		v.samples.last = append(v.samples.last, v.now)
		v.trials = append(v.trials, trial{page: sitegraph.NoPage, met: -1})
	}
}

// settlePrice updates the price by the worth of the last visit that fitted into the round before.
func (v *Policy) settlePrice() {
	lowest, of := v.lowest, v.spent
	v.lowest, v.spent = math.NaN(), spent{}
	if math.IsNaN(lowest) || !v.bounded {
		return
	}
	if math.IsNaN(v.price) {
		v.price = lowest
	}
	memory := 0.3 // about three rounds; in shorter rounds days, cycles or manyVisits
	if v.groups.round < 1 {
		long := float32(1)
		if v.cycle > 0 {
			long = min(v.cycle, 1)
		}
		part := max(v.groups.round/long, min(float32(of.visits)/manyVisits, 1))
		memory = 1 - math.Pow(1-memory, float64(part))
	}
	v.price += memory * (lowest - v.price)
	if of.worth > 0 {
		v.changesPerWorth += memory * (of.changes/of.worth - v.changesPerWorth)
	}
}

// Next returns the samples of the round first, then the page that is worth most. Before a member it
// returns the member's top, if that is due.
func (v *Policy) Next() (planner.Visit, bool) {
	v.grow()
	v.order()
	if visit, ok := v.samples.next(v); ok {
		v.ask(visit.Page)
		return visit, true
	}
	p, ok := v.best()
	if !ok {
		return planner.Visit{}, false
	}
	if v.worth(p) < v.least { // all others are worth less
		v.push(p)
		return planner.Visit{}, false
	}
	urgent := v.worth(p)
	v.lowest = float64(urgent)
	if top := v.topBefore(p); top != sitegraph.NoPage {
		v.push(p)
		p = top
	}
	return v.choose(p, urgent), true
}

// choose returns the visit to a page, for its own worth or that of a member that waits for its top.
func (v *Policy) choose(p sitegraph.PageID, urgent float32) planner.Visit {
	visit := v.visit(p)
	visit.Beside += float64(max(urgent-v.worth(p), 0))
	v.spent.visits++
	v.spent.worth += float64(v.worth(p))
	v.spent.changes += visit.Value
	v.ask(p)
	visit.Reason = v.reason(p)
	return visit
}

// visit returns the visit to a page, by its score and the outcomes of its server and site since.
func (v *scorer) visit(p sitegraph.PageID) planner.Visit {
	probability, gone := v.believed(v.scores[p].raw, v.effect(p)), v.isGone(p)
	probability *= 1 - gone
	return planner.Visit{
		Page:        p,
		Due:         time.Unix(int64(v.Pages.Memory(p).Due), 0).UTC(),
		Gone:        float64(gone),
		Probability: float64(probability),
		Value:       float64(probability * v.weight(p)),
		Beside:      float64(v.worth(p)) - float64(probability)*v.Pages.Weight(p),
	}
}

// ask stores the opinions of the experts on a page that is about to be visited.
func (v *Policy) ask(p sitegraph.PageID) {
	o, _, _ := v.opinions(p, v.now)
	v.mixture.Ask(p, o)
}

// Observe learns from the outcome of a visit, and scores other pages anew that may be worth more.
func (v *Policy) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	v.observe(p, verdict, true)
}

// ObserveLate learns from the outcome of a visit. Other pages are scored anew when they are due.
func (v *Policy) ObserveLate(p sitegraph.PageID, verdict sitegraph.Verdict) {
	v.observe(p, verdict, false)
}

func (v *Policy) observe(p sitegraph.PageID, verdict sitegraph.Verdict, again bool) {
	v.grow()
	raw, scored := v.scores[p].raw, v.groups.pages[p].scored
	v.groups.pages[p].scored = 0
	l, ok := v.groups.visited(p, verdict)
	if verdict == sitegraph.VerdictFirst || verdict == sitegraph.VerdictLeft {
		delete(v.turns, p)
	}
	switch {
	case verdict == sitegraph.VerdictFirst:
		v.first(p, false)
	case l.left && !ok && v.Pages.Memory(p).State == sitegraph.StateGone:
		v.first(p, true) // it was gone before, or never there
	}
	unlinked := v.gone.noteVisit(p, v.Pages.Graph.Server(p), verdict, v.now)
	if !ok || unlinked && l.left { // linked pages need not be gone
		return
	}
	if scored == 0 || v.rounds-scored > 1 { // a user asked for the visit: no prediction was made
		delete(v.mixture.Asked, p)
		v.groups.noteVisit(l)
		return
	}
	l.raw = raw
	seen := v.effects(p, l.from)
	l.expected = evidence.TimesOdds(l.raw, seen.total())
	l.byGroups = evidence.TimesOdds(l.raw, seen.ofGroups())
	seen.trust = 1
	l.top, l.factor = v.groups.topFactor(p, l.from), seen.ofGroups()
	if surprise := v.learnFrom(l); again {
		v.propagate(p, surprise)
	}
}

// learnFrom records what a visit saw in the groups of a page. It returns how unexpected a change
// was: 1 - probability, or 0 if there was none.
func (v *Policy) learnFrom(l outcome) (surprise float32) {
	server := v.Pages.Graph.Server(l.page)
	if o, ok := v.mixture.Asked[l.page]; ok && !l.left && evidence.InDays(l.to-l.from) < 1 {
		from, to := v.groups.day(l.from), v.groups.day(l.to)
		v.groups.hours.See(server, from, to, l.changed, plain(&o))
	}
	v.groups.seeTop(l)
	v.groups.noteVisit(l)
	var saw float32
	if l.changed {
		saw = 1
	}
	v.groups.addToTallies(l)
	believed := v.calibrator.Of(l.expected)
	v.mixture.See(l.page, server, l.changed, believed)
	v.trust.See(server, l.changed, believed, l.factor)
	if l.top != 1 {
		v.topTrust.See(server, l.changed, believed, l.top)
	}
	v.calibrator.See(l.expected, l.changed, v.Pages.Round().Budget)
	surprise = max(saw-l.expected, 0)
	isFollowUp, sample := v.samples.underWay[l.page]
	if delete(v.samples.underWay, l.page); isFollowUp {
		v.samples.rebuilds.Look(server, l.changed, l.raw)
	}
	if sample || v.worthLittle(l.page) {
		v.samples.last[server] = v.groups.day(l.to)
		if surprise > 0.5 { // a low weight alone is no surprise
			v.samples.followUp(v, server)
		}
	}
	return surprise
}

// Due returns when a page is to be judged again, and the wait until its visit is worth the price if
// nothing more is seen. It is judged then, or earlier, once its evidence is twice as old.
func (v *Policy) Due(p sitegraph.PageID, now time.Time) (planner.Due, time.Duration) {
	v.grow()
	at := max(v.groups.day(sitegraph.Unix32(now)), v.now-v.groups.round)
	looked, next := v.wait(p, at)
	ahead := func(wait float32) time.Duration {
		due := v.groups.day(v.groups.pages[p].last) + wait
		return time.Duration(float64(max(due-at, 0)) * float64(planner.Day))
	}
	reason := planner.Because("it is not known yet which visits fit into the budget")
	if !math.IsNaN(v.price) {
		reason = planner.Because("a visit is then worth %.2g changes, like the last visits that "+
			"fitted into the budget", v.price)
	}
	return planner.Due{When: now.Add(ahead(looked)), Reason: reason}, ahead(next)
}

// Probability returns how likely a page is to have changed at a given time.
func (v *Policy) Probability(p sitegraph.PageID, at time.Time) float64 {
	v.grow()
	v.groups.clock.Anchor(sitegraph.Unix32(at))
	o, _, _ := v.opinions(p, v.groups.day(sitegraph.Unix32(at)))
	return float64(v.believed(v.mixed(p, &o), v.effect(p)))
}

// AtLeast sets the least worth of the visits that Next returns.
func (v *Policy) AtLeast(worth float64) { v.least = float32(worth) }

// Worth returns the worth of a visit to a page by its last score; NaN if there is none.
func (v *scorer) Worth(p sitegraph.PageID) float64 {
	if int(p) >= len(v.scores) || v.scores[p].raw == 0 {
		return math.NaN()
	}
	return float64(v.worth(p))
}

// Hinted ranks a page again after a new claim of a feed or sitemap, and makes it a candidate.
func (v *Policy) Hinted(p sitegraph.PageID) {
	v.grow()
	if v.Pages.Refetchable(p) {
		v.rate(p)
		v.push(p)
	}
}

// Opened returns a server that is open again to the ranking.
func (v *Policy) Opened(s sitegraph.ServerID) {
	v.grow()
	if first, ok := v.top(&v.rankings[s].pages); ok {
		v.rankServer(s, first.Score)
	}
}
