package crawl_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// moody is a server with a start page and one linked page, whose answers may be wrong.
type moody struct {
	clock  *crawl.VirtualClock
	rules  uint64
	answer func(o *sitegraph.Observation) // changes the answer for the linked page; nil: as it is
	asked  []time.Duration                // when the page was asked for, after base
	ages   *preferences.MaxAges
	// unwatched is set if ages are of pages that nobody watches.
	unwatched bool
}

const moodyPage = "http://h.example/page"

func (w *moody) Fetch(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
	o := sitegraph.Observation{URL: r.Record.URL, Time: w.clock.Now(),
		Outcome: sitegraph.OutcomeFetched, Status: 200, LinksKnown: true, FramesKnown: true,
		Robots: w.rules}
	o.Digests.Bytes = sitegraph.DigestOf([]byte(r.Record.URL))
	switch r.Record.URL {
	case "http://h.example/":
		o.Links = []string{moodyPage}
		return o, nil
	case "http://h.example/elsewhere":
		return o, nil
	}
	w.asked = append(w.asked, o.Time.Sub(base))
	if w.answer != nil {
		w.answer(&o)
	}
	return o, nil
}

func (w *moody) live(t *testing.T, d *disk) *rig {
	t.Helper()
	m := &rig{T: t, disk: d, clock: w.clock, pages: d.restore()}
	p, err := policy.New("uniform", policy.Settings{Pages: m.pages, Mode: planner.Stream, Seed: 1,
		PerDay: 100})
	if err != nil {
		t.Fatal(err)
	}
	m.plan = planner.New(m.pages, p, planner.Options{NewShare: 1, Leftover: true, AgainShare: 1,
		Turns: true, MaxAges: w.ages, Watched: func(string) bool { return !w.unwatched }})
	m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: w, Store: d, Clock: w.clock,
		Discover: true, Proof: true, Forecast: true})
	m.seed("http://h.example/")
	return m
}

// hours makes rounds of an hour.
func (m *rig) hours(n int) {
	m.Helper()
	m.rounds(n, time.Hour, planner.Unlimited)
}

func (m *rig) state(url string) sitegraph.State {
	m.Helper()
	p, ok := m.pages.Graph.Lookup(url)
	if !ok {
		m.Fatalf("%s is not known", url)
	}
	return m.pages.Memory(p).State
}

func answerOf(outcome sitegraph.Outcome, status int) func(o *sitegraph.Observation) {
	return func(o *sitegraph.Observation) {
		o.Outcome, o.Status, o.Digests, o.Links, o.LinksKnown = outcome, status,
			sitegraph.Digests{}, nil, false
		switch {
		case outcome == sitegraph.OutcomeRedirected:
			o.RedirectTo = "http://h.example/elsewhere"
		case status == 0:
			o.ByRobots = true
		}
	}
}

