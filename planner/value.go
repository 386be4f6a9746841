package planner

import (
	"math"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/sitegraph"
)

// value visits the pages most likely to have changed by all that is known: their own past,
// and what visits to pages of their address shape, directory, section and server saw since
// they were last visited. Each outcome counts at once for the pages that are left.
//
// Scores are kept and made anew when they may have risen: when a server shows something
// unexpected, when a page's own time has come, and when it is about to be visited.
type value struct {
	Settings
	ties     ties
	kin      *kinship
	models   []*Model       // by server
	scores   []scored       // by page
	news     []newsOf       // by server
	rankings serverRankings // of this round: pages worth reserve or more
	more     bool           // there are others
	reserve  float32        // half of the price
	now      float32        // days: end of the round
	price    float64        // value of the last page that fitted into the budget, smoothed; NaN: not known
	lowest   float64        // of this round so far
	begun    bool
	row      [Features]float32 // room for work
	batch    batch
	room     []standing

	exploration exploration
	calibrator  calibrator
	tolerance   float64

	without Without  // in ablations: evidence that is not there
	held    []looked // WithoutProbe: what this round saw
}

// looked is a visit that compared a page with its copy, or found it gone.
type looked struct {
	page     sitegraph.PageID
	from, to uint32 // unix seconds
	changed  bool
	left     bool    // it is gone
	raw      float32 // its probability when it was visited, as it is scored
	expected float32 // with what its server and its like had shown by then
}

// beforeAll is before any other.
var beforeAll = standing{score: float32(math.Inf(1))}

// newsOf a server since the scores of its pages were made.
type newsOf struct {
	surprise float32 // sum of outcome - probability, where that is positive
	looks    int32
	inRound  int32
	follow   int32 // looks that followed others in this round
	doubts   doubts
	// order is its pages by their scores, in this round, best first: those still to be thought of. At most leastNews at
	// a time, or as many as were visited in the round; after is the last that was taken.
	order []standing
	after standing
}

func newValue(s Settings) Policy {
	v := &value{Settings: s, ties: ties{seed: s.Seed}, price: math.NaN(), lowest: math.NaN()}
	v.kin = newKinship(s.Corpus, &v.ties)
	v.exploration.underWay = map[sitegraph.PageID]struct{}{}
	if s.Mode == Stream {
		v.tolerance = tolerance
	}
	return v
}

func (v *value) Begin(r Round) {
	v.settlePrice()
	v.now = inDays(unix32(r.End))
	v.grow()
	if !v.begun {
		v.kin.remember()
		v.begun = true
	}
	for _, l := range v.held {
		v.learn(l)
	}
	v.held = v.held[:0]
	clear(v.exploration.underWay)
	v.room = nil
	for s := range v.news {
		n := &v.news[s]
		n.inRound, n.follow, n.order, n.after = 0, 0, nil, beforeAll
	}
	v.reserve = 0
	if v.price > 0 { // not NaN
		v.reserve = float32(v.price) / 2
	}
	v.rankings.clear(v)
	v.weigh()
	if v.Mode == Sweep && v.without != WithoutExploration {
		v.exploration.sweep(v, r)
	}
	if v.Mode != Stream || r.Budget == Unlimited {
		return
	}
	if math.IsNaN(v.price) {
		v.price = v.rankings.price(r.Budget)
	}
	if v.without != WithoutExploration {
		v.exploration.begin(v, r)
	}
}

// weigh scores the pages that may have come to be worth more and ranks those worth reserve, servers at once:
// all that is made and changed in it belongs to one of them.
func (v *value) weigh() {
	v.kin.all.sumUp()
	for s := range v.rankings.of {
		v.modelOf(sitegraph.ServerID(s))
	}
	var next, held atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+len(v.scores)/fewPages) {
		wait.Go(func() {
			var due batch
			for s := next.Add(1) - 1; s < int64(len(v.rankings.of)); s = next.Add(1) - 1 {
				held.Add(v.weighServer(sitegraph.ServerID(s), &due))
			}
		})
	}
	wait.Wait()
	v.more = held.Load() > 0
	v.rankings.order()
}

// fewPages are not worth another goroutine.
var fewPages = 10_000

// weighServer returns how many pages were worth less than reserve.
func (v *value) weighServer(s sitegraph.ServerID, due *batch) (held int64) {
	pages := v.Corpus.Graph.ServerPages(s)
	due.clear()
	for _, p := range pages {
		if v.Corpus.Refetchable(p) && v.scores[p].again <= v.now {
			if due.add(p); due.full() {
				v.rateAll(due)
				due.clear()
			}
		}
	}
	v.rateAll(due)
	of := &v.rankings.of[s]
	for _, p := range pages {
		switch {
		case !v.Corpus.Refetchable(p):
			continue
		case v.worth(p) >= v.reserve:
			v.rankings.add(v, p)
		default:
			held++
		}
		of.alive++
	}
	of.fit()
	return held
}

