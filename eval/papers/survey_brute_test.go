package papers

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/evaltest"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestBruteForce recomputes surveys of random corpora from weekly visits, without the survey's
// code.
func TestBruteForce(t *testing.T) {
	t.Parallel()
	updated, returned, new := 0, 0, 0
	for _, seed := range seeds(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		servers := surveyedAtRandom(rng)
		by := sitegraph.ChangeBy(rng.IntN(3))
		base, weeks := rng.IntN(4), []int{2 + rng.IntN(9), 2, 3 + rng.IntN(5)}
		c, err := eval.NewDataset(t.Context(), servers,
			eval.Options{Base: time.Duration(base) * week, Change: by})
		if err != nil {
			continue // no start page exists
		}
		s, err := NewSurvey(t.Context(), c, SurveyOptions{Weeks: weeks})
		if err != nil {
			t.Fatalf("%v; %s", err, repeat(t, seed))
		}
		for i, n := range weeks {
			want := bruteForce(c, servers, base, n)
			p := s.Total.Periods[i]
			updated, returned, new = updated+p.Updated, returned+p.Returned, new+p.New
			got := counts{s.Total.Servers, s.Total.Pages, s.Total.Tops, s.Total.Unlinked, p.Pages,
				p.Vanished, p.New, p.Returned, p.Updated, p.Differ,
				p.Tops, p.TopsUpdated, p.ByTop.Servers, p.ByTop.Pages, p.ByTop.Updated}
			if got != want {
				t.Fatalf("base %d, %d weeks: counts\n%+v, want\n%+v; %s",
					base, n, got, want, repeat(t, seed))
			}
			sum := 0
			for u, pages := range p.Updates {
				if sum += pages; u == 0 && pages != p.Pages-p.Updated {
					t.Errorf("%d pages without update, %d of %d updated; %s",
						pages, p.Updated, p.Pages, repeat(t, seed))
				}
			}
			if sum != p.Pages || len(p.Updates) != n {
				t.Errorf("updates %v of %d pages in %d weeks; %s",
					p.Updates, p.Pages, n, repeat(t, seed))
			}
		}
		checkGroups(t, s)
		checkIntervals(t, c, s, base, seed)
		if t.Failed() {
			t.FailNow()
		}
	}
	if !evaltest.OneSeed() && (updated == 0 || returned == 0 || new == 0) {
		t.Errorf("the corpora have %d updated, %d returned, %d new pages: they show nothing",
			updated, returned, new)
	}
}

type counts struct {
	servers, base, baseTops, unlinked                int
	pages, vanished, new, returned, updated, differ  int
	tops, topsUpdated, topServers, topPages, topsOwn int
}

func bruteForce(c *eval.Dataset, servers []*history.Server, base, weeks int) counts {
	var n counts
	see := func(url string, k int) sitegraph.Observation {
		return c.World.Observe(url, history.WorldEpoch.Add(time.Duration(base+k)*week))
	}
	for _, server := range servers {
		first, last := depths(c, server, see, 0), depths(c, server, see, weeks-1)
		if len(first) == 0 {
			continue // absent: in no count
		}
		n.servers++
		pages, updated, top := 0, 0, false
		for _, page := range server.Pages {
			before, after := see(page.URL, 0), see(page.URL, weeks-1)
			switch {
			case before.Outcome != sitegraph.OutcomeFetched:
				if after.Outcome == sitegraph.OutcomeFetched && last[page.URL] > 0 {
					n.new++
				}
				continue
			case first[page.URL] == 0:
				n.unlinked++
				continue
			}
			n.base++
			if first[page.URL] == 1 {
				n.baseTops++
			}
			if after.Outcome != sitegraph.OutcomeFetched {
				n.vanished++
				continue
			}
			pages++
			changes, missing := 0, 0
			for k := 1; k < weeks; k++ {
				a, b := see(page.URL, k-1), see(page.URL, k)
				if b.Outcome != sitegraph.OutcomeFetched {
					missing = 1
				} else if a.Outcome == sitegraph.OutcomeFetched &&
					a.Digests.Differ(b.Digests, c.Change) {
					changes++
				}
			}
			n.returned += missing
			if before.Digests.Differ(after.Digests, c.Change) {
				n.differ++
			}
			if changes > 0 {
				updated++
			}
			if first[page.URL] == 1 {
				n.tops++
				if changes > 0 {
					n.topsUpdated++
					top = true
				}
			}
		}
		n.pages += pages
		n.updated += updated
		if top {
			n.topServers++
			n.topPages += pages
			n.topsOwn += updated
		}
	}
	return n
}

