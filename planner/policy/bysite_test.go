package policy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// The graphs of [LINK] figure 4: edges and depths are the same, the directories differ.
var (
	fx4Edges = "R>A R>D A>B A>C C>G D>E E>F G>H H>F"
	fx4a     = map[string]string{"R": "/index.html", "A": "/a/a", "B": "/a/b", "C": "/a/c",
		"D": "/d/d", "E": "/d/e", "F": "/d/f", "G": "/g/g", "H": "/g/h"}
	fx4b = map[string]string{"R": "/index.html", "A": "/a/a", "B": "/a/b", "C": "/a/c",
		"D": "/a/d", "E": "/a/e", "F": "/a/f", "G": "/g/g", "H": "/g/h"}
)

func planA(l *simtest.Lettered, mode planner.Mode, seed uint64) {
	l.Helper()
	policy, err := New("a", Settings{Pages: l.Pages, Mode: mode, Seed: seed, PerDay: 4})
	if err != nil {
		l.Fatal(err)
	}
	l.Planner = planner.New(l.Pages, policy, planner.Options{NewShare: 1})
}

// The counts of [LINK 4.1], with its table of pages fetched and updated.
func TestMethodAFetchCounts(t *testing.T) {
	for _, c := range []struct {
		changed, gone string
		onA, onB      string // sets of pages fetched on FX4a and FX4b
		hits          int    // of these changed
	}{
		{"RAGH", "", "RADG BC H", "RADG BCEF H", 4}, // 7/4 and 9/4
		{"RGH", "", "RADG H", "RADG H", 3},          // 5/3 and 5/3
		{"F", "", "RADG", "RADG", 0},                // 4/0 and 4/0
		{"RDF", "", "RADG EF", "RADG BCEF", 3},      // 6/3 and 8/3
		{"AB", "", "RADG BC", "RADG BCEF", 2},       // 6/2 and 8/2
		{"AB", "A", "RADG", "RADG", 0},              // a vanished top shows nothing
		{"DG", "A", "RADG EF H", "RADG BCEF H", 2},  // and does not stop the other tops
	} {
		for name, f := range map[string]struct {
			paths map[string]string
			want  string
		}{"FX4a": {fx4a, c.onA}, "FX4b": {fx4b, c.onB}} {
			for seed := range uint64(20) {
				l := simtest.NewLettered(t, f.paths, fx4Edges, rand.New(rand.NewPCG(seed, 0)))
				planA(l, planner.Sweep, seed)
				order := l.Round(1, planner.Unlimited, c.changed, c.gone)
				if simtest.Sorted(order) != simtest.Sorted(strings.ReplaceAll(f.want, " ", "")) {
					t.Errorf("%s, changed %s, gone %q, seed %d: fetched %s, want the pages %s",
						name, c.changed, c.gone, seed, order, f.want)
				}
				// All tops come first, by depth: R 1, A and D 2, G 4.
				if tops := order[:4]; tops != "RADG" && tops != "RDAG" {
					t.Errorf("%s, changed %s, seed %d: order %s, want the tops by depth first",
						name, c.changed, seed, order)
				}
				hits := 0
				for _, letter := range order {
					if strings.ContainsRune(c.changed, letter) &&
						!strings.ContainsRune(c.gone, letter) {
						hits++
					}
				}
				if hits != c.hits {
					t.Errorf("%s, changed %s, seed %d: %d changed pages in %s, want %d",
						name, c.changed, seed, hits, order, c.hits)
				}
			}
		}
	}
}

// In a stream half of the budget goes to the tops in turn, also if the process restarts each day.
func TestMethodATopsInTurn(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		paths, edges := simtest.Directories(8, 5)
		l := simtest.NewLettered(t, paths, edges, rand.New(rand.NewPCG(1, 0)))
		planA(l, planner.Stream, 1)
		const tops = "Rabcdefgh"
		last := map[rune]int{}
		for day := 1; day <= 18; day++ {
			if restarts {
				planA(l, planner.Stream, 1)
			}
			order := l.Round(day, 6, "", "")
			if len(order) != 6 {
				t.Fatalf("day %d: visits %q, want 6", day, order)
			}
			for i, letter := range order[:3] {
				if !strings.ContainsRune(tops, letter) {
					t.Errorf("day %d: visit %d of %q is to no top", day, i, order)
				}
				// Nine tops, three a day: a top's turn comes each third day. On the first days all
				// copies are equally old, and tops are also among the oldest.
				if was, ok := last[letter]; ok && day-was < 3 && day > 4 {
					t.Errorf("restarts %v, day %d: top %c again, after day %d",
						restarts, day, letter, was)
				}
				last[letter] = day
			}
			if rest := order[3:]; day > 3 && strings.ContainsAny(rest, tops) {
				t.Errorf("day %d: tops among %q, though members have older copies", day, rest)
			}
		}
		if len(last) != len(tops) {
			t.Errorf("restarts %v: %d tops were visited, want %d", restarts, len(last), len(tops))
		}
	}
}

