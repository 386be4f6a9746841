package planner

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// A source is asked again after half the time since it was last seen to change, within these
	// bounds: sources that changed an hour ago tend to change in the next hour. If rounds are
	// shorter than sourceSoonest, the wait may be as short as a round, but not below sourceLeast.
	sourceSoonest = 6 * time.Hour
	sourceLatest  = 7 * Day
	sourceLeast   = 10 * time.Minute

	// sourceIdle is the wait, for each source of its server, after a visit to a source whose claims
	// proved worthless; the whole wait is at least sourceLatest. The new pages that it names can
	// wait as long.
	sourceIdle = Day

	// unproductiveShare is the least share of visits to the sources of a group that must find a
	// change in what they say. Otherwise one of them is asked each sourceLatest, the longest due
	// first. That takes unproductiveVisits that found nothing.
	unproductiveShare  = 1.0 / 6
	unproductiveVisits = 5

	// firstOfGroup feeds of a group are visited before the others, until unproductiveVisits show
	// their yield.
	firstOfGroup = 3

	// sourceRetry is the wait after a failed visit to a source that once was there, doubled with
	// each failure. A source that never was there is looked for each sourceProbe.
	sourceRetry = Day
	sourceProbe = 30 * Day

	// MaxSources bounds the visited sources of a server. It suffices for an index of 5 million
	// pages, and keeps feeds for each tag from using up the budget.
	MaxSources = 100
)

// sources holds the feeds and sitemaps that are visited like pages.
type sources struct {
	known  []sitegraph.PageID
	of     map[sitegraph.ServerID]int // their number
	due    []sitegraph.PageID         // in this round, not yet visited
	left   int                        // visits left in this round
	carry  float64
	queued map[sitegraph.PageID]bool // due, or found in this round
	// news has sources not visited since an index or link said that they changed.
	news   map[sitegraph.PageID]bool
	groups map[sitegraph.PageID]*sourceGroup
	byKey  map[uint64]*sourceGroup
	yields map[sitegraph.PageID]sourceYield
	// byServer has the yield of all sources of a server.
	byServer map[sitegraph.ServerID]sourceYield
}

// sourceGroup holds sources of a server with similar addresses, such as the feeds of its tags: the
// yield of visits to some predicts that of the others.
type sourceGroup struct {
	members []sitegraph.PageID
	out     []sitegraph.PageID // proposed for visits without a known outcome

	known        bool   // whether the fields below are computed
	feeds        bool   // all sources that were read are feeds; true if none was read
	asked        int    // members that were there at their last visit
	visits       int    // visits that compared one with what it said before
	unproductive bool   // these visits brought almost nothing
	last         uint32 // last visit to an unproductive one, in unix seconds
}

// sourceShape returns what addresses of sources for different parts of a site have in common: their
// first segment and their name, as in /tag/one/feed.xml and /tag/two/feed.xml. Years count as
// equal. Sources of the whole site, such as /feed.xml and /sitemap-1.xml, have a shape of their
// own.
func sourceShape(url string) string {
	_, address, _ := strings.Cut(url, "://")
	_, path, _ := strings.Cut(address, "/")
	segments := strings.Split(strings.Trim(path, "/"), "/")
	name := segments[len(segments)-1]
	switch first := segments[0]; {
	case len(segments) == 1:
		return "/" + name
	case len(segments) == 2:
		return "/*/" + name
	case strings.Trim(first, "0123456789") == "":
		return "/#/*/" + name
	default:
		return "/" + first + "/*/" + name
	}
}

// ReadsSources reports whether sources are visited at all.
func (p *Planner) ReadsSources() bool { return p.options.SourceShare > 0 }

// MaySource reports whether a server may have one more source.
func (p *Planner) MaySource(s sitegraph.ServerID) bool { return p.sources.of[s] < MaxSources }

// KnownSources returns the number of known sources.
func (p *Planner) KnownSources() int { return len(p.sources.known) }

