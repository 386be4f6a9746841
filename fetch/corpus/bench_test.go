//go:build unix

package corpus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/corpus/index"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/satstore/machine"
)

// library is an archive of many pages of about 350 words, with links to each other.
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
	fmt.Fprintf(&text, "<html><head><title>Page %d of a library</title></head><body><nav><a "+
		"href=/>Home</a></nav><main><p>", n)
	for i := range 350 {
		word := l.rng.ExpFloat64() * 800 // some words are frequent
		fmt.Fprintf(&text, "w%d%s", int(word), []string{" ", " ", " ", " ", ". "}[i%5])
	}
	links := rand.New(rand.NewPCG(2, uint64(n))) // the same at each version
	for range 8 {
		to := links.IntN(l.pages)
		fmt.Fprintf(&text, `<a href="http://s%d.example/p%d">page %d</a> `, to%50, to, to)
	}
	url := fmt.Sprintf("http://s%d.example/p%d", n%50, n)
	l.page(url, text.String()+"</main></body></html>")
	delete(l.body, url) // it would count as memory of the build
}

// meter measures a benchmark: processor time, which does not depend much on other work, and the
// peak of memory taken from the system.
type meter struct {
	b       *testing.B
	seconds float64
	peak    int64
	stop    chan struct{}
	done    sync.WaitGroup
}

func processorSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// measure measures a part of each iteration.
func (m *meter) measure(work func()) {
	debug.FreeOSMemory() // memory of the last iteration
	m.stop = make(chan struct{})
	m.done.Go(func() {
		for {
			m.peak = max(m.peak, machine.Field("/proc/self/status", "RssAnon:")<<10)
			select {
			case <-m.stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	began := processorSeconds(m.b)
	m.b.StartTimer()
	work()
	m.b.StopTimer()
	m.seconds += processorSeconds(m.b) - began
	close(m.stop)
	m.done.Wait()
}

func (m *meter) report() {
	m.b.ReportMetric(m.seconds/float64(m.b.N), "cpu-s/op")
	m.b.ReportMetric(float64(m.peak)/1e6, "peak-MB")
}

// BenchmarkBuild measures a build after a number of pages have changed, compared with one from
// nothing.
func BenchmarkBuild(b *testing.B) {
	sizes := []int{1_000, 10_000}
	if os.Getenv("RECRAWL_LONG") != "" {
		sizes = append(sizes, 100_000)
	}
	o := Options{Settings: Settings{Unit: 1_000_000, Garbage: 0.3,
		SelectionOptions: filter.SelectionOptions{MinText: 200, MaxText: 500_000, MaxAddress: 200,
			MaxDepth: 8,
			Near:     3}}}
	for _, pages := range sizes {
		l := newLibrary(b, pages)
		dir := b.TempDir()
		b.Run(fmt.Sprintf("pages=%d/nothing", pages), func(b *testing.B) {
			m := &meter{b: b}
			for b.Loop() {
				b.StopTimer()
				if err := os.RemoveAll(dir); err != nil {
					b.Fatal(err)
				}
				c := openTest(b, vfs.Default, dir)
				m.measure(func() {
					if _, err := l.build(c, o); err != nil {
						b.Fatal(err)
					}
				})
				closed(b, c)
				b.StartTimer()
			}
			m.report()
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*pages), "ms/page")
			b.ReportMetric(float64(size(b, filepath.Join(dir, standardDir)))/float64(pages),
				"standard-B/page")
			b.ReportMetric(float64(size(b, index.IndexDir(dir)))/float64(pages), "index-B/page")
			b.ReportMetric(float64(size(b, filepath.Join(dir, pagesDir)))/float64(pages),
				"rows-B/page")
		})
		b.Run(fmt.Sprintf("pages=%d/engine", pages), func(b *testing.B) {
			all := searchable(b, dir)
			m := &meter{b: b}
			for b.Loop() {
				b.StopTimer()
				m.measure(func() {
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
				})
				b.StartTimer()
			}
			m.report()
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(all)), "ms/page")
		})
		for _, percent := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("pages=%d/changed=%d%%", pages, percent), func(b *testing.B) {
				c := openTest(b, vfs.Default, dir)
				defer closed(b, c)
				collected, m := 0, &meter{b: b}
				for b.Loop() {
					b.StopTimer()
					for _, n := range l.rng.Perm(pages)[:pages*percent/100] {
						l.put(n)
					}
					if err := l.archive.Sync(); err != nil {
						b.Fatal(err)
					}
					// reads the part that the archive's index lacks
					in, err := archive.OpenReader(l.dir)
					if err != nil {
						b.Fatal(err)
					}
					o.Archive = in
					m.measure(func() {
						r, err := c.Build(b.Context(), o)
						if err != nil {
							b.Fatal(err)
						}
						collected += r.Collected
					})
					if err := in.Close(); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				m.report()
				changed := float64(b.N*pages*percent) / 100
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/changed, "ms/page")
				b.ReportMetric(float64(collected)/changed, "collected/page")
			})
		}
	}
}