// A changed top promotes its members once per change, from the next round on and over several days
// if need be. That holds after a restart, a failure or a returned visit. Members visited in the
// round that saw the change are as new as the change.
func TestMethodAPromotion(t *testing.T) {
	const membersOfB = "KLMNOPQSTU"
	for seed := range uint64(10) {
		paths, edges := simtest.Directories(3, 10)
		l := simtest.NewLettered(t, paths, edges, rand.New(rand.NewPCG(seed, 0)))
		planA(l, planner.Stream, seed)
		// 4 tops, 4 visits a day to tops, 4 to the rest. Day 1: b changes.
		seen := l.Round(1, 8, "b", "")[4:]
		if l.Promoted != "" {
			t.Errorf("seed %d, day 1: %q promoted in the round that sees the change",
				seed, l.Promoted)
		}
		waiting := simtest.Less(membersOfB, seen)
		planA(l, planner.Stream, seed) // a restart
		if handed := l.HandBack(2, 8, membersOfB); simtest.Sorted(handed) != waiting {
			t.Errorf("seed %d, day 2: promoted and handed back %q, want %q", seed, handed, waiting)
		}
		all := ""
		for day := 3; day <= 5; day++ {
			order := l.Round(day, 8, "", "")
			if l.Promoted != order[4:][:len(l.Promoted)] ||
				len(l.Promoted) != min(4, len(waiting)-len(all)) {
				t.Errorf("seed %d, day %d: %q promoted in %q, want members first after the 4 "+
					"tops, until none waits", seed, day, l.Promoted, order)
			}
			all += l.Promoted
		}
		if simtest.Sorted(all) != waiting {
			t.Errorf("seed %d: members %q promoted, want each of %q once", seed, all, waiting)
		}
		if l.Round(6, 8, "", ""); l.Promoted != "" {
			t.Errorf("seed %d: %q promoted once more", seed, l.Promoted)
		}
	}
}

// The methods of this project promote at once: the outcome of a top steers the rest of its round.
func TestPromotionWithinTheRound(t *testing.T) {
	paths, edges := simtest.Directories(3, 10)
	l := simtest.NewLettered(t, paths, edges, rand.New(rand.NewPCG(1, 0)))
	policy, err := New("sentinel-a", Settings{Pages: l.Pages, Mode: planner.Stream, Seed: 1,
		PerDay: 8})
	if err != nil {
		t.Fatal(err)
	}
	l.Planner = planner.New(l.Pages, policy, planner.Options{})
	order := l.Round(1, 8, "b", "")
	if l.Promoted == "" || l.Promoted != order[4:] || strings.Trim(l.Promoted, "KLMNOPQSTU") != "" {
		t.Errorf("%q promoted in %q, want members of b for all visits after those to tops",
			l.Promoted, order)
	}
}

// A top that changes each day promotes a member again only if it was visited in between: a backlog
// does not grow, and the longest waiting come first.
func TestMethodABacklog(t *testing.T) {
	paths, edges := simtest.Directories(1, 20)
	l := simtest.NewLettered(t, paths, edges, rand.New(rand.NewPCG(4, 0)))
	planA(l, planner.Stream, 4)
	visits := map[rune]int{}
	for day := 1; day <= 40; day++ {
		for _, p := range l.Round(day, 4, "a", "") {
			visits[p]++
		}
	}
	for p, n := range visits { // 2 of 4 visits a day to 20 members: every 10 days
		if !strings.ContainsRune("Ra", p) && n != 4 {
			t.Errorf("member %c was visited %d times in 40 days, want 4", p, n)
		}
	}
	if n := l.Planner.Policy.(*bySite).members.Len(); n > 2*20 {
		t.Errorf("%d members in line of 20", n)
	}
}

// The partition follows the copies: a new page without links becomes a member, and a top that left
// makes room for the next.
func TestMethodAFollowsCopies(t *testing.T) {
	paths, edges := simtest.Directories(2, 3)
	l := simtest.NewLettered(t, paths, edges, rand.New(rand.NewPCG(2, 0)))
	young := l.Page["F"] // known on day 0, first fetched on day 2
	l.Records[young] = sitegraph.Record{Page: young, URL: l.Records[young].URL,
		State: sitegraph.StateUnknown}
	l.Pages.Remember(&l.Records[young])
	planA(l, planner.Stream, 2)
	l.Round(1, 6, "", "")
	l.Records[young].State = sitegraph.StateNew
	l.Pages.Remember(&l.Records[young])
	l.Planner.Found(young)
	if order := l.Round(2, 6, "", ""); !strings.Contains(order, "F") {
		t.Fatalf("the new page is not among %q", order)
	}
	third := l.Round(3, 6, "b", "a")
	if simtest.Sorted(third[:3]) != simtest.Sorted("Rab") || strings.Contains(third[3:], "F") {
		t.Fatalf("visits %q, want the tops R a b first and not the member F that was visited last",
			third)
	}
	// a is gone: its former members A B C are now tops, and so always visited with R and b. F came
	// after the sites were made; it is promoted with the other members of b.
	order := l.Round(4, 10, "", "")
	if simtest.Sorted(order[:5]) != simtest.Sorted("RbABC") {
		t.Errorf("visits %q: want the tops R b A B C first", order)
	}
	if waiting := simtest.Less("DEF", third); simtest.Sorted(l.Promoted) != waiting ||
		!strings.Contains(waiting, "F") {
		t.Errorf("%q promoted: b changed on day 3, want its members %q, the new one among them",
			l.Promoted, waiting)
	}
}

