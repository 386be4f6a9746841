package crawl_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// libraryWeb has pages with different change rates, sections that are rebuilt at once, and new
// pages. The content of an address depends on address and time alone.
type libraryWeb struct {
	clock   crawl.Clock
	servers int
	fetched []string
	visits  int
	dies    int // number of the visit at which the process dies; 0: none
}

const (
	librarySections = 4
	libraryPages    = 12 // of a section at its start; one more every three days
)

func chance(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	x := h.Sum64()
	x ^= x >> 31
	x *= 0x94d049bb133111eb
	return x ^ x>>29
}

// libraryEvery returns the days between two changes of a page.
func libraryEvery(url string) int { return 1 + int(chance(url)>>8)%40 }

func (w *libraryWeb) Fetch(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
	if w.visits++; w.visits == w.dies {
		panic(crashed{})
	}
	w.fetched = append(w.fetched, fmt.Sprint(r.Record.State == sitegraph.StateNew, " ",
		r.Record.URL))
	now := w.clock.Now()
	o := sitegraph.Observation{URL: r.Record.URL, Time: now, Outcome: sitegraph.OutcomeFetched,
		Status: 200, LinksKnown: true, FramesKnown: true}
	day := int(now.Sub(base) / (24 * time.Hour))
	var server, section, page int
	root := fmt.Sprintf("http://s%%d.example/")
	version := ""
	if site, ok := strings.CutSuffix(r.Record.URL, "sitemap.xml"); ok { // true, of one section
		o.Source = sitegraph.SourceSitemap
		for p := range libraryPages + day/3 {
			url := fmt.Sprintf("%sc1/p%d", site, p)
			every := libraryEvery(url)
			changed := (day+int(chance(url)>>20)%every)/every*every - int(chance(url)>>20)%every
			o.Claims = append(o.Claims,
				sitegraph.Claim{URL: url,
					Modified: base.Add(time.Duration(changed) * 24 * time.Hour)})
		}
		o.Digests.Bytes = sitegraph.DigestOf(fmt.Append(nil, o.Claims))
		return o, nil
	}
	switch n, _ := fmt.Sscanf(r.Record.URL, root+"c%d/p%d", &server, &section, &page); n {
	case 1:
		base := fmt.Sprintf(root, server)
		o.Sources = []string{base + "sitemap.xml"}
		for c := range librarySections {
			for p := range libraryPages + day/3 {
				o.Links = append(o.Links, fmt.Sprintf("%sc%d/p%d", base, c, p))
			}
		}
		version = fmt.Sprint(day / 3)
	case 3:
		own := chance(r.Record.URL)
		if own%9 == 0 {
			o.Outcome, o.Status, o.LinksKnown, o.FramesKnown = sitegraph.OutcomeGone, 404, false,
				false
			return o, nil
		}
		if chance(fmt.Sprint(r.Record.URL, day))%17 == 0 {
			o.Outcome, o.Status, o.LinksKnown, o.FramesKnown = sitegraph.OutcomeFailed, 503, false,
				false
			return o, nil
		}
		every := libraryEvery(r.Record.URL)
		rebuilt := (day + int(chance(fmt.Sprint(server, section))%30)) / 30
		version = fmt.Sprint((day+int(own>>20)%every)/every, rebuilt)
	default:
		o.Outcome, o.Status, o.LinksKnown, o.FramesKnown = sitegraph.OutcomeGone, 404, false, false
		return o, nil
	}
	o.Digests.Bytes = sitegraph.DigestOf([]byte(r.Record.URL + version))
	return o, nil
}

// restarting is a crawl of a library with a round a day, whose planner is rebuilt from the store
// after some rounds.
type restarting struct {
	*testing.T
	name     string
	days     int
	budget   int
	o        planner.Options // in addition to those of run
	restarts []int
	sameDay  bool // a new process begins in the finished round
	// dies is the number of the visit at which the process dies; 0: none.
	dies int

	disk   *disk
	web    *libraryWeb
	rounds [][]string
	died   bool
}

func (c *restarting) build(m *rig) func() (*planner.Planner, error) {
	return func() (*planner.Planner, error) {
		m.pages = c.disk.restore()
		p, err := policy.New(c.name, policy.Settings{Pages: m.pages, Mode: planner.Stream,
			Seed: 1, PerDay: float64(c.budget), GoneWorth: 0.3})
		o := c.o
		o.Name, o.NewShare, o.SourceShare, o.AgainShare = c.name, 0.25, 0.1, 0.05
		o.Leftover, o.LeastRefetch, o.Turns = true, planner.FirstWorth, true
		return planner.New(m.pages, p, o), err
	}
}

