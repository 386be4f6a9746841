package watch_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// Requests of a check each three hours, and the share of them that the watch may use.
const (
	checkEvery = 3 * time.Hour
	part       = 0.1
)

// epoch is later than all dates in URLs of the sites: distant dates are taken for traps.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// mostMeasured limits the pages of a server, for a shorter run.
var mostMeasured = flag.Int("pages", 0,
	"TestMeasureOnSites: pages of a server that become known at most; 0: all")

// measured compares the messages of a watch with the changes of a web.
type measured struct {
	pages    int // with a copy
	requests int // after discovery, with robots.txt, feeds and sitemaps
	checks   int // requests of a check of these pages each three hours
	changes  int // of main text, after the first visit
	visible  int // those that a check each three hours sees, one each
	told     int // changes within the time and pages that a message names
	toldSeen int // of the visible ones
	messages int
	pagesOf  int // pages in messages of changes
	empty    int // messages without a change of main text in their time
	delays   []time.Duration
}

func (m *measured) String() string {
	return fmt.Sprintf("%d pages; %d requests, %.3f of a check each three hours; %d changes, "+
		"%.3f told; of %d that such a check sees, %.3f told; %d messages of %d changed pages, "+
		"%.3f without a change; median delay %v",
		m.pages, m.requests, float64(m.requests)/float64(m.checks), m.changes,
		float64(m.told)/float64(m.changes),
		m.visible, float64(m.toldSeen)/float64(m.visible), m.messages, m.pagesOf,
		float64(m.empty)/float64(max(m.messages, 1)), m.median())
}

func (m *measured) median() time.Duration {
	if len(m.delays) == 0 {
		return 0
	}
	slices.Sort(m.delays)
	return m.delays[len(m.delays)/2]
}

// inbox keeps messages.
type inbox struct{ messages []*watch.Message }

func (b *inbox) Send(_ context.Context, m *watch.Message) error {
	b.messages = append(b.messages, m)
	return nil
}

// visitor fetches from a web over HTTP, with the client and watch of recrawl run.
type visitor struct {
	*timetravel.World
	watch *watch.Watch
}

func (v visitor) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	v.watch.Fresh(&r.Record)
	return v.World.Fetch(ctx, r)
}

func (v visitor) Recall(url string, _ func(string) ([]byte, bool, error)) error {
	return v.watch.Recall(url)
}

func (v visitor) Keep(save func(name string, value []byte) error) error {
	return v.watch.Keep(save)
}

