package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/crashtest"
	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/listed"
)

// PageOf is present.AddressesPage, which imports this package.
var PageOf func(r *Result, noun string, verbose bool) report.Page

var must = crashtest.Must

// kept keeps addresses in memory.
type kept struct {
	Nobody
	urls []string
}

func (k *kept) Add(url string) error {
	k.urls = append(k.urls, url)
	return nil
}

func smallSizes(filter bool) seen.Sizes {
	s := seen.Sizes{CacheEntries: 64, BufferKeys: 128, WaitBytes: 20_000, DoubtBytes: 12_000}
	if filter {
		s.FilterCounters = 1 << 12
	}
	return s
}

// take imports a list into a set in memory, or into that of o.
func take(t *testing.T, list io.Reader, o Options) (*Result, []string) {
	t.Helper()
	if o.Set == nil {
		set, err := seen.OpenSet("seen", seen.SetOptions{FS: vfs.NewMem(), BufferKeys: 128})
		must(t, err)
		defer set.Close()
		o.Set = set
	}
	if o.Sizes == (seen.Sizes{}) {
		o.Sizes = smallSizes(true)
	}
	k := &kept{}
	if o.Keeper == nil {
		o.Keeper = k
	}
	r, err := Run(context.Background(), list, o)
	must(t, err)
	return r, k.urls
}

// Lines of every bad kind, between good ones in every form, are counted and reported by kind.
func TestBadLines(t *testing.T) {
	long := "http://a.example/" + strings.Repeat("x", 2<<20)
	lines := []string{
		"\xef\xbb\xbfhttp://a.example/bom",
		"HTTP://A.example:80/x/../y#z", // 2: canonical is http://a.example/y
		"", "  \t ",
		"not an address",                 // 5
		"mailto:ops@example.org",         // 6
		long,                             // 7
		"http://a.example/y",             // 8: a repeat
		"http://b.example/\xe9t\xe9",     // 9: Latin-1
		"h\x00t\x00t\x00p\x00:\x00/\x00", // 10
		"http://a.example/" + strings.Repeat("y", 5000), // 11
		"https://日本.example/ページ\r",                      // 12
		"http://",                                       // 13
		"http://a.example/last",                         // 14, no newline behind it
	}
	for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader {
		return r
	}, iotest.HalfReader, iotest.DataErrReader} {
		r, urls := take(t, wrap(strings.NewReader(strings.Join(lines, "\n"))), Options{})
		want := []string{"http://a.example/bom", "http://a.example/y",
			"https://xn--wgv71a.example/%E3%83%9A%E3%83%BC%E3%82%B8", "http://a.example/last"}
		if !slices.Equal(urls, want) {
			t.Errorf("new are %q, want %q", urls, want)
		}
		got := map[string][]int64{}
		for _, b := range r.Bad {
			for _, e := range b.Examples {
				got[b.Kind] = append(got[b.Kind], e.Line)
				if len(e.Text) > 3*exampleBytes {
					t.Errorf("line %d is told with %d bytes", e.Line, len(e.Text))
				}
			}
		}
		lines := map[string][]int64{"no whole web address": {5, 13}, "not http or https": {6},
			"too long": {7, 11}, "not UTF-8": {9}, "zero bytes: no text": {10}}
		if fmt.Sprint(got) != fmt.Sprint(lines) {
			t.Errorf("bad lines %v, want %v", got, lines)
		}
		if r.Lines != 14 || r.Blank != 2 || r.BadLines != 7 || r.Addresses != 5 || r.New != 4 ||
			r.Repeats != 1 || r.Useless() != nil {
			t.Errorf("%+v", r)
		}
	}
}

