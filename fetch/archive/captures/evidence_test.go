package captures

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

var now = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func day(n int) time.Time { return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

// told returns a capture with the digest of another tool.
func told(url string, n int, content string) Capture {
	return Capture{URL: url, Time: sitegraph.Unix32(day(n)), Kind: KindFetched,
		Status: 200, Payload: sitegraph.PayloadDigest("sha1", content)}
}

// body returns a capture with a body.
func body(url string, n int, content string) Capture {
	c := told(url, n, content)
	c.Digests.Bytes = sitegraph.DigestOf([]byte(content))
	return c
}

func open(t *testing.T, dir string) *satstore.Store {
	t.Helper()
	s, err := satstore.Open(dir, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// take imports captures into the store of a directory.
func take(t *testing.T, dir string, all []Capture, o TakeInOptions) (*TakenIn, error) {
	t.Helper()
	store := open(t, dir)
	sorter, err := NewSorter(filepath.Join(dir, "import.sort"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if err := sorter.Add(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	o.Now = now
	r, err := TakeIn(t.Context(), store, sorter, o)
	if e := errors.Join(sorter.Close(), store.Close()); e != nil {
		t.Fatal(e)
	}
	return r, err
}

// records returns the records of the store, by URL.
func records(t *testing.T, dir string) map[string]sitegraph.Record {
	t.Helper()
	store := open(t, dir)
	defer store.Close()
	all := map[string]sitegraph.Record{}
	err := store.Restore(sitegraph.NewGraph(), func(r *sitegraph.Record) {
		kept := *r
		kept.Page = 0 // the number depends on the order
		all[r.URL] = kept
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(t *testing.T, what string, got, want map[string]sitegraph.Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d pages, want %d", what, len(got), len(want))
	}
	for url, r := range want {
		if got[url] != r {
			t.Errorf("%s: %s is\n%+v, want\n%+v", what, url, got[url], r)
		}
	}
}

// some returns captures of a few pages over a year.
func some(seed uint64, pages int) (all []Capture) {
	r := rand.New(rand.NewPCG(seed, 1))
	for p := range pages {
		url := fmt.Sprintf("http://h.example/%d", p)
		for d := r.IntN(30); d < 365; d += 1 + r.IntN(60) {
			c := told(url, d, fmt.Sprint(r.IntN(3)))
			switch r.IntN(12) {
			case 0:
				c = Capture{URL: url, Time: c.Time, Kind: KindGone, Status: 404}
			case 1:
				c = Capture{URL: url, Time: c.Time, Kind: KindUnchanged}
			}
			all = append(all, c)
		}
	}
	return all
}

// TestAgain checks that a second import of all or some captures changes nothing. Captures imported
// in two parts, in either order, leave the same as one import, as far as they are comparable.
func TestAgain(t *testing.T) {
	all := some(1, 60)
	whole := t.TempDir()
	r, err := take(t, whole, all, TakeInOptions{})
	if err != nil || r.New == 0 || r.Told.Changes == 0 || r.Told.Compared <= r.Told.Changes ||
		r.Left == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	want := records(t, whole)
	for _, part := range [][]Capture{all, all[:len(all)/2], all[len(all)/3:]} {
		if r, err := take(t, whole, part, TakeInOptions{}); err != nil || r.New != 0 ||
			r.Past != 0 ||
			r.Told.Visits != 0 {
			t.Errorf("again: %+v, %v", r, err)
		}
		same(t, "again", records(t, whole), want)
	}
	var older, newer, bare []Capture
	for _, c := range all {
		if c.Kind == KindGone {
			continue
		}
		bare = append(bare, c)
		if c.Time < sitegraph.Unix32(day(180)) {
			older = append(older, c)
		} else {
			newer = append(newer, c)
		}
	}
	once := t.TempDir()
	if _, err := take(t, once, bare, TakeInOptions{}); err != nil {
		t.Fatal(err)
	}
	want = records(t, once)
	parts := t.TempDir()
	for _, part := range [][]Capture{older, newer} {
		if _, err := take(t, parts, part, TakeInOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "the older first", records(t, parts), want)
	backwards := t.TempDir()
	for range 2 {
		for _, part := range [][]Capture{newer, older} {
			if _, err := take(t, backwards, part, TakeInOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for url, r := range records(t, backwards) {
		w := want[url]
		// A first capture of "not modified" does not show the content that the next one is compared
		// to.
		if r.History.Visits+1 < w.History.Visits || r.History.Visits > w.History.Visits ||
			r.History.Changes > w.History.Changes || r.History.Changes+1 < w.History.Changes ||
			r.Digests != w.Digests {
			t.Errorf("the newer first: %s is\n%+v, want about\n%+v", url, r.History, w.History)
		}
	}
}

// visited makes a page with own visits, on the days and with the contents given.
func visited(t *testing.T, dir string, contents map[int]string) string {
	t.Helper()
	const url = "http://h.example/own"
	store := open(t, dir)
	r := sitegraph.Record{URL: url, State: sitegraph.StateNew, Due: now}
	for n := 200; n <= 240; n += 20 {
		if content, ok := contents[n]; ok {
			r.Apply(sitegraph.Observation{Outcome: sitegraph.OutcomeFetched, Status: 200,
				Time: day(n), ETag: `"e"`,
				Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte(content))}}, 0)
		}
	}
	if err := errors.Join(store.Add(&r), store.SaveStart(0), store.Commit(),
		store.Close()); err != nil {
		t.Fatal(err)
	}
	return url
}

// TestOwnVisits checks that results of own visits stay: captures add a past, and continue
// comparable contents.
func TestOwnVisits(t *testing.T) {
	const days = 86400
	for name, c := range map[string]struct {
		own             map[int]string
		all             func(url string) []Capture
		visits, changes uint32
		elapsed, stable int // days
		etag            bool
	}{
		"a past with bodies": {map[int]string{200: "a", 220: "a"},
			func(u string) []Capture {
				return []Capture{body(u, 100, "b"),
					body(u, 150, "a")}
			}, 4, 1, 120, 70, true},
		"a past without bodies": {map[int]string{200: "a", 220: "a"},
			func(u string) []Capture {
				return []Capture{told(u, 100, "b"),
					told(u, 150, "a")}
			}, 4, 1, 70, 20, true},
		"changed since": {map[int]string{200: "a", 220: "b"},
			func(u string) []Capture {
				return []Capture{body(u, 100, "a"),
					body(u, 150, "a")}
			}, 4, 1, 70, 50, true},
		"between own visits": {map[int]string{200: "a", 220: "a"},
			func(u string) []Capture {
				return []Capture{told(u, 205, "b"),
					body(u, 210, "c")}
			}, 2, 0, 20, 20, true},
		"later, not comparable": {map[int]string{200: "a", 220: "a"},
			func(u string) []Capture {
				return []Capture{told(u, 230, "b"),
					told(u, 231, "c")}
			}, 2, 0, 20, 20, true},
		"later, with a body": {map[int]string{200: "a", 220: "a"},
			func(u string) []Capture {
				return []Capture{body(u, 230, "b"),
					body(u, 235, "b")}
			}, 4, 1, 35, 25, false},
		"later, gone": {map[int]string{200: "a", 220: "a"}, func(u string) []Capture {
			return []Capture{{URL: u, Time: sitegraph.Unix32(day(230)),
				Kind: KindGone}}
		}, 2, 0, 20, 20, true},
		"gone before the own ones": {map[int]string{200: "a", 220: "a"},
			func(u string) []Capture {
				return []Capture{body(u, 100, "a"),
					{URL: u, Time: sitegraph.Unix32(day(150)), Kind: KindGone}}
			}, 2, 0, 20, 20, true},
	} {
		dir := t.TempDir()
		url := visited(t, dir, c.own)
		own := records(t, dir)[url]
		for range 2 { // the second time changes nothing
			if _, err := take(t, dir, c.all(url), TakeInOptions{}); err != nil {
				t.Fatal(err)
			}
			r := records(t, dir)[url]
			h := r.History
			if h.Visits != c.visits || h.Changes != c.changes ||
				int(h.Elapsed().Hours()/24) != c.elapsed || int(h.Stable) != c.stable*days ||
				r.State != sitegraph.StateAlive {
				t.Errorf("%s: %+v, %v elapsed", name, h, h.Elapsed())
			}
			if (r.ETag != "") != c.etag || c.etag &&
				(r.Digests != own.Digests || r.Tried != own.Tried || h.Last != own.History.Last) {
				t.Errorf("%s: the copy changed: %+v, was %+v", name, r, own)
			}
		}
	}
}

// TestVisitAfterImport checks that the first own visit after an import without bodies is no change,
// and that a second import changes nothing.
func TestVisitAfterImport(t *testing.T) {
	dir := t.TempDir()
	const url = "http://h.example/own"
	all := []Capture{told(url, 0, "a"), told(url, 30, "b"), told(url, 60, "b")}
	if _, err := take(t, dir, all, TakeInOptions{}); err != nil {
		t.Fatal(err)
	}
	store := open(t, dir)
	var r sitegraph.Record
	if err := store.Load(0, &r); err != nil {
		t.Fatal(err)
	}
	first := r.Apply(sitegraph.Observation{Outcome: sitegraph.OutcomeFetched, Status: 200,
		Time: day(100), Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte("b"))}}, 0)
	second := r.Apply(sitegraph.Observation{Outcome: sitegraph.OutcomeFetched, Status: 200,
		Time: day(110), Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte("b"))}}, 0)
	if first != sitegraph.VerdictBaseline || second != sitegraph.VerdictUnchanged ||
		r.History.Changes != 1 || r.History.Visits != 4 {
		t.Errorf("%v, then %v: %+v", first, second, r.History)
	}
	if err := errors.Join(store.Save(&r), store.Commit(), store.Close()); err != nil {
		t.Fatal(err)
	}
	want := records(t, dir)
	for _, more := range [][]Capture{all,
		append(all, told(url, 80, "c"), told(url, 105, "c"))} {
		if _, err := take(t, dir, more, TakeInOptions{}); err != nil {
			t.Fatal(err)
		}
		same(t, "after a visit", records(t, dir), want)
	}
}

// TestFailedVisitAfterImport checks that a failed own visit leaves an imported page open to later
// captures.
func TestFailedVisitAfterImport(t *testing.T) {
	dir := t.TempDir()
	const url = "http://h.example/own"
	if _, err := take(t, dir, []Capture{told(url, 0, "a")}, TakeInOptions{}); err != nil {
		t.Fatal(err)
	}
	store := open(t, dir)
	var r sitegraph.Record
	if err := store.Load(0, &r); err != nil {
		t.Fatal(err)
	}
	r.Apply(sitegraph.Observation{Outcome: sitegraph.OutcomeFailed, Time: day(10)}, 0)
	if err := errors.Join(store.Save(&r), store.Commit(), store.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := take(t, dir, []Capture{told(url, 20, "b"), told(url, 30, "b")},
			TakeInOptions{}); err != nil {
			t.Fatal(err)
		}
		if h := records(t, dir)[url].History; h.Visits != 3 || h.Changes != 1 {
			t.Errorf("%+v", h)
		}
	}
}

// crashing is a store that fails at its n-th change, as if the process were killed there.
type crashing struct {
	*satstore.Store
	left int
}

var errCrash = errors.New("killed")

func (c *crashing) step() error {
	if c.left--; c.left < 0 {
		return errCrash
	}
	return nil
}

func (c *crashing) Save(r *sitegraph.Record) error {
	return errors.Join(c.step(), c.Store.Save(r))
}

func (c *crashing) SaveStart(p sitegraph.PageID) error {
	return errors.Join(c.step(), c.Store.SaveStart(p))
}

// TestKilled checks that an interrupted import, repeated, leaves the same as a whole one.
func TestKilled(t *testing.T) {
	all := some(2, 30)
	whole := t.TempDir()
	if _, err := take(t, whole, all, TakeInOptions{}); err != nil {
		t.Fatal(err)
	}
	want := records(t, whole)
	for n := 0; n < len(want); n += 3 {
		dir := t.TempDir()
		store := open(t, dir)
		sorter, err := NewSorter(filepath.Join(dir, "import.sort"), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			sorter.Add(&all[i])
		}
		_, err = TakeIn(context.Background(), &crashing{store, n}, sorter, TakeInOptions{Now: now})
		if !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		store.Close() // import.sort remains
		if _, err := take(t, dir, all, TakeInOptions{}); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("after %d pages", n), records(t, dir), want)
	}
}