// depths crawls a server at a snapshot, and returns its pages by depth 1 to 12. If the start page
// redirects at the base, its target is a start page from then on.
func depths(c *eval.Dataset, server *history.Server, see func(string, int) sitegraph.Observation,
	k int) map[string]int {
	depth := map[string]int{}
	id, ok := c.Graph().LookupServer(server.Name)
	if !ok {
		return depth
	}
	var level []string
	for _, p := range c.Graph().StartPages(id) {
		level = append(level, c.Graph().URL(p))
	}
	alive := map[string]int{}
	for d := 1; d <= 12; d++ {
		var below []string
		for i := 0; i < len(level); i++ { // grows by the frames of start pages
			url := level[i]
			if depth[url] > 0 {
				continue
			}
			depth[url] = d
			o := see(url, k)
			switch o.Outcome {
			case sitegraph.OutcomeFetched:
				alive[url] = d
				if d == 1 {
					level = append(level, o.Frames...)
				}
				below = append(below, o.Links...)
			case sitegraph.OutcomeRedirected:
				below = append(below, o.RedirectTo)
			}
		}
		level = below
	}
	return alive
}

// checkGroups compares the total with the sum of the groups.
func checkGroups(t *testing.T, s *Survey) {
	t.Helper()
	sum := newSurveyGroup("total", s.Weeks)
	for i := range s.Groups {
		sum.add(&s.Groups[i])
	}
	sum.finish()
	if asJSON(t, sum) != asJSON(t, s.Total) {
		t.Errorf("groups add up to %s, the total is %s", asJSON(t, sum), asJSON(t, s.Total))
	}
}

// checkIntervals estimates each page's interval from a record after daily visits, like the loop.
func checkIntervals(t *testing.T, c *eval.Dataset, s *Survey, base int, seed uint64) {
	t.Helper()
	const never = 400 * 24 * time.Hour
	world := history.NewWorld(c.World.Servers)
	for i, r := range s.Intervals {
		world.LastModified = r.LastModified
		unit := map[string]time.Duration{"day": 24 * time.Hour, "hour": time.Hour}[r.Unit]
		byInterval := map[int]int{}
		for _, id := range c.Pages {
			record := sitegraph.Record{URL: c.Graph().URL(id)}
			var dated sitegraph.History // by Last-Modified, as [SAT] footnote 2 has it
			for d := range (60-base)*7 + 1 {
				o := world.Observe(record.URL,
					history.WorldEpoch.Add(time.Duration(base*7+d)*24*time.Hour))
				switch verdict := record.Apply(o, c.Change); verdict {
				case sitegraph.VerdictFirst:
					dated = sitegraph.Start(o.Time)
				case sitegraph.VerdictChanged, sitegraph.VerdictUnchanged:
					dated.See(o.Time, verdict == sitegraph.VerdictChanged, o.LastModified)
				}
			}
			if dated.Visits < 2 {
				continue
			}
			interval := never
			if dated.Changes > 0 {
				interval = estimator.Interval(dated, 0,
					estimator.Limits{Min: unit, Max: never}).Interval
			}
			byInterval[int(math.Round(interval.Hours()/unit.Hours()))]++
		}
		pages, visits := 0, 0.0
		for tau, n := range byInterval {
			pages += n
			visits += float64(n) / float64(tau)
		}
		if pages != r.Pages || pages+r.VisitedOnce != len(c.Pages) ||
			len(r.Points) != len(byInterval) {
			t.Errorf("intervals %d: %+v, want %v; %s", i, r, byInterval, repeat(t, seed))
			return
		}
		share, due := 0.0, 0.0
		for _, p := range r.Points {
			n := byInterval[p.Interval]
			share += float64(n) / float64(pages)
			due += float64(n) / float64(p.Interval) / visits
			if p.Pages != n || math.Abs(float64(p.Share)-share) > 1e-9 ||
				math.Abs(float64(p.Weighted)-due) > 1e-9 {
				t.Errorf("interval %d %s: %+v, want %d, %v, %v; %s",
					p.Interval, r.Unit, p, n, share, due, repeat(t, seed))
			}
		}
	}
}
