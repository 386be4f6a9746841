package eval

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestStreamFromStore checks that the queue of due pages in the store gives the same visits as the
// one in memory, for all policies, with slots of an hour and of a day.
func TestStreamFromStore(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(8) {
		c, err := NewDataset(t.Context(), randomServers(rand.New(rand.NewPCG(seed, 11))),
			Options{Base: week})
		if err != nil {
			continue // no top page was alive
		}
		o := StreamOptions{Weeks: 3, Budget: 0.3, New: 0.25, Seed: seed}
		for _, name := range policiesOf(seed) {
			want, log := logged(t, c, o, name)
			stage := c.replayed()
			unit := []time.Duration{time.Hour, 24 * time.Hour}[seed%2]
			store, err := satstore.Open("s",
				satstore.Options{FS: vfs.NewMem(), Now: c.Base, Unit: unit})
			if err != nil {
				t.Fatal(err)
			}
			fillStore(t, store, stage.Store, stage.Graph)
			asked := &askedStore{Store: store}
			stage.Store = asked
			var otherLog []step
			stage.Log = func(e *crawl.Event) { otherLog = append(otherLog, stepOf(e)) }
			got, err := c.StreamOn(t.Context(), stage, o, name, nil)
			if err != nil {
				t.Fatal(err)
			}
			if visits(log) != visits(otherLog) || got.Changed != want.Changed {
				t.Fatalf("%s: the queue in the store gives other visits; %s\n%s\n%s",
					name, repeat(t, seed), visits(log), visits(otherLog))
			}
			if name == "sites" && asked.dues == 0 {
				t.Fatal("the store was not asked what is due")
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// askedStore counts its requests for due pages.
type askedStore struct {
	*satstore.Store
	dues int
}

func (s *askedStore) Due(from time.Time, each func(*sitegraph.Record, [][]byte)) (
	time.Time, error) {
	s.dues++
	return s.Store.Due(from, each)
}

// fillStore fills a new store with the records of another one for the pages of a graph.
func fillStore(t *testing.T, store *satstore.Store, from crawl.Store, g *sitegraph.Graph) {
	t.Helper()
	for p := range sitegraph.PageID(g.Pages()) {
		var r sitegraph.Record
		err := from.Load(p, &r)
		if err == nil {
			err = store.Add(&r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Commit(); err != nil {
		t.Fatal(err)
	}
}