// crawl returns the visits of each round.
func (c *restarting) crawl() [][]string {
	c.Helper()
	clock := crawl.NewVirtualClock(base)
	c.disk, c.web, c.rounds = newDisk(), &libraryWeb{clock: clock, servers: 3}, nil
	for len(c.rounds) < c.days {
		m := &rig{T: c.T, disk: c.disk, clock: clock}
		var why, err error
		if m.plan, why, err = crawl.RecallAll(c.disk, c.build(m)); err != nil || why != nil {
			c.Fatal(why, err)
		}
		m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: c.web, Store: c.disk,
			Clock: clock, Discover: true, Proof: true, Forecast: true, CommitEvery: 7})
		if len(c.rounds) == 0 && !c.died {
			m.seed(startsOf("s", c.web.servers)...)
		}
		until := c.days
		for _, r := range c.restarts {
			if r > len(c.rounds) {
				until = min(until, r)
			}
		}
		c.process(m, until)
		c.disk = c.disk.crash()
		if !c.sameDay && !c.died {
			clock.SleepUntil(context.Background(),
				base.Add(time.Duration(len(c.rounds))*24*time.Hour))
		}
	}
	return c.rounds
}

// process runs until a given round, or until it dies.
func (c *restarting) process(m *rig, until int) {
	c.Helper()
	defer func() {
		if thrown := recover(); thrown == (crashed{}) {
			c.died, c.dies, c.web.dies = true, 0, 0
		} else if thrown != nil {
			panic(thrown)
		}
	}()
	c.web.dies = c.dies
	last := -1
	err := m.loop.Run(context.Background(), float64(c.budget), 24*time.Hour,
		func(r planner.Round) bool {
			resumed := c.sameDay && last < 0 && len(c.rounds) > 0
			if last = r.Number; !resumed {
				c.rounds = append(c.rounds, c.web.fetched)
			}
			c.web.fetched = nil
			return len(c.rounds) < until
		})
	if err != nil {
		c.Fatal(err)
	}
}

// sameRounds compares the visits of two crawls, page by page.
func sameRounds(t *testing.T, what string, want, got [][]string) {
	t.Helper()
	differ, all, first := 0, 0, -1
	for i := range want {
		all += len(want[i])
		if !slices.Equal(want[i], got[i]) {
			if first < 0 {
				first = i
			}
			for _, v := range want[i] {
				if !slices.Contains(got[i], v) {
					differ++
				}
			}
		}
	}
	if first >= 0 {
		t.Errorf("%s: from round %d on the visits differ; %d of %d were not made in their round",
			what, first, differ, all)
	}
}

// A planner that is rebuilt from the store after any round makes the same visits in the same order
// as one that is not, with every policy of run.
func TestRestartsChangeNothing(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	for _, name := range policy.Names() {
		if policy.Reference(name) {
			continue
		}
		days, restarts := 12, []int{4, 5, 9}
		if name == "sites" {
			days, restarts = 60, []int{1, 20, 35, 36, 50}
		}
		want := (&restarting{T: t, name: name, days: days, budget: 30}).crawl()
		sameRounds(t, name, want,
			(&restarting{T: t, name: name, days: days, budget: 30, restarts: restarts}).crawl())
		if !slices.ContainsFunc(slices.Concat(want...), func(v string) bool {
			return strings.HasSuffix(v, "sitemap.xml")
		}) {
			t.Errorf("%s: no sitemap was read", name)
		}
		if name == "sites" {
			same := &restarting{T: t, name: name, days: days, budget: 30, restarts: restarts,
				sameDay: true}
			sameRounds(t, "a process that begins in a round that is over", want, same.crawl())
		}
	}
}

// The same holds if servers have budgets and copies a greatest age.
func TestRestartsUnderLimits(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	limit, _ := budget.ParseServerLimit("12/day")
	ages, _ := preferences.ParseMaxAges([]string{"20d", "http://s0.example/c0/=4d"})
	of := budget.Limits{Servers: []budget.ServerLimit{limit}}
	for _, name := range []string{"sites", "breadth-first"} {
		for what, o := range map[string]planner.Options{"a budget for each server": {Limits: of},
			"a greatest age": {MaxAges: ages}} {
			c := restarting{T: t, name: name, days: 30, budget: 40, o: o}
			whole := c
			c.restarts = []int{3, 11, 20}
			sameRounds(t, name+", "+what, whole.crawl(), c.crawl())
		}
	}
	c := restarting{T: t, name: "sites", days: 50, budget: 200}
	whole := c
	c.restarts = []int{10, 30, 42}
	sameRounds(t, "much budget", whole.crawl(), c.crawl())
}