// Columns, comments and line ends of every kind yield no address. Skipped lines are reported by
// kind, with their number.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct{ text, urls, bad string }{
		{"http://a.example/1\tk=v\r\nhttp://a.example/2\rhttp://a.example/3\r",
			"http://a.example/1 http://a.example/2 http://a.example/3", "[]"},
		{"# list\r\rid;URL\r1;http://a.example/1;x\rx\r", "http://a.example/1",
			"[{comment 1 [{1 # list}]} {names of columns 1 [{3 id;URL}]} " +
				"{no whole web address 1 [{5 x}]}]"},
		{"http://a.example/1 # one\na.example/2\nhttp://a.example/3 x\nhttp://a.example/4,y\n",
			"http://a.example/1", "[{no http:// or https:// before it 1 [{2 a.example/2}]} " +
				"{a blank inside 1 [{3 http://a.example/3 x}]} " +
				"{a comma, semicolon or bar that may begin a column 1 [{4 http://a.example/4,y}]}]"},
		{"url\nhttp://a.example/1,2\n", "http://a.example/1,2",
			"[{names of columns 1 [{1 url}]}]"},
	} {
		r, urls := take(t, strings.NewReader(c.text), Options{})
		if got := strings.Join(urls, " "); got != c.urls || fmt.Sprint(r.Bad) != c.bad {
			t.Errorf("%q: %s, %v; want %s, %s", c.text, got, r.Bad, c.urls, c.bad)
		}
	}
	r, urls := take(t, strings.NewReader("http://a.example/1,2\n"), Options{Whole: true})
	if len(urls) != 1 || PageOf(r, "page", true).Finding != "1 new page." {
		t.Errorf("%q, %q", urls, PageOf(r, "page", true).Finding)
	}
}

// A list without any address is the wrong file; an empty one is not.
func TestUseless(t *testing.T) {
	for text, useless := range map[string]bool{"": false, "\n\n": false, "a,b\nc,d\n": true,
		"\x1f\x8b\x08\x00\x00": true} {
		if r, _ := take(t, strings.NewReader(text), Options{}); (r.Useless() != nil) != useless {
			t.Errorf("%q: %v", text, r.Useless())
		}
	}
}

// All lines of a list are found with their numbers, however it falls into pieces, including lines
// of about the size of a piece.
func TestPiecesLoseNoLine(t *testing.T) {
	rng := crashtest.Seeded(t)
	for range 12 {
		var list bytes.Buffer
		var want []string
		bad, lines := []int64{}, int64(0)
		for list.Len() < 3*pieceBytes {
			lines++
			if rng.IntN(4000) == 0 {
				length := pieceBytes + rng.IntN(5) - 2
				if rng.IntN(2) == 0 {
					length = rng.IntN(3 * pieceBytes)
				}
				list.WriteString("x" + strings.Repeat("y", length))
				bad = append(bad, lines)
			} else {
				url := fmt.Sprintf("http://h%d.example/%0*d", lines%7, rng.IntN(100), lines)
				want = append(want, url)
				list.WriteString(url)
			}
			list.WriteByte('\n')
		}
		r, urls := take(t, &list, Options{})
		slices.Sort(urls)
		slices.Sort(want)
		var told []int64
		for _, b := range r.Bad {
			for _, e := range b.Examples {
				told = append(told, e.Line)
			}
		}
		slices.Sort(told)
		if !slices.Equal(urls, want) || r.Lines != lines || r.BadLines != int64(len(bad)) ||
			len(bad) <= mostExamples && !slices.Equal(told, bad) {
			t.Fatalf("%d of %d addresses, %d of %d lines, bad %v of %v",
				len(urls), len(want), r.Lines, lines, told, bad)
		}
	}
}

// A list that cannot be read to its end is an error after the lines before it; an interrupt ends at
// once.
func TestBrokenList(t *testing.T) {
	broken := errors.New("broken")
	set, err := seen.OpenSet("seen", seen.SetOptions{FS: vfs.NewMem()})
	must(t, err)
	defer set.Close()
	o := Options{Set: set, Sizes: smallSizes(true), Keeper: Nobody{}}
	_, err = Run(context.Background(), io.MultiReader(strings.NewReader("http://a.example/\n"),
		iotest.ErrReader(broken)), o)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "after line 1") {
		t.Errorf("%v", err)
	}
	if set.Len() != 1 {
		t.Errorf("%d addresses before the damage were taken in", set.Len())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, strings.NewReader("http://a.example/\n"), o); !errors.Is(err,
		context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// randomList has addresses of several servers, each several times.
func randomList(rng *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		page := i / 5
		if rng.IntN(2) == 0 {
			page = rng.IntN(page + 1)
		}
		fmt.Fprintf(&b, "http://h%d.example/p/%d\n", page%23, page)
	}
	return b.String()
}

