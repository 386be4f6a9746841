package core_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

// still is a web without changes.
func still(int, int, int) int { return 0 }

// TestInterruptedAndResumed stops a first crawl with Ctrl-C during a round, asks for the plan, and
// continues without URLs. Nothing is forgotten, nothing acknowledged is requested again, and the
// plan was right.
func TestInterruptedAndResumed(t *testing.T) {
	t.Parallel()
	lab := serve(t, library(shelves{servers: 1, sections: 4, pages: 12, days: 1, every: still}))
	w := newWitness(t, lab, filepath.Join(t.TempDir(), "data"), 24*time.Hour)
	settings := []string{"--data", w.dir, "--round", "24h", "--budget", "500"}
	args := append([]string{"run", "--user-agent", contact, "--allow-private", "--delay", "3ms",
		"--workers", fmt.Sprint(workers), "--json"}, settings...)

	w.runs = append(w.runs, time.Now())
	p := start(t, t.TempDir(), nil, append(args, lab.starts()...)...)
	eventually(t, "visits", func() bool { return lab.count() >= 15 })
	p.interrupt()
	r := p.result()
	if !strings.Contains(r.stderr, "recrawl: interrupted") {
		t.Errorf("standard error says %q", r.stderr)
	}
	w.look()
	if did := decode[runResult](t, r, true); did.Visits != len(w.lines) || did.Known == 0 {
		t.Errorf("interrupted after %d visits, as it says; %d are in the journal",
			did.Visits, len(w.lines))
	}
	known := w.records
	before := len(w.lines)
	for url, r := range known {
		if r.State != sitegraph.StateNew {
			continue
		}
		if e := decode[explanation](t,
			recrawl(t, append([]string{"explain", "--json", url}, settings...)...).ok(t),
			true); e.Digest != nil || e.Turn == 0 {
			t.Errorf("%s was never fetched, and is explained as %+v", url, e)
		}
		break
	}

	plan := decode[[]plannedVisit](t,
		recrawl(t, append([]string{"plan", "--json", "--show", "10"}, settings...)...).ok(t), true)
	if len(plan) != 10 {
		t.Fatalf("a plan of %d visits", len(plan))
	}
	for _, v := range plan {
		if !v.First || v.Reason == "" || known[v.URL].State != sitegraph.StateNew {
			t.Errorf("in the plan stands %+v; the page is %v", v, known[v.URL].State)
		}
	}

	w.runs = append(w.runs, time.Now())
	did := decode[runResult](t, recrawl(t, append(args, "--rounds", "1")...).ok(t), true)
	w.look()
	w.judge()
	if did.Visits != len(w.lines)-before || did.Rounds != 1 || did.Failed != 0 || did.Waiting != 0 {
		t.Errorf("resumed: %+v; %d visits are in the journal", did, len(w.lines)-before)
	}
	now := w.records
	for url, r := range known {
		if now[url].URL == "" {
			t.Errorf("%s was known before and is not now", url)
		}
		if r.History.Visits > now[url].History.Visits {
			t.Errorf("%s had %d visits and has %d", url, r.History.Visits, now[url].History.Visits)
		}
	}
	// One server gets one request at a time, so even the order is that of the plan.
	if sameRound(w.lines) {
		for i, v := range plan {
			if got := w.lines[before+i]; got.URL != v.URL || got.Reason != v.Reason {
				t.Errorf("visit %d was %s (%s), planned was %s (%s)",
					i+1, got.URL, got.Reason, v.URL, v.Reason)
			}
		}
	}
	// The start page, tops and pages; the redirect, its target and the dead link; two that are no
	// pages here; and the default place of a sitemap, which is also none.
	if want := 1 + 4 + 4*12 + 2 + 1 + 2 + 1; len(now) != want || did.Known != want-1 {
		t.Errorf("%d records and %d pages are known, want %d", len(now), did.Known, want)
	}
	for url, state := range map[string]sitegraph.State{"/": sitegraph.StateAlive,
		"/s3/p11.html": sitegraph.StateAlive, "/about": sitegraph.StateMoved,
		"/about.html": sitegraph.StateAlive, "/dead.html": sitegraph.StateGone,
		"/private/diary.html": sitegraph.StateExcluded, "/notes": sitegraph.StateExcluded} {
		if r := now[lab.bases[0]+url]; r.State != state {
			t.Errorf("%s is %v, want %v", url, r.State, state)
		}
	}
	for _, r := range lab.seen() {
		if strings.Contains(r.url, "/private/") {
			t.Errorf("%s was asked for, against robots.txt", r.url)
		}
	}
}

