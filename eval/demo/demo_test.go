package demo

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/synth"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/crashtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// structurePolicies use sites: each must do the same over HTTP and in a replay.
var structurePolicies = []string{"a", "b", "b-closure", "c", "c-closure", "c-then-b"}

// builtIn returns a synthetic web with frames, feeds, machine-made and personal pages.
func builtIn() timetravel.Archive {
	return synth.New(synth.Options{Seed: 3, Servers: 8, Pages: 300, Start: history.WorldEpoch})
}

// recordedSites returns the whole sites beside the module, all or one. Without them it skips the
// test: the pages may not be published.
func recordedSites(t *testing.T, file string) timetravel.Archive {
	t.Helper()
	if testing.Short() {
		t.Skip("extracts thousands of page versions")
	}
	path := filepath.Join("..", "..", "..", "shared", "data", "sites", file)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the recorded sites are not there: %v", err)
	}
	sites, err := timetravel.LoadSites(path)
	if err != nil {
		t.Fatal(err)
	}
	return timetravel.Align(sites, history.WorldEpoch)
}

// traveller makes a journey twice.
type traveller struct {
	*testing.T
	*show
}

func newTraveller(t *testing.T, web timetravel.Archive) *traveller {
	t.Helper()
	corpus, err := record(t.Context(), web, sitegraph.ChangeByBytes, untold)
	if err != nil {
		t.Fatal(err)
	}
	return &traveller{t, &show{web: web, corpus: corpus, progress: untold}}
}

// untold reports no progress.
func untold(string, int) Bar { return silent{} }

type silent struct{}

func (silent) Step()  {}
func (silent) At(int) {}
func (silent) End()   {}

// both makes the journey over HTTP and by replay, and checks that they are equal.
func (tr *traveller) both(p plan) (http, replayed journey) {
	tr.Helper()
	http, counted, err := tr.overHTTP(tr.Context(), p)
	if err != nil {
		tr.Fatal(err)
	}
	if replayed, err = tr.byReplay(tr.Context(), p); err != nil {
		tr.Fatal(err)
	}
	if a := p.compare(http, replayed); a.Difference != "" || a.Visits != http.visits() ||
		a.Visits != counted.Visits {
		tr.Errorf("weeks with %s: %d visits of %d agree; %s",
			p.policy, a.Visits, http.visits(), a.Difference)
	}
	if counted.LeastGapSeconds < 10 {
		tr.Errorf("weeks with %s: %v s between two requests to a server",
			p.policy, counted.LeastGapSeconds)
	}
	return http, replayed
}

// TestTopFirstOverHTTP checks that the evaluated program is the one that runs. Sweeps and streams
// of policies with sites visit over HTTP the same pages in the same order with the same outcomes as
// in a replay of the histories of that web, and recrawl eval counts the same.
func TestTopFirstOverHTTP(t *testing.T) {
	t.Parallel()
	t.Run("built-in web", func(t *testing.T) {
		checkWorlds(t, builtIn(), builtIn())
	})
	t.Run("recorded sites", func(t *testing.T) {
		small := recordedSites(t, "devrel.jp.jsonl.gz")
		large := small
		if crashtest.Long() {
			large = recordedSites(t, "")
		}
		checkWorlds(t, large, small)
	})
}

