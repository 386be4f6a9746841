package view

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Server is one server.
type Server struct {
	ServerRow
	Finding  string       `json:"finding"`
	Starts   []string     `json:"start_pages"`
	Standing *StandingNow `json:"standing"` // null: there is no loop
	Feasible *Feasible    `json:"feasible"` // null: there is no loop

	known int // pages, feeds and sitemaps
}

// Quick reports whether one look copies all pages of the server.
func (s *Server) Quick() bool { return s.known <= copyPages }

// StandingNow is crawl.Standing.
type StandingNow struct {
	Address   string     `json:"address"`
	UnderWay  bool       `json:"under_way"`
	Chosen    int        `json:"chosen"`
	NotBefore *time.Time `json:"not_before"` // null: the server may be asked now
	Pause     float64    `json:"pause_seconds"`
	Slowdown  int        `json:"slowdown"` // number of times that failures doubled the pause
}

// Feasible says whether all wanted visits to a server can be made, as schedule report does.
type Feasible struct {
	Class  string  `json:"class"`
	OK     bool    `json:"ok"`
	Wanted float64 `json:"wanted_per_day"` // visits
	Lost   float64 `json:"lost_per_day"`   // of these, those that cannot be made
	Mean   float64 `json:"mean_download_seconds"`
	Max    float64 `json:"longest_download_seconds"`
	Least  float64 `json:"least_pause_seconds"`
	Cures  []Cure  `json:"cures"` // alternatives
}

// Says returns in a sentence whether the pages of the server can be visited as often as they
// change.
func (f *Feasible) Says() string {
	wanted := words.Significant(f.Wanted, 3)
	switch {
	case f.OK:
		return "It can be visited as often as its pages change."
	case f.Lost == 0:
		return "It can be visited " + wanted + " times a day, as its changes need, but some visits " +
			"will be late."
	}
	return fmt.Sprintf("Of the %s visits a day that its changes need, %s cannot be made.", wanted,
		words.Significant(f.Lost, 3))
}

// Cure is one change that would let the interval of a server be kept.
type Cure struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// Server looks at a server, by host[:port] or an address on it. It is ErrUnknown if the server is
// unknown.
func (d *Desk) Server(ctx context.Context, name string) (*Server, error) {
	name = eval.ServerOf(strings.TrimSpace(name))
	s := &Server{ServerRow: ServerRow{Name: name}, Starts: []string{}}
	var demand *schedule.Demand
	known := false
	err := d.do(ctx, func() {
		c := d.o.Planner.Pages
		id, ok := c.Graph.LookupServer(name)
		if known = ok; !ok {
			return
		}
		for _, p := range c.Graph.StartPages(id)[:min(len(c.Graph.StartPages(id)), 20)] {
			s.Starts = append(s.Starts, strings.Clone(c.Graph.URL(p)))
		}
		s.known = len(c.Graph.ServerPages(id))
		if l := d.loop.Load(); l != nil {
			of, wanted := l.Standing(id), l.Demand(id, demandPages)
			s.Standing, demand = standingOf(of), &wanted
		}
	})
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, fmt.Errorf("server %q is %w", name, ErrUnknown)
	}
	list := d.survey.Load().Servers
	if i := slices.IndexFunc(list, func(r ServerRow) bool { return r.Name == name }); i >= 0 {
		s.ServerRow = list[i]
	}
	s.Resting = d.o.Rules.restsNamed(name)
	if demand != nil {
		s.Feasible = feasibleOf(demand, d.o.Workers)
	}
	s.Finding = s.finding()
	return s, nil
}

func standingOf(s crawl.Standing) *StandingNow {
	n := &StandingNow{Address: s.Address, UnderWay: s.UnderWay, Chosen: s.Chosen,
		Pause: s.Pause.Seconds(), Slowdown: s.Slowdown}
	if s.NotBefore.After(time.Now()) {
		t := s.NotBefore.UTC()
		n.NotBefore = &t
	}
	return n
}

