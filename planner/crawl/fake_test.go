package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestMain collects garbage less often, since the tests spent a fifth of their time on it. The
// variable keeps loops of many servers from changing that.
func TestMain(m *testing.M) {
	os.Setenv("GOGC", "400")
	debug.SetGCPercent(400)
	m.Run()
}

var base = time.Date(2004, 3, 1, 0, 0, 0, 0, time.UTC)

// page is the answer of a fake web at one address.
type page struct {
	content       string
	links, frames []string
	outcome       sitegraph.Outcome // fetched if not set
	redirect      string
	canonical     string
	etag          string
	denied        sitegraph.Denial
}

// web is a fetcher that answers from memory.
type web struct {
	clock crawl.Clock
	// before, if set, is called before each answer. It takes time or fails.
	before func(ctx context.Context, r crawl.Request) error
	delay  time.Duration // least pause of a server

	mu      sync.Mutex
	pages   map[string]page
	fetched []string // addresses in the order in which visits began
}

func (w *web) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	w.mu.Lock()
	w.fetched = append(w.fetched, r.Record.URL)
	w.mu.Unlock()
	if w.before != nil {
		if err := w.before(ctx, r); err != nil {
			return sitegraph.Observation{}, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	o := sitegraph.Observation{URL: r.Record.URL, Time: w.clock.Now(),
		Outcome: sitegraph.OutcomeGone, Status: 404}
	if w.delay > 0 {
		o.NotBefore = o.Time.Add(w.delay)
	}
	p, ok := w.pages[r.Record.URL]
	switch {
	case !ok:
	case !p.denied.IsZero():
		o.Outcome, o.Status, o.Denied = sitegraph.OutcomeExcluded, 0, p.denied
	case p.redirect != "":
		o.Outcome, o.Status, o.RedirectTo = sitegraph.OutcomeRedirected, 301, p.redirect
	case p.outcome != sitegraph.OutcomeUnknown:
		o.Outcome, o.Status = p.outcome, 0
	default:
		o.Outcome, o.Status = sitegraph.OutcomeFetched, 200
		o.Digests.Bytes = sitegraph.DigestOf([]byte(p.content))
		o.Canonical, o.ETag = p.canonical, p.etag
		if p.canonical == r.Record.URL {
			o.Canonical = ""
		}
		o.Links, o.Frames, o.LinksKnown, o.FramesKnown = p.links, p.frames, true, true
	}
	return o, nil
}

// take returns the addresses fetched since the last call.
func (w *web) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	fetched := w.fetched
	w.fetched = nil
	return fetched
}

var errStore = errors.New("the disk is full")

// disk is a store that knows its state after a crash, and fails on demand.
type disk struct {
	*history.MemoryStore
	links   map[sitegraph.PageID][2][]sitegraph.PageID
	starts  []sitegraph.PageID
	durable *disk // state at the last commit; nil: none
	since   changes

	calls, failAt int // call that fails; 0: none
	failed        bool
	after         []string // calls after the failure
	advanced      []time.Time
}

// changes are those since the last commit. A commit copies only them, since copying all would take
// most of the time of tests with many pages.
type changes struct {
	saved, linked []sitegraph.PageID
	settings      []string
}

func newDisk() *disk {
	return &disk{MemoryStore: history.NewMemoryStore(),
		links: map[sitegraph.PageID][2][]sitegraph.PageID{}}
}

func (d *disk) clone() *disk {
	return &disk{MemoryStore: d.MemoryStore.Clone(), links: maps.Clone(d.links),
		starts: slices.Clone(d.starts)}
}

// crash returns the store as it is after a crash.
func (d *disk) crash() *disk {
	if d.durable == nil {
		return newDisk()
	}
	return d.durable.clone()
}

// restore builds graph and corpus from the store.
func (d *disk) restore() *planner.Pages {
	g := sitegraph.NewGraph()
	for _, r := range d.Records() {
		g.Add(r.URL)
	}
	for _, p := range d.starts {
		g.AddStart(g.URL(p))
	}
	for p, l := range d.links {
		g.SetLinkIDs(p, l[0], l[1])
	}
	c := planner.NewPages(g)
	for _, r := range d.Records() {
		c.Remember(&r)
	}
	return c
}

