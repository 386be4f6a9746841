package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/satstore"
)

// TestWeb checks that each URL leads back to its page, that sizes add up, and that links lead to
// other pages of the server, each once. All pages are reachable from the first.
func TestWeb(t *testing.T) {
	w := NewWeb(3000, 40, 20, 7)
	page := 0
	for server := range w.Servers {
		if w.size(server) < 1 {
			t.Fatalf("server %d has no page", server)
		}
		reached := map[int]bool{0: true}
		for i := range w.size(server) {
			if s, j := w.place(page); s != server || j != i {
				t.Fatalf("page %d is %d of server %d, want %d of %d", page, j, s, i, server)
			}
			page++
			if s, j, ok := w.parse(string(w.appendURL(nil, server, i))); !ok || s != server ||
				j != i {
				t.Fatalf("the address %s is read as page %d of server %d",
					w.appendURL(nil, server, i), j, s)
			}
			var links []int
			w.linksOf(server, i, func(j int) {
				links = append(links, j)
				reached[j] = reached[j] || reached[i]
			})
			if slices.Contains(links, i) || slices.ContainsFunc(links, func(j int) bool {
				return j < 0 || j >= w.size(server)
			}) {
				t.Fatalf("page %d of server %d links to %v", i, server, links)
			}
			if slices.Sort(links); len(slices.Compact(links)) != len(links) {
				t.Fatalf("page %d of server %d links twice to one: %v", i, server, links)
			}
		}
		for i := range w.size(server) {
			if !reached[i] {
				t.Fatalf("page %d of server %d of %d pages is not reached",
					i, server, w.size(server))
			}
		}
	}
	if page != w.Pages {
		t.Errorf("%d pages in all, want %d", page, w.Pages)
	}
}