// A process that dies within a round loses no page. Its policy learns from the durable visits after
// its memory was saved.
func TestDeathWithinARound(t *testing.T) {
	c := restarting{T: t, name: "sites", days: 40, budget: 30, dies: 30*20 + 17}
	c.crawl()
	if !c.died {
		t.Fatal("it did not die")
	}
	m := &rig{T: t}
	plan, why, err := crawl.RecallAll(c.disk, c.build(m))
	if err != nil || why != nil {
		t.Fatal(why, err)
	}
	known := map[string]bool{}
	for _, r := range c.disk.Records() {
		// some pages have lost all links
		if r.State == sitegraph.StateNew && r.Errors == 0 && r.Tried.IsZero() &&
			m.pages.Reached(r.Page) {
			known[r.URL] = true
		}
	}
	plan.Begin(planner.Round{Number: 1000, Start: base.Add(45 * planner.Day),
		End: base.Add(46 * planner.Day), Budget: 10000})
	for v, ok := plan.Next(); ok; v, ok = plan.Next() {
		delete(known, m.pages.Graph.URL(v.Page))
	}
	if len(known) > 0 {
		t.Errorf("%d new pages are in no line: %v", len(known), known)
	}
}

// Memory is ignored if it is damaged, or of another policy, other settings or another version. The
// policy then begins with its lessons alone, and all pages are there.
func TestMemoryThatIsOfNoUse(t *testing.T) {
	c := restarting{T: t, name: "sites", days: 20, budget: 30}
	c.crawl()
	const head, piece = "policy/memory", "policy/memory/0"
	setting := func(name string) []byte {
		value, ok, err := c.disk.Setting(name)
		if err != nil || !ok {
			t.Fatalf("%s is not kept: %v", name, err)
		}
		return bytes.Clone(value)
	}
	wants, err := c.recalled(t, nil).Policy.(planner.Learner).Learnt()
	if err != nil {
		t.Fatal(err)
	}
	whole := c.disk.clone()
	for what, spoil := range map[string]func() string{
		"a byte is wrong": func() string {
			value := setting(piece)
			value[len(value)/2] ^= 1
			c.disk.SaveSetting(piece, value)
			return "read the memory of the planner" // broken coding or sum
		},
		"it is cut": func() string {
			value := setting(piece)
			c.disk.SaveSetting(piece, value[:100])
			return "piece"
		},
		"its head is no JSON": func() string {
			c.disk.SaveSetting(head, []byte("x"))
			return "invalid character"
		},
		"of another version": func() string { c.spoilForm(t, head, piece); return "" },
		"other settings": func() string {
			c.o.MaxAges, _ = preferences.ParseMaxAges([]string{"30d"})
			return ""
		},
	} {
		c.disk, c.o = whole.clone(), planner.Options{}
		message := spoil()
		var why error
		plan := c.recalled(t, &why)
		if got := fmt.Sprint(why); message != "" && !strings.Contains(got, message) ||
			message == "" && why != nil {
			t.Errorf("%s: %v, want %q", what, why, message)
		}
		if _, ok := plan.Before(); ok {
			t.Errorf("%s: memory was taken in", what)
		}
		if got, err := plan.Policy.(planner.Learner).Learnt(); err != nil ||
			!bytes.Equal(got, wants) {
			t.Errorf("%s: what was learnt is\n%s, was\n%s (%v)", what, got, wants, err)
		}
		if plan.Pages.Count() != len(c.disk.Records()) {
			t.Errorf("%s: %d pages of %d", what, plan.Pages.Count(), len(c.disk.Records()))
		}
	}
	c.disk, c.o, c.name = whole.clone(), planner.Options{}, "ebayes"
	if _, ok := c.recalled(t, nil).Before(); ok {
		t.Error("memory of another policy was taken in")
	}
}

// recalled returns a planner of the store as it is.
func (c *restarting) recalled(t *testing.T, why *error) *planner.Planner {
	t.Helper()
	plan, warning, err := crawl.RecallAll(c.disk, c.build(&rig{T: t}))
	if err != nil || why == nil && warning != nil {
		t.Fatal(warning, err)
	}
	if why != nil {
		*why = warning
	}
	return plan
}

// spoilForm changes the first bytes of memory, which hold its form, and corrects its sum.
func (c *restarting) spoilForm(t *testing.T, head, piece string) {
	t.Helper()
	var of struct {
		Bytes  int    `json:"bytes"`
		Sum    []byte `json:"sum"`
		Learnt []byte `json:"learnt"`
		Packed string `json:"packed"`
	}
	unpacked := func(name string) []byte {
		value, _, _ := c.disk.Setting(name)
		plain, err := s2.Decode(nil, value)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return plain
	}
	value, _, _ := c.disk.Setting(head)
	if err := json.Unmarshal(value, &of); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for i := 0; len(all) < of.Bytes; i++ {
		all = append(all, unpacked(fmt.Sprintf("%s/%d", head, i))...)
	}
	all[0] ^= 1
	sum := sha256.Sum256(all)
	of.Sum = sum[:]
	plain := unpacked(piece)
	plain[0] ^= 1
	c.disk.SaveSetting(piece, s2.Encode(nil, plain))
	value, _ = json.Marshal(of)
	c.disk.SaveSetting(head, value)
}