// One wrong answer loses no page with a copy; several in a row, over days, do. The page is still
// looked at, and found again without a new link.
func TestLeavingTakesProof(t *testing.T) {
	for _, c := range []struct {
		name    string
		outcome sitegraph.Outcome
		status  int
		needed  int
		least   time.Duration // from the first such answer until it leaves
		left    sitegraph.State
	}{
		{"410", sitegraph.OutcomeGone, 410, 2, time.Hour, sitegraph.StateGone},
		{"404", sitegraph.OutcomeGone, 404, 3, 24 * time.Hour, sitegraph.StateGone},
		// A server that redirects everything for an hour also calls that permanent: proof takes a
		// day.
		{"301", sitegraph.OutcomeRedirected, 301, 3, 24 * time.Hour, sitegraph.StateMoved},
		{"403", sitegraph.OutcomeExcluded, 403, 4, 7*24*time.Hour + 23*time.Hour,
			sitegraph.StateExcluded},
		{"401", sitegraph.OutcomeExcluded, 401, 4, 7*24*time.Hour + 23*time.Hour,
			sitegraph.StateExcluded},
		{"406", sitegraph.OutcomeExcluded, 406, 4, 7*24*time.Hour + 23*time.Hour,
			sitegraph.StateExcluded},
		{"wrong type", sitegraph.OutcomeExcluded, 200, 4, 7*24*time.Hour + 23*time.Hour,
			sitegraph.StateExcluded},
		{"robots.txt", sitegraph.OutcomeExcluded, 0, 10, 8 * 24 * time.Hour,
			sitegraph.StateExcluded},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &moody{clock: crawl.NewVirtualClock(base), rules: 1}
			d := newDisk()
			m := w.live(t, d)
			m.hours(3)
			if got := m.state(moodyPage); got != sitegraph.StateAlive {
				t.Fatalf("the page is %v to begin with", got)
			}
			// One wrong answer, then right ones.
			w.answer = func(o *sitegraph.Observation) {
				answerOf(c.outcome, c.status)(o)
				w.answer = nil
			}
			m.hours(48)
			if got := m.state(moodyPage); got != sitegraph.StateAlive || w.answer != nil {
				t.Fatalf("one answer made the page %v", got)
			}
			// Wrong answers for good, over a restart.
			w.answer = answerOf(c.outcome, c.status)
			began := w.clock.Now().Sub(base)
			m.hours(2)
			m = w.live(t, d.crash())
			m.number = 1000
			for i := 0; i < 24*30 && !m.state(moodyPage).Left(); i++ {
				m.hours(1)
			}
			if got := m.state(moodyPage); got != c.left {
				t.Fatalf("in the end it is %v, want %v", got, c.left)
			}
			asked := slices.DeleteFunc(slices.Clone(w.asked), func(at time.Duration) bool {
				return at < began
			})
			if span := asked[len(asked)-1] - asked[0]; len(asked) != c.needed || span < c.least {
				t.Errorf("it left after %d answers in %v, want %d and %v at least",
					len(asked), span, c.needed, c.least)
			}
			// The page is there again, without a new link.
			w.answer = nil
			m.hours(24 * 9)
			if got := m.state(moodyPage); got != sitegraph.StateAlive {
				t.Errorf("nine days after it was there again it is %v", got)
			}
		})
	}
}

// Looks at a page that stays away become rarer and rarer.
func TestLooksGrowRare(t *testing.T) {
	w := &moody{clock: crawl.NewVirtualClock(base), rules: 1,
		answer: answerOf(sitegraph.OutcomeGone, 404)}
	m := w.live(t, newDisk())
	m.hours(24 * 400)
	var gaps []int
	for i := 1; i < len(w.asked); i++ {
		gaps = append(gaps, int((w.asked[i]-w.asked[i-1]).Hours()/24))
	}
	want := []int{7, 14, 28, 56, 112}
	if len(gaps) < len(want) || len(gaps) > len(want)+1 {
		t.Fatalf("looks after %v days, want about %v", gaps, want)
	}
	for i, days := range want {
		if gaps[i] < days || gaps[i] > days+days/4+1 {
			t.Errorf("looks after %v days, want about %v", gaps, want)
			break
		}
	}
}

// When robots.txt changes its rules, the pages that it excluded are visited again.
func TestRobotsRelax(t *testing.T) {
	w := &moody{clock: crawl.NewVirtualClock(base), rules: 1,
		answer: answerOf(sitegraph.OutcomeExcluded, 0)}
	d := newDisk()
	m := w.live(t, d)
	m.hours(3)
	if got := m.state(moodyPage); got != sitegraph.StateExcluded {
		t.Fatalf("the page is %v to begin with", got)
	}
	before := len(w.asked)
	m = w.live(t, d.crash())
	m.number = 100
	m.hours(24)
	if len(w.asked) != before {
		t.Errorf("asked for %d times more while the rules are the same", len(w.asked)-before)
	}
	w.answer, w.rules = nil, 2
	m.hours(26)
	if got := m.state(moodyPage); got != sitegraph.StateAlive {
		t.Errorf("a day after robots.txt allows it the page is %v", got)
	}
}

