package scale

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// process is a process that makes rounds over a store.
type process struct {
	*testing.T
	w      *Web
	dir    string
	policy string
	rounds int // of earlier processes
	visits []sitegraph.PageID
	image  bool // it started from an image
	// after is called after each round, with a loop between two rounds. Its error ends the process
	// like a crash, without a last image.
	after func(store *satstore.Store, plan *planner.Planner) error

	budget   int  // fetches a day; 0: a tenth of the pages
	inMemory bool // the queue of due pages is
}

func (p *process) perDay() float64 {
	if p.budget > 0 {
		return float64(p.budget)
	}
	return float64(p.w.Pages) / 10
}

func (p *process) build(pages *planner.Pages) (*planner.Planner, error) {
	ranking, err := policy.New(p.policy, policy.Settings{Pages: pages, Mode: planner.Stream,
		Seed: 1, PerDay: p.perDay(), Alpha: 0.95, GoneWorth: 0.3})
	return planner.New(pages, ranking,
		planner.Options{Name: p.policy, NewShare: 0.25, Leftover: true, Turns: true}), err
}

func (p *process) slow(store *satstore.Store, dir string) (*planner.Planner, error) {
	file, err := arena.Open(dir)
	if err != nil {
		return nil, err
	}
	pages := planner.NewPages(sitegraph.NewGraphIn(file))
	if err := store.Restore(pages.Graph, pages.Remember); err != nil {
		return nil, err
	}
	return p.build(pages)
}

var errCrash = errors.New("the process died")

// run makes rounds of a day. least is the least number of pages for which an image is written.
func (p *process) run(rounds, least int) {
	p.Helper()
	if err := p.try(rounds, least); err != nil && !errors.Is(err, errCrash) {
		p.Fatal(err)
	}
}

// try is run with the error of its rounds.
func (p *process) try(rounds, least int) error {
	p.Helper()
	store, err := satstore.Open(p.dir, satstore.Options{})
	if err != nil {
		p.Fatal(err)
	}
	plan, why, err := crawl.RecallImage(store, p.dir, p.build)
	if err != nil || why != nil {
		p.Fatal(why, err)
	}
	if p.image = plan != nil; plan == nil {
		if plan, why, err = crawl.RecallAll(store, func() (*planner.Planner, error) {
			return p.slow(store, p.dir)
		}); err != nil || why != nil {
			p.Fatal(why, err)
		}
	}
	clock := crawl.NewVirtualClock(Start.AddDate(0, 0, p.rounds))
	var crash error
	var s crawl.Store = store
	loop := crawl.New(crawl.Options{
		Planner: plan, Fetcher: Fetcher{p.w, clock}, Store: s, Clock: clock, Workers: 1,
		Discover: true, Forecast: true,
		ImagePages: least, Unkept: func(err error) { p.Error(err) },
		Seen: func(e *crawl.Event) { p.visits = append(p.visits, e.Visit.Page) },
		Between: func() error {
			return crash
		},
	})
	done := 0
	err = loop.Run(context.Background(), float64(p.w.Pages)/10, 24*time.Hour,
		func(planner.Round) bool {
			if p.after != nil {
				crash = p.after(store, plan)
			}
			done++
			p.rounds++
			return done < rounds && crash == nil
		})
	if closed := store.Close(); closed != nil {
		p.Fatal(closed)
	}
	return err
}

func copyDir(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "store")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