// measure watches a whole web for a number of weeks over HTTP, on a virtual clock, with hourly
// rounds. It discovers the servers first, as both methods must.
func measure(t *testing.T, web timetravel.Archive, weeks int) *measured {
	t.Helper()
	web = timetravel.Align(web, epoch)
	var rules strings.Builder
	rules.WriteString("contact: test@example.org\nrules:\n")
	var starts []string
	for i, server := range web.Servers() {
		starts = append(starts, "http://"+server+"/")
		for _, path := range web.Paths(server) { // parts without links from the rest
			if strings.Count(path, "/") == 2 && strings.HasSuffix(path, "/") &&
				web.Resource(server, path, epoch.Add(time.Hour)).Status == 200 {
				starts = append(starts, "http://"+server+path)
			}
		}
		fmt.Fprintf(&rules, "- {name: rule %d, prefix: \"http://%s/\", tell: changed, max-age: "+
			"4d, min-age: 3h, to: \"box://x\"}\n", i, server)
	}
	path := filepath.Join(t.TempDir(), "watch.yaml")
	if err := os.WriteFile(path, []byte(rules.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := watch.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	file.Focus()
	m := new(measured)
	clock := crawl.NewVirtualClock(epoch.Add(time.Second))
	world, err := timetravel.NewWorld(web, clock,
		timetravel.Visitor{UserAgent: "recrawl-watch/1.0 (+test@example.org)",
			Log: func(timetravel.Access) { m.requests++ }, Watch: file.Texts})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	store, err := satstore.Open(t.TempDir(), satstore.Options{Now: epoch})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	box := &inbox{}
	watched, err := watch.Open(watch.Options{File: file,
		Senders: map[string]watch.Sender{"box://x": box}, Setting: store.Setting})
	if err != nil {
		t.Fatal(err)
	}
	pages := planner.NewPages(sitegraph.NewGraph())
	ranking, err := policy.New(policy.Default, policy.Settings{Pages: pages, Mode: planner.Stream,
		Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	options := planner.LiveOptions()
	options.Name = policy.Default
	if err := watch.Plan(file, nil, time.Hour, &options); err != nil {
		t.Fatal(err)
	}
	options.NewShare = 0.25
	plan := planner.New(pages, ranking, options)
	firstSeen := map[string]time.Time{}
	sight := &watch.Sight{Watch: watched}
	bounds := sitegraph.DefaultBounds
	if *mostMeasured > 0 {
		bounds.MaxPages = *mostMeasured
	}
	loop := crawl.New(crawl.Options{
		Planner: plan, Fetcher: visitor{world, watched}, Store: store, Clock: clock,
		Change:   sitegraph.ChangeByMain,
		Discover: true, Forecast: true, Proof: true, Bounds: &bounds,
		Found: func(page sitegraph.PageID) { sight.Found(pages, page) },
		Seen: func(e *crawl.Event) {
			sight.See(e)
			if e.Observation.Outcome == sitegraph.OutcomeFetched &&
				e.Record.State == sitegraph.StateAlive && firstSeen[e.Record.URL].IsZero() {
				firstSeen[e.Record.URL] = e.Observation.Time
			}
		},
	})
	if err := loop.Seed(starts...); err != nil {
		t.Fatal(err)
	}
	start := epoch.Add(time.Hour)
	if err := loop.Round(t.Context(),
		planner.Round{Start: epoch, End: start, Budget: planner.Unlimited}); err != nil {
		t.Fatal(err)
	}
	if err := clock.SleepUntil(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	if err := loop.Advance(start); err != nil {
		t.Fatal(err)
	}
	alive := len(firstSeen)
	m.requests = 0
	end := start.Add(time.Duration(weeks) * 7 * 24 * time.Hour)
	// and robots.txt
	perDay := part*float64(alive)*float64(24*time.Hour/checkEvery) - float64(len(web.Servers()))
	step := func(now time.Time) {
		for range 3 { // a delivery is noted by the step after it
			if err := watched.Step(now, store); err != nil {
				t.Fatal(err)
			}
			for range 100 {
				if _, waiting := watched.Waiting(); waiting == 0 {
					break
				}
				time.Sleep(10 * time.Microsecond)
				if err := watched.Step(now, store); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := loop.Run(t.Context(), perDay, time.Hour, func(r planner.Round) bool {
		step(r.End)
		return r.End.Before(end)
	}); err != nil {
		t.Fatal(err)
	}
	if err := watched.End(time.Minute, func() time.Time { return end }, store, true); err != nil {
		t.Fatal(err)
	}
	m.judge(web, file, firstSeen, box.messages, start, end)
	return m
}

// interval is a time in which a page changed, according to a message.
type interval struct {
	from, to time.Time
	message  int
}

// judge compares messages with the versions of the web.
func (m *measured) judge(web timetravel.Archive, file *watch.File, firstSeen map[string]time.Time,
	messages []*watch.Message, start, end time.Time) {
	told := map[string][]interval{}
	for i, msg := range messages {
		m.messages++
		for _, g := range msg.Groups {
			for _, item := range g.Items {
				if g.Kind == watch.KindChanged {
					told[item.URL] = append(told[item.URL], interval{item.Before, item.Time, i})
				}
			}
		}
	}
	filled := make([]bool, len(messages))
	for url, first := range firstSeen {
		m.pages++
		for tick := maxTime(first, start); tick.Before(end); tick = tick.Add(checkEvery) {
			m.checks++
		}
		changes, visible := changesOf(web, file, url, maxTime(first, start), end)
		m.changes += len(changes)
		m.visible += len(visible)
		within := func(at time.Time) *interval {
			for i := range told[url] {
				if v := &told[url][i]; at.After(v.from) && !at.After(v.to) {
					return v
				}
			}
			return nil
		}
		for _, at := range changes {
			if v := within(at); v != nil {
				m.told++
				m.delays = append(m.delays, messages[v.message].Time.Sub(at))
				filled[v.message] = true
			}
		}
		for _, at := range visible {
			if within(at) != nil {
				m.toldSeen++
			}
		}
		m.pagesOf += len(told[url])
	}
	for _, ok := range filled {
		if !ok {
			m.empty++
		}
	}
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// changesOf returns the times when the main text of a page changed, and which of them a check each
// three hours would see: the last change before each check that finds a new text.
func changesOf(web timetravel.Archive, file *watch.File, url string, from, to time.Time) (
	changes, visible []time.Time) {
	server := sitegraph.ServerName(url)
	path := strings.TrimPrefix(url, "http://"+server)
	text := func(at time.Time) string {
		r := web.Resource(server, path, at)
		if r.Status != 200 {
			return ""
		}
		p := extract.HTML(r.Body, r.Type, url, extract.Options{Watched: file.Texts(url)})
		return strings.Join(strings.Fields(p.Watched.Texts[0]), " ")
	}
	before := text(from)
	var texts []string // by change
	for _, at := range web.Times(server, path) {
		if !at.After(from) || !at.Before(to) {
			continue
		}
		now := text(at)
		if now != before && now != "" && before != "" {
			changes, texts = append(changes, at), append(texts, before)
		}
		if now != "" {
			before = now
		}
	}
	texts = append(texts, before)
	checked := 0 // the last check saw texts[checked]
	for i, at := range changes {
		ticks := at.Sub(from)/checkEvery + 1 // the first check after it
		if i+1 < len(changes) && !changes[i+1].After(from.Add(ticks*checkEvery)) {
			continue // it sees a later change
		}
		if texts[i+1] != texts[checked] {
			visible = append(visible, at)
		}
		checked = i + 1
	}
	return changes, visible
}

// TestMeasureOnSites checks 24 weeks of the recorded sites: messages report 90 % of the changes of
// main text, with a tenth of the requests of a check each three hours. No message comes without a
// change.
func TestMeasureOnSites(t *testing.T) {
	const dir = "../../../shared/data/sites"
	if os.Getenv("RECRAWL_LONG") == "" {
		t.Skip("it takes minutes: RECRAWL_LONG=1 runs it")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if len(files) == 0 {
		t.Skip("the recorded sites, shared/data/sites beside the module, are not there")
	}
	var all measured
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".jsonl.gz"), func(t *testing.T) {
			web, err := timetravel.LoadSites(f)
			if err != nil {
				t.Fatal(err)
			}
			m := measure(t, web, 24)
			t.Log(m)
			all.add(m)
		})
	}
	t.Log("all: ", &all)
	if share := float64(all.told) / float64(all.changes); share < 0.9 {
		t.Errorf("%.3f of the changes were told", share)
	}
	if share := float64(all.requests) / float64(all.checks); share > part {
		t.Errorf("%.3f of the requests of a check each three hours", share)
	}
	if share := float64(all.empty) / float64(all.messages); share > 0.05 {
		t.Errorf("%.3f of the messages came without a change", share)
	}
}

func (m *measured) add(o *measured) {
	m.pages += o.pages
	m.requests += o.requests
	m.checks += o.checks
	m.changes += o.changes
	m.visible += o.visible
	m.told += o.told
	m.toldSeen += o.toldSeen
	m.messages += o.messages
	m.pagesOf += o.pagesOf
	m.empty += o.empty
	m.delays = append(m.delays, o.delays...)
}

// TestMeasure does the same on a small web whose pages change at known times. A menu changes daily
// and does not count.
func TestMeasure(t *testing.T) {
	t.Parallel()
	web := timetravel.NewStatic()
	const pages, days = 12, 14
	links := ""
	for i := range pages {
		links += fmt.Sprintf(`<a href="/p%d.html">%d</a> `, i, i)
	}
	for day := range days {
		for i := range pages {
			at := epoch.Add(time.Duration(day) * 24 * time.Hour)
			version := day / (i%4 + 2) // a change each 2 to 5 days
			if day > 0 {
				at = at.Add(time.Hour)
			}
			web.Put("a.example", fmt.Sprintf("/p%d.html", i), at, "text/html",
				fmt.Appendf(
					nil, `<title>Page %d</title><nav>day %d</nav><main>The text of page %d is that of version %d.</main>`, i, day, i, version))
		}
	}
	web.Put("a.example", "/index.html", epoch, "text/html",
		[]byte("<title>Top</title><main>All pages: "+links+"</main>"))
	m := measure(t, web, 2)
	t.Log(m)
	if m.pages != pages+1 || m.changes < 40 || m.told < m.changes*8/10 || m.empty > 0 ||
		float64(m.requests) > part*float64(m.checks) {
		t.Errorf("the watch is worse than it should be: %v", m)
	}
}
