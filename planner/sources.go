package planner

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// A source is asked again after half the time since it was last seen to change, within
	// these bounds: what changed an hour ago tends to change in the next.
	sourceSoonest = 6 * time.Hour
	sourceLatest  = 7 * Day

	// sourceIdle is the least wait after a visit to a source whose claims proved to tell nothing, for each
	// source of its server, and sourceLatest the least of all: what new pages it names is soon enough then.
	sourceIdle = Day

	// dullShare of the visits to sources of one kin must find that they say something else than before. Else one of
	// them is asked each sourceLatest, the longest due first. It takes dullLooks that found nothing.
	dullShare = 1.0 / 6
	dullLooks = 5

	// firstOfKin feeds of a kin are visited before the others, until dullLooks tell what they bring.
	firstOfKin = 3

	// sourceRetry is the wait after a visit to a source that was there once and failed, doubled
	// with each; one that never was there is looked for each sourceProbe.
	sourceRetry = Day
	sourceProbe = 30 * Day

	// MaxSources of a server are visited: enough for an index of 5 million pages, few enough
	// that a feed for each tag does not use up the budget.
	MaxSources = 100
)

// sources are the feeds and sitemaps that are visited like pages.
type sources struct {
	known  []sitegraph.PageID
	of     map[sitegraph.ServerID]int // how many
	due    []sitegraph.PageID         // in this round, not yet visited
	left   int                        // visits left in this round
	carry  float64
	queued map[sitegraph.PageID]bool // due, or found in this round; true: somebody said that it has news
	kin    map[sitegraph.PageID]*sourceKin
	byKey  map[sourceKey]*sourceKin
}

// sourceKin are the sources of a server whose addresses are alike, as the feeds of its tags: what visits to some
// of them brought tells of the others.
type sourceKin struct {
	members []sitegraph.PageID
	known   bool   // what follows is
	feeds   bool   // and no sitemaps
	asked   int    // members that were visited
	looks   int    // visits that compared one with what it said before
	dull    bool   // these brought next to nothing
	last    uint32 // visit to one that was the same as before; unix seconds
}

type sourceKey struct {
	server sitegraph.ServerID
	like   string
}

// likeness is what addresses of sources that do the same for different parts of a site have in common: their
// first segment and their name, as in /tag/one/feed.xml, /tag/two/feed.xml; years are alike.
func likeness(url string) string {
	_, address, _ := strings.Cut(url, "://")
	_, path, _ := strings.Cut(address, "/")
	path, _, _ = strings.Cut(path, "?")
	segments := strings.Split(strings.Trim(path, "/"), "/")
	name := segments[len(segments)-1]
	switch first := segments[0]; {
	case len(segments) == 1:
		return sitegraph.Shape(url)
	case len(segments) == 2:
		return "/*/" + name
	case strings.Trim(first, "0123456789") == "":
		return "/#/*/" + name
	default:
		return "/" + first + "/*/" + name
	}
}

// Listens reports whether sources are visited at all.
func (p *Planner) Listens() bool { return p.options.SourceShare > 0 }

// MaySource reports whether a server may have one source more.
func (p *Planner) MaySource(s sitegraph.ServerID) bool { return p.sources.of[s] < MaxSources }

// KnownSources is how many there are.
func (p *Planner) KnownSources() int { return len(p.sources.known) }

// FoundSource puts a source in line that has become known.
func (p *Planner) FoundSource(page sitegraph.PageID) {
	s := &p.sources
	if s.of == nil {
		s.of, s.queued = map[sitegraph.ServerID]int{}, map[sitegraph.PageID]bool{}
		s.kin, s.byKey = map[sitegraph.PageID]*sourceKin{}, map[sourceKey]*sourceKin{}
	}
	s.known = append(s.known, page)
	server := p.Corpus.Graph.Server(page)
	s.of[server]++
	key := sourceKey{server, likeness(p.Corpus.Graph.URL(page))}
	if s.byKey[key] == nil {
		s.byKey[key] = &sourceKin{}
	}
	k := s.byKey[key]
	k.members, k.known = append(k.members, page), false
	s.kin[page] = k
	s.queue(page, false)
}

// WantSource puts a source in line for this round, unless it was visited in it: somebody said that it has news.
func (p *Planner) WantSource(page sitegraph.PageID) { p.sources.queue(page, true) }

func (s *sources) queue(page sitegraph.PageID, news bool) {
	had, ok := s.queued[page]
	s.queued[page] = had || news
	if !ok {
		s.due = append(s.due, page)
	}
}

// observed forgets what was made of the kin of a source that was just visited.
func (s *sources) observed(page sitegraph.PageID) {
	if k := s.kin[page]; k != nil {
		k.known = false
	}
}

