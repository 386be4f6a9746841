package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/corpus/query"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// shelf is an index to which a test adds.
type shelf struct {
	t      testing.TB
	corpus string
	set    Set
	next   uint64
}

func newShelf(t testing.TB) *shelf { return &shelf{t: t, corpus: t.TempDir()} }

// unit builds a unit of pages with consecutive identifiers.
func (s *shelf) unit(all ...Page) {
	s.t.Helper()
	number := len(s.set.Units) + 1
	b, err := NewBuilder(IndexDir(s.corpus), number)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range all {
		p := &all[i]
		p.ID, p.Tie = s.next, uint64(len(p.URL))
		s.next++
		if err := b.Add(p); err != nil {
			s.t.Fatal(err)
		}
	}
	s.set.Number++
	if err := b.Close(s.set.Number); err != nil {
		s.t.Fatal(err)
	}
	s.set.Units = append(s.set.Units, Unit{Number: number, State: s.set.Number, Pages: len(all)})
}

// remove deletes pages of a unit.
func (s *shelf) remove(unit int, places ...uint32) {
	s.t.Helper()
	s.set.Number++
	c, err := Edit(IndexDir(s.corpus), s.set.Units[unit])
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range places {
		c.Delete(p)
	}
	if s.set.Units[unit], err = c.Save(s.set.Number); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) publish() {
	s.t.Helper()
	if err := Publish(IndexDir(s.corpus), &s.set); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) searcher() *Searcher {
	s.t.Helper()
	x, err := OpenSearcher(s.corpus)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { x.Close() })
	return x
}

func urls(t testing.TB, s *Searcher, q query.Query) (all []string) {
	t.Helper()
	r, err := s.Search(context.Background(), &q)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range r.Hits {
		all = append(all, h.URL)
		for _, m := range h.Marks {
			if m[0] < 0 || m[1] > len(h.Snippet) || m[0] >= m[1] {
				t.Errorf("mark %v of %q", m, h.Snippet)
			}
		}
	}
	if len(all) != min(r.Total, max(q.Most, query.UsualResults)) {
		t.Errorf("%+v finds %d pages and shows %d", q, r.Total, len(all))
	}
	return all
}

var library = []Page{
	{URL: "a", Title: "River", Body: []string{"The spring flood rose.", "Boats lay at the quay."},
		Server: "x", Language: "en", Changed: noon, Verified: noon},
	{URL: "bb", Title: "Boats", Body: []string{"A flood in spring."},
		Anchors: []string{"river guide"}, Server: "y", Language: "en",
		Changed: noon.AddDate(0, 0, 5), Verified: noon.AddDate(0, 0, 9)},
	{URL: "ccc", Title: "川", Body: []string{"京都の川で花見をした。", "地球温暖化の話もした。"}, Server: "x",
		Language: "ja", Changed: noon, Verified: noon.AddDate(0, 0, 9)},
	{URL: "dddd", Title: "", Body: []string{"flood flood flood"}, Server: "x", Language: "en",
		Changed: noon, Verified: noon},
}

