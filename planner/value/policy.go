package value

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// Policy visits the pages most likely to have changed by all that is known: their own past, and
// what visits to pages of their address shape, directory, section and server saw since they were
// last visited. Each outcome counts at once for the pages that are left.
//
// It is made of layers, each of which uses those below it:
//
//	predictor    how likely is a page to have changed
//	scorer       what is a visit to it worth, and when is that to be found out anew
//	ranker       which page is worth most now
//	propagation  which other pages does an outcome make worth more
//
// Beside them, exploration visits servers that were quiet for long, and discovery judges new pages.
type Policy struct {
	propagation
	planner.EachRound
	exploration exploration
	discovery   discovery
	lowest      float64   // worth of the last visit of this round so far; NaN: none
	spent       spent     // by the visits of this round, probes apart
	delayed     []outcome // WithoutProbe: what this round saw
	begun       bool
	learntAt    float32 // days: when rates and hours were learnt last
}

// learnEvery is how far apart rates and hours are learnt at least, in days: half an hour.
const learnEvery = 1.0 / 48

// outcome is of a visit that compared a page with its copy, or found it gone.
type outcome struct {
	page     sitegraph.PageID
	from, to uint32 // unix seconds
	changed  bool
	left     bool    // it is gone
	raw      float32 // its probability by its last score, as it is kept
	byGroups float32 // that, with what its server and its shape had shown by then
	expected float32 // and with what its namesakes had shown, too
	factor   float32 // of its odds by server and shape, before it is trusted
	told     told    // by its namesakes
}

// Settings are what the policy is built with.
type Settings struct {
	Corpus *planner.Corpus
	Mode   planner.Mode
	Seed   uint64
	// PerDay is the budget in fetches a day; 0: not known.
	PerDay float64 `state:"-"`
	// GoneWorth is what it is worth to find that a page is gone, in changes found; 0: such pages
	// are not looked for. DefaultGoneWorth suits.
	GoneWorth float32
	Objective Objective // of streams; sweeps look for changes
	// Lag is how long after a visit what it found is of use, in days, as where a search shows it
	// with the next build of its index; 0: at once.
	Lag float32
	// Model is what was learnt from histories; nil: what comes with the program.
	Model *Model `state:"-"`
	// ModelOf names the learnt parameters for a server, where they differ from server to server: in
	// evaluations each server is judged by what was learnt on others. Nil: those of Model for all.
	ModelOf func(server string) *Model
	Without Without // in ablations: evidence that is denied
}

// New builds the policy for a corpus.
func New(s Settings) *Policy {
	v := &Policy{lowest: math.NaN()}
	v.Settings, v.ties, v.exact = s, rank.NewTies(s.Seed, s.Corpus.Graph.Scratch()),
		s.Mode == planner.Sweep
	if s.Mode != planner.Stream || s.Without == WithoutLag {
		v.Lag = 0
	}
	v.price, v.changesPerWorth, v.copyWeight = math.NaN(), 1, firstCopyWeight
	v.groups = newGroupIndex(s.Corpus, &v.ties)
	v.batch.pace.Alone = true
	v.leastBlocks, v.blocksAVisit = leastBlocks, blocksAVisit
	v.exploration.underWay = map[sitegraph.PageID]bool{}
	v.discovery.newPages = map[sitegraph.PageID]newPage{}
	if s.Mode == planner.Stream {
		v.tolerance, v.patience = tolerance, patience
	}
	return v
}

// Offer has nothing to do: all pages are ranked.
func (v *Policy) Offer([]sitegraph.PageID) {}

