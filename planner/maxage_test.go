package planner_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// favourite is a policy that proposes the same pages each day.
type favourite struct {
	planner.EachRound
	corpus *planner.Pages
	pages  []sitegraph.PageID
	left   []sitegraph.PageID
}

func (f *favourite) Offer([]sitegraph.PageID) {}

func (f *favourite) Begin(planner.Round) { f.left = f.pages }
func (f *favourite) Next() (planner.Visit, bool) {
	for len(f.left) > 0 {
		p := f.left[0]
		f.left = f.left[1:]
		if f.corpus.Refetchable(p) {
			return planner.Unranked(p, planner.Because("a favourite")), true
		}
	}
	return planner.Visit{}, false
}
func (f *favourite) Observe(sitegraph.PageID, sitegraph.Verdict) {}

// aged is a crawl of pages that were all fetched on day 0, with a policy that proposes ten of them.
func aged(t *testing.T, pages int, pause time.Duration, ages ...string) *planner.Planner {
	t.Helper()
	promised, err := preferences.ParseMaxAges(ages)
	if err != nil {
		t.Fatal(err)
	}
	g := sitegraph.NewGraph()
	for i := range pages {
		g.AddStart(fmt.Sprintf("http://s%d.example/d%d/%d", i%5, i%2, i))
	}
	known := planner.NewPages(g)
	for p := range sitegraph.PageID(pages) {
		known.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
			Tried: simtest.At(0), History: sitegraph.Start(simtest.At(0))})
	}
	f := &favourite{corpus: known}
	for p := range sitegraph.PageID(min(pages, 10)) {
		f.pages = append(f.pages, p)
	}
	return planner.New(known, f, planner.Options{MaxAges: promised, Pause: pause})
}

// aDay makes the visits of a day, and returns how many were proposed by the policy.
func aDay(p *planner.Planner, d, budget int) (favourites, others int) {
	p.Begin(planner.Round{Number: d, Start: simtest.At(d - 1), End: simtest.At(d), Budget: budget})
	for v, ok := p.Next(); ok; v, ok = p.Next() {
		if v.Reason.String() == "a favourite" {
			favourites++
		} else {
			others++
		}
		h := p.Pages.Memory(v.Page).History
		h.See(simtest.At(d), false, time.Time{})
		p.Observe(&sitegraph.Record{Page: v.Page, State: sitegraph.StateAlive, Tried: simtest.At(d),
			History: h}, sitegraph.VerdictUnchanged)
	}
	return favourites, others
}

// oldest returns the age of the oldest copy among pages, in days.
func oldest(p *planner.Planner, d int, of func(url string) bool) (days float64) {
	for page := range sitegraph.PageID(p.Pages.Count()) {
		if of(p.Pages.URL(page)) {
			days = max(
				days, simtest.At(d).Sub(p.Pages.Memory(page).History.LastVisit()).Hours()/24)
		}
	}
	return days
}

func anyPage(string) bool { return true }

// No copy exceeds its greatest age, even if all copies are of one day. The policy has the rest of
// the budget: half of it while that suffices.
func TestMaxAge(t *testing.T) {
	p := aged(t, 400, 0, "30d")
	for d := 1; d <= 120; d++ {
		favourites, others := aDay(p, d, 20)
		if age := oldest(p, d, anyPage); age > 30 {
			t.Fatalf("day %d: a copy is %.1f days old", d, age)
		}
		if d > 1 && favourites < 6 { // on day 1 the promise also takes the policy's pages
			t.Fatalf("day %d: %d visits for the policy, %d for the promise", d, favourites, others)
		}
	}
}

// A shorter age for a directory holds there alone; other pages have none.
func TestMaxAgeOfPrefix(t *testing.T) {
	p := aged(t, 100, 0, "http://s1.example/d1/=5d")
	in := func(url string) bool { return strings.HasPrefix(url, "http://s1.example/d1/") }
	for d := 1; d <= 60; d++ {
		aDay(p, d, 8)
		if age := oldest(p, d, in); age > 5 {
			t.Fatalf("day %d: a copy of the directory is %.1f days old", d, age)
		}
	}
	if age := oldest(p, 60, anyPage); age < 60 {
		t.Errorf("without a promise all pages were visited within %.0f days", age)
	}
}

// A promise beyond the budget is reported before it breaks, with the budget that would keep it.
// Then the oldest copies go first.
func TestMaxAgeBeyondTheBudget(t *testing.T) {
	p := aged(t, 400, time.Hour, "10d")
	promise := p.Promise()
	if promise.Pages != 400 || math.Abs(promise.PerDay-40) > 1e-6 || promise.Overdue != 0 {
		t.Fatalf("the promise is %+v", promise)
	}
	why := promise.Broken(20)
	for _, want := range []string{"400 pages need 40 visits a day", "has 20",
		"40/day would keep it", "ages 2 times as long"} {
		if !strings.Contains(why, want) {
			t.Errorf("%q is not in %q", want, why)
		}
	}
	if why := promise.Broken(40); why != "" {
		t.Errorf("by 40 visits a day it is broken: %s", why)
	}
	for d := 1; d <= 60; d++ {
		aDay(p, d, 20)
	}
	if age := oldest(p, 60, anyPage); age > 21 {
		t.Errorf("a copy is %.1f days old where the budget allows 20", age)
	}
	if promise := aged(t, 400, 12*time.Hour, "10d").Promise(); len(promise.Servers) != 5 ||
		promise.Servers[0].Most != 2 || math.Abs(promise.Servers[0].PerDay-8) > 1e-6 {
		t.Errorf("two visits a day to a server whose pages need 8: %+v", promise)
	}
}
