package policy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
)

// keepsPace reports whether a policy makes no more visits than its rule asks for, at any budget.
func keepsPace(name string) bool {
	return slices.Contains(Peers, name) && name != "nutch" && name != "stormcrawler"
}

// visitsByDay returns the numbers of visits on days 1 to n of a policy to three pages, all visited
// on day 0.
func visitsByDay(t *testing.T, name string, n, budget int) (visits []int) {
	t.Helper()
	l := simtest.NewLettered(t, map[string]string{"R": "/", "A": "/a", "B": "/b"}, "R>A A>B",
		rand.New(rand.NewPCG(1, 0)))
	policy, err := New(name, Settings{Pages: l.Pages, Mode: planner.Stream, PerDay: 3})
	if err != nil {
		t.Fatal(err)
	}
	l.Planner = planner.New(l.Pages, policy, planner.Options{})
	for day := 1; day <= n; day++ {
		visits = append(visits, len(l.Round(day, budget, "", "")))
	}
	return visits
}

// Programs with one interval or calendar for all pages visit all of them at its end, not before,
// and leave the rest of the budget. Visits without room in a round come in the next.
func TestPeersKeepTheirPace(t *testing.T) {
	for _, c := range []struct {
		policy       string
		days, budget int
		want         map[int]int // visits by day, if there are any
	}{
		{"nutch-default", 61, 9, map[int]int{30: 3, 60: 3}},
		{"nutch-default", 61, 2, map[int]int{30: 2, 31: 1, 60: 2, 61: 1}},
		{"stormcrawler-default", 3, 9, map[int]int{1: 3, 2: 3, 3: 3}},
		{"changedetection", 3, 9, map[int]int{1: 3, 2: 3, 3: 3}}, // at most once a round
		{"firecrawl-daily", 3, 9, map[int]int{1: 3, 2: 3, 3: 3}},
		// a late crawl goes on
		{"firecrawl-daily", 4, 2, map[int]int{1: 2, 2: 1, 3: 2, 4: 1}},
		// weeks of 1970 begin on a Thursday; At(0) is a Monday
		{"calendar-weekly", 11, 9, map[int]int{3: 3, 10: 3}},
		{"calendar-monthly", 33, 9, map[int]int{2: 3, 32: 3}}, // 12480 and 12510 days after 1970
		{"calendar-monthly", 33, 1, map[int]int{2: 1, 3: 1, 4: 1, 32: 1, 33: 1}},
	} {
		got := visitsByDay(t, c.policy, c.days, c.budget)
		want := make([]int, c.days)
		for day, visits := range c.want {
			want[day-1] = visits
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, %d a day: %v, want %v", c.policy, c.budget, got, want)
		}
	}
}

// A crawl by the calendar visits the start page before the pages behind it.
func TestCalendarIsBreadthFirst(t *testing.T) {
	l := simtest.NewLettered(t, map[string]string{"R": "/", "A": "/a", "B": "/b"}, "R>A A>B",
		rand.New(rand.NewPCG(1, 0)))
	policy, err := New("calendar-weekly", Settings{Pages: l.Pages, Mode: planner.Stream})
	if err != nil {
		t.Fatal(err)
	}
	l.Planner = planner.New(l.Pages, policy, planner.Options{})
	for day := 1; day < 3; day++ {
		if order := l.Round(day, 9, "", ""); order != "" {
			t.Errorf("day %d: visits %q before the week is over", day, order)
		}
	}
	if order := l.Round(3, 9, "", ""); order != "RAB" {
		t.Errorf("visits %q, want RAB", order)
	}
}

// All peers are published policies.
func TestPeersAreThere(t *testing.T) {
	for _, name := range Peers {
		if !Published(name) {
			t.Errorf("%s is no published policy", name)
		}
	}
}