// FoundSource queues a source that became known.
func (p *Planner) FoundSource(page sitegraph.PageID) {
	s := &p.sources
	if s.of == nil {
		s.of, s.queued, s.news = map[sitegraph.ServerID]int{}, map[sitegraph.PageID]bool{},
			map[sitegraph.PageID]bool{}
		s.yields = map[sitegraph.PageID]sourceYield{}
		s.byServer = map[sitegraph.ServerID]sourceYield{}
		s.groups, s.byKey = map[sitegraph.PageID]*sourceGroup{}, map[uint64]*sourceGroup{}
	}
	s.known = append(s.known, page)
	server := p.Pages.Graph.Server(page)
	s.of[server]++
	like := sitegraph.GroupKey('f', server, sourceShape(p.Pages.Graph.URL(page)))
	k := s.byKey[like]
	if k == nil {
		k = &sourceGroup{}
		s.byKey[like] = k
	}
	k.members, k.known = append(k.members, page), false
	s.groups[page] = k
	s.queue(page)
}

// WantSource queues a source that changed, as an index or a link says, unless it was visited in
// this round.
func (p *Planner) WantSource(page sitegraph.PageID) {
	p.sources.news[page] = true
	p.sources.queue(page)
}

func (s *sources) queue(page sitegraph.PageID) {
	if !s.queued[page] {
		s.queued[page] = true
		s.due = append(s.due, page)
	}
}

// observedSource drops the computed fields of the group of a source that was just visited.
func (p *Planner) observedSource(page sitegraph.PageID) {
	s := &p.sources
	delete(s.news, page)
	p.ageYield(page)
	if k := s.groups[page]; k != nil {
		k.known = false
		k.returned(page)
	}
}

// returned removes a source from those with a visit under way.
func (k *sourceGroup) returned(page sitegraph.PageID) {
	if i := slices.Index(k.out, page); i >= 0 {
		k.out = slices.Delete(k.out, i, i+1)
	}
}

// rests reports whether a source that is due waits, because visits to its group brought almost
// nothing and one of them was asked lately. A few feeds of a group go first, since other pages also
// link to the pages of a feed. A sitemap may be the only one to name its pages, and an index leads
// to some.
func (p *Planner) rests(page sitegraph.PageID) bool {
	k := p.sources.groups[page]
	if !k.known {
		p.judge(k)
	}
	m := p.Pages.Memory(page)
	first := m.History.Visits == 0
	room := 0 // of the group
	switch {
	case p.sources.news[page], first && !k.feeds, m.productive(),
		!first && p.Pages.Hints.KindOf(page) == UnknownKind,
		k.visits >= unproductiveVisits && !k.unproductive:
		return false
	case k.visits < unproductiveVisits && first:
		room = firstOfGroup - k.asked
	case k.visits < unproductiveVisits:
		room = unproductiveVisits - k.visits
	case int64(k.last) <= p.Pages.round.End.Add(-max(sourceLatest, p.untilWorth(page))).Unix():
		room = 1
	}
	return len(k.out) >= room
}

// judge computes the yield of visits to the sources of a group.
func (p *Planner) judge(k *sourceGroup) {
	changes := 0
	k.visits, k.asked, k.last, k.feeds = 0, 0, 0, true
	for _, page := range k.members {
		m := p.Pages.Memory(page)
		if m.History.Visits > 0 {
			k.visits += int(m.History.Visits) - 1
			changes += int(m.History.Changes)
			k.feeds = k.feeds && p.Pages.Hints.KindOf(page) == Feed
			if m.Errors == 0 {
				k.asked++
			}
		}
		if !m.productive() {
			k.last = max(k.last, m.Tried)
		}
	}
	k.unproductive = float64(changes+1) < unproductiveShare*float64(k.visits+2)
	k.known = true
}