func (d *disk) step(name string) error {
	if d.failed {
		d.after = append(d.after, name)
		return nil
	}
	d.calls++
	if d.calls == d.failAt {
		d.failed = true
		return errStore
	}
	return nil
}

func (d *disk) Add(r *sitegraph.Record) error {
	d.since.saved = append(d.since.saved, r.Page)
	return errors.Join(d.step("Add"), d.MemoryStore.Add(r))
}

func (d *disk) Load(p sitegraph.PageID, r *sitegraph.Record) error {
	return errors.Join(d.step("Load"), d.MemoryStore.Load(p, r))
}

func (d *disk) Save(r *sitegraph.Record) error {
	d.since.saved = append(d.since.saved, r.Page)
	return errors.Join(d.step("Save"), d.MemoryStore.Save(r))
}

func (d *disk) SaveLinks(p sitegraph.PageID, links, frames []sitegraph.PageID) error {
	d.links[p] = [2][]sitegraph.PageID{links, frames}
	d.since.linked = append(d.since.linked, p)
	return d.step("SaveLinks")
}

func (d *disk) SaveStart(p sitegraph.PageID) error {
	if !slices.Contains(d.starts, p) {
		d.starts = append(d.starts, p)
	}
	return d.step("SaveStart")
}

func (d *disk) SaveSetting(name string, value []byte) error {
	d.since.settings = append(d.since.settings, name)
	return errors.Join(d.step("SaveSetting"), d.MemoryStore.SaveSetting(name, value))
}

func (d *disk) Setting(name string) ([]byte, bool, error) {
	value, ok, err := d.MemoryStore.Setting(name)
	return value, ok, errors.Join(d.step("Setting"), err)
}

func (d *disk) Commit() error {
	if err := d.step("Commit"); err != nil {
		return err // nothing became durable
	}
	if d.failed {
		return nil
	}
	err := d.keep()
	d.since = changes{}
	return err
}

// keep makes the changes since the last commit durable.
func (d *disk) keep() error {
	if d.durable == nil {
		d.durable = d.clone()
		return nil
	}
	for _, p := range d.since.saved {
		keep := d.durable.MemoryStore.Save
		if int(p) == len(d.durable.Records()) {
			keep = d.durable.MemoryStore.Add
		}
		if err := keep(&d.Records()[p]); err != nil {
			return err
		}
	}
	for _, p := range d.since.linked {
		d.durable.links[p] = d.links[p]
	}
	for _, name := range d.since.settings {
		value, _, err := d.MemoryStore.Setting(name)
		if err := errors.Join(err, d.durable.MemoryStore.SaveSetting(name, value)); err != nil {
			return err
		}
	}
	d.durable.starts = slices.Clone(d.starts)
	return nil
}

func (d *disk) Advance(now time.Time, again func(*sitegraph.Record)) error {
	d.advanced = append(d.advanced, now)
	if err := d.step("Advance"); err != nil {
		return err
	}
	for _, r := range d.Records() {
		if r.Due.After(now) {
			continue
		}
		if again(&r); !r.Due.After(now) {
			return fmt.Errorf("%s is due at %v, not after %v", r.URL, r.Due, now)
		}
		d.since.saved = append(d.since.saved, r.Page)
		if err := d.MemoryStore.Save(&r); err != nil {
			return err
		}
	}
	return nil
}

// rig is a loop over a fake web, with everything that tests check.
type rig struct {
	*testing.T
	web    *web
	disk   *disk
	clock  crawl.Clock
	pages  *planner.Pages
	plan   *planner.Planner
	loop   *crawl.Loop
	seen   []string // verdicts and addresses in order of outcomes
	acked  []crawl.Event
	found  []string
	number int // of the last round
}

// newRig returns a loop on a store, like a program does at its start. o sets Workers, MaxHops and
// CommitEvery.
func newRig(t *testing.T, w *web, d *disk, name string, o crawl.Options) *rig {
	t.Helper()
	m := &rig{T: t, web: w, disk: d, clock: w.clock, pages: d.restore()}
	p, err := policy.New(name, policy.Settings{Pages: m.pages, Mode: planner.Stream, Seed: 1,
		PerDay: 100})
	if err != nil {
		t.Fatal(err)
	}
	m.plan = planner.New(m.pages, p, planner.Options{NewShare: 1})
	o.Planner, o.Fetcher, o.Store, o.Clock, o.Discover = m.plan, w, d, w.clock, true
	o.Seen = func(e *crawl.Event) {
		m.seen = append(m.seen, fmt.Sprint(e.Verdict, " ", e.Record.URL))
	}
	o.Found = func(p sitegraph.PageID) { m.found = append(m.found, m.pages.Graph.URL(p)) }
	o.Acknowledged = m.acknowledged
	m.loop = crawl.New(o)
	return m
}