func (v *Policy) Begin(r planner.Round) {
	v.settlePrice()
	v.groups.anchor(sitegraph.Unix32(r.Start))
	v.discovery.before, v.now = v.now, v.groups.day(sitegraph.Unix32(r.End))
	if v.groups.round = 1; v.Mode == planner.Stream && r.End.After(r.Start) {
		v.groups.round = min(float32(estimator.Days(r.End.Sub(r.Start))), 1)
	}
	v.grow()
	longest := v.longestWait()
	v.cycle = 0
	if v.Mode == planner.Stream && v.PerDay > 0 {
		v.cycle = float32(float64(v.Corpus.Pages()) / v.PerDay)
	}
	if v.longestWait() < longest/2 { // the budget has grown
		v.endWaits()
	}
	if !v.begun {
		v.groups.replay()
		v.discovery.before = v.groups.day(sitegraph.Unix32(r.Start))
		if last := v.groups.day(v.Corpus.LastTried()); last > 0 {
			v.discovery.before = min(v.discovery.before, last)
		}
		for range firstRounds {
			v.groups.beliefs.learn(v.groups, v.days())
			v.weighCopies(&v.groups.beliefs.told, estimator.Days(r.End.Sub(r.Start)), 1)
		}
		v.begun = true
	}
	for _, l := range v.delayed {
		v.propagate(l.page, v.learn(l))
	}
	v.delayed = v.delayed[:0]
	clear(v.exploration.underWay)
	v.exploration.rebuilds.begin()
	clear(v.mixture.asked)
	v.scratch = nil
	for s := range v.surprises {
		n := &v.surprises[s]
		n.inRound, n.followUps, n.order = 0, 0, nil
	}
	v.reserve = v.reserveOf(v.price)
	if v.Mode == planner.Stream {
		if past := v.now - v.learntAt; past < 0 || past >= learnEvery {
			v.groups.times.begin(v.now)
			v.groups.beliefs.learn(v.groups, v.days())
			v.weighCopies(&v.groups.beliefs.told, estimator.Days(r.End.Sub(r.Start)),
				min(max(past, 0), 1))
			v.learntAt = v.now
		}
		if v.Without != WithoutInPlace && !v.exact &&
			v.inPlace.begin(v.groups.sinceEpoch(v.now), v.PerDay) {
			v.mixture.trustInPlace()
		}
	}
	if v.Mode == planner.Stream && v.GoneWorth > 0 {
		v.gone.lookThrough(v)
	}
	v.beginRankings()
	bounded := v.Mode == planner.Stream && r.Budget != planner.Unlimited
	if v.mostBlocks = 0; bounded {
		v.mostBlocks = max(v.leastBlocks, v.blocksAVisit*min(r.Budget, len(v.blocks)))
	}
	if bounded && math.IsNaN(v.price) {
		v.findPrice(r)
	}
	v.weigh()
	if bounded && math.IsNaN(v.changesPerWorth) {
		v.changesPerWorth = v.changesFrom(v.price)
	}
	if v.Mode == planner.Sweep && v.Without != WithoutExploration {
		v.exploration.sweep(v, r)
	}
	if !bounded {
		return
	}
	if v.Without != WithoutExploration {
		v.exploration.begin(v, r)
	}
}

// reserveOf is what pages must be worth to be ranked at first: they are far fewer than all.
func (v *ranker) reserveOf(price float64) float32 {
	if price > 0 { // not NaN
		return float32(price) / 2
	}
	return 0
}

// findPrice finds what the last visit of the first round is worth, by scores alone: so it need not
// rank all pages.
func (v *Policy) findPrice(r planner.Round) {
	v.reserve = float32(math.Inf(1))
	v.weigh()
	fit := r.Budget
	if v.groups.round < 1 { // what fits into a day: a round may have room for none
		fit = max(fit, int(v.PerDay))
	}
	v.price, v.changesPerWorth = v.priceAt(fit), math.NaN()
	v.mostBlocks = max(v.mostBlocks, fit) // reserve stays below the price
	v.reserve = v.reserveOf(v.price)
}