func TestQueries(t *testing.T) {
	needsDictionary(t)
	s := newShelf(t)
	s.unit(library[:2]...)
	s.unit(library[2:]...)
	s.publish()
	x := s.searcher()
	for _, c := range []struct {
		q    query.Query
		want string
	}{
		{query.Query{Words: "river"}, "a bb"},        // a title counts more than the text of a link
		{query.Query{Words: "FLOOD"}, "dddd bb a"},   // the others by frequency and length
		{query.Query{Words: `"spring flood"`}, "a"},  // words in a row
		{query.Query{Words: "spring flood"}, "bb a"}, // both
		{query.Query{Words: `flood -"spring flood"`}, "dddd bb"},
		{query.Query{Words: "flood -spring"}, "dddd"},
		{query.Query{Words: "flood -boats -spring -flood"}, ""},
		{query.Query{Words: "京都"}, "ccc"},
		{query.Query{Words: "花見　京都"}, "ccc"},
		{query.Query{Words: "温暖化"}, "ccc"},
		{query.Query{Words: "する"}, "ccc"},
		{query.Query{Words: "flood", Server: "x"}, "dddd a"},
		{query.Query{Words: "river", Language: "ja"}, ""},
		{query.Query{Words: "flood", Changed: noon.AddDate(0, 0, 1)}, "bb"},
		{query.Query{Words: "川", Verified: noon.AddDate(0, 0, 9)}, "ccc"},
		{query.Query{Words: "ebb"}, ""},
		{query.Query{Words: "river", In: []string{"title"}}, "a"},
		{query.Query{Words: "river", In: []string{"anchor"}}, "bb"},
		{query.Query{Words: "river", In: []string{"body"}}, ""},
		{query.Query{Words: "spring -river", In: []string{"title", "body"}}, "bb"},
		{query.Query{Words: `"river guide"`, In: []string{"anchor"}}, "bb"},
	} {
		if got := strings.Join(urls(t, x, c.q), " "); got != c.want {
			t.Errorf("%+v finds %q, want %q", c.q, got, c.want)
		}
	}
	for _, empty := range []string{"", " - ", `""`, "-river", "…"} {
		if _, err := x.Search(context.Background(), &query.Query{Words: empty}); !errors.Is(err,
			query.ErrNoWords) {
			t.Errorf("%q: %v", empty, err)
		}
	}
	var bad *query.Error
	if _, err := x.Search(context.Background(),
		&query.Query{Words: "river", In: []string{"links"}}); !errors.As(err, &bad) {
		t.Error(err)
	}
	r, err := x.Search(context.Background(), &query.Query{Words: "quay boats"})
	if err != nil || r.Hits[0].Snippet != "Boats lay at the quay." || len(r.Hits[0].Marks) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	rest, err := x.Search(context.Background(),
		&query.Query{Words: "flood", Most: query.MostResults, Skip: 1})
	if err != nil || rest.Total != 3 || len(rest.Hits) != 2 {
		t.Errorf("%+v, %v", rest, err)
	}
	first, err := x.Search(context.Background(), &query.Query{Words: "flood", Most: 1, Skip: 1})
	if err != nil || first.Total != 3 || len(first.Hits) != 1 || first.Hits[0].URL != "bb" {
		t.Errorf("%+v, %v", first, err)
	}
}

// TestLongTexts checks that the start of a long text is searched.
func TestLongTexts(t *testing.T) {
	s := newShelf(t)
	long := strings.Repeat("an a é ", MostText/8)
	s.unit(Page{URL: "a", Title: "first " + long + " last",
		Body: []string{"early", long, long, "late"}, Anchors: []string{long, long, "behind"}})
	s.publish()
	x := s.searcher()
	for word, want := range map[string]int{"first": 1, "last": 0, "early": 1, "late": 0,
		"behind": 0} {
		if found := len(urls(t, x, query.Query{Words: word})); found != want {
			t.Errorf("%q finds %d pages", word, found)
		}
	}
}

// TestOneRanking checks that scores depend neither on units nor on deletions.
func TestOneRanking(t *testing.T) {
	needsDictionary(t)
	whole, parts := newShelf(t), newShelf(t)
	whole.unit(library...)
	whole.publish()
	noise := Page{URL: "noise", Title: "River flood spring",
		Body: []string{strings.Repeat("flood river boats ", 50)}, Server: "z", Changed: noon,
		Verified: noon}
	parts.unit(library[3], noise, library[1])
	parts.unit(noise, noise)
	parts.unit(library[2], library[0])
	parts.remove(0, 1)
	parts.remove(1, 0, 1)
	parts.publish()
	a, b := whole.searcher(), parts.searcher()
	for _, words := range []string{"river", "flood", "spring flood", "boats", "川", "z"} {
		one, err := a.Search(context.Background(), &query.Query{Words: words})
		if err != nil {
			t.Fatal(err)
		}
		other, err := b.Search(context.Background(), &query.Query{Words: words})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*query.Results{one, other} {
			r.Set, r.Seconds = 0, 0
			for i := range r.Hits {
				r.Hits[i].ID = 0
			}
		}
		if fmt.Sprintf("%+v", one) != fmt.Sprintf("%+v", other) {
			t.Errorf("%q:\n%+v\n%+v", words, one, other)
		}
	}
}