// In any sequence of events a member is promoted only if a top of its site changed after its last
// visit.
func TestMethodAPromotesForCause(t *testing.T) {
	for seed := range uint64(10) {
		w := simtest.NewWorld(seed, 2, 60, true)
		m := newSim(t, w, nil, "a", Settings{Mode: planner.Stream, Seed: seed, PerDay: 15},
			planner.Options{NewShare: 0.25})
		promoted := 0
		m.OnVisit = func(v planner.Visit) {
			if !simtest.IsPromoted(v) {
				return
			}
			promoted++
			cause := false
			for p := range sitegraph.PageID(m.Pages.Count()) {
				if p != v.Page && m.Graph.SameDirectory(p, v.Page) &&
					m.Records[p].History.LastChange > m.Records[v.Page].History.Last {
					cause = true
				}
			}
			if !cause {
				t.Errorf("seed %d, day %v: %s is promoted without cause",
					seed, m.Pages.Round().End.Sub(simtest.Base)/(24*time.Hour),
					m.Graph.URL(v.Page))
			}
		}
		for day := 1; day <= 30; day++ {
			m.Day(day, 15)
		}
		if promoted == 0 {
			t.Errorf("seed %d: no page was ever promoted", seed)
		}
	}
}

// Rounds of one visit also divide visits between tops and members.
func TestMethodAInSmallRounds(t *testing.T) {
	l := simtest.NewLettered(t, fx4a, fx4Edges, rand.New(rand.NewPCG(1, 1)))
	planA(l, planner.Stream, 1)
	visits := ""
	for day := 1; day <= 12; day++ {
		visits += l.Round(day, 1, "RADG", "")
	}
	if len(visits) != 12 || !strings.ContainsAny(visits, "BCEFH") {
		t.Errorf("visits %s, want 12 and members among them: the tops of their sites changed",
			visits)
	}
}

// Method C in a stream queues each lower top once, however often the upper one changes.
func TestMethodCLineStaysShort(t *testing.T) {
	l := simtest.NewLettered(t, fx4a, fx4Edges, rand.New(rand.NewPCG(1, 1)))
	policy, err := New("c-closure", Settings{Pages: l.Pages, Mode: planner.Stream, Seed: 1,
		PerDay: 1})
	if err != nil {
		t.Fatal(err)
	}
	l.Planner = planner.New(l.Pages, policy, planner.Options{})
	for day := 1; day <= 30; day++ {
		l.Round(day, 1, "R", "")
		if n := policy.(*bySite).lower.Len(); n > 2 {
			t.Fatalf("day %d: %d tops in line below R, want A and D at most", day, n)
		}
	}
}

// For a site of 20,000 tied tops, all changed, and as many members, work grows with their sum, not
// with their product.
func TestMethodAManyTops(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for _, mode := range []planner.Mode{planner.Sweep, planner.Stream} {
		paths, links := map[string]string{"R": "/"}, []string{}
		l := simtest.NewLettered(t, paths, "", rand.New(rand.NewPCG(1, 1)))
		g := l.Pages.Graph
		for i := range n {
			top := fmt.Sprintf("http://example.com/d/t%d", i)
			links = append(links, top)
			g.SetLinks(g.Add(top), []string{fmt.Sprintf("http://example.com/d/m%d", i)}, nil)
		}
		g.SetLinks(l.Page["R"], links, nil)
		for p := len(l.Records); p < g.Pages(); p++ {
			id := sitegraph.PageID(p)
			l.Letter[id] = "m"
			if strings.Contains(g.URL(id), "/d/t") {
				l.Letter[id] = "t"
			}
			l.Records = append(l.Records, simtest.Seen(id, g.URL(id)))
			l.Pages.Remember(&l.Records[p])
		}
		planA(l, mode, 1)
		for day := 1; day <= 2; day++ {
			if visits := simtest.Sorted(l.Round(day, planner.Unlimited, "t", "")); visits != "R"+
				strings.Repeat("m", n)+strings.Repeat("t", n) {
				t.Errorf("mode %d, day %d: %d visits, want each of %d pages once",
					mode, day, len(visits), 2*n+1)
			}
			if mode == planner.Sweep {
				break
			}
		}
	}
}