// BenchmarkLarge measures a build with many pages of 2 MB each.
func BenchmarkLarge(b *testing.B) {
	w := newWeb(b, 1)
	for n := range 100 {
		url := fmt.Sprintf("http://s.example/p%d", n)
		w.page(url, "<main>"+w.text(uint64(n), 350_000)+"</main>")
		delete(w.body, url) // it would count as memory of the build
	}
	if err := w.archive.Sync(); err != nil {
		b.Fatal(err)
	}
	m := &meter{b: b}
	for b.Loop() {
		b.StopTimer()
		c := openTest(b, vfs.Default, b.TempDir())
		m.measure(func() {
			if _, err := w.build(c,
				Options{Settings: Settings{Unit: 1_000_000, Garbage: 0.3}}); err != nil {
				b.Fatal(err)
			}
		})
		closed(b, c)
		b.StartTimer()
	}
	m.report()
}

// BenchmarkNear measures a build after all pages of a server changed that are near copies of each
// other, for example pages of a template.
func BenchmarkNear(b *testing.B) {
	for _, pages := range []int{2_000, 8_000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			w := newWeb(b, 1)
			visit := func(round int) {
				for n := range pages {
					w.page(fmt.Sprintf("http://s.example/p%d", n),
						fmt.Sprintf("<main>%s number %d %d</main>", w.text(1, 150), n, round))
				}
				if err := w.archive.Sync(); err != nil {
					b.Fatal(err)
				}
			}
			c := openTest(b, vfs.Default, b.TempDir())
			defer closed(b, c)
			o := Options{Settings: Settings{Unit: 1_000_000, Garbage: 0.3,
				SelectionOptions: filter.SelectionOptions{Near: 3}}}
			build := func() {
				if _, err := w.build(c, o); err != nil {
					b.Fatal(err)
				}
			}
			visit(0)
			build()
			m := &meter{b: b}
			for round := 1; b.Loop(); round++ {
				b.StopTimer()
				visit(round)
				m.measure(build)
				b.StartTimer()
			}
			m.report()
		})
	}
}

// searchable returns all pages of a corpus in the form for indexing.
func searchable(b *testing.B, dir string) (all []index.Page) {
	c := openTest(b, vfs.Default, dir)
	defer closed(b, c)
	eachIndexed(b, c, func(r *row, d *Document) {
		all = append(all, *pageOf(uint64(len(all)), r, d))
	})
	return all
}

// eachIndexed passes the indexed pages and their documents to yield.
func eachIndexed(t testing.TB, c *Corpus, yield func(*row, *Document)) {
	t.Helper()
	if err := each(c.db, []byte{keyIdentifier}, func(_ string, url []byte) (bool, error) {
		r, err := loadRow(c.db, string(url))
		if err != nil {
			return false, err
		}
		d, err := c.document(r)
		if err != nil {
			return false, err
		}
		yield(r, d)
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkSearch measures a search for two words.
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
		q := query.Query{Words: fmt.Sprintf("w%d w%d",
			int(l.rng.ExpFloat64()*800), int(l.rng.ExpFloat64()*800))}
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
