package corpus

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/corpus/index"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/fetch/filter"
)

var ofArchive = flag.String("archive", "",
	"directory of an archive that TestWeeks builds a corpus of week by week")

// TestWeeks builds a corpus from an archive week by week. Each tenth week, and the last one, it
// compares it with a corpus built at once: pages, verdicts, documents, and the first ten results of
// 200 searches are equal.
//
//	recrawl demo --sites sites --archive warc --budget 0.2 --weeks 26 --claims=false
//	go test ./fetch/corpus -run Weeks -v -timeout 1h -args -archive "$PWD/warc"
func TestWeeks(t *testing.T) {
	if *ofArchive == "" {
		t.Skip("no -archive is given")
	}
	in, err := archive.OpenReader(*ofArchive)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	weeks := cuts(t, in)
	w := &web{t: t, dir: t.TempDir()}
	c := openTest(t, vfs.Default, t.TempDir())
	defer closed(t, c)
	o := Options{Settings: Settings{Unit: 1000, Garbage: 0.3,
		SelectionOptions: filter.SelectionOptions{
			MinText: 200, MaxText: 500_000, MaxAddress: 200, MaxDepth: 8, Near: 3}}}
	total := Result{}
	for n, until := range weeks {
		w.copyOf(*ofArchive, until)
		r, err := w.build(c, o)
		if err != nil {
			t.Fatal(err)
		}
		total.Captures += r.Captures
		total.Read += r.Read
		total.Written += r.Written
		total.Collected += r.Collected
		if week := n + 1; week%10 != 0 && week != len(weeks) {
			continue
		}
		whole := openTest(t, vfs.Default, t.TempDir())
		all, err := w.build(whole, o)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprintf("week %d", n+1), held(t, c), held(t, whole))
		searches, hits := sameResults(t, c, whole)
		t.Logf("week %d: %d of %d pages are selected; %d documents, and the first ten of %d "+
			"searches (%d results) are compared; "+
			"so far the builds read %d pages, wrote %d documents and collected %d, that from "+
			"nothing reads %d and writes %d",
			n+1, r.Selected, r.Pages, r.Selected, searches, hits, total.Read, total.Written,
			total.Collected, all.Read, all.Written)
		closed(t, whole)
	}
}

// cuts returns the length of each WARC file at the end of each week. The first week starts with the
// first capture.
func cuts(t *testing.T, in *archive.Reader) (weeks []map[string]int64) {
	ends := map[string]int64{}
	var end time.Time
	if _, err := in.Since(nil, func(c *archive.Capture) error {
		if end.IsZero() {
			end = c.Time.AddDate(0, 0, 8) // the day of the first visits, and a week
		}
		for !c.Time.Before(end) {
			week := map[string]int64{}
			for name, at := range ends {
				week[name] = at
			}
			week[c.Filename] = c.Offset
			weeks, end = append(weeks, week), end.AddDate(0, 0, 7)
		}
		ends[c.Filename] = c.Offset + c.Length
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return append(weeks, ends)
}

// copyOf copies another archive, up to a number of octets of each file.
func (w *web) copyOf(dir string, until map[string]int64) {
	w.t.Helper()
	for name, end := range until {
		from, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			w.t.Fatal(err)
		}
		to, err := os.Create(filepath.Join(w.dir, name))
		if err == nil {
			_, err = io.CopyN(to, from, end)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		from.Close()
		to.Close()
	}
}

// sameResults compares the first ten results of 200 searches in two corpora.
func sameResults(t *testing.T, a, b *Corpus) (searches, hits int) {
	t.Helper()
	var s [2]*index.Searcher
	for i, c := range []*Corpus{a, b} {
		opened, err := index.OpenSearcher(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		s[i] = opened
	}
	if err := b.drawn(200, rand.New(rand.NewPCG(1, 1)), func(words string) error {
		var found [2]string
		for i := range s {
			r, err := s[i].Search(context.Background(), &query.Query{Words: words})
			if err != nil {
				return err
			}
			found[i] = fmt.Sprint(r.Pages, r.Total, r.Terms)
			for _, h := range r.Hits {
				h.ID = 0
				found[i] += fmt.Sprintf("\n  %+v", h)
				hits += i
			}
		}
		searches++
		if found[0] != found[1] {
			t.Errorf("%q finds %s\nfrom nothing %s", words, found[0], found[1])
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return searches, hits
}