func checkWorlds(t *testing.T, web, small timetravel.Archive) {
	tr := newTraveller(t, web)
	tr.keep = t.TempDir()
	p := plan{sweeps: structurePolicies, policy: "a",
		stream: eval.StreamOptions{Weeks: 2, Budget: 0.05, New: 0.25, Seed: 1}}
	http, replayed := tr.both(p)
	run, err := tr.corpus.Snapshot(t.Context(), p.snapshot(), p.sweeps, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range p.compareSweeps(http, replayed) {
		want := run.Results[i]
		if s.Difference != "" || s.HTTP != s.Replay || s.HTTP.Fetched != want.Fetched ||
			s.HTTP.Changed != want.ChangedFetched {
			t.Errorf("sweep by %s: %+v; evaluated: %d fetched, %d changed",
				s.Method, s, want.Fetched, want.ChangedFetched)
		}
		if s.HTTP.Changed == 0 || s.HTTP.Fetched <= s.HTTP.Changed || s.HTTP.Tops < s.HTTP.Sites ||
			s.HTTP.Sites < len(web.Servers()) {
			t.Errorf("sweep by %s shows little: %+v", s.Method, s.HTTP)
		}
		t.Logf("%-9s %d sites, %d tops, %d fetched, %d changed",
			s.Method, s.HTTP.Sites, s.HTTP.Tops, s.HTTP.Fetched, s.HTTP.Changed)
	}
	tr.checkPartitions()

	tr = newTraveller(t, small)
	for _, policy := range slices.Concat(structurePolicies[1:], []string{policy.Default}) {
		http, _ := tr.both(plan{policy: policy,
			stream: eval.StreamOptions{Weeks: 3, Budget: 0.1, New: 0.25, Seed: 1}})
		if len(http.weeks) < 100 {
			t.Errorf("only %d visits with %s", len(http.weeks), policy)
		}
	}
}

// checkPartitions compares, as JSON, the divisions of the servers by the store of the base and by
// the histories, written and read again. Sites link to /about and redirect to /about/: pages are
// found in sites also through such links.
func (tr *traveller) checkPartitions() {
	tr.Helper()
	store, err := satstore.Open(filepath.Join(tr.keep, KeptBase), satstore.Options{ReadOnly: true})
	if err != nil {
		tr.Fatal(err)
	}
	defer store.Close()
	pages := planner.NewPages(sitegraph.NewGraph())
	if err := store.Restore(pages.Graph, pages.Remember); err != nil {
		tr.Fatal(err)
	}
	for _, s := range tr.corpus.World.Servers {
		var b bytes.Buffer
		if err := history.Write(&b, s); err != nil {
			tr.Fatal(err)
		}
		read, err := history.Read(&b, s.Name)
		if err != nil {
			tr.Fatal(err)
		}
		for _, method := range sitegraph.PartitionMethods() {
			stored := tr.divided(method)(eval.KnownServer(pages, s.Name))
			recorded := tr.divided(method)(eval.RecordedServer(tr.Context(),
				[]*history.Server{read}, "",
				s.Name, 0, sitegraph.ChangeByBytes))
			if stored != recorded {
				tr.Errorf("%s by method %s: crawled over HTTP\n%.500s\nrecorded\n%.500s",
					s.Name, method, stored, recorded)
			}
			if strings.Count(stored, "http://"+s.Name) < 2 ||
				!strings.Contains(stored, `"orphans": []`) {
				tr.Errorf("%s by method %s: %s", s.Name, method, stored)
			}
		}
	}
}

// divided shows a source divided by a method.
func (tr *traveller) divided(method string) func(*eval.DividedServer, error) string {
	return func(source *eval.DividedServer, err error) string {
		tr.Helper()
		if err != nil {
			tr.Fatal(err)
		}
		text, err := json.MarshalIndent(eval.Divide(source, method).Result, "", " ")
		if err != nil {
			tr.Fatal(err)
		}
		return string(text)
	}
}

// TestWorldsDiffer checks that the comparison of worlds finds any difference, and its place.
func TestWorldsDiffer(t *testing.T) {
	p := plan{sweeps: []string{"a", "c"}, policy: "ebayes"}
	travel := func() journey {
		return journey{crawl: make([]step, 2), weeks: make([]step, 3),
			sweeps: []swept{{steps: make([]step, 4)}, {steps: make([]step, 5)}}}
	}
	if a := p.compare(travel(), travel()); a.Difference != "" || a.Visits != 14 {
		t.Errorf("the same journey: %+v", a)
	}
	for _, c := range []struct {
		name   string
		change func(j *journey)
		visits int
		words  []string
	}{
		{"crawl", func(j *journey) {
			j.crawl[1].url = "http://x/"
		}, 1, []string{"crawl of the base: visit 2", "http://x/"}},
		{"verdict of a sweep", func(j *journey) {
			j.sweeps[1].steps[0].verdict = 3
		}, 2 + 4, []string{"sweep by method c: visit 1", "changed"}},
		{"length of a sweep", func(j *journey) { j.sweeps[0].steps = j.sweeps[0].steps[:3] }, 2 + 3,
			[]string{"sweep by method a", "4 visits over HTTP, 3 by replay"}},
		{"sites of a sweep", func(j *journey) {
			j.sweeps[0].Sites = 7
		}, 2 + 4, []string{"sites of method a", "Sites:7"}},
		{"weeks", func(j *journey) {
			j.weeks[2].first = true
		}, 2 + 4 + 5 + 2, []string{"weeks with ebayes: visit 3"}},
	} {
		other := travel()
		c.change(&other)
		a := p.compare(travel(), other)
		for _, word := range c.words {
			if !strings.Contains(a.Difference, word) || a.Visits != c.visits {
				t.Errorf("%s: %+v, want %d visits and %q", c.name, a, c.visits, word)
			}
		}
	}
}