// Importing the same list twice brings nothing new the second time. The parts of several machines
// together bring what one brings, and each address to one of them only.
func TestTwiceAndParts(t *testing.T) {
	rng := crashtest.Seeded(t)
	list := randomList(rng, 20_000)
	set, err := seen.OpenSet("seen", seen.SetOptions{FS: vfs.NewMem(), BufferKeys: 128})
	must(t, err)
	defer set.Close()
	_, one := take(t, strings.NewReader(list), Options{Set: set})
	r, again := take(t, strings.NewReader(list), Options{Set: set})
	if len(again) > 0 || r.New != 0 || r.Repeats != 20_000 {
		t.Errorf("the second time %d are new: %+v", len(again), r)
	}
	var all []string
	elsewhere := int64(0)
	for part := range 3 {
		r, urls := take(t, strings.NewReader(list), Options{Part: part, Parts: 3})
		all = append(all, urls...)
		elsewhere += r.Elsewhere
	}
	slices.Sort(all)
	slices.Sort(one)
	if !slices.Equal(all, one) || elsewhere != 2*20_000 {
		t.Errorf("three parts find %d, one %d; %d elsewhere", len(all), len(one), elsewhere)
	}
}

func openStore(t *testing.T, fs vfs.FS) *satstore.Store {
	t.Helper()
	store, err := satstore.Open("data", satstore.Options{FS: fs, Now: time.Unix(1e9, 0)})
	must(t, err)
	return store
}

// pagesOf returns the addresses of a store, which must be different start pages.
func pagesOf(t *testing.T, store *satstore.Store) []string {
	t.Helper()
	g := sitegraph.NewGraph()
	must(t, store.Restore(g, func(*sitegraph.Record) {}))
	urls := []string{}
	for p := range sitegraph.PageID(g.Pages()) {
		urls = append(urls, g.URL(p))
		if !slices.Contains(g.StartPages(g.Server(p)), p) {
			t.Errorf("%s is no start page", g.URL(p))
		}
	}
	slices.Sort(urls)
	return urls
}

// After a crash before any write, repeating the import brings what is missing, and nothing twice.
// The store would not open with an address twice.
func TestCrashesOfAnImport(t *testing.T) {
	rng := crashtest.Seeded(t)
	list := randomList(rng, 3000)
	mem := vfs.NewCrashableMem()
	var crashes []*vfs.MemFS
	every := 0
	fs := onWrite{mem, func() {
		if every++; every%9 == 0 {
			crashes = append(crashes,
				mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50,
					100}[rng.IntN(3)], RNG: rng}))
		}
	}}
	importInto(t, fs, list)
	store := openStore(t, mem)
	want := pagesOf(t, store)
	must(t, store.Close())
	ahead := 0
	for i, crashed := range crashes {
		if caught := importInto(t, crashed, list); caught > 0 {
			ahead++
		}
		store := openStore(t, crashed)
		if got := pagesOf(t, store); !slices.Equal(got, want) {
			t.Fatalf("crash %d: %d pages, want %d", i, len(got), len(want))
		}
		if c, err := CheckSet(t.Context(), "data/seen", seen.SetOptions{FS: crashed},
			store); err != nil || len(c.Damage) > 0 || int(c.Pages) != len(want) {
			t.Fatalf("crash %d: the set is %+v, %v", i, c, err)
		}
		must(t, store.Close())
	}
	if ahead == 0 {
		t.Error("no crash came between the commits of store and set")
	}
	t.Logf("%d crashes, %d between the commits", len(crashes), ahead)
}