// release ranks pages, too, that were held back for their low values: first those worth at least a quarter
// as much, at last all. One that is ranked already may be ranked twice; it is taken once.
func (v *value) release() {
	reserve := v.reserve
	v.reserve /= 4
	if v.more = float64(v.reserve) > v.price/100; !v.more {
		v.reserve = 0
	}
	for p := range sitegraph.PageID(len(v.scores)) {
		if worth := v.worth(p); v.reserve <= worth && worth < reserve && v.open(p) {
			v.rankings.add(v, p)
		}
	}
	v.rankings.order()
}

// grow makes room for pages and servers that became known: by links, or by feeds and sitemaps between
// two outcomes.
func (v *value) grow() {
	v.kin.grow()
	if n := v.Corpus.Pages() - len(v.scores); n > 0 {
		v.scores = append(v.scores, make([]scored, n)...)
	}
	for len(v.news) < v.Corpus.Graph.Servers() {
		quiet, dead := v.lastSeen(sitegraph.ServerID(len(v.news)))
		v.exploration.looked = append(v.exploration.looked, quiet)
		// The last dead address may have been a doubtful one.
		v.news = append(v.news, newsOf{after: beforeAll, doubts: doubts{page: sitegraph.NoPage, met: [2]float32{dead, dead}}})
	}
}

// settlePrice learns from the round before what the last visit that fitted was worth.
func (v *value) settlePrice() {
	if math.IsNaN(v.lowest) {
		return
	}
	if math.IsNaN(v.price) {
		v.price = v.lowest
	}
	v.price += 0.3 * (v.lowest - v.price) // about three rounds of memory
	v.lowest = math.NaN()
}

// Probability tells how likely a page is to have changed at a moment, whether it is visited or
// not. It changes nothing.
func (v *value) Probability(p sitegraph.PageID, at time.Time) float64 {
	var row [Features]float32
	v.Row(p, at, &row)
	return float64(v.believed(v.raw(p, &row), v.frailty(p)))
}

// Next names the page with the highest worth.
func (v *value) Next() (Visit, bool) {
	v.grow()
	if visit, ok := v.exploration.next(v); ok {
		return visit, true
	}
	for {
		p, ok := v.rankings.next(v)
		if v.more && (!ok || v.worth(p) < v.reserve) {
			if ok {
				v.rankings.push(v, p)
			}
			v.release()
			continue
		}
		if !ok {
			return Visit{}, false
		}
		v.lowest = float64(v.worth(p))
		visit := v.visit(p)
		visit.Reason = v.reason(p, &v.row)
		return visit, true
	}
}

// tolerance is how much less a visit of a stream may be worth than the best one. A sweep is judged by its order.
const tolerance = 0.02

// visit to a page, by its score.
func (v *value) visit(p sitegraph.PageID) Visit {
	s := v.scores[p]
	return Visit{Page: p, Probability: float64(v.believed(s.raw, v.frailty(p))), Value: float64(s.worth)}
}

func (v *value) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	v.grow()
	l, ok := v.kin.seen(p, verdict)
	switch {
	case verdict == sitegraph.VerdictFirst:
		v.first(p, false)
	case l.left && !ok && v.Corpus.Memory(p).State == sitegraph.StateGone: // it was gone before, or never there
		v.first(p, true)
	}
	v.scores[p].again = 0
	if !ok {
		return
	}
	l.raw = v.scores[p].raw
	l.expected = timesOdds(l.raw, v.beyond(p, l.from).factor())
	if v.without == WithoutProbe {
		v.held = append(v.held, l)
		return
	}
	v.learn(l)
}

// Discovered tells the groups of a page that a change of it made pages known.
func (v *value) Discovered(p sitegraph.PageID, pages int) {
	v.grow()
	v.kin.found(p, pages)
}

// learn tells the groups of a page what a visit saw, and makes the scores of its server anew
// where that was not expected.
func (v *value) learn(l looked) {
	v.kin.look(l)
	var saw float32
	if l.changed {
		saw = 1
	}
	server := v.Corpus.Graph.Server(l.page)
	n := &v.news[server]
	v.kin.showed(l)
	v.calibrator.see(l.expected, l.changed, v.Corpus.round.Budget)
	surprise := max(saw-l.expected, 0)
	if v.exploration.wasLook(l.page) || v.worthLittle(l.page) {
		v.exploration.looked[server] = inDays(l.to)
		if surprise > 0.5 { // not a page that is worth little by its weight alone
			v.exploration.follow(v, server, n)
		}
	}
	v.search(v.kin.hear(l.page, surprise), func() (sitegraph.PageID, bool) { return v.kin.nextLike(l.page), true })
	n.surprise += surprise
	n.looks++
	n.inRound++
	if n.surprise < 0.5 || n.looks < n.inRound/3 {
		return
	}
	// Until news come again half as many visits more are made here: to the best of them.
	n.surprise, n.looks = 0, 0
	v.search(max(int(n.inRound), leastNews), func() (sitegraph.PageID, bool) {
		if len(n.order) == 0 && !v.byScore(server, n) {
			return sitegraph.NoPage, false
		}
		n.after, n.order = n.order[0], n.order[1:]
		return n.after.page, true
	})
}