// Looks at left pages take no more than their share of a budget.
func TestAgainShare(t *testing.T) {
	pages, starts := farm(1, 400)
	w := newWeb(pages)
	d := newDisk()
	m := newRig(t, w, d, "uniform", crawl.Options{})
	m.seed(starts...)
	m.day(planner.Unlimited)
	for url := range pages {
		if url != starts[0] && len(pages) > 200 {
			delete(pages, url)
		}
	}
	m.day(planner.Unlimited)
	p, err := policy.New("uniform", policy.Settings{Pages: m.pages, Mode: planner.Stream, Seed: 1,
		PerDay: 100})
	if err != nil {
		t.Fatal(err)
	}
	plan := planner.New(m.pages, p, planner.Options{NewShare: 0.25, AgainShare: 0.05})
	looks := 0
	for day := range 10 {
		start := base.Add(time.Duration(30+day) * 24 * time.Hour)
		plan.Begin(planner.Round{Number: 100 + day, Start: start, End: start.Add(24 * time.Hour),
			Budget: 90})
		for v, ok := plan.Next(); ok; v, ok = plan.Next() {
			if m.pages.Memory(v.Page).State.Left() {
				looks++
			}
		}
	}
	if looks < 40 || looks > 45 {
		t.Errorf("%d looks in ten rounds of 90, want 45, of %d pages that left", looks, 200)
	}
}

// Whatever a page answers from its first visit on, it is visited again within its greatest age,
// also by another process, and is seen when it is there again.
func TestMaxAgeHoldsInTrouble(t *testing.T) {
	failed := func(status int, trouble sitegraph.Trouble) func(o *sitegraph.Observation) {
		return func(o *sitegraph.Observation) {
			answerOf(sitegraph.OutcomeFailed, status)(o)
			o.ByRobots, o.Trouble = false, trouble
		}
	}
	for name, answer := range map[string]func(o *sitegraph.Observation){
		"404":        answerOf(sitegraph.OutcomeGone, 404),
		"410":        answerOf(sitegraph.OutcomeGone, 410),
		"301":        answerOf(sitegraph.OutcomeRedirected, 301),
		"401":        answerOf(sitegraph.OutcomeExcluded, 401),
		"403":        answerOf(sitegraph.OutcomeExcluded, 403),
		"robots.txt": answerOf(sitegraph.OutcomeExcluded, 0),
		"429":        failed(429, sitegraph.TroubleBusy),
		"503":        failed(503, sitegraph.TroubleFailing),
		"no name":    failed(1, sitegraph.TroubleFailing),
		"itself":     failed(302, sitegraph.TroubleNone),
	} {
		for i := range 4 {
			before := i % 2 * 2 // rounds in which the page is there
			age := []time.Duration{2 * time.Hour, 2 * time.Minute}[i/2]
			t.Run(fmt.Sprintf("%s after %d rounds, %v", name, before, age), func(t *testing.T) {
				round := age / 4
				ages, err := preferences.ParseMaxAges([]string{
					fmt.Sprintf("%s$=%v", moodyPage, age)})
				if err != nil {
					t.Fatal(err)
				}
				w := &moody{clock: crawl.NewVirtualClock(base), rules: 1}
				w.ages = ages
				d := newDisk()
				m := w.live(t, d)
				m.rounds(1+before, round, planner.Unlimited)
				w.answer = answer
				m.rounds(100, round, planner.Unlimited)
				m = w.live(t, d)
				m.rounds(100, round, planner.Unlimited)
				w.answer = nil
				m.rounds(6, round, planner.Unlimited)
				for i := 1; i < len(w.asked); i++ {
					if gap := w.asked[i] - w.asked[i-1]; gap > age+round {
						t.Fatalf("visit %d came %v after the one before, at %v", i, gap, w.asked[i])
					}
				}
				if last := w.asked[len(w.asked)-1]; last < 200*round {
					t.Errorf("the last visit was at %v", last)
				}
				if got := m.state(moodyPage); got != sitegraph.StateAlive {
					t.Errorf("the page is %v in the end", got)
				}
			})
		}
	}
}

// A dead link is not visited as often as a greatest age asks; a page that once was there is.
func TestMaxAgeOfDeadLinks(t *testing.T) {
	ages, err := preferences.ParseMaxAges([]string{"1d"})
	if err != nil {
		t.Fatal(err)
	}
	for before, least := range map[int]int{0: 0, 3: 25} { // by hours of life: least visits
		w := &moody{clock: crawl.NewVirtualClock(base), rules: 1, ages: ages, unwatched: true}
		dead := answerOf(sitegraph.OutcomeGone, 404)
		if before == 0 {
			w.answer = dead
		}
		m := w.live(t, newDisk())
		m.hours(3)
		w.answer, w.asked = dead, nil
		m.hours(24 * 30)
		if n := len(w.asked); n < least || before == 0 && n > 5 {
			t.Errorf("after %d hours it is asked for %d times in 30 days", before, n)
		}
	}
}
