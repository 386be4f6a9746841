package core_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

var seed = flag.Uint64("seed", 0, "of the random moments of kills; 0: of the clock")

// moments are random, and said so that they can be had again.
func moments(t *testing.T, stream uint64) *rand.Rand {
	t.Helper()
	of := cmp.Or(*seed, uint64(time.Now().UnixNano()))
	t.Logf("repeat with: go test ./cmd/core -run '^%s$' -seed %d", t.Name(), of)
	return rand.New(rand.NewPCG(of, stream))
}

// long reports whether long tests run: RECRAWL_LONG=1 go test ./cmd/core.
func long() bool { return os.Getenv("RECRAWL_LONG") != "" }

const (
	// commitEvery is the number of outcomes that the loop holds before it makes them durable.
	commitEvery = 64
	workers     = 4
)

// TestKilled kills a running planner repeatedly at random times. After every kill the store has
// everything that the journal acknowledged, no acknowledged visit is repeated in its round, and the
// unacknowledged requests are at most those in flight.
func TestKilled(t *testing.T) {
	t.Parallel()
	kills := 10
	if long() {
		kills = 200
	}
	random := moments(t, 1)

	lab := serve(t, library(shelves{servers: 4, sections: 6, pages: 24, days: 3000, births: 15,
		every: func(server, section, page int) int {
			return (7*server + 5*section + 3*page) % 40
		}}))
	const round = 2 * time.Second
	w := newWitness(t, lab, filepath.Join(t.TempDir(), "data"), round)
	args := append([]string{"run", "--data", w.dir, "--user-agent", contact, "--allow-private",
		"--delay", "4ms",
		"--round", round.String(), "--workers", fmt.Sprint(workers), "--quiet"}, lab.starts()...)
	// a limit keeps reservations in the store
	budgets := []string{"--budget=100000000", "--unlimited"}
	for i := range kills {
		w.runs = append(w.runs, time.Now())
		before := lab.count()
		p := start(t, filepath.Dir(w.dir), nil, append(args, budgets[random.IntN(2)])...)
		if i%2 == 0 { // during the visits; the others at any time
			eventually(t, "a visit or the end of the round", func() bool {
				return lab.count() > before || time.Since(w.runs[i]) > 2*round
			})
		}
		time.Sleep(20*time.Millisecond + time.Duration(random.Int64N(int64(380*time.Millisecond))))
		p.kill()
		w.look()
		if i%5 == 4 {
			w.explain(random)
		}
		if t.Failed() {
			t.Fatalf("after kill %d", i+1)
		}
	}
	w.runs = append(w.runs, time.Now())
	before := lab.count()
	p := start(t, filepath.Dir(w.dir), nil, append(args, budgets[0])...)
	eventually(t, "visits after the last kill", func() bool { return lab.count() > before+20 })
	p.interrupt()
	w.look()
	w.judge()
}

// witness compares the acknowledged visits of a planner with its actions.
type witness struct {
	t       *testing.T
	lab     *lab
	asked   func() []request // asked returns all requests for pages so far, at the servers.
	workers int
	dir     string
	round   time.Duration
	runs    []time.Time // start of each process

	journal map[string][]byte // file -> content as last read
	torn    int
	lines   []journal.Entry
	pages   map[string]*acknowledged
	starts  map[int]time.Time           // round number -> its start
	records map[string]sitegraph.Record // of the store, as last read
}

// acknowledged is the sum of a page's journal lines.
type acknowledged struct {
	last    journal.Entry
	visits  uint32 // with an outcome, since the last first one
	changes uint32
	stored  sitegraph.Record // as last read
}

func newWitness(t *testing.T, lab *lab, dir string, round time.Duration) *witness {
	return &witness{t: t, lab: lab, asked: lab.seen, workers: workers, dir: dir, round: round,
		journal: map[string][]byte{}, pages: map[string]*acknowledged{},
		starts: map[int]time.Time{}}
}

// mayRepeat limits the requests of one process that were not acknowledged at its kill: outcomes
// that wait for their commit, and visits in flight. During a commit commitEvery outcomes wait, and
// the worker of the last one has no new visit yet. Before it one outcome less waits, and all
// workers have visits.
func (w *witness) mayRepeat() int { return commitEvery - 1 + w.workers }