// productive reports whether a source says something new, by its last visit or by many.
func (m *Memory) productive() bool {
	h := &m.History
	return h.Changes > 0 &&
		(h.LastChange == h.Last || float64(h.Changes) >= unproductiveShare*float64(h.Visits))
}

// beginSources queues the sources due by the end of the round, longest due first.
func (p *Planner) beginSources(r Round) {
	s := &p.sources
	if !p.ReadsSources() {
		return
	}
	s.left = r.share(p.options.SourceShare, &s.carry)
	s.due = s.due[:0]
	clear(s.queued)
	for _, page := range s.known {
		if s.news[page] || int64(p.Pages.Memory(page).Due) <= r.End.Unix() && !p.rests(page) {
			s.queue(page)
		}
	}
	slices.SortStableFunc(s.due, func(a, b sitegraph.PageID) int {
		return int(int64(p.Pages.Memory(a).Due) - int64(p.Pages.Memory(b).Due))
	})
}

// nextSource takes the source that has been due longest; skip: there is none, or their share is
// used.
func (p *Planner) nextSource() (Visit, step) {
	s := &p.sources
	for s.left > 0 && len(s.due) > 0 {
		page := s.due[0]
		s.due = s.due[1:]
		m := p.Pages.Memory(page)
		if p.Pages.taken(m) || p.Pages.Outside(page) || p.rested(page) ||
			!p.caps.mayReadSource(page) {
			continue
		}
		if p.rests(page) {
			delete(s.queued, page) // until an index or link says that it changed
			continue
		}
		v := Visit{
			Page:        page,
			Due:         m.DueTime(),
			Probability: math.NaN(),
			Value:       math.NaN(),
			Reason:      Because("its claims may show which pages changed"),
		}
		if p.Pages.Closed(p.Pages.Graph.Server(page)) {
			p.putOff(v, false)
			continue
		}
		if step := p.admit(&v); step != skip {
			return v, step
		}
	}
	return Visit{}, skip
}

// closed reports whether the share of a visit that waited for room is used up: that of first
// visits, or of visits to sources.
func (p *Planner) closed(v *Visit) bool {
	if p.Pages.Memory(v.Page).State == sitegraph.StateSource {
		return p.sources.left <= 0 || !p.caps.mayReadSource(v.Page)
	}
	return v.First && (p.newLeft == 0 || !p.caps.newOpen())
}

// spendSource counts a visit to a source in the share of sources and among those of its group under
// way. With sign -1 it takes the visit back.
func (p *Planner) spendSource(v *Visit, sign int) {
	if p.Pages.Memory(v.Page).State != sitegraph.StateSource {
		return
	}
	if p.sources.left != math.MaxInt {
		p.sources.left -= sign
	}
	k := p.sources.groups[v.Page]
	k.returned(v.Page)
	if sign > 0 {
		k.out = append(k.out, v.Page)
	}
}

// sourceDue returns when a source is due again, after its last visit.
func (p *Planner) sourceDue(page sitegraph.PageID) Due {
	m := p.Pages.Memory(page)
	h := &m.History
	tried := time.Unix(int64(m.Tried), 0).UTC()
	switch {
	case m.Errors > 0 && h.Visits == 0:
		return Due{tried.Add(sourceProbe), Because("no feed or sitemap is there")}
	case m.Errors > 0:
		return Due{
			tried.Add(min(sourceRetry<<min(m.Errors-1, 5), sourceProbe)),
			Because("its last visits failed"),
		}
	}
	if p.Pages.Hints.Idle(page) {
		others := time.Duration(p.sources.of[p.Pages.Graph.Server(page)])
		return Due{
			tried.Add(max(others*sourceIdle, sourceLatest)),
			Because("its claims about pages proved useless"),
		}
	}
	wait := p.untilWorth(page)
	if wait > sourceLatest {
		return Due{tried.Add(wait), Because("its news is worth a visit about each %s",
			wait.Hours()/24)}
	}
	still := time.Duration(h.Last-max(h.LastChange, h.Epoch)) * time.Second
	soonest := sourceSoonest
	if round := p.Pages.round.End.Sub(p.Pages.round.Start); round > 0 {
		soonest = min(soonest, max(round, sourceLeast))
	}
	soonest = max(soonest, wait)
	return Due{tried.Add(min(max(still/2, soonest), sourceLatest)),
		Because("it has not changed for %s", still.Hours()/24)}
}

