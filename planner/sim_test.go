package planner

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// world is a small web for tests. What a page shows on a day depends on seed, address and
// day alone, not on who looked at what before.
type world struct {
	pages []*simulated // in order of addresses
	of    map[string]*simulated
}

type simulated struct {
	url        string
	born, died int       // days; it is there from born to before died
	changes    []float64 // days at which its content changed, rising
	flaky      float64   // share of visits that fail
	children   []*simulated
}

// days is how long a simulated world lasts.
const days = 60

var base = time.Date(2004, 3, 1, 0, 0, 0, 0, time.UTC)

func at(day int) time.Time { return base.AddDate(0, 0, day) }

func rngOf(seed uint64, url string) *rand.Rand {
	h := fnv.New64()
	h.Write([]byte(url))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// newWorld makes servers with directories; with life, pages are also born and die, and visits fail.
func newWorld(seed uint64, servers, perServer int, life bool) *world {
	w := &world{of: map[string]*simulated{}}
	rng := rand.New(rand.NewPCG(seed, 1))
	for s := range servers {
		var own []*simulated
		for i := range perServer {
			url := fmt.Sprintf("http://s%d.example/", s)
			if i > 0 {
				url += fmt.Sprintf("d%d/p%d", rng.IntN(1+perServer/8), i)
			}
			p := w.add(seed, url, life && i > 0)
			if i > 0 {
				parent := own[rng.IntN(min(i, 12))]
				p.born = max(p.born, parent.born)
				parent.children = append(parent.children, p)
			}
			own = append(own, p)
		}
	}
	slices.SortFunc(w.pages, func(p, q *simulated) int {
		if p.url < q.url {
			return -1
		}
		return 1
	})
	return w
}

func (w *world) add(seed uint64, url string, life bool) *simulated {
	rng := rngOf(seed, url)
	p := &simulated{url: url, died: math.MaxInt}
	rate := math.Exp(rng.Float64()*6 - 5)
	for t := rng.ExpFloat64() / rate; t < days; t += rng.ExpFloat64() / rate {
		p.changes = append(p.changes, t)
	}
	if life {
		if rng.IntN(3) == 0 {
			p.born = 1 + rng.IntN(10)
		}
		if rng.IntN(8) == 0 {
			p.died = p.born + 1 + rng.IntN(20)
		}
		if rng.IntN(4) == 0 {
			p.flaky = rng.Float64()
		}
	}
	w.pages = append(w.pages, p)
	w.of[url] = p
	return p
}

// links are the addresses that a page links to on a day.
func (p *simulated) links(day int) []string {
	var urls []string
	for _, c := range p.children {
		if c.born <= day {
			urls = append(urls, c.url)
		}
	}
	return urls
}

func (w *world) observe(url string, day int) sitegraph.Observation {
	p := w.of[url]
	o := sitegraph.Observation{URL: url, Time: at(day), Outcome: sitegraph.OutcomeFetched}
	switch {
	case p.flaky > 0 && rngOf(uint64(day), url).Float64() < p.flaky:
		o.Outcome = sitegraph.OutcomeFailed
	case day < p.born || day >= p.died:
		o.Outcome = sitegraph.OutcomeGone
	default:
		o.Digests.Bytes = sitegraph.DigestOf(fmt.Append(nil, url, p.version(day)))
		o.Links, o.LinksKnown = p.links(day), true
	}
	return o
}

// version counts the changes up to a day.
func (p *simulated) version(day int) int {
	n, _ := slices.BinarySearch(p.changes, float64(day))
	return n
}

// sim drives one planner over a world and checks each visit as it comes.
type sim struct {
	*testing.T
	world   *world
	graph   *sitegraph.Graph
	corpus  *Corpus
	records []sitegraph.Record
	planner *Planner
	options Options
	make    func(m *sim) (Policy, error)
	seed    uint64

	lag      int     // visits under way before an outcome is told
	giveBack float64 // share of visits that are handed back
	chance   *rand.Rand
	underWay []Visit
	round    map[sitegraph.PageID]bool // visited in this round
	firsts   int                       // of this round
	onVisit  func(Visit)
	sweeps   bool        // the policy may leave pages alone on purpose
	verify   func(Visit) // what the policy promises of its visits
}

// newSim fetches all pages that are there on day 0 and then starts a planner. shuffle decides
// in which order pages become known; nil keeps the order of addresses. make builds the policy, again after each restart.
func newSimOf(t *testing.T, w *world, shuffle *rand.Rand, seed uint64, make func(m *sim) (Policy, error), o Options) *sim {
	t.Helper()
	m := &sim{T: t, world: w, graph: sitegraph.NewGraph(), make: make, seed: seed, options: o, chance: rand.New(rand.NewPCG(seed, 7))}
	order := slices.Clone(w.pages)
	if shuffle != nil {
		shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	for _, p := range order {
		if p.born == 0 {
			m.graph.Add(p.url)
		}
		if sitegraph.Directory(p.url) == p.url {
			m.graph.AddStart(p.url)
		}
	}
	for _, p := range order {
		if p.born == 0 {
			m.graph.SetLinks(m.graph.Add(p.url), p.links(0), nil)
		}
	}
	m.corpus = NewCorpus(m.graph)
	for id := range sitegraph.PageID(m.graph.Pages()) {
		m.know(id)
		m.records[id].Apply(sitegraph.Observation{Time: at(0), Outcome: sitegraph.OutcomeFetched,
			Digests: m.content(id, 0)}, sitegraph.ChangeByBytes)
		m.records[id].Due = time.Time{} // no policy was asked
		m.corpus.Remember(&m.records[id])
	}
	m.start()
	return m
}

func (m *sim) content(p sitegraph.PageID, day int) sitegraph.Digests {
	url := m.graph.URL(p)
	return sitegraph.Digests{Bytes: sitegraph.DigestOf(fmt.Append(nil, url, m.world.of[url].version(day)))}
}

func (m *sim) know(p sitegraph.PageID) {
	m.records = append(m.records, sitegraph.Record{Page: p, URL: m.graph.URL(p), State: sitegraph.StateNew, Due: at(0)})
}

// link makes an address known, as a link does.
func (m *sim) link(url string) sitegraph.PageID {
	p, known := m.graph.Lookup(url)
	if !known {
		p = m.graph.Add(url)
		m.know(p)
		m.corpus.Remember(&m.records[p])
	}
	return p
}

// start builds policy and planner from the corpus: also after a crash.
func (m *sim) start() {
	m.Helper()
	policy, err := m.make(m)
	if err != nil {
		m.Fatal(err)
	}
	m.planner = New(m.corpus, policy, m.options)
}

// differs tells whether a visit at the end of the round would see a change.
func (m *sim) differs(p sitegraph.PageID) bool {
	return m.records[p].Digests != m.content(p, int(m.corpus.Round().End.Sub(base)/(24*time.Hour)))
}

// restart forgets all but the records and the graph.
func (m *sim) restart() {
	m.Helper()
	m.corpus = NewCorpus(m.graph)
	for i := range m.records {
		m.corpus.Remember(&m.records[i])
	}
	m.start()
}

// day plays one round, a day long, and returns the visits in order.
func (m *sim) day(day, budget int) []Visit {
	m.Helper()
	m.round, m.firsts = map[sitegraph.PageID]bool{}, 0
	m.planner.Begin(Round{Number: day, Start: at(day - 1), End: at(day), Budget: budget})
	var visits []Visit
	for {
		v, ok := m.planner.Next()
		if ok {
			if m.onVisit != nil {
				m.onVisit(v)
			}
			m.check(v)
			if m.giveBack > 0 && m.chance.Float64() < m.giveBack {
				m.handBack(v)
				continue
			}
			visits = append(visits, v)
			if budget != Unlimited && len(visits) > budget {
				m.Fatalf("day %d: visit %d of a budget of %d", day, len(visits), budget)
			}
			m.underWay = append(m.underWay, v)
			if len(m.underWay) > m.lag {
				m.tell(day)
			}
			continue
		}
		if len(m.underWay) == 0 {
			return visits
		}
		m.tell(day) // the outcome may make another page worth it
	}
}

func (m *sim) handBack(v Visit) {
	m.Helper()
	before := m.planner.Left()
	m.planner.Return(v)
	if before != Unlimited && m.planner.Left() != before+1 {
		m.Fatalf("%s handed back: %d visits left, %d before", m.graph.URL(v.Page), m.planner.Left(), before)
	}
}

// tell the planner the outcome of the visit that is longest under way.
func (m *sim) tell(day int) {
	m.Helper()
	v := m.underWay[0]
	m.underWay = m.underWay[1:]
	r := &m.records[v.Page]
	o := m.world.observe(r.URL, day)
	verdict := r.Apply(o, sitegraph.ChangeByBytes)
	if o.LinksKnown {
		for _, id := range m.graph.SetLinks(v.Page, o.Links, nil) {
			m.know(id)
			m.corpus.Remember(&m.records[id])
			m.planner.Found(id)
		}
		r = &m.records[v.Page]
	}
	m.planner.Observe(r, verdict)
	due, interval := m.planner.Due(v.Page, o.Time)
	if !due.When.After(o.Time) || due.Reason.String() == "" || interval < 0 {
		m.Fatalf("%s visited at %v: due at %v (%s), interval %v", r.URL, o.Time, due.When, due.Reason, interval)
	}
	r.Due = due.When
	if interval > 0 {
		r.Interval = interval
	}
	m.corpus.Remember(r)
}

// check holds a visit against the promises of the package.
func (m *sim) check(v Visit) {
	m.Helper()
	url := m.graph.URL(v.Page)
	if m.round[v.Page] {
		m.Fatalf("%s is proposed twice in round %d", url, m.corpus.Round().Number)
	}
	m.round[v.Page] = true
	if m.options.Skip != nil && m.options.Skip(v.Page) {
		m.Fatalf("%s is to be skipped and proposed", url)
	}
	state := m.records[v.Page].State
	if v.First != (state == sitegraph.StateNew) || !v.First && state != sitegraph.StateAlive {
		m.Fatalf("%s is %v, and the visit is first: %v", url, state, v.First)
	}
	if wait := m.corpus.Round().End.Sub(m.records[v.Page].Tried); m.records[v.Page].Errors > 0 && wait < BackOff(m.records[v.Page].Errors) {
		m.Fatalf("%s is proposed %v after failure %d", url, wait, m.records[v.Page].Errors)
	}
	if !math.IsNaN(v.Probability) && !(v.Probability >= 0 && v.Probability <= 1) {
		m.Fatalf("%s: probability %g", url, v.Probability)
	}
	if v.First && !(math.IsNaN(v.Probability) && math.IsNaN(v.Value)) {
		m.Fatalf("%s: probability %g, value %g of a first visit", url, v.Probability, v.Value)
	}
	if m.verify != nil {
		m.verify(v)
	}
	if reason := v.Reason.String(); reason == "" || slices.Contains([]byte(reason), '%') {
		m.Fatalf("%s: reason %q", url, reason)
	}
	if v.First {
		m.firsts++
	}
}

// refetchable are the pages that a policy could still propose in this round.
func (m *sim) refetchable() []sitegraph.PageID {
	var pages []sitegraph.PageID
	for p := range sitegraph.PageID(m.corpus.Pages()) {
		if m.corpus.Refetchable(p) && (m.options.Skip == nil || !m.options.Skip(p)) {
			pages = append(pages, p)
		}
	}
	return pages
}

// urls names visits.
func (m *sim) urls(visits []Visit) []string {
	names := make([]string, len(visits))
	for i, v := range visits {
		names[i] = m.graph.URL(v.Page)
	}
	return names
}