// grow makes room for pages and servers that became known: by links, or by feeds and sitemaps
// between two outcomes.
func (v *Policy) grow() {
	v.groups.grow()
	if known := len(v.scores); known < v.Corpus.Pages() {
		file := v.Corpus.Graph.Scratch()
		v.scores = scratch.Grow(file, v.scores, v.Corpus.Pages())
		v.invalidate(sitegraph.PageID(known)) // it has more pages now
		v.blocks = scratch.Grow(file, v.blocks, (len(v.scores)+blockPages-1)/blockPages)
	}
	if len(v.surprises) == v.Corpus.Graph.Servers() {
		return
	}
	for _, of := range v.lastSeenFrom(sitegraph.ServerID(len(v.surprises))) {
		quiet, dead := v.daysOf(of)
		v.exploration.lastProbe = append(v.exploration.lastProbe, quiet)
		v.surprises = append(v.surprises, surpriseOf{})
		// The last dead address may have been a doubtful one.
		v.discovery.servers = append(
			v.discovery.servers,
			discoveryOf{trials: trials{page: sitegraph.NoPage, answered: [2]float32{dead, dead}}},
		)
	}
}

// settlePrice learns from the round before what the last visit that fitted was worth.
func (v *Policy) settlePrice() {
	if math.IsNaN(v.lowest) {
		return
	}
	if math.IsNaN(v.price) {
		v.price = v.lowest
	}
	memory := 0.3 // about three rounds, or three days of shorter ones
	if v.groups.round < 1 {
		memory = 1 - math.Pow(1-memory, float64(v.groups.round))
	}
	v.price += memory * (v.lowest - v.price)
	if v.spent.worth > 0 {
		v.changesPerWorth += memory * (v.spent.changes/v.spent.worth - v.changesPerWorth)
	}
	v.lowest, v.spent = math.NaN(), spent{}
}

// Probability tells how likely a page is to have changed at a moment, whether it is visited or
// not. It changes nothing.
func (v *predictor) Probability(p sitegraph.PageID, at time.Time) float64 {
	var row Row
	v.Row(p, at, &row)
	return float64(v.believed(v.raw(p, &row), v.effect(p)))
}

// Next names the page with the highest worth.
func (v *Policy) Next() (planner.Visit, bool) {
	v.grow()
	if visit, ok := v.exploration.next(v); ok {
		v.fill(visit.Page, v.now, &v.row)
		v.ask(visit.Page, visit.DrawnFrom)
		return visit, true
	}
	for {
		p, ok := v.best()
		if v.more && v.reserve > v.least && (!ok || v.worth(p) < v.reserve) {
			if ok {
				v.push(p)
			}
			v.release()
			continue
		}
		if !ok {
			return planner.Visit{}, false
		}
		if v.worth(p) < v.least { // so are the others
			v.push(p)
			return planner.Visit{}, false
		}
		v.lowest = float64(v.worth(p))
		visit := v.visit(p)
		v.spent.worth += v.lowest
		v.spent.changes += visit.Value
		v.fill(p, v.now, &v.row)
		v.ask(p, 0)
		if visit.Reason = v.reason(p, &v.row); visit.Gone > 0 {
			visit.Reason = v.goneReason(p)
		}
		return visit, true
	}
}

// Opened gives a server that was closed its place again.
func (v *Policy) Opened(s sitegraph.ServerID) {
	v.grow()
	v.reopen(s)
}

// visit to a page, by its score and what its server and its like showed by now.
func (v *scorer) visit(p sitegraph.PageID) planner.Visit {
	probability, gone := v.believed(v.scores[p].raw, v.effect(p)), v.isGone(p)
	probability *= 1 - gone
	return planner.Visit{
		Page:        p,
		Gone:        float64(gone),
		Probability: float64(probability),
		Value:       float64(probability * v.weight(p)),
		Beside:      float64(v.worth(p)) - float64(probability)*v.Corpus.Weight(p),
	}
}

// AtLeast lets no visit be proposed that is worth less.
func (v *Policy) AtLeast(worth float64) { v.least = float32(worth) }

// Worth is what a visit to a page is worth, as it was scored last.
func (v *scorer) Worth(p sitegraph.PageID) float64 {
	if int(p) >= len(v.scores) || v.scores[p].again == 0 {
		return math.NaN()
	}
	return float64(v.worth(p))
}

func (v *Policy) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	v.observe(p, verdict, true)
}