func feasibleOf(d *schedule.Demand, workers int) *Feasible {
	v := &schedule.Classify([]schedule.Demand{*d}, workers).Verdicts[0]
	f := &Feasible{Class: v.Class.String(), OK: !v.Class.Infeasible(), Wanted: v.Wanted,
		Lost: v.Lost,
		Mean: d.Times.Mean.Seconds(), Max: d.Times.Max.Seconds(), Least: d.Least.Seconds(),
		Cures: []Cure{}}
	for _, c := range schedule.Cures(d, v, 0) {
		f.Cures = append(f.Cures, Cure{c.What, c.Value, c.Unit})
	}
	return f
}

func (s *Server) finding() string {
	text := fmt.Sprintf("%s known, %s", Counted(s.Pages, "page"), Counted(s.Alive, "copy"))
	if s.Fresh != nil {
		text += fmt.Sprintf(", about %.0f %% of them up to date", 100**s.Fresh)
	}
	text += "."
	switch {
	case s.Resting:
		text += " It is paused: none of its pages is visited."
	case s.Feasible != nil && s.Feasible.Wanted > 0:
		text += " " + s.Feasible.Says()
	}
	return text
}

// serverCopy is a copy of a server at a time, with its pages in the order in which they became
// known.
type serverCopy struct {
	name   string
	of     int // pages of the server; more than the copy has if the server is large
	at     time.Time
	graph  *sitegraph.Graph // graph of this server alone; its pages are numbered from 0
	corpus *planner.Pages
	pages  []sitegraph.PageID // numbers of the pages in the planner
	first  bool               // the copy has the pages that became known first
	weight []float64
	depth  []int
}

const (
	copyPages = 2000
	// copyMost bounds the copied pages of a server: 25 looks, and 25 MB as long as the copy is
	// kept.
	copyMost = 50_000
	// demandPages bounds the pages on which a demand rests: some milliseconds, also in cold memory.
	demandPages = 2_000
	copiesKept  = 4
	copyHolds   = 20 * time.Second
)

// copies keeps the copies of the servers of the last questions.
type copies struct {
	mu   sync.Mutex
	kept []*serverCopy // the newest first
}

// anyPage asks for the pages that became known first, and not for the neighbours of a page.
const anyPage = ^sitegraph.PageID(0)

// copyOf copies a server unless there is a recent copy. Of a server with more than most pages it
// copies the start pages, and the pages that became known about when a page did.
func (d *Desk) copyOf(ctx context.Context, name string, most int, about sitegraph.PageID) (
	*serverCopy, error) {
	d.copies.mu.Lock()
	defer d.copies.mu.Unlock() // one copy at a time
	d.copies.kept = slices.DeleteFunc(d.copies.kept, func(c *serverCopy) bool {
		return time.Since(c.at) > copyHolds
	})
	for _, c := range d.copies.kept {
		_, has := slices.BinarySearch(c.pages, about)
		if c.name == name &&
			(len(c.pages) == c.of || most < c.of && (has || about == anyPage && c.first)) {
			return c, nil
		}
	}
	c, err := d.copyServer(ctx, name, most, about)
	if err != nil {
		return nil, err
	}
	d.copies.kept = append([]*serverCopy{c}, d.copies.kept...)
	d.copies.kept = d.copies.kept[:min(len(d.copies.kept), copiesKept)]
	return c, nil
}

// chosenOf returns the pages of a server to copy, in the order in which they became known, and the
// number of all.
func chosenOf(g *sitegraph.Graph, id sitegraph.ServerID, known, most int, about sitegraph.PageID) (
	chosen []sitegraph.PageID, of int) {
	pages := g.ServerPages(id)
	for len(pages) > 0 && int(pages[len(pages)-1]) >= known { // the page became known a moment ago
		pages = pages[:len(pages)-1]
	}
	if len(pages) <= most {
		return slices.Clone(pages), len(pages)
	}
	from := 0
	if about != anyPage {
		at, _ := slices.BinarySearch(pages, about)
		from = min(max(at-most/2, 0), len(pages)-most)
	}
	chosen = slices.Clone(pages[from : from+most])
	starts := g.StartPages(id)
	for _, p := range starts[:min(len(starts), most)] {
		if int(p) < known {
			chosen = append(chosen, p)
		}
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), len(pages)
}