// look reads journal and store of an ended process.
func (w *witness) look() {
	w.t.Helper()
	w.readJournal()
	store, err := satstore.Open(w.dir, satstore.Options{ReadOnly: true})
	if err != nil {
		if len(w.lines) > 0 || errors.Is(err, satstore.ErrInUse) {
			w.t.Fatalf("open the store after %d acknowledged visits: %v", len(w.lines), err)
		}
		return // killed before the store was made: nothing was acknowledged
	}
	defer store.Close()
	w.records = map[string]sitegraph.Record{}
	err = store.Restore(sitegraph.NewGraph(), func(r *sitegraph.Record) {
		w.records[r.URL] = *r
		if a := w.pages[r.URL]; a != nil {
			w.compare(a, r)
		}
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for url := range w.pages {
		if _, ok := w.records[url]; !ok {
			w.t.Errorf("%s was acknowledged and is not in the store", url)
		}
	}
	if damage := store.Damage(); len(damage) > 0 {
		w.t.Errorf("%d damages in the store: %v", len(damage), damage[0].Error())
	}
	w.readRound(store)
}

// readJournal reads the new complete lines. Earlier ones must be unchanged.
func (w *witness) readJournal() {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.dir, "journal", "*.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			w.t.Fatal(err)
		}
		old := w.journal[file]
		if !bytes.HasPrefix(content, old) {
			w.t.Fatalf("%s: what was acknowledged before is not there any more", file)
		}
		whole := content[:bytes.LastIndexByte(content, '\n')+1]
		begin := bytes.LastIndexByte(old, '\n') + 1
		w.journal[file] = content
		for line := range bytes.Lines(whole[begin:]) {
			var e journal.Entry
			if err := json.Unmarshal(line, &e); err != nil {
				w.torn++
				continue
			}
			w.acknowledge(e)
		}
	}
	if w.torn > len(w.runs) {
		w.t.Errorf("%d torn lines after %d processes", w.torn, len(w.runs))
	}
}

func (w *witness) acknowledge(e journal.Entry) {
	w.lines = append(w.lines, e)
	a := w.pages[e.URL]
	if a == nil {
		a = &acknowledged{}
		w.pages[e.URL] = a
	}
	if a.last.Round == e.Round && !a.last.Time.IsZero() {
		w.t.Errorf("%s was visited twice in round %d: at %v (%s) and at %v (%s)",
			e.URL, e.Round, a.last.Time, a.last.Verdict, e.Time, e.Verdict)
	}
	switch e.Verdict {
	case "first":
		a.visits, a.changes = 1, 0
	case "changed":
		a.visits++
		a.changes++
	case "unchanged":
		a.visits++
	}
	a.last = e
}

// compare checks that the store has everything acknowledged of a page.
func (w *witness) compare(a *acknowledged, r *sitegraph.Record) {
	w.t.Helper()
	switch {
	case r.Tried.Before(a.last.Time), r.Tried.Before(a.stored.Tried):
		w.t.Errorf("%s was tried last at %v, says the store; acknowledged: %v",
			r.URL, r.Tried, a.last.Time)
	case r.History.Visits < a.visits, r.History.Changes < a.changes,
		r.History.Visits < a.stored.History.Visits, r.History.Changes < a.stored.History.Changes:
		w.t.Errorf("%s has %d visits and %d changes, says the store; acknowledged: %d and %d; "+
			"before: %d and %d", r.URL,
			r.History.Visits, r.History.Changes, a.visits, a.changes, a.stored.History.Visits,
			a.stored.History.Changes)
	case r.Tried.Equal(a.last.Time) && a.last.Digest != "" &&
		r.Digests.Bytes.String() != a.last.Digest:
		w.t.Errorf("%s has digest %s, says the store; acknowledged: %s",
			r.URL, r.Digests.Bytes, a.last.Digest)
	}
	a.stored = *r
}

func (w *witness) readRound(store *satstore.Store) {
	w.t.Helper()
	value, ok, err := store.Setting("round")
	if err != nil {
		w.t.Fatal(err)
	}
	if !ok {
		return
	}
	var round struct {
		Number int
		Start  time.Time
	}
	if err := json.Unmarshal(value, &round); err != nil {
		w.t.Fatal(err)
	}
	if before, ok := w.starts[round.Number]; ok && !before.Equal(round.Start) {
		w.t.Errorf("round %d began at %v, and at %v", round.Number, before, round.Start)
	}
	w.starts[round.Number] = round.Start
}

// explain compares the program's answer about an acknowledged page with the store.
func (w *witness) explain(random *rand.Rand) {
	w.t.Helper()
	if len(w.lines) == 0 {
		return
	}
	a := w.pages[w.lines[random.IntN(len(w.lines))].URL]
	e := decode[explanation](w.t,
		recrawl(w.t, "explain", "--data", w.dir, "--json", a.last.URL).ok(w.t), true)
	h := a.stored.History
	if e.URL != a.last.URL || e.Visits != h.Visits || e.Changes != h.Changes ||
		e.State != a.stored.State.String() ||
		e.Due == nil || h.Visits > 0 && // evidence may have moved the due time in the store
		!e.LastVisit.Equal(h.LastVisit()) {
		w.t.Errorf("explain says %+v; the store has %+v", e, a.stored)
	}
}

