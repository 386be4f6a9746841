package planner

import (
	"math"
	"slices"
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
	queued map[sitegraph.PageID]bool // due, or found in this round
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
	}
	s.known = append(s.known, page)
	s.of[p.Corpus.Graph.Server(page)]++
	p.WantSource(page)
}

// WantSource puts a source in line for this round, unless it was visited in it.
func (p *Planner) WantSource(page sitegraph.PageID) {
	s := &p.sources
	if !s.queued[page] {
		s.queued[page] = true
		s.due = append(s.due, page)
	}
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
			p.WantSource(page)
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
		if p.Corpus.taken(m) || p.Corpus.outside(page) || !p.caps.mayListen(page) {
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