// pageCopy is the copy of a page.
type pageCopy struct {
	url           string
	links, frames []sitegraph.PageID
	start         bool
	memory        planner.Memory
	weight        float64
	depth         int
}

func (d *Desk) copyServer(ctx context.Context, name string, most int, about sitegraph.PageID) (
	*serverCopy, error) {
	c := &serverCopy{name: name, at: time.Now(), first: about == anyPage}
	var all []pageCopy
	for known := false; !known || len(all) < len(c.pages); {
		err := d.do(ctx, func() {
			corpus := d.o.Planner.Pages
			g := corpus.Graph
			if !known {
				id, ok := g.LookupServer(name)
				if !ok {
					return
				}
				known = true
				c.pages, c.of = chosenOf(g, id, corpus.Count(), most, about)
				all = make([]pageCopy, 0, len(c.pages))
			}
			for _, p := range c.pages[len(all):min(len(all)+copyPages, len(c.pages))] {
				all = append(all, pageCopy{strings.Clone(g.URL(p)), slices.Clone(g.Links(p)),
					slices.Clone(g.Frames(p)), false,
					*corpus.Memory(p), corpus.Weight(p), g.Depth(p)})
			}
			if len(all) == len(c.pages) {
				id, _ := g.LookupServer(name)
				for _, p := range g.StartPages(id) {
					if i, ok := slices.BinarySearch(c.pages, p); ok {
						all[i].start = true
					}
				}
			}
		})
		if err != nil {
			return nil, err
		}
		if !known {
			return nil, fmt.Errorf("server %q is %w", name, ErrUnknown)
		}
	}
	c.build(all)
	return c, nil
}

// build makes graph and corpus of the pages.
func (c *serverCopy) build(all []pageCopy) {
	c.graph = sitegraph.NewGraph()
	for i := range all {
		if all[i].start {
			c.graph.AddStart(all[i].url)
		} else {
			c.graph.Add(all[i].url)
		}
		c.weight, c.depth = append(c.weight, all[i].weight), append(c.depth, all[i].depth)
	}
	own := func(list []sitegraph.PageID) (mine []sitegraph.PageID) {
		for _, p := range list {
			if i, ok := slices.BinarySearch(c.pages, p); ok {
				mine = append(mine, sitegraph.PageID(i))
			}
		}
		return mine
	}
	for i := range all {
		if len(all[i].links) > 0 {
			c.graph.SetLinkIDs(sitegraph.PageID(i), own(all[i].links), own(all[i].frames))
		}
	}
	c.graph.Refresh()
	c.corpus = planner.NewPages(c.graph)
	for i := range all {
		c.corpus.Remember(recordOf(sitegraph.PageID(i), all[i].url, &all[i].memory))
	}
}

// recordOf returns the part of a record that the planner has in memory.
func recordOf(p sitegraph.PageID, url string, m *planner.Memory) *sitegraph.Record {
	r := &sitegraph.Record{Page: p, URL: url, State: m.State, Errors: m.Errors, History: m.History,
		Due:      m.DueTime(),
		Interval: time.Duration(float64(m.Interval) * float64(24*time.Hour))}
	if m.Tried > 0 {
		r.Tried = time.Unix(int64(m.Tried), 0).UTC()
	}
	return r
}

// Sites divides a server by a method of sitegraph.PartitionMethods. A server with very many pages
// takes up to half a minute. Sites returns ErrUnknown for an unknown server.
func (d *Desk) Sites(ctx context.Context, server, method string) (*eval.Division, error) {
	v, _, err := d.sites(ctx, server, method, math.MaxInt)
	return v, err
}

// SitesShown divides the pages of a server that people are shown. left is the number of the others.
func (d *Desk) SitesShown(ctx context.Context, server, method string) (
	v *eval.Division, left int, err error) {
	return d.sites(ctx, server, method, copyMost)
}