// TestSets checks that a search sees one set while sets change, and no page twice. A copy of the
// index is searched also, and damage is found.
func TestSets(t *testing.T) {
	s := newShelf(t)
	page := func(version int) Page {
		return Page{URL: "page", Title: fmt.Sprint("version ", version), Body: []string{"text"},
			Changed: noon, Verified: noon}
	}
	s.unit(page(1))
	s.publish()
	x := s.searcher()
	done := make(chan struct{})
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for seen := ""; ; {
				r, err := x.Search(context.Background(), &query.Query{Words: "version"})
				if err != nil || len(r.Hits) != 1 || r.Hits[0].Title < seen {
					t.Errorf("%+v, %v after %s", r, err, seen)
					return
				}
				seen = r.Hits[0].Title
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for version := 2; version < 8; version++ {
		before := s.set
		before.Units = append([]Unit(nil), s.set.Units...)
		s.unit(page(version))
		s.remove(len(s.set.Units)-2, 0)
		s.publish()
		if err := Sweep(IndexDir(s.corpus), &before, &s.set); err != nil {
			t.Fatal(err)
		}
		if err := x.Refresh(); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	wait.Wait()
	t.Logf("searches waited %v at most", x.Pause())
	moved := &shelf{t: t, corpus: filepath.Join(t.TempDir(), "copy")}
	if err := os.CopyFS(moved.corpus, os.DirFS(s.corpus)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(s.corpus); err != nil {
		t.Fatal(err)
	}
	if got := urls(t, moved.searcher(), query.Query{Words: "version"}); len(got) != 1 {
		t.Errorf("the copy finds %v", got)
	}
	for _, name := range []string{pagesName, stateName(moved.state(t))} {
		path := filepath.Join(unitPath(IndexDir(moved.corpus), len(s.set.Units)), name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text[len(text)/2] ^= 1
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenSearcher(moved.corpus); err == nil ||
			!strings.Contains(err.Error(), path+" is damaged") {
			t.Errorf("damaged %s: %v", name, err)
		}
		text[len(text)/2] ^= 1
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var none *NoneError
	if _, err := OpenSearcher(t.TempDir()); !errors.As(err, &none) {
		t.Error(err)
	}
}

// TestManySearches checks that searches beyond the limit wait, and no longer than their context.
func TestManySearches(t *testing.T) {
	s := newShelf(t)
	s.unit(Page{URL: "a", Title: "river"})
	s.publish()
	x := s.searcher()
	for range mostSearches {
		x.turns <- struct{}{} // the limit of running searches
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if r, err := x.Search(ctx, &query.Query{Words: "river"}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("%+v, %v", r, err)
	}
	<-x.turns
	if got := urls(t, x, query.Query{Words: "river"}); len(got) != 1 {
		t.Errorf("it finds %v", got)
	}
}

// TestBuiltAnew checks that a rebuilt corpus is searched, although its sets and units have the same
// numbers.
func TestBuiltAnew(t *testing.T) {
	s := newShelf(t)
	s.unit(Page{URL: "before", Title: "river"})
	s.publish()
	x := s.searcher()
	if err := os.RemoveAll(s.corpus); err != nil {
		t.Fatal(err)
	}
	again := &shelf{t: t, corpus: s.corpus}
	again.unit(Page{URL: "after", Title: "river"})
	again.publish()
	if err := x.Refresh(); err != nil {
		t.Fatal(err)
	}
	if got := urls(t, x, query.Query{Words: "river"}); len(got) != 1 || got[0] != "after" {
		t.Errorf("it finds %v", got)
	}
}

func (s *shelf) state(t testing.TB) int {
	set, err := ReadSet(IndexDir(s.corpus))
	if err != nil {
		t.Fatal(err)
	}
	return set.Units[len(set.Units)-1].State
}

// FuzzQuery checks that every query is answered or refused.
func FuzzQuery(f *testing.F) {
	needsDictionary(f)
	s := newShelf(f)
	s.unit(library...)
	s.publish()
	x := s.searcher()
	f.Add(`river "spring flood" -boat 京都`)
	f.Add(`-"" - "" """`)
	f.Fuzz(func(t *testing.T, words string) {
		r, err := x.Search(context.Background(), &query.Query{Words: words})
		if err != nil && !errors.Is(err, query.ErrNoWords) || err == nil && r.Total > len(library) {
			t.Fatalf("%q: %+v, %v", words, r, err)
		}
	})
}