// importInto imports a list into a data directory, and returns how many pages the set had to add
// first.
func importInto(t *testing.T, fs vfs.FS, list string) int {
	t.Helper()
	store := openStore(t, fs)
	set, err := seen.OpenSet("data/seen", seen.SetOptions{FS: fs, BufferKeys: 128})
	must(t, err)
	caught, err := CatchUp(set, store)
	must(t, err)
	sizes := smallSizes(true)
	_, err = Run(context.Background(), strings.NewReader(list),
		Options{Set: set, Sizes: sizes, Keeper: NewPages(store, set, time.Unix(2e9, 0))})
	must(t, err)
	must(t, set.Close())
	must(t, store.Close())
	return caught
}

// onWrite calls before when something is made durable.
type onWrite struct {
	vfs.FS
	call func()
}

func (fs onWrite) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	fs.call()
	f, err := fs.FS.Create(name, c)
	return onWriteFile{f, fs.call}, err
}

func (fs onWrite) OpenDir(name string) (vfs.File, error) {
	fs.call()
	return fs.FS.OpenDir(name)
}

func (fs onWrite) Rename(a, b string) error {
	fs.call()
	return fs.FS.Rename(a, b)
}

type onWriteFile struct {
	vfs.File
	call func()
}

func (f onWriteFile) Write(b []byte) (int, error) {
	f.call()
	return f.File.Write(b)
}

func (f onWriteFile) Sync() error {
	f.call()
	return f.File.Sync()
}

// Pages that came into the store without the set count as known; a set of other pages is refused.
func TestCatchUp(t *testing.T) {
	mem := vfs.NewMem()
	store := openStore(t, mem)
	add := func(url string) {
		t.Helper()
		must(t, store.Add(&sitegraph.Record{Page: sitegraph.PageID(store.Pages()), URL: url,
			State: sitegraph.StateNew, Due: time.Unix(2e9, 0)}))
		must(t, store.SaveStart(sitegraph.PageID(store.Pages()-1)))
		must(t, store.Commit())
	}
	add("http://a.example/1")
	must(t, store.Close())
	if caught := importInto(t, mem, "http://a.example/1\nhttp://a.example/2\n"); caught != 1 {
		t.Errorf("%d caught up, want 1", caught)
	}
	store = openStore(t, mem)
	add("http://a.example/3") // by run
	must(t, store.Close())
	if caught := importInto(t, mem, "http://a.example/3\nhttp://a.example/4\n"); caught != 1 {
		t.Errorf("%d caught up, want 1", caught)
	}
	store = openStore(t, mem)
	if got := pagesOf(t, store); len(got) != 4 {
		t.Errorf("pages are %v", got)
	}
	set, err := seen.OpenSet("data/seen", seen.SetOptions{FS: mem})
	must(t, err)
	defer set.Close()
	must(t, store.Close())
	for _, urls := range [][]string{{"http://b.example/"},
		{"http://b.example/1", "http://b.example/2", "http://b.example/3", "http://b.example/4",
			"http://b.example/5"}} {
		other, err := satstore.Open(fmt.Sprint("other", len(urls)),
			satstore.Options{FS: mem, Now: time.Unix(1e9, 0)})
		must(t, err)
		store = other
		for _, url := range urls {
			add(url)
		}
		if _, err := CatchUp(set, other); !errors.Is(err, ErrForeign) {
			t.Errorf("a store of %d other pages: %v", len(urls), err)
		}
		must(t, other.Close())
	}
}