func sameRound(lines []journal.Entry) bool {
	return !slices.ContainsFunc(lines, func(e journal.Entry) bool {
		return e.Round != lines[0].Round
	})
}

// TestPlanAndExplain keeps a changing web fresh for some rounds. explain agrees with the server's
// log and true content, and plan with the fetches of the next round.
func TestPlanAndExplain(t *testing.T) {
	t.Parallel()
	const sections, perSection = 3, 8
	// The first two pages of a section change all the time, the others never.
	lab := serve(t, library(shelves{servers: 1, sections: sections, pages: perSection, days: 3000,
		every: func(_, _, page int) int {
			if page < 2 {
				return 2
			}
			return 0
		}}))
	w := newWitness(t, lab, filepath.Join(t.TempDir(), "data"), time.Second)
	args := append([]string{"run", "--user-agent", contact, "--allow-private", "--delay", "2ms",
		"--workers", "1", "--rounds", "1", "--data", w.dir}, lab.starts()...)
	leastVisits := func() uint32 {
		least := uint32(math.MaxUint32)
		for _, r := range w.records {
			if r.State == sitegraph.StateAlive || r.State == sitegraph.StateNew {
				least = min(least, r.History.Visits)
			}
		}
		return least
	}
	eventually(t, "three visits of each page", func() bool {
		// a round, complete if possible
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
		w.runs = append(w.runs, time.Now())
		recrawl(t, append(args, "--round", "1s", "--unlimited")...).ok(t)
		w.look()
		return len(w.records) > sections*perSection && leastVisits() >= 3
	})
	w.judge()
	checkExplanations(t, w)

	// The plan of a round must be what is done in it, here in a round without earlier visits, with
	// a copy of the store for each policy.
	const round, show = 5 * time.Second, 6
	time.Sleep(time.Until(time.Now().Truncate(round).Add(round)))
	for _, policy := range []string{"ebayes", "interval", "breadth-first", "a", "random"} {
		t.Run(policy, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
				t.Fatal(err)
			}
			settings := []string{"--data", dir, "--policy", policy, "--round", round.String(),
				"--budget", fmt.Sprint(show * int(24*time.Hour/round))}
			plan := decode[[]plannedVisit](t,
				recrawl(t, append([]string{"plan", "--json"}, settings...)...).ok(t), true)
			if len(plan) != show {
				t.Fatalf("a plan of %d visits in a round of %d", len(plan), show)
			}
			var planned, done []string
			for _, v := range plan {
				planned = append(planned, v.URL)
			}
			first := decode[explanation](t,
				recrawl(t, append([]string{"explain", "--json", planned[2]}, settings...)...).ok(t),
				true)
			if first.Turn != 3 {
				t.Errorf("%s is visit 3 of the plan, and turn %d of its explanation",
					planned[2], first.Turn)
			}
			before := lab.count()
			recrawl(t, append(args, settings...)...).ok(t)
			for _, r := range lab.seen()[before:] {
				done = append(done, r.url)
			}
			if len(done) == 0 || len(done) > show {
				t.Fatalf("%d requests in a round of %d", len(done), show)
			}
			// changing pages first; among them age decides, which grows
			if policy == "ebayes" {
				for _, url := range planned {
					if !strings.HasSuffix(url, "/p0.html") && !strings.HasSuffix(url, "/p1.html") {
						t.Errorf("planned is %s, which never changes", url)
					}
				}
				slices.Sort(planned)
				slices.Sort(done)
			}
			if len(done) == show && !slices.Equal(done, planned) || !subset(done, planned) {
				t.Errorf("planned\n%s\nfetched\n%s",
					strings.Join(planned, "\n"), strings.Join(done, "\n"))
			}
		})
	}
}