// ObserveLate learns of an outcome, and does not score other pages anew: that happens when it is
// their turn, or when another outcome surprises.
func (v *Policy) ObserveLate(p sitegraph.PageID, verdict sitegraph.Verdict) {
	v.observe(p, verdict, false)
}

// observe learns of an outcome. It thinks again of other pages, or not.
func (v *Policy) observe(p sitegraph.PageID, verdict sitegraph.Verdict, again bool) {
	v.grow()
	l, ok := v.groups.visited(p, verdict)
	if verdict == sitegraph.VerdictFirst || verdict == sitegraph.VerdictLeft {
		delete(v.discovery.newPages, p)
	}
	if verdict == sitegraph.VerdictLeft {
		v.discovery.servers[v.Corpus.Graph.Server(p)].hubs.left(p)
	}
	switch {
	case verdict == sitegraph.VerdictFirst:
		v.first(p, false)
	// It was gone before, or never there.
	case l.left && !ok && v.Corpus.Memory(p).State == sitegraph.StateGone:
		v.first(p, true)
	}
	v.scores[p].again = 0
	v.invalidate(p)
	unlinked := v.gone.see(p, v.homeOf(p), verdict, v.now)
	if !ok || unlinked && l.left { // pages that links lead to need not be gone, too
		return
	}
	l.raw = v.scores[p].raw
	seen := v.effects(p, l.from)
	byGroups := seen.total()
	l.byGroups = timesOdds(l.raw, byGroups)
	l.expected = timesOdds(l.raw, v.withNames(byGroups, p, l.told))
	seen.trust = 1
	l.factor = seen.total()
	if v.Without == WithoutImmediate {
		v.delayed = append(v.delayed, l)
		return
	}
	if surprise := v.learn(l); again {
		v.propagate(l.page, surprise)
	}
}

// learn tells the groups of a page what a visit saw, and returns how little that was expected.
func (v *Policy) learn(l outcome) (surprise float32) {
	v.groups.observe(l)
	if v.Mode == planner.Stream && v.Without != WithoutParts {
		v.groups.part(l.page)
	}
	v.seeHours(l)
	var saw float32
	if l.changed {
		saw = 1
	}
	server := v.Corpus.Graph.Server(l.page)
	n := &v.surprises[server]
	v.groups.tally(l)
	v.doubt(server, abs32(saw-l.expected))
	believed := v.calibrator.of(l.expected)
	v.mixture.see(l.page, server, l.changed, believed)
	v.inPlace.see(l.page, server, l.changed)
	v.trust.see(server, l.changed, believed, l.factor)
	v.seeNames(l, believed)
	v.calibrator.see(l.expected, l.changed, v.Corpus.Round().Budget)
	surprise = max(saw-l.expected, 0)
	probe, isFollowUp := v.exploration.wasProbe(l.page)
	if isFollowUp {
		v.exploration.rebuilds.follow(server, l.changed, l.raw)
	}
	if probe || v.worthLittle(l.page) {
		v.exploration.lastProbe[server] = v.groups.day(l.to)
		if surprise > 0.5 { // not a page that is worth little by its weight alone
			v.exploration.followUp(v, server, n)
		}
	}
	return surprise
}

// seeHours learns at which hours pages change, before the mixture takes what it was asked.
func (v *Policy) seeHours(l outcome) {
	if o, ok := v.mixture.asked[l.page]; ok && !l.left && l.to-l.from < secondsPerDay {
		from, to := v.groups.day(l.from), v.groups.day(l.to)
		v.groups.times.see(v.Corpus.Graph.Server(l.page), from, to, l.changed, plainLogOdds(&o))
	}
}

// Hinted scores a page anew of which a feed or sitemap said something.
func (v *Policy) Hinted(p sitegraph.PageID) {
	if v.Without == WithoutClaims {
		return
	}
	v.grow()
	if v.open(p) {
		v.reconsider(p)
	} else if v.scores[p].again > 0 {
		v.scores[p].again = v.now
		v.invalidate(p)
	}
}

// leastDue and mostDue are the powers of two between which a page is due, in days: from 42 seconds
// to 256 days.
const leastDue, mostDue = -11, 8