// CheckSet confirms that a set agrees with its store, or says in what it does not.
func TestCheckSet(t *testing.T) {
	mem := vfs.NewMem()
	importInto(t, mem, "http://a.example/1\nhttp://a.example/2\nhttp://a.example/3\n")
	expect := func(dir string, pages Store, damage string) {
		t.Helper()
		c, err := CheckSet(t.Context(), dir, seen.SetOptions{FS: mem}, pages)
		must(t, err)
		if damage == "" && len(c.Damage) == 0 {
			return
		}
		if damage == "" || len(c.Damage) != 1 || c.Damage[0].Path != dir+"/FORMAT" ||
			!strings.Contains(c.Damage[0].What, damage) {
			t.Errorf("found %v, want %q", c.Damage, damage)
		}
	}
	store := openStore(t, mem)
	defer store.Close()
	expect("data/seen", store, "")
	expect("data/seen", nil, "")
	if c, err := CheckSet(t.Context(), "data/seen", seen.SetOptions{FS: mem}, store); err != nil ||
		c.Fingerprints != 3 || c.Pages != 3 || c.Runs != 1 {
		t.Errorf("found %+v, %v", c, err)
	}
	if _, err := CheckSet(t.Context(), "data/none", seen.SetOptions{FS: mem},
		store); !errors.Is(err, seen.ErrNoSet) {
		t.Errorf("no set: %v", err)
	}
	set := func(dir string, mark seen.Mark, urls ...string) {
		t.Helper()
		s, err := seen.OpenSet(dir, seen.SetOptions{FS: mem, BufferKeys: 128, Key: seen.Key{1, 2}})
		must(t, err)
		defer s.Close()
		var keys []uint64
		for _, url := range urls {
			keys = append(keys, s.Key().Of(url))
		}
		must(t, s.Decide(keys, make([]bool, len(keys))))
		must(t, s.Commit(mark))
	}
	check := seen.Key{1, 2}.Of
	set("missing", seen.Mark{Count: 3, Check: check("http://a.example/3")}, "http://a.example/1",
		"http://a.example/3")
	expect("missing", store, "misses 1 of the 3 pages that it covers, the first is page 1")
	set("more", seen.Mark{Count: 1, Check: check("http://a.example/1")}, "http://a.example/1",
		"http://a.example/9")
	expect("more", store, "2 fingerprints of 1 pages")
	set("longer", seen.Mark{Count: 4, Check: 7}, "http://a.example/1")
	expect("longer", store, "covers 4 pages of a store that has 3")
	set("other", seen.Mark{Count: 2, Check: 7}, "http://a.example/1", "http://a.example/2")
	expect("other", store, "page 1 of the store is not the last")
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CheckSet(done, "data/seen", seen.SetOptions{FS: mem}, store); !errors.Is(err,
		context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	// Pages that run found after the import are not covered yet.
	set("part", seen.Mark{Count: 2, Check: check("http://a.example/2")}, "http://a.example/1",
		"http://a.example/2")
	expect("part", store, "")
}

// A file gets the new addresses after its old ones.
func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.txt")
	must(t, os.WriteFile(path, []byte("before\n"), 0o644))
	k, err := NewLines(path)
	must(t, err)
	take(t, strings.NewReader("http://a.example/\nhttp://b.example/\nhttp://a.example/\n"),
		Options{Keeper: k})
	must(t, k.Close())
	if got, err := os.ReadFile(path); err != nil ||
		string(got) != "before\nhttp://a.example/\nhttp://b.example/\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// The curve keeps less than mostPoints for any list.
func TestCurve(t *testing.T) {
	r := newResult(Options{})
	p := seen.NewPipeline(seen.PipelineOptions{Cache: seen.NewLRU(1)})
	for range 3000 {
		r.Lines += 1 << 14
		r.sample(p, false)
	}
	if n := len(r.Curve); n < mostPoints/4 || n >= mostPoints || r.Curve[0].Lines != 1<<14 {
		t.Errorf("%d points from %+v", n, r.Curve[0])
	}
	for i, p := range r.Curve[1:] {
		if p.Lines <= r.Curve[i].Lines {
			t.Errorf("point %d is not after the one before", i+1)
		}
	}
}

// A repeated import divides its memory by all addresses in the set.
func TestMemoryByKnownAddress(t *testing.T) {
	set, err := seen.OpenSet("seen", seen.SetOptions{FS: vfs.NewMem(), BufferKeys: 128})
	must(t, err)
	defer set.Close()
	list := "http://a.example/1\nhttp://a.example/2\n"
	take(t, strings.NewReader(list), Options{Set: set})
	r, _ := take(t, strings.NewReader(list), Options{Set: set})
	for _, c := range PageOf(r, "page", true).Sections[0].Charts {
		if last := r.Curve[len(r.Curve)-1]; c.Title == "Memory by known address" {
			if y := c.Series[0].Y; len(y) == 0 || y[len(y)-1] != float64(last.Resident)/2 {
				t.Errorf("bytes of two addresses are %v, with %d in memory", y, last.Resident)
			}
			return
		}
	}
	t.Error("no chart of the memory by address")
}

// FuzzLine checks that any line is a canonical address, blank, or bad, and reported within bounds.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"http://a.example/", " \r", "x\x00", "\xff", "mailto:a",
		"http://[::1]/%zz", "http://a.example/\tk=v", `1,"http://a.example/",x`} {
		f.Add([]byte(s))
	}
	rules := &rules{seen.Key{1, 2}, 0, 1, importance(nil), listed.Form{}}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		p := piece{bytes: line}
		p.understand(rules)
		if n := len(p.found) + len(p.bad) + int(p.blank); n != 1 && len(line) > 0 {
			t.Fatalf("%q is %d things", line, n)
		}
		for _, found := range p.found {
			if again, err := sitegraph.Canonical(found.url); err != nil || again != found.url {
				t.Fatalf("%q of %q is not in its one form: %v", found.url, line, err)
			}
		}
		for _, b := range p.bad {
			if b.kind <= listed.Blank || b.kind >= listed.Kinds || len(b.text) > exampleBytes {
				t.Fatalf("%q is bad for no reason: %+v", line, b)
			}
		}
	})
}