// search thinks again of so many pages of a server, a batch at a time, or until after a batch the last idleMost or more
// were worth no more than before.
func (v *value) search(pages int, next func() (sitegraph.PageID, bool)) {
	b := &v.batch
	var before [logodds.Lanes]scored
	for idle := 0; pages > 0 && idle < idleMost; {
		for b.clear(); pages > 0 && !b.full(); pages-- {
			p, ok := next()
			if !ok {
				pages = 0
				break
			}
			if v.open(p) && !b.has(p) {
				before[b.n] = v.scores[p]
				b.add(p)
			}
		}
		v.rateAll(b)
		for lane, p := range b.all() {
			if idle++; v.settle(p, before[lane]) {
				idle = 0
			}
		}
	}
}

// leastNews is how many of the best pages of a server are looked at when it shows something unexpected, as long as
// some of them come to be worth more. The next news are for those after them. A quarter of it, and of idleMost a
// sixth, saves time and costs 0.01 of coverage in streams of real histories at 2 % a day.
const leastNews = 400

// idleMost pages in a row were worth no more than before: what was seen does not tell of those after them. Those of like address
// are fewer.
const idleMost = 200

// reconsider scores an open page anew and reports whether it is worth clearly more than before. If it is, it takes
// its new place; if not, its score stays what it is ranked by, until it is the first.
func (v *value) reconsider(p sitegraph.PageID) bool {
	before := v.scores[p]
	v.rate(p)
	return v.settle(p, before)
}

// settle is the rest of reconsider: the page was scored anew, before is what it was worth.
func (v *value) settle(p sitegraph.PageID, before scored) bool {
	s := &v.scores[p]
	better := float64(s.worth) > (1+v.tolerance)*float64(before.worth)
	if better && s.worth >= v.reserve {
		v.rankings.push(v, p)
		return true
	}
	*s = before
	if better {
		s.again = v.now // in the next round
	}
	return better
}

// open reports whether a page may be visited and was not in this round.
func (v *value) open(p sitegraph.PageID) bool {
	return v.scores[p].again != 0 && v.Corpus.Refetchable(p)
}

// byScore finds those pages of a server that come next by their scores; false: there are no more, and
// the next news are for the first again.
func (v *value) byScore(server sitegraph.ServerID, n *newsOf) bool {
	after := v.room[:0]
	for _, p := range v.Corpus.Graph.ServerPages(server) {
		if c := (standing{v.scores[p].raw, v.ties.of[p], p}); n.after.before(c) && v.open(p) {
			after = append(after, c)
		}
	}
	v.room = after
	if len(after) == 0 {
		n.after = beforeAll
		return false
	}
	n.order = slices.Clone(firstOf(after, max(leastNews, int(n.inRound))))
	slices.SortFunc(n.order, standing.compare)
	return true
}

// Hinted scores a page anew of which a feed or sitemap said something.
func (v *value) Hinted(p sitegraph.PageID) {
	if v.without == WithoutClaims {
		return
	}
	v.grow()
	if v.open(p) {
		v.reconsider(p)
	} else if v.scores[p].again > 0 {
		v.scores[p].again = v.now
	}
}

// Due is the moment at which the page's probability crosses the price if nothing more is seen.
func (v *value) Due(p sitegraph.PageID, now time.Time) (Due, time.Duration) {
	v.grow()
	price := v.price
	if math.IsNaN(price) {
		price = 0.5 * v.Corpus.MeanWeight()
	}
	start, frailty := inDays(unix32(now)), v.frailty(p)
	// Of 1, 2, 4 ... 128 days the first at which it is reached, else 256.
	exponent := sort.Search(8, func(i int) bool {
		v.fill(p, start+float32(int(1)<<i), &v.row)
		return float64(v.believed(v.raw(p, &v.row), frailty)*v.weight(p)) >= price
	})
	ahead := int(1) << exponent
	wait := estimator.FromDays(float64(ahead))
	return Due{now.Add(wait), because("its probability of change then reaches %.2g, where the budget ends", price)}, wait
}

// Row fills a row with what is known of a page at a moment: FeatureNames, in their order.
func (v *value) Row(p sitegraph.PageID, at time.Time, row *[Features]float32) {
	v.fill(p, inDays(unix32(at)), row)
}

// fill makes a row of a page at a moment in days.
func (v *value) fill(p sitegraph.PageID, now float32, row *[Features]float32) {
	v.kin.row(p, now, row)
	v.without.Mask(row)
}