func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// checkExplanations compares explain with the log of the server, its bodies, and the design of the
// web.
func checkExplanations(t *testing.T, w *witness) {
	t.Helper()
	base := w.lab.bases[0]
	seen := map[string][]request{}
	for _, r := range w.lab.seen() {
		seen[r.url] = append(seen[r.url], r)
	}
	for _, path := range []string{"/", "/about.html", "/s1/", "/s0/p0.html", "/s2/p1.html",
		"/s2/p7.html"} {
		url := base + path
		e := decode[explanation](t, recrawl(t, "explain", "--json", "--data", w.dir, url).ok(t),
			true)
		changes := uint32(0)
		for i, r := range seen[url][1:] {
			if r.digest != seen[url][i].digest {
				changes++
			}
		}
		last := w.pages[url].last
		depth := strings.Count(path, "/")
		top := base + path[:strings.LastIndexByte(path, '/')+1]
		switch {
		case path == "/about.html":
			depth = 3 // through the redirect from /about
		case !strings.HasSuffix(path, "/"):
			depth++
		}
		if path == "/s0/p0.html" && changes == 0 {
			t.Errorf("%s did not change: nothing is tested", url)
		}
		switch {
		case e.State != "alive" || e.Errors != 0:
			t.Errorf("%s: state %s, %d errors", url, e.State, e.Errors)
		case int(e.Visits) != len(seen[url]) || e.Changes != changes:
			t.Errorf("%s: %d visits and %d changes; the server saw %d, and sent %d new contents",
				url, e.Visits, e.Changes, len(seen[url]), changes)
		case !e.LastVisit.Equal(last.Time.Truncate(time.Second)):
			t.Errorf("%s: last visit %v; in the journal %v", url, e.LastVisit, last.Time)
		case e.Digest == nil || *e.Digest != seen[url][len(seen[url])-1].digest.String():
			t.Errorf("%s: digest %v; the server sent %s",
				url, e.Digest, seen[url][len(seen[url])-1].digest)
		case e.Depth != depth || !slices.Equal(e.Site.Tops, []string{top}) ||
			e.Site.IsTop != strings.HasSuffix(path, "/"):
			t.Errorf("%s: depth %d, site %+v; want %d, top %s", url, e.Depth, e.Site, depth, top)
		case !sideBySide(e):
			t.Errorf("%s: estimates %+v after %d visits with %d changes",
				url, e.Estimates, len(seen[url]), changes)
		case e.Due == nil || !e.Due.After(*e.LastVisit) || e.Reason == "":
			t.Errorf("%s: due %v because %q", url, e.Due, e.Reason)
		}
	}
	recrawl(t, "explain", "--data", w.dir, base+"/never-linked").refused(t, 2,
		base+"/never-linked is not known")
	recrawl(t, "explain", "--data", w.dir, "not an address").refused(t, 2, "not an address")
}

// methods are the estimators in explain, in order.
var methods = []string{"naive", "bias-reduced", "last-modified", "interval", "mle", "smoothed-mle",
	"gamma-poisson",
	"grid-corpus", "grid-site", "grid-weeks", "periodic"}

// sideBySide reports whether an explanation has all estimates, each possible, and those that follow
// from the counts.
func sideBySide(e explanation) bool {
	if len(e.Estimates) != len(methods) {
		return false
	}
	days := e.LastVisit.Sub(*e.FirstCopy).Hours() / 24
	for i, x := range e.Estimates {
		if x.Method != methods[i] || !(0 <= x.Low && x.Low <= x.RatePerDay &&
			x.RatePerDay <= x.High) || !(0 <= x.Probability && x.Probability <= 1) {
			return false
		}
		if i < 8 && x.Method != "last-modified" && x.Revisits != int(e.Visits)-1 {
			return false
		}
	}
	naive := e.Estimates[0].RatePerDay
	return math.Abs(naive*days-float64(e.Changes)) < 1e-6*(1+float64(e.Changes)) &&
		e.Estimates[4].RatePerDay >= naive*(1-1e-9)
}

// TestInUse starts a second process on a directory that is in use.
func TestInUse(t *testing.T) {
	lab := serve(t, library(shelves{servers: 1, sections: 1, pages: 1, days: 1, every: still}))
	dir := filepath.Join(t.TempDir(), "data")
	args := append([]string{"run", "--data", dir, "--user-agent", contact, "--allow-private",
		"--delay", "1ms", "--quiet"}, lab.starts()...)
	first := start(t, t.TempDir(), nil, args...)
	eventually(t, "a visit", func() bool { return lab.count() > 0 })
	recrawl(t, args...).refused(t, 1, dir, "in use")
	recrawl(t, "plan", "--data", dir).refused(t, 1, dir, "in use")
	recrawl(t, "explain", "--data", dir, lab.starts()[0]).refused(t, 1, dir, "in use")
	first.interrupt()
	recrawl(t, "plan", "--data", dir).ok(t)
}