// sourceYield is what visits to a source brought, in changes found beyond those of as many visits
// to pages, and the days that they covered. Each visit multiplies the earlier ones by sourceFade.
type sourceYield struct {
	worth, days float64
	last        uint32 // last visit, in unix seconds
}

const (
	sourceFade = 0.8
	// guessedDays is the prior guess of how many days a source takes to be worth a visit, and its
	// weight in days of visits.
	guessedDays = 7
	// foundBySource is the worth of an unknown page that a source names, in changes found: half of
	// that of a link, since links would have found most of these pages later.
	foundBySource = FirstWorth / 2
)

// ageYield begins the account of a visit to a source.
func (p *Planner) ageYield(page sitegraph.PageID) {
	s := &p.sources
	y, server, now := s.yields[page], p.Pages.Graph.Server(page), p.Pages.Memory(page).Tried
	if y.last > 0 && now > y.last {
		days, all := float64(now-y.last)/(24*60*60), s.byServer[server]
		all.worth, all.days = all.worth-y.worth*(1-sourceFade), all.days-y.days*(1-sourceFade)+days
		y.worth, y.days = y.worth*sourceFade, y.days*sourceFade+days
		s.byServer[server] = all
	}
	y.last = now
	s.yields[page] = y
}

// creditSource adds what a visit to a source brought: the pages that it named first, and the visits
// to pages that its claims move above or below the worth of a page that just fits into the budget.
func (p *Planner) creditSource(source sitegraph.PageID, turns []HintTurn) {
	s, by := &p.sources, p.goesByClaims()
	y, price := s.yields[source], p.Pages.Price()
	if by == nil || !(price > 0) || !(y.days > 0) {
		return
	}
	worth := 0.0
	for _, page := range p.found {
		worth += foundBySource * p.Pages.Weight(page)
	}
	for _, turn := range turns {
		if !p.Pages.Refetchable(turn.Page) {
			continue
		}
		now := by.Probability(turn.Page, p.Pages.round.End)
		before := now / (now + (1-now)*math.Exp(turn.LogRatio))
		weight := p.Pages.Weight(turn.Page)
		if now, before = now*weight, before*weight; now > price && before < price ||
			now < price && before > price {
			worth += math.Abs(now - price)
		}
	}
	server := p.Pages.Graph.Server(source)
	all := s.byServer[server]
	y.worth, all.worth = y.worth+worth, all.worth+worth
	s.yields[source], s.byServer[server] = y, all
}

// goesByClaims returns the policy if it uses claims and has probabilities; otherwise nil.
func (p *Planner) goesByClaims() Estimator {
	if _, ok := p.Policy.(Hinter); !ok {
		return nil
	}
	e, _ := p.Policy.(Estimator)
	return e
}

// untilWorth returns how long a source takes, by visits to it and to others of its server, until
// its news is worth as much as a page that just fits into the budget; 0: unknown.
func (p *Planner) untilWorth(page sitegraph.PageID) time.Duration {
	price := p.Pages.Price()
	if p.goesByClaims() == nil || !(price > 0) {
		return 0
	}
	server := p.Pages.Graph.Server(page)
	own, all := p.sources.yields[page], p.sources.byServer[server]
	shared := (all.worth + price) / (all.days + guessedDays)
	rate := (own.worth + guessedDays*shared) / (own.days + guessedDays)
	longest := max(sourceProbe, time.Duration(p.sources.of[server])*sourceIdle)
	return time.Duration(min(price/rate, estimator.Days(longest)) * float64(Day))
}