// waits reports whether a source is not to be asked now, though it is due: visits to its kin brought next to
// nothing, and one of them was asked lately. Of feeds a few are asked before all others, as what one of a kin
// names for the first time other pages link to, too; a sitemap may be all that names its pages.
func (p *Planner) waits(page sitegraph.PageID, until time.Time) bool {
	k := p.sources.kin[page]
	if !k.known {
		p.judge(k)
	}
	m := p.Corpus.Memory(page)
	if m.History.Visits == 0 && !k.feeds {
		return false
	}
	if k.looks < dullLooks {
		return m.History.Visits == 0 && k.asked >= firstOfKin
	}
	return k.dull && !m.saidNew() && int64(k.last) > until.Add(-sourceLatest).Unix()
}

// judge finds out what visits to sources of one kin brought.
func (p *Planner) judge(k *sourceKin) {
	changes := 0
	k.looks, k.asked, k.last, k.feeds = 0, 0, 0, false
	for _, page := range k.members {
		m := p.Corpus.Memory(page)
		if m.History.Visits > 0 {
			k.asked++
			k.looks += int(m.History.Visits) - 1
			changes += int(m.History.Changes)
			k.feeds = k.feeds || p.Corpus.KindOf(page) == HintFeed
		}
		if !m.saidNew() {
			k.last = max(k.last, m.Tried)
		}
	}
	k.dull = float64(changes+1) < dullShare*float64(k.looks+2)
	k.known = true
}

// saidNew reports whether the last visit to a source found that it said something else than before.
func (m *Memory) saidNew() bool {
	return m.History.Changes > 0 && m.History.LastChange == m.History.Last
}

// beginSources puts in line what is due by the end of the round, longest due first.
func (p *Planner) beginSources(r Round) {
	s := &p.sources
	if !p.Listens() {
		return
	}
	s.left = math.MaxInt
	if r.Budget != Unlimited {
		share := Budget{PerDay: float64(r.Budget) * p.options.SourceShare, Carry: s.carry}
		s.left = min(share.Grant(Day), r.Budget)
		s.carry = share.Carry
	}
	s.due = s.due[:0]
	clear(s.queued)
	for _, page := range s.known {
		if int64(p.Corpus.Memory(page).Due) <= r.End.Unix() {
			s.queue(page, false)
		}
	}
	slices.SortStableFunc(s.due, func(a, b sitegraph.PageID) int {
		return int(int64(p.Corpus.Memory(a).Due) - int64(p.Corpus.Memory(b).Due))
	})
}

// nextSource takes the source that has been due longest; skip: none, or their share is used.
func (p *Planner) nextSource() (Visit, step) {
	s := &p.sources
	for s.left > 0 && len(s.due) > 0 {
		page := s.due[0]
		s.due = s.due[1:]
		m := p.Corpus.Memory(page)
		if p.Corpus.taken(m) || p.Corpus.outside(page) || !p.caps.mayListen(page) || !s.queued[page] && p.waits(page, p.Corpus.round.End) {
			continue
		}
		v := Visit{Page: page, Due: dueTime(m), Probability: math.NaN(), Value: math.NaN(), Reason: because("it may claim changes of pages")}
		if step := p.admit(&v); step != skip {
			return v, step
		}
	}
	return Visit{}, skip
}

// closed reports whether a visit that waited for room is one that its share has no room for by now: a
// first visit, or one to a source.
func (p *Planner) closed(v *Visit) bool {
	if p.Corpus.Memory(v.Page).State == sitegraph.StateSource {
		return p.sources.left <= 0 || !p.caps.mayListen(v.Page)
	}
	return v.First && (p.newLeft == 0 || !p.caps.newOpen())
}

// spendSource counts a visit to a source against their share, or takes it back with sign -1.
func (p *Planner) spendSource(v *Visit, sign int) {
	if p.Corpus.Memory(v.Page).State == sitegraph.StateSource && p.sources.left != math.MaxInt {
		p.sources.left -= sign
	}
}

// sourceDue is when a source is wanted again, after its last visit.
func (p *Planner) sourceDue(page sitegraph.PageID) Due {
	m := p.Corpus.Memory(page)
	h := &m.History
	tried := time.Unix(int64(m.Tried), 0).UTC()
	switch {
	case m.Errors > 0 && h.Visits == 0:
		return Due{tried.Add(sourceProbe), because("no source is there")}
	case m.Errors > 0:
		return Due{tried.Add(min(sourceRetry<<min(m.Errors-1, 5), sourceProbe)), because("its last visits failed")}
	}
	if p.Corpus.idle(page) {
		others := time.Duration(p.sources.of[p.Corpus.Graph.Server(page)])
		return Due{tried.Add(max(others*sourceIdle, sourceLatest)), because("what it claims of pages proved to tell nothing")}
	}
	still := time.Duration(h.Last-max(h.LastChange, h.Epoch)) * time.Second
	return Due{tried.Add(min(max(still/2, sourceSoonest), sourceLatest)),
		because("it was the same for %.3g days", still.Hours()/24)}
}