func (d *Desk) sites(ctx context.Context, server, method string, most int) (
	*eval.Division, int, error) {
	c, err := d.copyOf(ctx, eval.ServerOf(strings.TrimSpace(server)), most, anyPage)
	if err != nil {
		return nil, 0, err
	}
	of, err := eval.KnownServer(c.corpus, c.name)
	if err != nil {
		return nil, 0, err
	}
	return eval.Divide(of, method), c.of - len(c.pages), nil
}

// Signal says how the changes of the top page of a site go with changes of its members. It compares
// the weeks of members in which the top changed with those in which a visit found the top
// unchanged.
type Signal struct {
	Top     string `json:"top"`
	Members int    `json:"members"` // members with a copy
	// Weeks of members in which the top changed, and in which it did not. The shares are those of
	// the weeks in which the member changed.
	WithWeeks    int     `json:"top_changed_weeks"`
	With         float64 `json:"top_changed"`
	WithoutWeeks int     `json:"top_unchanged_weeks"`
	Without      float64 `json:"top_unchanged"`
	Finding      string  `json:"finding"`
}

// signalSites bounds the sites whose signals are shown.
const signalSites = 50

// leastWeeks is the smallest number of weeks of members on which a signal rests.
const leastWeeks = 20

// Signals returns the signals of the largest sites of a server, by directories.
func (d *Desk) Signals(ctx context.Context, server string) ([]Signal, error) {
	c, err := d.copyOf(ctx, eval.ServerOf(strings.TrimSpace(server)), copyMost, anyPage)
	if err != nil {
		return nil, err
	}
	id, ok := c.graph.LookupServer(c.name)
	if !ok {
		return []Signal{}, nil
	}
	parts := c.graph.PartitionA(id, func(p sitegraph.PageID) bool {
		return c.corpus.Memory(p).State == sitegraph.StateAlive
	}).Sites
	slices.SortStableFunc(parts, func(a, b sitegraph.Site) int {
		return cmp.Compare(len(b.Members), len(a.Members))
	})
	list := []Signal{}
	for _, part := range parts[:min(len(parts), signalSites)] {
		if len(part.Members) == 0 {
			break
		}
		list = append(list, c.signal(part))
	}
	return list, nil
}

func (c *serverCopy) signal(part sitegraph.Site) Signal {
	top := part.Tops[0]
	s := Signal{Top: c.graph.URL(top), Members: len(part.Members)}
	of := c.corpus.Memory(top).History
	week := sitegraph.Week(of.Last)
	for _, p := range part.Members {
		week = max(week, sitegraph.Week(c.corpus.Memory(p).History.Last))
	}
	seen, changed := of.WeeksBefore(week)
	with, without := 0, 0
	for _, p := range part.Members {
		h := c.corpus.Memory(p).History
		mSeen, mChanged := h.WeeksBefore(week)
		s.WithWeeks += bits.OnesCount32(mSeen & seen & changed)
		with += bits.OnesCount32(mChanged & mSeen & seen & changed)
		s.WithoutWeeks += bits.OnesCount32(mSeen & seen &^ changed)
		without += bits.OnesCount32(mChanged & mSeen & seen &^ changed)
	}
	if s.WithWeeks > 0 {
		s.With = float64(with) / float64(s.WithWeeks)
	}
	if s.WithoutWeeks > 0 {
		s.Without = float64(without) / float64(s.WithoutWeeks)
	}
	s.Finding = s.finding()
	return s
}

func (s *Signal) finding() string {
	switch {
	case s.WithWeeks < leastWeeks || s.WithoutWeeks < leastWeeks:
		return "not enough was seen yet"
	case s.With == 0 && s.Without == 0:
		return "no member changed"
	case s.Without == 0 || s.With/s.Without > 1.5:
		if s.Without == 0 {
			return "members change only in weeks in which it changes"
		}
		return fmt.Sprintf("members change %.1f times as often in weeks in which it changes",
			s.With/s.Without)
	case s.With/s.Without < 0.67:
		return "members change less often when it does"
	}
	return "its changes say almost nothing about those of its members"
}