// acknowledged checks guarantee 1: acknowledged events are durable, the newest of each page.
func (m *rig) acknowledged(events []crawl.Event) {
	m.Helper()
	if len(events) == 0 {
		m.Error("nothing is acknowledged, and said so")
	}
	m.acked = append(m.acked, events...)
	if m.disk.failed {
		m.Errorf("%s is acknowledged after the store failed", events[0].Record.URL)
	}
	last := map[sitegraph.PageID]crawl.Event{}
	for _, e := range events {
		last[e.Record.Page] = e
	}
	for p, e := range last {
		m.checkDurable(m.disk.durable, p, &e.Record)
	}
}

func (m *rig) checkDurable(d *disk, p sitegraph.PageID, want *sitegraph.Record) {
	m.Helper()
	var r sitegraph.Record
	if d == nil || d.MemoryStore.Load(p, &r) != nil {
		m.Errorf("%s is acknowledged and not in the store", want.URL)
		return
	}
	if r.History != want.History || r.Tried != want.Tried || r.Digests != want.Digests {
		m.Errorf("%s is acknowledged as %+v, the store has %+v", want.URL, want, r)
	}
	for _, url := range m.web.pages[want.URL].links {
		if id, ok := m.pages.Graph.Lookup(url); want.State == sitegraph.StateAlive && ok &&
			!slices.Contains(d.links[p][0], id) {
			m.Errorf("%s is acknowledged without its link to %s", want.URL, url)
		}
	}
}

// day makes a round of one day and moves the virtual clock to its end.
func (m *rig) day(budget int) []string {
	m.Helper()
	if err := m.tryDay(context.Background(), budget); err != nil {
		m.Fatal(err)
	}
	return m.web.take()
}

func (m *rig) tryDay(ctx context.Context, budget int) error {
	return m.tryRound(ctx, 24*time.Hour, budget)
}

func (m *rig) tryRound(ctx context.Context, length time.Duration, budget int) error {
	m.number++
	start := m.clock.Now()
	r := planner.Round{Number: m.number, Start: start.Add(-time.Nanosecond), End: start.Add(length),
		Budget: budget}
	if err := m.loop.Round(ctx, r); err != nil {
		return err
	}
	return m.clock.SleepUntil(ctx, r.End)
}

// rounds makes n rounds of the same length and budget.
func (m *rig) rounds(n int, length time.Duration, budget int) {
	m.Helper()
	for range n {
		if err := m.tryRound(context.Background(), length, budget); err != nil {
			m.Fatal(err)
		}
	}
}

func (m *rig) seed(urls ...string) {
	m.Helper()
	if err := m.loop.Seed(urls...); err != nil {
		m.Fatal(err)
	}
}

// newWeb returns a web under a virtual clock. Site names make pages http://NAME/PATH.
func newWeb(pages map[string]page) *web {
	return &web{clock: crawl.NewVirtualClock(base), pages: pages}
}

// farm returns servers with perServer pages each, all linked from the start page, and the start
// pages.
func farm(servers, perServer int) (pages map[string]page, starts []string) {
	pages = map[string]page{}
	for s := range servers {
		start := fmt.Sprintf("http://s%d.example/", s)
		p := page{content: start}
		for i := range perServer - 1 {
			url := fmt.Sprintf("%sp%d", start, i)
			p.links = append(p.links, url)
			pages[url] = page{content: url}
		}
		pages[start] = p
		starts = append(starts, start)
	}
	return pages, starts
}

// needsNoRace skips a test in short runs, such as those under the race detector, which is ten times
// as slow. The test makes thousands of visits, and shorter tests start the same goroutines.
func needsNoRace(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("has thousands of visits, and no goroutines that shorter tests have not")
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }
