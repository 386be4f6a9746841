package simtest

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// World is a small web for tests. The content of a page on a day depends on seed, address and day
// alone, not on earlier visits.
type World struct {
	Pages []*Page // in order of addresses
	Of    map[string]*Page
}

type Page struct {
	URL        string
	Born, Died int       // days; it exists from born until before died
	Changes    []float64 // days at which its content changed, rising
	Flaky      float64   // share of visits that fail
	Children   []*Page
}

// days is how long a simulated world lasts.
const Days = 60

var Base = time.Date(2004, 3, 1, 0, 0, 0, 0, time.UTC)

func At(day int) time.Time { return Base.AddDate(0, 0, day) }

func RandOf(seed uint64, url string) *rand.Rand {
	h := fnv.New64()
	h.Write([]byte(url))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// NewWorld makes servers with directories; with life, pages are also born and die, and visits fail.
func NewWorld(seed uint64, servers, perServer int, life bool) *World {
	w := &World{Of: map[string]*Page{}}
	rng := rand.New(rand.NewPCG(seed, 1))
	for s := range servers {
		var own []*Page
		for i := range perServer {
			url := fmt.Sprintf("http://s%d.example/", s)
			if i > 0 {
				url += fmt.Sprintf("d%d/p%d", rng.IntN(1+perServer/8), i)
			}
			p := w.Add(seed, url, life && i > 0)
			if i > 0 {
				parent := own[rng.IntN(min(i, 12))]
				p.Born = max(p.Born, parent.Born)
				parent.Children = append(parent.Children, p)
			}
			own = append(own, p)
		}
	}
	slices.SortFunc(w.Pages, func(p, q *Page) int {
		if p.URL < q.URL {
			return -1
		}
		return 1
	})
	return w
}

func (w *World) Add(seed uint64, url string, life bool) *Page {
	rng := RandOf(seed, url)
	p := &Page{URL: url, Died: math.MaxInt}
	rate := math.Exp(rng.Float64()*6 - 5)
	for t := rng.ExpFloat64() / rate; t < Days; t += rng.ExpFloat64() / rate {
		p.Changes = append(p.Changes, t)
	}
	if life {
		if rng.IntN(3) == 0 {
			p.Born = 1 + rng.IntN(10)
		}
		if rng.IntN(8) == 0 {
			p.Died = p.Born + 1 + rng.IntN(20)
		}
		if rng.IntN(4) == 0 {
			p.Flaky = rng.Float64()
		}
	}
	w.Pages = append(w.Pages, p)
	w.Of[url] = p
	return p
}

// Links returns the addresses that a page links to on a day.
func (p *Page) Links(day int) []string {
	var urls []string
	for _, c := range p.Children {
		if c.Born <= day {
			urls = append(urls, c.URL)
		}
	}
	return urls
}

func (w *World) Observe(url string, day int) sitegraph.Observation {
	p := w.Of[url]
	o := sitegraph.Observation{URL: url, Time: At(day), Outcome: sitegraph.OutcomeFetched}
	switch {
	case p.Flaky > 0 && RandOf(uint64(day), url).Float64() < p.Flaky:
		o.Outcome = sitegraph.OutcomeFailed
	case day < p.Born || day >= p.Died:
		o.Outcome = sitegraph.OutcomeGone
	default:
		o.Digests.Bytes = sitegraph.DigestOf(fmt.Append(nil, url, p.Version(day)))
		o.Links, o.LinksKnown = p.Links(day), true
	}
	return o
}

// Version counts the changes up to a day.
func (p *Page) Version(day int) int {
	n, _ := slices.BinarySearch(p.Changes, float64(day))
	return n
}

// Sim drives one planner over a world and checks each visit.
type Sim struct {
	*testing.T
	World   *World
	Graph   *sitegraph.Graph
	Pages   *planner.Pages
	Records []sitegraph.Record
	Planner *planner.Planner
	Options planner.Options
	Make    func(m *Sim) (planner.Policy, error)
	Seed    uint64

	Lag         int     // visits under way before an outcome is reported
	GiveBack    float64 // share of visits that are handed back
	Chance      *rand.Rand
	UnderWay    []planner.Visit
	Round       map[sitegraph.PageID]bool // visited in this round
	FirstVisits int                       // of this round
	OnVisit     func(planner.Visit)
	Sweeps      bool                // the policy may skip pages on purpose
	Verify      func(planner.Visit) // checks promises of the policy for its visits
}

// New fetches all pages that exist on day 0 and then starts a planner. shuffle decides in which
// order pages become known; nil keeps the order of addresses. make builds the policy, again after
// each restart.
func New(
	t *testing.T,
	w *World,
	shuffle *rand.Rand,
	seed uint64,
	make func(m *Sim) (planner.Policy, error),
	o planner.Options,
) *Sim {
	t.Helper()
	m := &Sim{
		T:       t,
		World:   w,
		Graph:   sitegraph.NewGraph(),
		Make:    make,
		Seed:    seed,
		Options: o,
		Chance:  rand.New(rand.NewPCG(seed, 7)),
	}
	order := slices.Clone(w.Pages)
	if shuffle != nil {
		shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	for _, p := range order {
		if p.Born == 0 {
			m.Graph.Add(p.URL)
		}
		if sitegraph.Directory(p.URL) == p.URL {
			m.Graph.AddStart(p.URL)
		}
	}
	for _, p := range order {
		if p.Born == 0 {
			m.Graph.SetLinks(m.Graph.Add(p.URL), p.Links(0), nil)
		}
	}
	m.Pages = planner.NewPages(m.Graph)
	for id := range sitegraph.PageID(m.Graph.Pages()) {
		m.Know(id)
		m.Records[id].Apply(sitegraph.Observation{Time: At(0), Outcome: sitegraph.OutcomeFetched,
			Digests: m.Content(id, 0)}, sitegraph.ChangeByBytes)
		m.Records[id].Due = time.Time{} // there was no policy to ask
		m.Pages.Remember(&m.Records[id])
	}
	m.Start()
	return m
}

func (m *Sim) Content(p sitegraph.PageID, day int) sitegraph.Digests {
	url := m.Graph.URL(p)
	return sitegraph.Digests{Bytes: sitegraph.DigestOf(fmt.Append(nil, url,
		m.World.Of[url].Version(day)))}
}

func (m *Sim) Know(p sitegraph.PageID) {
	m.Records = append(
		m.Records,
		sitegraph.Record{Page: p, URL: m.Graph.URL(p), State: sitegraph.StateNew, Due: At(0)},
	)
}

// Link makes an address known, like a link.
func (m *Sim) Link(url string) sitegraph.PageID {
	p, known := m.Graph.Lookup(url)
	if !known {
		p = m.Graph.Add(url)
		m.Know(p)
		m.Pages.Remember(&m.Records[p])
	}
	return p
}

// Start builds policy and planner from the corpus: also after a crash.
func (m *Sim) Start() {
	m.Helper()
	policy, err := m.Make(m)
	if err != nil {
		m.Fatal(err)
	}
	m.Planner = planner.New(m.Pages, policy, m.Options)
}

// Differs reports whether a visit at the end of the round would see a change.
func (m *Sim) Differs(p sitegraph.PageID) bool {
	return m.Records[p].Digests != m.Content(p, int(m.Pages.Round().End.Sub(Base)/(24*time.Hour)))
}

// Restart forgets everything except the records and the graph.
func (m *Sim) Restart() {
	m.Helper()
	m.Pages = planner.NewPages(m.Graph)
	for i := range m.Records {
		m.Pages.Remember(&m.Records[i])
	}
	m.Start()
}

// Day plays one round, a day long, and returns the visits in order.
func (m *Sim) Day(day, budget int) []planner.Visit {
	m.Helper()
	m.Round, m.FirstVisits = map[sitegraph.PageID]bool{}, 0
	m.Planner.Begin(planner.Round{Number: day, Start: At(day - 1), End: At(day), Budget: budget})
	var visits []planner.Visit
	for {
		v, ok := m.Planner.Next()
		if ok {
			if m.OnVisit != nil {
				m.OnVisit(v)
			}
			m.Check(v)
			if m.GiveBack > 0 && m.Chance.Float64() < m.GiveBack {
				m.HandBack(v)
				continue
			}
			visits = append(visits, v)
			if budget != planner.Unlimited && len(visits) > budget {
				m.Fatalf("day %d: visit %d of a budget of %d", day, len(visits), budget)
			}
			m.UnderWay = append(m.UnderWay, v)
			if len(m.UnderWay) > m.Lag {
				m.Tell(day)
			}
			continue
		}
		if len(m.UnderWay) == 0 {
			return visits
		}
		m.Tell(day) // the outcome may make another page worth it
	}
}

func (m *Sim) HandBack(v planner.Visit) {
	m.Helper()
	before := m.Planner.Left()
	m.Planner.Return(v)
	if before != planner.Unlimited && m.Planner.Left() != before+1 {
		m.Fatalf("%s handed back: %d visits left, %d before", m.Graph.URL(v.Page), m.Planner.Left(),
			before)
	}
}

// Tell reports the outcome of the oldest visit under way to the planner.
func (m *Sim) Tell(day int) {
	m.Helper()
	v := m.UnderWay[0]
	m.UnderWay = m.UnderWay[1:]
	r := &m.Records[v.Page]
	o := m.World.Observe(r.URL, day)
	verdict := r.Apply(o, sitegraph.ChangeByBytes)
	if o.LinksKnown {
		for _, id := range m.Graph.SetLinks(v.Page, o.Links, nil) {
			m.Know(id)
			m.Pages.Remember(&m.Records[id])
			m.Planner.Found(id)
		}
		r = &m.Records[v.Page]
	}
	m.Planner.Observe(r, verdict)
	due, interval := m.Planner.Due(v.Page, o.Time)
	if !due.When.After(o.Time) || due.Reason.String() == "" || interval < 0 {
		m.Fatalf(
			"%s visited at %v: due at %v (%s), interval %v",
			r.URL,
			o.Time,
			due.When,
			due.Reason,
			interval,
		)
	}
	r.Due = due.When
	if interval > 0 {
		r.Interval = interval
	}
	m.Pages.Remember(r)
}

// Check checks a visit against the promises of the package.
func (m *Sim) Check(v planner.Visit) {
	url := m.Graph.URL(v.Page)
	if m.Round[v.Page] {
		m.Fatalf("%s is proposed twice in round %d", url, m.Pages.Round().Number)
	}
	m.Round[v.Page] = true
	if m.Options.Skip != nil && m.Options.Skip(v.Page) {
		m.Fatalf("%s is to be skipped and proposed", url)
	}
	state := m.Records[v.Page].State
	if v.First != (state == sitegraph.StateNew) || !v.First && state != sitegraph.StateAlive {
		m.Fatalf("%s is %v, and the visit is first: %v", url, state, v.First)
	}
	if wait := m.Pages.Round().End.Sub(m.Records[v.Page].Tried); m.Records[v.Page].Errors > 0 &&
		wait < planner.BackOff(m.Records[v.Page].Errors) {
		m.Fatalf("%s is proposed %v after failure %d", url, wait, m.Records[v.Page].Errors)
	}
	if !math.IsNaN(v.Probability) && !(v.Probability >= 0 && v.Probability <= 1) {
		m.Fatalf("%s: probability %g", url, v.Probability)
	}
	if v.First && !(math.IsNaN(v.Probability) && math.IsNaN(v.Value)) {
		m.Fatalf("%s: probability %g, value %g of a first visit", url, v.Probability, v.Value)
	}
	if m.Verify != nil {
		m.Verify(v)
	}
	if reason := v.Reason.String(); reason == "" || slices.Contains([]byte(reason), '%') {
		m.Fatalf("%s: reason %q", url, reason)
	}
	if v.First {
		m.FirstVisits++
	}
}

// Refetchable returns the pages that a policy could still propose in this round.
func (m *Sim) Refetchable() []sitegraph.PageID {
	var pages []sitegraph.PageID
	for p := range sitegraph.PageID(m.Pages.Count()) {
		if m.Pages.Refetchable(p) && (m.Options.Skip == nil || !m.Options.Skip(p)) {
			pages = append(pages, p)
		}
	}
	return pages
}

// URLs returns the addresses of visits.
func (m *Sim) URLs(visits []planner.Visit) []string {
	names := make([]string, len(visits))
	for i, v := range visits {
		names[i] = m.Graph.URL(v.Page)
	}
	return names
}