// PageRow is a page in a list.
type PageRow struct {
	URL       string     `json:"url"`
	State     string     `json:"state"`
	Depth     int        `json:"depth"` // 0: no start page leads to it
	Visits    int        `json:"visits"`
	Changes   int        `json:"changes"`
	Failures  int        `json:"failures"` // failures in a row
	LastVisit *time.Time `json:"last_visit"`
	Due       *time.Time `json:"due"`
	Weight    float64    `json:"weight"`
}

// PageColumns are the columns by which a list of pages can be sorted.
var PageColumns = []string{"url", "state", "depth", "visits", "changes", "failures", "last_visit",
	"due"}

// PageList is a part of the list of pages of a server.
type PageList struct {
	Server string `json:"server"`
	Known  int    `json:"known"`
	// Looked is how many of these were searched: those that became known first.
	Looked int       `json:"looked"`
	Found  int       `json:"found"`
	Offset int       `json:"offset"`
	Pages  []PageRow `json:"pages"`
}

// Pages lists the pages of a server whose address contains search, sorted by one of PageColumns. On
// a large server it searches the pages that became known first.
func (d *Desk) Pages(ctx context.Context, server, search, column string, descending bool, offset,
	limit int) (*PageList, error) {
	c, err := d.copyOf(ctx, eval.ServerOf(strings.TrimSpace(server)), copyMost, anyPage)
	if err != nil {
		return nil, err
	}
	search = strings.ToLower(strings.TrimSpace(search))
	list := &PageList{Server: c.name, Known: c.of, Looked: len(c.pages), Offset: max(offset, 0),
		Pages: []PageRow{}}
	var rows []sitegraph.PageID
	for p := range sitegraph.PageID(len(c.pages)) {
		if search == "" || strings.Contains(strings.ToLower(c.graph.URL(p)), search) {
			rows = append(rows, p)
		}
	}
	sign := 1
	if descending {
		sign = -1
	}
	slices.SortFunc(rows, func(a, b sitegraph.PageID) int {
		return cmp.Or(sign*c.comparePages(a, b, column),
			strings.Compare(c.graph.URL(a), c.graph.URL(b)))
	})
	list.Found = len(rows)
	if limit <= 0 {
		limit = 50
	}
	limit = min(limit, 1000)
	for _, p := range rows[min(list.Offset, len(rows)):min(list.Offset+limit, len(rows))] {
		list.Pages = append(list.Pages, c.row(p))
	}
	return list, nil
}

func (c *serverCopy) row(p sitegraph.PageID) PageRow {
	m := c.corpus.Memory(p)
	r := PageRow{URL: c.graph.URL(p), State: m.State.String(), Depth: c.depth[p],
		Visits:  int(m.History.Visits),
		Changes: int(m.History.Changes), Failures: int(m.Errors), Weight: c.weight[p]}
	if m.Tried > 0 {
		t := time.Unix(int64(m.Tried), 0).UTC()
		r.LastVisit = &t
	}
	if due := m.DueTime(); !due.IsZero() {
		r.Due = &due
	}
	return r
}

func (c *serverCopy) comparePages(a, b sitegraph.PageID, column string) int {
	x, y := c.corpus.Memory(a), c.corpus.Memory(b)
	switch column {
	case "state":
		return cmp.Compare(x.State, y.State)
	case "depth":
		return cmp.Compare(c.depth[a], c.depth[b])
	case "visits":
		return cmp.Compare(x.History.Visits, y.History.Visits)
	case "changes":
		return cmp.Compare(x.History.Changes, y.History.Changes)
	case "failures":
		return cmp.Compare(x.Errors, y.Errors)
	case "last_visit":
		return cmp.Compare(x.Tried, y.Tried)
	case "due":
		return cmp.Compare(x.Due, y.Due)
	}
	return 0
}
