package eval

import (
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// meter measures one stream run against the truth. It takes one step per visit and per change.
type meter struct {
	corpus *Dataset
	truth  *truth
	graph  *sitegraph.Graph
	index  []int32 // by PageID: 1 + place in truth.pages; 0: not looked up; -1: missing
	pages  []pageMeter
	step   int
	at     int32 // time of the current transition, in seconds after the base

	shown shown

	// living to sinceSum are sums over pages at the present step.
	living, copies, fresh int // known and alive; with a copy; with a fresh copy
	sinceSum              int // sum of since over stale pages with a copy, in steps

	totals         StreamResult
	freshness, age float64 // sums over steps; age in steps
	freshSteps     int
	ageSteps       int
	discovered     int
	delaySum       float64 // steps
	deletions      int
	deletionDelays float64 // sum, in steps
	delays         []int32 // of the found changes: seconds from the change to the visit
	tallies        []tally
	week           tally
	weekFresh      float64
	weekSteps      int
	eventsSoFar    int

	visited, unvisited reliability // of refetches; of random pages

	// corpora and the fields below are for resampling, by server; corpora is nil without it.
	corpora    [][]int
	standing   []standing
	discovery  []tally   // found: discovered, all: discoverable
	drawnFresh []float64 // by corpus: sum of the freshness over steps
	drawnSteps []int     // by corpus: steps with living pages
}

// standing is the part of a server in the present sums.
type standing struct{ living, fresh int }

// pageMeter is the state of a page.
type pageMeter struct {
	now, copy        content // at the last step's end; of the copy
	known, has, once bool    // known: as a page to visit; has: a copy; once: was ever known
	since            int32   // step of the first unseen change; 0: the copy is fresh
	changedAt        int32   // time of that change in seconds after the base
	died             int32   // step at whose end it was first gone, if it is gone now
}

func newMeter(c *Dataset, t *truth, graph *sitegraph.Graph, o *StreamOptions) *meter {
	m := &meter{
		corpus:    c,
		truth:     t,
		graph:     graph,
		pages:     make([]pageMeter, len(t.pages)),
		tallies:   make([]tally, t.servers),
		standing:  make([]standing, t.servers),
		discovery: make([]tally, t.servers),
		shown:     newShown(t, o),
	}
	for i := range t.pages {
		p := &m.pages[i]
		p.now = t.pages[i].start
		if t.pages[i].base {
			p.copy, p.known, p.has, p.once = p.now, true, true, true
			m.count(int32(i), 1)
			m.shown.pages[i] = shownPage{copy: p.now, has: true}
		}
		if t.pages[i].discoverable {
			m.discovery[t.pages[i].server].all++
		}
	}
	return m
}

// resample prepares the counts for Compare and Spread.
func (m *meter) resample(seed uint64) {
	m.corpora = resampled(m.truth.servers, seed)
	m.drawnFresh, m.drawnSteps = make([]float64, len(m.corpora)), make([]int, len(m.corpora))
}

// of returns the place of a page in the truth, or -1.
func (m *meter) of(p sitegraph.PageID) int32 {
	for int(p) >= len(m.index) {
		m.index = append(m.index, 0)
	}
	if m.index[p] == 0 {
		m.index[p] = -1
		if i, ok := m.truth.byURL[m.graph.URL(p)]; ok {
			m.index[p] = i + 1
		}
	}
	if m.index[p] < 0 {
		return -1
	}
	return m.index[p] - 1
}

func (m *meter) aliveAtBase(p sitegraph.PageID) bool {
	page, shift := m.corpus.World.Find(m.graph.URL(p))
	return page != nil && page.At(m.corpus.Base.Unix()+shift).Alive()
}

// count adds (sign 1) or removes (-1) a page's part in the sums.
func (m *meter) count(i int32, sign int) {
	p := &m.pages[i]
	if !p.known || !p.now.alive {
		return
	}
	server := &m.standing[m.truth.pages[i].server]
	m.living += sign
	server.living += sign
	if !p.has {
		return
	}
	m.copies += sign
	if p.since == 0 {
		m.fresh += sign
		server.fresh += sign
	} else {
		m.sinceSum += sign * int(p.since)
	}
}

// update changes a page, and updates the sums.
func (m *meter) update(i int32, change func(p *pageMeter)) {
	p := &m.pages[i]
	m.count(i, -1)
	change(p)
	switch {
	case !p.has || p.now.alive && !p.copy.differs(p.now, m.corpus.Change):
		p.since = 0
	case p.since == 0:
		p.since, p.changedAt = int32(m.step), m.at
	}
	m.count(i, 1)
}

// beginStep applies the changes up to the end of step d; visits of the step see them.
func (m *meter) beginStep(d int) {
	m.step = d
	for _, t := range m.truth.byStep[d] {
		m.at = t.at
		m.update(t.page, func(p *pageMeter) {
			if p.now.alive && !t.now.alive {
				p.died = int32(d)
			}
			p.now = t.now
		})
	}
	m.shown.publish(d)
}

// stale reports whether a refetch of p would find a change: the oracle of the clairvoyant.
func (m *meter) stale(p sitegraph.PageID) bool {
	i := m.of(p)
	return i >= 0 && m.pages[i].since != 0 && m.pages[i].now.alive
}

// found notes a page that became known.
func (m *meter) found(p sitegraph.PageID) {
	i := m.of(p)
	if i < 0 {
		return
	}
	m.update(i, func(p *pageMeter) { p.known = true })
	if t := &m.truth.pages[i]; t.discoverable && !m.pages[i].once {
		m.discovered++
		m.discovery[t.server].found++
		m.delaySum += float64(max(m.step-int(t.born), 0))
	}
	m.pages[i].once = true
}

// seen notes a visit.
func (m *meter) seen(e *crawl.Event) {
	r := &m.totals
	r.Fetched++
	// it is no page, so its changes do not count
	if e.Record.State == sitegraph.StateSource {
		r.Sources++
		return
	}
	i := m.of(e.Visit.Page)
	if e.Visit.First {
		r.NewFetched++
	} else {
		r.Refetched++
		m.week.fetched++
		if e.Verdict != sitegraph.VerdictUnknown {
			m.visited.add(e.Visit.Probability, e.Verdict == sitegraph.VerdictChanged)
		}
		if i >= 0 {
			m.tallies[m.truth.pages[i].server].fetched++
		}
	}
	if e.Visit.Gone > 0 {
		r.DeletionVisits++
	}
	if e.Verdict == sitegraph.VerdictChanged {
		r.Changed++
		m.week.found++
		if i >= 0 {
			m.tallies[m.truth.pages[i].server].found++
		}
	}
	if i < 0 {
		return
	}
	if p := &m.pages[i]; e.Verdict == sitegraph.VerdictChanged && p.since != 0 {
		m.delays = append(m.delays, int32(m.step)*int32(m.truth.step/time.Second)-p.changedAt)
	}
	switch e.Verdict {
	case sitegraph.VerdictLeft:
		if m.pages[i].has {
			m.deletions++
			m.deletionDelays += float64(max(m.step-int(m.pages[i].died), 0))
		}
		m.update(i, func(p *pageMeter) { p.known, p.has = false, false })
		m.shown.noteVisit(i, m.step, shownPage{})
	case sitegraph.VerdictUnknown: // a failure, which replay never has: the copy is unchanged
	default:
		m.update(i, func(p *pageMeter) { p.copy, p.has = p.now, true })
		m.shown.noteVisit(i, m.step, shownPage{copy: m.pages[i].now, has: true})
	}
}

// endStep adds the freshness and age of a step.
func (m *meter) endStep(d int) {
	if m.living > 0 {
		f := float64(m.fresh) / float64(m.living)
		m.freshness += f
		m.freshSteps++
		m.weekFresh += f
		m.weekSteps++
	}
	if m.copies > 0 {
		stale := m.copies - m.fresh
		m.age += float64(d*stale-m.sinceSum) / float64(m.copies)
		m.ageSteps++
	}
	m.shown.add(m)
	m.eventsSoFar += m.truth.eventsOn[d]
	m.drawFreshness()
	if perWeek := 7 * m.truth.perDay(); d%perWeek == 0 {
		m.totals.Weekly = append(
			m.totals.Weekly,
			WeekPoint{
				Week:       d / perWeek,
				UpdateRate: ratio(m.week.found, m.week.fetched),
				Coverage:   ratio(m.totals.Changed, m.eventsSoFar),
				Freshness:  ratio(m.weekFresh, float64(m.weekSteps)),
				Refetched:  m.week.fetched,
				Changed:    m.week.found,
			},
		)
		m.week, m.weekFresh, m.weekSteps = tally{}, 0, 0
	}
}

// drawFreshness adds the freshness of a step in each resampled corpus.
func (m *meter) drawFreshness() {
	for i, times := range m.corpora {
		var sum standing
		for s, at := range m.standing {
			sum.living += times[s] * at.living
			sum.fresh += times[s] * at.fresh
		}
		if sum.living > 0 {
			m.drawnFresh[i] += float64(sum.fresh) / float64(sum.living)
			m.drawnSteps[i]++
		}
	}
}

// drawn returns the measures in each resampled corpus, or nil.
func (m *meter) drawn() draws {
	if m.corpora == nil {
		return nil
	}
	for s := range m.tallies {
		m.tallies[s].all = m.truth.eventsOf[s]
	}
	d := draws{}
	d.addTallies(m.corpora, m.tallies)
	for i, times := range m.corpora {
		var found, all int
		for s, t := range m.discovery {
			found, all = found+times[s]*t.found, all+times[s]*t.all
		}
		d[Freshness] = append(d[Freshness],
			float64(ratio(m.drawnFresh[i], float64(m.drawnSteps[i]))))
		d[Discovered] = append(d[Discovered], float64(ratio(found, all)))
	}
	return d
}

func (m *meter) result(name string, o StreamOptions) StreamResult {
	r := m.totals
	r.Policy = name
	r.UpdateRate = ratio(r.Changed, r.Refetched)
	r.Coverage = ratio(r.Changed, m.truth.events)
	r.Freshness = ratio(m.freshness, float64(m.freshSteps))
	r.SearchFreshness = m.shown.result()
	perDay := float64(m.truth.perDay())
	r.MeanAgeDays = ratio(m.age/perDay, float64(m.ageSteps))
	r.Discovered = ratio(m.discovered, m.truth.discoverable)
	r.DiscoveryDelayDays = Number(math.NaN())
	if m.discovered > 0 {
		r.DiscoveryDelayDays = Number(m.delaySum / perDay / float64(m.discovered))
	}
	r.DeletionsFound = ratio(m.deletions, m.truth.deaths)
	r.DeletionDelayDays = ratio(m.deletionDelays/perDay, float64(m.deletions))
	r.DetectionDelayHours, r.MedianDelayHours = m.detectionDelay()
	r.visited, r.unvisited = m.visited, m.unvisited
	r.Calibration, r.CalibrationUnvisited = m.visited.calibration(), m.unvisited.calibration()
	if r.draws = m.drawn(); o.Spread {
		r.Spread = r.draws.spread()
	}
	return r
}

// detectionDelay returns the mean and median number of hours from a change to the visit that found
// it.
func (m *meter) detectionDelay() (mean, median Number) {
	n := len(m.delays)
	if n == 0 {
		return Number(math.NaN()), Number(math.NaN())
	}
	slices.Sort(m.delays)
	sum := 0.0
	for _, seconds := range m.delays {
		sum += float64(seconds)
	}
	const hour = float64(time.Hour / time.Second)
	middle := float64(m.delays[(n-1)/2]) + float64(m.delays[n/2])
	return Number(sum / hour / float64(n)), Number(middle / 2 / hour)
}