// TestMeasure checks that a built store is complete, and that rounds over it make the visits of the
// budget and find changes.
func TestMeasure(t *testing.T) {
	dir, w := t.TempDir(), NewWeb(4000, 200, 20, 7)
	if err := Build(t.Context(), dir, w, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	store, err := satstore.Open(dir, satstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := store.Check(t.Context(), nil, nil)
	if closed := store.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	if len(found.Damage) > 0 || found.Pages != 4000 || found.Starts != 200 {
		t.Fatalf("the store is %+v", found)
	}
	r, err := Measure(t.Context(), Options{Dir: dir, Web: w, Policy: "sites", Seed: 1, Rounds: 3,
		Round: 24 * time.Hour, Budget: 0.02}, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	visits, changed := 0, 0
	for _, round := range r.Rounds {
		visits, changed = visits+round.Visits, changed+round.Changed
	}
	// The first round is the rest of its day.
	if len(r.Rounds) != 3 || visits < 220 || visits > 240 || changed < visits/4 ||
		changed >= visits {
		t.Errorf("%d rounds of 80 visits made %d and found %d changes",
			len(r.Rounds), visits, changed)
	}
}

// BenchmarkRounds measures memory and speed of hourly rounds with 2 % of the pages a day, in a
// separate process: store, graph, `sites`, loop and commits. Its settings are variables of the
// environment. RECRAWL_SCALE_PAGES is the number of pages, 200 a server. RECRAWL_SCALE_DIR is the
// directory of the store; an existing one is reused, and its rounds continue. RECRAWL_SCALE_ROUNDS
// is the number of rounds. RECRAWL_SCALE_HEAP is a file for a profile of the heap after the last
// round. RECRAWL_SCALE_KILL is the number of visits after which the process kills itself: the next
// call shows the cost of a start after that. RECRAWL_SCALE_VISITS is the number of visits in a
// round, instead of 2 % of the pages a day: it also determines the age of copies in a new store.
// RECRAWL_SCALE_JSON is a file to which the result is added: TestDrawRounds draws it.
func BenchmarkRounds(b *testing.B) {
	pages, err := strconv.Atoi(os.Getenv("RECRAWL_SCALE_PAGES"))
	if err != nil {
		pages = 20_000
	}
	dir := os.Getenv("RECRAWL_SCALE_DIR")
	if dir == "" {
		dir = b.TempDir() + "/store"
	}
	rounds, err := strconv.Atoi(os.Getenv("RECRAWL_SCALE_ROUNDS"))
	if err != nil {
		rounds = 6
	}
	w, budget := asked(pages)
	if _, err := os.Stat(dir); err != nil {
		// The memory of building must not count.
		build := exec.Command(os.Args[0], "-test.run", "^TestBuildOnly$")
		build.Env = append(os.Environ(), "RECRAWL_SCALE_BUILD="+dir,
			"RECRAWL_SCALE_PAGES="+strconv.Itoa(pages))
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	kill, _ := strconv.Atoi(os.Getenv("RECRAWL_SCALE_KILL"))
	seen := func(visits int) {
		if visits == kill {
			b.Logf("killed after %d visits", visits)
			self, err := os.FindProcess(os.Getpid())
			b.Fatal(errors.Join(err, self.Kill()))
		}
	}
	for b.Loop() {
		r, err := Measure(context.Background(), Options{Dir: dir, Web: w, Policy: "sites", Seed: 1,
			Rounds: rounds, Round: time.Hour, Budget: budget, Seen: seen}, func(done, of int) {
			if file := os.Getenv("RECRAWL_SCALE_HEAP"); done == of && file != "" {
				writeHeap(b, file)
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		if file := os.Getenv("RECRAWL_SCALE_JSON"); file != "" {
			addResult(b, file, r)
		}
		b.Logf("%v: image %v, %d pages saved since; store open after %.2f s, planner after %.2f "+
			"s, first visit after %.2f s, image in %.1f s; %d bytes a page resident then, %d "+
			"at most", w, r.Image, r.Since, r.Store, r.Open, r.First, r.Keep,
			r.OpenedBytes/int64(pages), r.PeakBytes/int64(pages))
		for i, x := range r.Rounds {
			b.Logf("round %d: %d visits, %d changed, %.2f s, %.2f s of a processor (%.2f before "+
				"the first visit), %d bytes a page resident, %d at most (of no file %d, of files "+
				"%d); a visit read %d bytes and wrote %d", i, x.Visits, x.Changed, x.Seconds,
				x.Processor, x.Begin, x.Resident/int64(pages), x.Peak/int64(pages),
				x.Heap/int64(pages), x.File/int64(pages), x.Read/int64(max(x.Visits, 1)),
				x.Written/int64(max(x.Visits, 1)))
		}
		b.Log("store: ", r.Traffic)
	}
}

// TestBuildOnly builds the store for BenchmarkRounds, in its own process.
func TestBuildOnly(t *testing.T) {
	dir := os.Getenv("RECRAWL_SCALE_BUILD")
	if dir == "" {
		t.Skip("only BenchmarkRounds runs it")
	}
	pages, err := strconv.Atoi(os.Getenv("RECRAWL_SCALE_PAGES"))
	if err != nil {
		t.Fatal(err)
	}
	w, _ := asked(pages)
	if err := Build(t.Context(), dir, w, func(int, int) {}); err != nil {
		t.Fatal(fmt.Errorf("build: %w", err))
	}
}

// asked returns the web with this many pages for BenchmarkRounds, and the share of its pages to
// visit a day.
func asked(pages int) (w *Web, budget float64) {
	w, budget = NewWeb(pages, max(pages/200, 1), 20, 1), 0.02
	if visits, err := strconv.Atoi(os.Getenv("RECRAWL_SCALE_VISITS")); err == nil && visits > 0 {
		budget = 24 * float64(visits) / float64(pages)
		w.Cycle = time.Duration(min(max(1/budget, 30), 3650) * float64(day))
	}
	return w, budget
}

// addResult adds a line of JSON to a file.
func addResult(b *testing.B, file string, r *Result) {
	line, err := json.Marshal(r)
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		b.Fatal(err)
	}
}

// TestDrawRounds draws the cost of rounds by the number of pages into RECRAWL_SCALE_SVG: the median
// of the rounds of each result in RECRAWL_SCALE_JSON, without the first, which starts cold.
func TestDrawRounds(t *testing.T) {
	from, to := os.Getenv("RECRAWL_SCALE_JSON"), os.Getenv("RECRAWL_SCALE_SVG")
	if from == "" || to == "" {
		t.Skip("say what is drawn, and where: RECRAWL_SCALE_JSON, RECRAWL_SCALE_SVG")
	}
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	median := func(rounds []Round, of func(Round) float64) float64 {
		var all []float64
		for _, r := range rounds {
			all = append(all, of(r))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	whole, begin := report.Series{Name: "a round"},
		report.Series{Name: "until its first visit"}
	visits := 0
	for line := range strings.Lines(string(text)) {
		var r Result
		if err := json.Unmarshal([]byte(line), &r); err != nil || len(r.Rounds) < 3 {
			t.Fatal(line, err)
		}
		rounds := r.Rounds[1:]
		visits = rounds[0].Visits
		for _, of := range []struct {
			s    *report.Series
			what func(Round) float64
		}{{&whole, func(r Round) float64 { return r.Processor }},
			{&begin, func(r Round) float64 { return r.Begin }}} {
			of.s.X, of.s.Y = append(of.s.X, float64(r.Pages)/1e6),
				append(of.s.Y, median(rounds, of.what))
		}
	}
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	chart := report.Chart{
		Title: fmt.Sprintf("Rounds of %d visits, an hour each", visits), XLabel: "pages, millions",
		YLabel: "processor time of a round, s",
		Series: []report.Series{whole, begin},
	}
	if err := errors.Join(chart.SVG(f), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func writeHeap(b *testing.B, file string) {
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	if err := errors.Join(pprof.Lookup("heap").WriteTo(f, 0), f.Close()); err != nil {
		b.Fatal(err)
	}
}
