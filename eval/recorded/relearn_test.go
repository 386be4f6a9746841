package recorded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/value"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

// crawled makes the data of a planner that visited 40 pages of each of six servers every other day.
// changed says what the n-th visit of a page found.
func crawled(t *testing.T, visits int, changed func(server, page, n int) bool) (data string) {
	t.Helper()
	data = t.TempDir()
	store, err := satstore.Open(data, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.Open(filepath.Join(data, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	const servers, pages = 6, 40
	graph := sitegraph.NewGraph()
	url := func(s, p int) string { return fmt.Sprintf("http://s%d.example/d%d/page-%d", s, p%3, p) }
	for s := range servers {
		for p := range pages {
			r := &sitegraph.Record{Page: graph.Add(url(s, p)), URL: url(s, p),
				State: sitegraph.StateAlive, History: sitegraph.Start(noon), Due: noon}
			if err := store.Add(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	for n := range visits + 1 {
		for s := range servers {
			for p := range pages {
				e := journal.Entry{URL: url(s, p),
					Time:    noon.AddDate(0, 0, 2*n).Add(time.Duration(s*pages+p) * time.Second),
					Verdict: "first"}
				if n > 0 {
					e.Verdict = map[bool]string{true: "changed",
						false: "unchanged"}[changed(s, p, n)]
				}
				if err := log.Append(e); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := errors.Join(log.Close(), store.Commit(), store.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}

// What holds on a web and nothing else knows is learnt from its journal, kept in the store, and
// there in another process: pages that change at every other visit.
func TestRelearn(t *testing.T) {
	data := crawled(t, 16, func(_, p, n int) bool { return (n+p)%2 == 0 })
	r, err := Relearn(data, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Adopted || r.InPlace.Version == 0 || r.Visits != 16*240 || r.Days != 17 || r.Torn != 0 ||
		len(r.Lessons) == 0 {
		t.Errorf("relearnt %+v", r)
	}
	if p := r.InPlace; !(p.Loss < p.LossBefore) || p.Examples == 0 || p.HeldOut == 0 {
		t.Errorf("adopted by %+v", p)
	}
	again, err := Relearn(data, 1, nil)
	if err != nil || again.InPlace.Version < r.InPlace.Version {
		t.Errorf("learnt again %+v, %v, after %+v", again, err, r)
	}
	r = again
	store, err := satstore.Open(data, satstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	policy := value.New(value.Settings{Corpus: planner.NewCorpus(sitegraph.NewGraph()),
		Mode: planner.Stream})
	if err := cycle.RecallLearnt(store, policy); err != nil || policy.InPlace() != r.InPlace {
		t.Errorf("in another process %+v, %v", policy.InPlace(), err)
	}
}

// What no journal tells stays as run had learnt it: the price, and what probes are good for.
func TestRelearnKeepsWhatNoJournalTells(t *testing.T) {
	data := crawled(t, 3, func(_, p, n int) bool { return n == p%3 })
	const known = `{"form":10,"price":0.3,"changes_per_worth":0.7,"rebuilt":[5,1],"probes":[50,3],
		"servers":[{"name":"s2.example","rebuilt":[2,1]}]}`
	type server struct {
		Name    string
		Rebuilt [2]float32
	}
	type learnt struct {
		Price           float64
		ChangesPerWorth float64 `json:"changes_per_worth"`
		Rebuilt, Probes [2]float32
		Servers         []server
	}
	// kept is what a policy on the store's graph has learnt after a change.
	kept := func(change func(*satstore.Store, *value.Policy) error) (k learnt) {
		t.Helper()
		store, err := satstore.Open(data, satstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		graph := sitegraph.NewGraph()
		if err := store.Restore(graph, func(*sitegraph.Record) {}); err != nil {
			t.Fatal(err)
		}
		policy := value.New(value.Settings{Corpus: planner.NewCorpus(graph), Mode: planner.Stream})
		if err := change(store, policy); err != nil {
			t.Fatal(err)
		}
		written, err := policy.Learnt()
		if err := errors.Join(err, json.Unmarshal(written, &k), store.Commit(),
			store.Close()); err != nil {
			t.Fatal(err)
		}
		k.Servers = slices.DeleteFunc(k.Servers, func(s server) bool {
			return s.Rebuilt == [2]float32{}
		})
		return k
	}
	before := kept(func(store *satstore.Store, policy *value.Policy) error {
		return errors.Join(policy.Recall([]byte(known)), cycle.SaveLearnt(store, policy))
	})
	if before.Price != 0.3 || len(before.Servers) != 1 {
		t.Fatalf("known before: %+v", before)
	}
	if _, err := Relearn(data, 1, nil); err != nil {
		t.Fatal(err)
	}
	after := kept(func(store *satstore.Store, policy *value.Policy) error {
		return cycle.RecallLearnt(store, policy)
	})
	if !reflect.DeepEqual(before, after) {
		t.Errorf("known before: %+v, and after: %+v", before, after)
	}
}

// The beginning of a journal may be gone, and lines about midnight may not be in order. It tells of
// as many days as there were, and its pages are as old as it is.
func TestRelearnFromPartOfAJournal(t *testing.T) {
	graph := sitegraph.NewGraph()
	data := t.TempDir()
	log, err := journal.Open(filepath.Join(data, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	const day = 24 * 60 * 60
	midnight := noon.Add(12 * time.Hour)
	for i, after := range []time.Duration{-2, 1, -1, 2, day - 1, day} {
		url := fmt.Sprintf("http://s.example/%d", i%2)
		graph.Add(url)
		if err := log.Append(journal.Entry{URL: url, Time: midnight.Add(after * time.Second),
			Verdict: "unchanged"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	days, r, err := visitsByDay(data, graph, nil, nil)
	if err != nil || r.Days != 3 || len(days) != 3 || len(days[0]) != 2 || len(days[1]) != 3 ||
		len(days[2]) != 1 {
		t.Fatalf("%+v, %+v, %v; want 2, 3 and 1 visits on 3 days", days, r, err)
	}
	teller := newTeller(graph, 1, 2)
	for _, day := range days {
		teller.tell(day)
	}
	for _, r := range teller.records {
		if known := r.History.Last - r.History.Epoch; r.State != sitegraph.StateAlive ||
			known > 2*day {
			t.Errorf("%s is %v and known for %d seconds", r.URL, r.State, known)
		}
	}
}

// Where there is no visit to learn from, the error says so; a context that ends leaves the store as
// it was.
func TestRelearnRefuses(t *testing.T) {
	data := crawled(t, 0, nil)
	if _, err := Relearn(data, 1, nil); err == nil ||
		!strings.Contains(err.Error(), "nothing to learn from") {
		t.Errorf("error %v", err)
	}
	none := filepath.Join(t.TempDir(), "none")
	_, err := Relearn(none, 1, nil)
	if _, made := os.Stat(none); !errors.Is(err, os.ErrNotExist) ||
		!errors.Is(made, os.ErrNotExist) {
		t.Errorf("of a directory that is not there: %v, then %v", err, made)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	data = crawled(t, 3, func(_, p, n int) bool { return n == p%3 })
	if _, err := Relearn(data, 1, func(string, int, int) error {
		return ctx.Err()
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	store, err := satstore.Open(data, satstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	policy := value.New(value.Settings{Corpus: planner.NewCorpus(sitegraph.NewGraph()),
		Mode: planner.Stream})
	if _, ok, err := store.Setting("policy/learnt"); ok || err != nil {
		t.Errorf("something was kept, or %v", err)
	}
	if err := cycle.RecallLearnt(store, policy); err != nil {
		t.Error(err)
	}
}
