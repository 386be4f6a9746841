package corpus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/corpus/index"
	"github.com/recrawl/recrawl/fetch/corpus/selection"
)

// library is an archive of many pages of some 350 words, with links to each other.
type library struct {
	*web
	rng   *rand.Rand
	pages int
}

func newLibrary(b *testing.B, pages int) *library {
	w := newWeb(b, 1)
	w.close()
	a, err := archive.Open(w.dir, archive.Options{Now: func() time.Time { return w.clock }})
	if err != nil {
		b.Fatal(err)
	}
	w.archive = a
	l := &library{w, rand.New(rand.NewPCG(1, 1)), pages}
	for n := range pages {
		l.put(n)
	}
	if err := w.archive.Sync(); err != nil {
		b.Fatal(err)
	}
	return l
}

func (l *library) put(n int) {
	var text strings.Builder
	fmt.Fprintf(&text, "<html><head><title>Page %d of a library</title></head><body><nav><a href=/>Home</a></nav><main><p>", n)
	for i := range 350 {
		word := l.rng.ExpFloat64() * 800 // some are frequent
		fmt.Fprintf(&text, "w%d%s", int(word), []string{" ", " ", " ", " ", ". "}[i%5])
	}
	links := rand.New(rand.NewPCG(2, uint64(n))) // they stay
	for range 8 {
		to := links.IntN(l.pages)
		fmt.Fprintf(&text, `<a href="http://s%d.example/p%d">page %d</a> `, to%50, to, to)
	}
	l.page(fmt.Sprintf("http://s%d.example/p%d", n%50, n), text.String()+"</main></body></html>")
}

// BenchmarkBuild is what a build costs after so many pages have changed, beside one from nothing.
func BenchmarkBuild(b *testing.B) {
	sizes := []int{1_000, 10_000}
	if os.Getenv("RECRAWL_LONG") != "" {
		sizes = append(sizes, 100_000)
	}
	o := Options{Settings: Settings{Unit: 1_000_000, Garbage: 0.3, Options: selection.Options{MinText: 200, MaxText: 500_000, MaxAddress: 200, MaxDepth: 8, Near: 3}}}
	for _, pages := range sizes {
		l := newLibrary(b, pages)
		dir := b.TempDir()
		b.Run(fmt.Sprintf("pages=%d/nothing", pages), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				if err := os.RemoveAll(dir); err != nil {
					b.Fatal(err)
				}
				c := openTest(b, vfs.Default, dir)
				b.StartTimer()
				if _, err := l.build(c, o); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				closed(b, c)
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*pages), "ms/page")
			b.ReportMetric(float64(size(b, filepath.Join(dir, standardDir)))/float64(pages), "standard-B/page")
			b.ReportMetric(float64(size(b, index.IndexDir(dir)))/float64(pages), "index-B/page")
			b.ReportMetric(float64(size(b, filepath.Join(dir, pagesDir)))/float64(pages), "rows-B/page")
		})
		b.Run(fmt.Sprintf("pages=%d/engine", pages), func(b *testing.B) {
			all := searchable(b, dir)
			for b.Loop() {
				u, err := index.NewBuilder(b.TempDir(), 1)
				if err != nil {
					b.Fatal(err)
				}
				for i := range all {
					if err := u.Add(&all[i]); err != nil {
						b.Fatal(err)
					}
				}
				if err := u.Close(1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(all)), "ms/page")
		})
		for _, percent := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("pages=%d/changed=%d%%", pages, percent), func(b *testing.B) {
				c := openTest(b, vfs.Default, dir)
				defer closed(b, c)
				collected := 0
				for b.Loop() {
					b.StopTimer()
					for range pages * percent / 100 {
						l.put(l.rng.IntN(pages))
					}
					if err := l.archive.Sync(); err != nil {
						b.Fatal(err)
					}
					in, err := archive.OpenReader(l.dir) // reads what is not yet in the index of the archive
					if err != nil {
						b.Fatal(err)
					}
					o.Archive = in
					b.StartTimer()
					r, err := c.Build(b.Context(), o)
					if err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					if err := in.Close(); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					collected += r.Collected
				}
				changed := float64(b.N*pages*percent) / 100
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/changed, "ms/page")
				b.ReportMetric(float64(collected)/changed, "collected/page")
			})
		}
	}
}

// searchable are all pages of a corpus, as they are indexed.
func searchable(b *testing.B, dir string) (all []index.Page) {
	c := openTest(b, vfs.Default, dir)
	defer closed(b, c)
	if err := each(c.db, []byte{keyIdentifier}, func(_ string, url []byte) (bool, error) {
		r, err := loadRow(c.db, string(url))
		if err != nil {
			return false, err
		}
		d, err := c.document(r)
		if err != nil {
			return false, err
		}
		all = append(all, *pageOf(uint64(len(all)), r, d))
		return true, nil
	}); err != nil {
		b.Fatal(err)
	}
	return all
}

// BenchmarkSearch is what a search of two words takes.
func BenchmarkSearch(b *testing.B) {
	l := newLibrary(b, 10_000)
	c := openTest(b, vfs.Default, b.TempDir())
	defer closed(b, c)
	o := options()
	o.Unit, o.Quota, o.MaxText = 1_000_000, 0, 0
	if _, err := l.build(c, o); err != nil {
		b.Fatal(err)
	}
	s, err := index.OpenSearcher(c.dir)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		q := index.Query{Words: fmt.Sprintf("w%d w%d", int(l.rng.ExpFloat64()*800), int(l.rng.ExpFloat64()*800))}
		if _, err := s.Search(b.Context(), &q); err != nil {
			b.Fatal(err)
		}
	}
}

func size(b *testing.B, dir string) (octets int64) {
	b.Helper()
	if err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, bad := d.Info()
			if bad != nil {
				return bad
			}
			octets += info.Size()
		}
		return err
	}); err != nil {
		b.Fatal(err)
	}
	return octets
}