func built(t *testing.T, w *Web) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if err := Build(t.Context(), dir, w, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestImagesChangeNothing checks that processes which start from images make the visits of a single
// process, also with policies of others.
func TestImagesChangeNothing(t *testing.T) {
	t.Parallel()
	w := NewWeb(600, 12, 8, 5)
	dir := built(t, w)
	for _, name := range []string{"sites", "ebayes", "nutch", "c-then-b"} {
		const rounds = 4
		one := &process{T: t, w: w, dir: copyDir(t, dir), policy: name}
		one.run(rounds, 1)
		many := &process{T: t, w: w, dir: copyDir(t, dir), policy: name}
		for round := range rounds {
			many.run(1, 1)
			if many.image != (round > 0) {
				t.Fatalf("%s: process %d was made of an image: %v", name, round, many.image)
			}
		}
		if !slices.Equal(one.visits, many.visits) {
			t.Errorf("%s: one process made %d visits, and processes after one another made "+
				"%d others", name, len(one.visits), len(many.visits))
		}
		if len(one.visits) < rounds*w.Pages/10*8/10 {
			t.Errorf("%s: only %d visits", name, len(one.visits))
		}
	}
}

// state returns what a planner knows of pages.
func state(plan *planner.Planner) []string {
	c := plan.Pages
	all := make([]string, c.Count())
	for p := range sitegraph.PageID(c.Count()) {
		m := c.Memory(p)
		all[p] = fmt.Sprint(c.URL(p), m.History, m.Tried, m.State, m.Errors, c.Graph.Depth(p),
			c.Graph.Links(p), c.Graph.Server(p))
	}
	return all
}

// TestImageAfterCrash checks that a planner from an image, and from the records saved since, knows
// the same as one that read all records. So does the next one, if this one dies without an image.
func TestImageAfterCrash(t *testing.T) {
	t.Parallel()
	w := NewWeb(600, 12, 8, 5)
	p := &process{T: t, w: w, dir: built(t, w), policy: "sites"}
	crashed := ""
	p.after = func(*satstore.Store, *planner.Planner) error {
		if p.rounds == 2 { // the directory after a crash: the last commits are in the log
			crashed = copyDir(t, p.dir)
		}
		return nil
	}
	p.run(4, 1)
	store, err := satstore.Open(crashed, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	quick, why, err := crawl.RecallImage(store, crashed, p.build)
	if err != nil || why != nil || quick == nil {
		t.Fatal(quick == nil, why, err)
	}
	weighed := quick.Strains()
	visits := 0
	for _, n := range weighed.Visits {
		visits += int(n)
	}
	since, _ := quick.SinceImage()
	if len(weighed.Of) != w.Servers || since == 0 || visits < since {
		t.Errorf(
			"%d of %d servers are weighed, by %d visits, of which %d were made since the image",
			len(weighed.Of), w.Servers, visits, since)
	}
	quick.Pages.Graph.Refresh()
	slow, err := p.slow(store, "")
	if err != nil {
		t.Fatal(err)
	}
	slow.Pages.Graph.Refresh()
	got, want := state(quick), state(slow)
	for page := range want {
		if got[page] != want[page] {
			t.Fatalf("page %d is\n%s\nin the image, and\n%s\nby its record",
				page, got[page], want[page])
		}
	}
	again, why, err := crawl.RecallImage(store, crashed, p.build)
	if err != nil || why != nil || again == nil {
		t.Fatal(again == nil, why, err)
	}
	again.Pages.Graph.Refresh()
	if !slices.Equal(state(again), want) {
		t.Error("an image is another one when it is taken again")
	}
}

// TestImageThatIsOfNoUse checks that an image is not used if a file is damaged, cut or missing, if
// another policy made it, or if it must be dropped.
func TestImageThatIsOfNoUse(t *testing.T) {
	t.Parallel()
	w := NewWeb(200, 4, 6, 5)
	p := &process{T: t, w: w, dir: built(t, w), policy: "sites"}
	p.run(2, 1)
	names, err := filepath.Glob(filepath.Join(p.dir, "scratch-image*"))
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	forgets := false
	taken := func(dir string) (bool, error) {
		store, err := satstore.Open(dir, satstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if forgets {
			if err := errors.Join(crawl.ForgetMemory(store), store.Commit()); err != nil {
				t.Fatal(err)
			}
		}
		plan, why, err := crawl.RecallImage(store, dir, p.build)
		if err != nil {
			t.Fatal(err)
		}
		return plan != nil, why
	}
	if ok, why := taken(copyDir(t, p.dir)); !ok || why != nil {
		t.Fatal("an image that is whole is not taken:", why)
	}
	for i, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(content) == 0 {
			continue
		}
		for k, damage := range damages {
			what, damaged := damage.what, damage.of(content)
			if k != i%len(damages) && filepath.Base(name) != "scratch-image" {
				continue // one of each file is enough
			}
			dir := copyDir(t, p.dir)
			file := filepath.Join(dir, filepath.Base(name))
			if damaged == nil {
				err = os.Remove(file)
			} else {
				err = os.WriteFile(file, damaged, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			if ok, why := taken(dir); ok || why == nil &&
				(what != "missing" || filepath.Base(name) != "scratch-image") {
				t.Errorf("an image whose file %s is %s: taken %v, %v",
					filepath.Base(name), what, ok, why)
			}
		}
	}
	forgets = true
	if ok, why := taken(copyDir(t, p.dir)); ok || why != nil {
		t.Error("an image that was to be forgotten is taken:", why)
	}
	other := &process{T: t, w: w, dir: copyDir(t, p.dir), policy: "ebayes"}
	if other.run(1, 1); other.image {
		t.Error("an image of another policy is taken")
	}
}

// records returns the records of all pages, with their notes.
func records(t *testing.T, dir string) (all []string) {
	t.Helper()
	store, err := satstore.Open(dir, satstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for page := range sitegraph.PageID(store.Pages()) {
		var r sitegraph.Record
		err := store.Load(page, &r)
		links, frames, wrong := store.Links(page)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		all = append(all, fmt.Sprint(r, links, frames))
	}
	return all
}

// TestImageDamagedInUse checks that damage found while an image is in use ends the process before
// anything is saved. The next one reads all records, and continues.
func TestImageDamagedInUse(t *testing.T) {
	before := arena.CheckedFirst
	arena.CheckedFirst = 0
	defer func() { arena.CheckedFirst = before }()
	w := NewWeb(200, 4, 6, 5)
	p := &process{T: t, w: w, dir: built(t, w), policy: "sites"}
	p.run(2, 1)
	if p.run(1, 1); !p.image || len(p.visits) == 0 {
		t.Fatal("an image that is checked in use is not taken")
	}
	names, err := filepath.Glob(filepath.Join(p.dir, "scratch-image-*"))
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	const part = 6 // of the files are tested, because each takes some seconds of disk time
	for i, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i%part != 0 && !strings.HasSuffix(name, "-pieces") || len(content) == 0 {
			continue
		}
		q := *p
		q.dir, q.visits = copyDir(t, p.dir), nil
		content[0] ^= 1 // the lowest bit of a number
		name = filepath.Join(q.dir, filepath.Base(name))
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		want := records(t, q.dir)
		var damaged *arena.DamagedError
		if err := q.try(2, 1); !errors.As(err, &damaged) || len(q.visits) > 0 {
			t.Errorf("%s is damaged, %d visits were made: %v", name, len(q.visits), err)
		}
		if !slices.Equal(records(t, q.dir), want) {
			t.Errorf("%s is damaged, and something was saved", name)
		}
		if q.run(2, 1); q.image || len(q.visits) == 0 {
			t.Errorf("the next process has the image: %v, and made %d visits", q.image,
				len(q.visits))
		}
	}
}

// damages are near the start of a file: after its values a column may have unread space. Nil: the
// file is missing.
var damages = []struct {
	what string
	of   func(content []byte) []byte
}{
	{"damaged", func(content []byte) []byte {
		b := slices.Clone(content)
		b[0] ^= 1
		return b
	}},
	{"cut short", func(content []byte) []byte { return content[:min(len(content)/2, 20)] }},
	{"missing", func([]byte) []byte { return nil }},
}