// Due is the moment at which a visit to the page is worth the price if nothing more is seen.
func (v *Policy) Due(p sitegraph.PageID, now time.Time) (planner.Due, time.Duration) {
	v.grow()
	v.batch.pace.Read(v.Corpus.Graph.Scratch(), scoredPlaces)
	price := v.price
	if math.IsNaN(price) {
		price = 0.5 * v.Corpus.MeanWeight()
	}
	v.groups.anchor(sitegraph.Unix32(now))
	start, effect := v.groups.day(sitegraph.Unix32(now)), v.effect(p)
	ahead := func(exponent int) float64 { return math.Ldexp(1, exponent) } // days
	reached := func(exponent int) bool {
		v.fill(p, start+float32(ahead(exponent)), &v.row)
		probability := v.believed(v.raw(p, &v.row), effect)
		gain, _ := v.gain(probability, v.row[fAge], v.row[promise])
		return float64(gain*v.weight(p)) >= price
	}
	// Of leastDue to 2^mostDue days, each twice the one before, the first at which it is reached,
	// else the last: up or down from a guess.
	exponent := v.guessDue(p, price*v.changesPerWorth)
	if reached(exponent) {
		for exponent > leastDue && reached(exponent-1) {
			exponent--
		}
	} else {
		for exponent++; exponent < mostDue && !reached(exponent); exponent++ {
		}
	}
	wait := estimator.FromDays(ahead(exponent))
	return planner.Due{
		When: now.Add(wait),
		Reason: planner.Because("a visit is then worth %.2g changes, as much as the last one "+
			"that fits into the budget", price),
	}, wait
}

// guessDue is the first power of two, in days, at which a page that was just visited has come to a
// price by its own rate alone; leastDue to 7.
func (v *predictor) guessDue(p sitegraph.PageID, price float64) int {
	rate := ownRate(&v.Corpus.Memory(p).History, v.groups.rates(v.groups.groupsOf(p)).shape)
	days := -math.Log(max(1-price/float64(v.weight(p)), 0.02)) / float64(rate)
	return int(math.Ceil(math.Log2(min(max(days, 1.0/(1<<-leastDue)), 128))))
}

// ScoreAll lets pages be scored that would be lifted by what others show (see probe), and scored
// anew sooner (see note). Streams by given parameters find the same, more slowly; but examples are
// better where nothing was left out. Nothing is learnt in place meanwhile.
func (v *Policy) ScoreAll() { v.exact = true }

// Row fills a row with what is known of a page at a moment: FeatureNames, in their order.
func (v *predictor) Row(p sitegraph.PageID, at time.Time, row *Row) {
	v.groups.anchor(sitegraph.Unix32(at))
	v.fill(p, v.groups.day(sitegraph.Unix32(at)), row)
}

// fill makes a row of a page at a moment in days.
func (v *predictor) fill(p sitegraph.PageID, now float32, row *Row) {
	v.groups.row(p, now, row)
	v.Without.Mask(row)
}

// ask notes what each expert says of a page that is about to be visited, whose row v.row is.
// drawnFrom is that of the visit: how many pages a probe stands for, 0 for other visits.
func (v *Policy) ask(p sitegraph.PageID, drawnFrom int) {
	if v.Mode != planner.Stream || v.model(p).blend(v.Mode) == nil {
		return
	}
	o := opinionsOf(&v.row, v.model(p).learnt(v.Mode, &v.row))
	w := v.mixture.weights(v.Corpus.Graph.Server(p))
	w.complete(&o, v.inPlace.adds(&v.row), v.inPlace.fast != nil)
	v.mixture.ask(p, o)
	v.inPlace.ask(p, &v.row, o[expertModel], w.others(&o), drawnFrom)
}

// Asked tells of a visit that Next did not name and that is about to be observed, as in a replay of
// recorded visits.
func (v *Policy) Asked(p sitegraph.PageID, at time.Time, drawnFrom int) {
	v.grow()
	v.Row(p, at, &v.row)
	v.scores[p].raw = v.raw(p, &v.row)
	v.ask(p, drawnFrom)
}