// An address of another server comes to the file once, also after reopening the list; those of the
// page's own server never.
func TestOthers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "others.txt")
	now := time.Unix(1_700_000_000, 0)
	open := func() *Others {
		t.Helper()
		o, err := OpenOthers(file, now)
		must(t, err)
		return o
	}
	has := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(file); err != nil || string(b) != want {
			t.Errorf("the file has %q, %v; want %q", b, err, want)
		}
	}
	const first = "https://b.example/1\nhttp://a.example:81/\n"
	o := open()
	o.See("http://a.example/", []string{"http://a.example/2", "https://b.example/1",
		"http://a.example:81/", "https://b.example/1"})
	must(t, o.Rest(now.Add(time.Second)))
	has("")
	must(t, o.Rest(now.Add(time.Minute)))
	has(first)
	o.See("http://c.example/", []string{"https://b.example/1", "http://c.example/3"})
	must(t, o.Close())
	has(first)
	o = open()
	if _, err := OpenOthers(file, now); !errors.Is(err, satstore.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	o.See("http://c.example/", []string{"http://a.example/2", "https://b.example/1"})
	must(t, o.Close())
	has(first + "http://a.example/2\n")
	if !IsOthers(file) || IsOthers(file+".seen") {
		t.Error("a list is not told from others")
	}
	must(t, os.WriteFile(file, []byte(first+"http://a.exam"), 0o600)) // cut short by a crash
	o = open()
	o.See("http://c.example/", []string{"http://d.example/"})
	must(t, o.Close())
	has(first + "http://a.exam\nhttp://d.example/\n")
	// Without a file there is no list. Rest reports failures.
	none, err := OpenOthers("", now)
	must(t, err)
	none.See("http://c.example/", []string{"http://a.example/2"})
	must(t, errors.Join(none.Rest(now), none.Close()))
	o = open()
	must(t, o.lines.Close()) // like a disk that fails
	o.See("http://c.example/", []string{"http://e.example/"})
	if err := o.Rest(now.Add(time.Minute)); err == nil || o.Close() == nil {
		t.Error("nothing tells that the file cannot be written")
	}
	has(first + "http://a.exam\nhttp://d.example/\n")
}