// judge compares all requests with all acknowledged ones.
func (w *witness) judge() {
	w.t.Helper()
	byURL := map[string][]request{}
	requests := w.asked()
	for _, r := range requests {
		byURL[r.url] = append(byURL[r.url], r)
	}
	lines := map[string][]journal.Entry{}
	made := 0
	for _, e := range w.lines {
		if e.Status != 0 { // otherwise it was never asked for: excluded
			lines[e.URL] = append(lines[e.URL], e)
			made++
		}
	}
	open := make([]int, len(w.runs)) // unacknowledged requests by process
	for url, asked := range byURL {
		entry := w.match(url, asked, lines[url])
		for i, r := range asked {
			if entry[i] == nil {
				open[w.runOf(r)]++
				continue
			}
			// The next request, acknowledged or not, must be in a later round.
			begin, known := w.starts[entry[i].Round]
			if known && i+1 < len(asked) && asked[i+1].at.Before(begin.Add(w.round)) {
				w.t.Errorf("%s was acknowledged at %v in round %d, and asked for again at %v in "+
					"the same", url, entry[i].Time, entry[i].Round, asked[i+1].at)
			}
		}
	}
	sum, most := 0, 0
	for i, n := range open {
		sum += n
		most = max(most, n)
		if n > w.mayRepeat() {
			w.t.Errorf("process %d made %d requests that it did not acknowledge, at most %d "+
				"could be under way", i+1, n, w.mayRepeat())
		}
	}
	if n := open[len(open)-1]; n > w.workers {
		w.t.Errorf("the last process was interrupted in order, and left %d requests without "+
			"acknowledgement; it has %d workers", n, w.workers)
	}
	if sum+made != len(requests) {
		w.t.Errorf("%d visits were acknowledged and %d not, of %d requests",
			made, sum, len(requests))
	}
	if made == 0 {
		w.t.Error("nothing was acknowledged at all")
	}
	rounds := map[int]bool{}
	for _, e := range w.lines {
		rounds[e.Round] = true
	}
	w.t.Logf("%d processes, %d requests for pages, %d acknowledged, %d not (most of one process: "+
		"%d, bound %d), %d torn lines, %d pages, %d rounds",
		len(w.runs), len(requests), made, sum, most, w.mayRepeat(), w.torn, len(w.pages),
		len(rounds))
}

// match returns for each request the journal line of its page, or nil: a line belongs to the last
// request before it.
func (w *witness) match(url string, asked []request, lines []journal.Entry) []*journal.Entry {
	entry := make([]*journal.Entry, len(asked))
	for k := range lines {
		i, _ := slices.BinarySearchFunc(asked, lines[k].Time, func(r request, t time.Time) int {
			return r.at.Compare(t)
		})
		if i == 0 || entry[i-1] != nil {
			w.t.Errorf("%s: the visit acknowledged at %v was never made", url, lines[k].Time)
			continue
		}
		entry[i-1] = &lines[k]
	}
	return entry
}

func (w *witness) runOf(r request) int {
	i, _ := slices.BinarySearchFunc(w.runs, r.at, func(began time.Time, t time.Time) int {
		return began.Compare(t)
	})
	return max(i-1, 0)
}

// TestKilledInBudget kills a planner with a small budget after every few requests: all processes
// together never exceed the daily budget of pages.
func TestKilledInBudget(t *testing.T) {
	t.Parallel()
	kills := 8
	if long() {
		kills = 40
	}
	const granted = 64
	// Reservations are 1/16 of the budget; a kill loses at most one.
	const part = granted / 16
	lab := serve(t, library(shelves{servers: 3, sections: 4, pages: 20, days: 1,
		every: func(int, int, int) int { return 0 }}))
	dir := filepath.Join(t.TempDir(), "data")
	args := append([]string{"run", "--data", dir, "--user-agent", contact, "--allow-private",
		"--delay", "2ms", "--round", "24h",
		"--budget", fmt.Sprint(granted), "--workers", "3", "--rounds", "1", "--quiet"},
		lab.starts()...)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	killed := 0
	for i := range kills {
		before := lab.count()
		p := start(t, filepath.Dir(dir), nil, args...)
		enough := 1 + i%5
		eventually(t, "visits, or the end of the budget", func() bool {
			select {
			case <-p.ended:
				return true
			default:
				return lab.count() >= before+enough
			}
		})
		select {
		case <-p.ended: // the budget is used up
		default:
			p.cmd.Process.Kill()
			killed++
		}
		p.wait()
		if n := lab.count(); n > granted {
			t.Fatalf("%d requests after %d kills, %d were granted", n, killed, granted)
		}
	}
	for range 2 { // the rest; then nothing
		p := recrawlIn(t, filepath.Dir(dir), nil, args...)
		t.Log(p.stdout, p.stderr)
		if p.code != 0 && p.code != 3 {
			p.ok(t)
		}
	}
	if !time.Now().UTC().Truncate(24 * time.Hour).Equal(today) {
		t.Skip("a new day began, with a new budget")
	}
	n := lab.count()
	t.Logf("%d kills, %d requests of %d granted", killed, n, granted)
	if n > granted || n < granted-killed*part {
		t.Errorf("%d requests; want at most %d, and at least %d after %d kills that each lose %d",
			n, granted, granted-killed*part, killed, part)
	}
	last := decode[runResult](t,
		recrawlIn(t, filepath.Dir(dir), nil, append(args, "--json")...).ok(t), true)
	if last.Visits != 0 || lab.count() != n {
		t.Errorf("%d visits and %d requests after the budget was used up",
			last.Visits, lab.count()-n)
	}
}
