package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/corpus/index"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// web is a small web whose pages change, and the archive of a crawl of it.
type web struct {
	t       testing.TB
	rng     *rand.Rand
	dir     string
	archive *archive.Archive
	clock   time.Time
	body    map[string]string // the archive's last body of each page; "": gone
}

func newWeb(t testing.TB, seed uint64) *web {
	w := &web{t: t, rng: rand.New(rand.NewPCG(seed, 1)), dir: t.TempDir(), clock: noon,
		body: map[string]string{}}
	a, err := archive.Open(w.dir, archive.Options{MaxFile: 60_000, Now: func() time.Time {
		return w.clock
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.archive = a
	t.Cleanup(w.close)
	return w
}

func (w *web) close() {
	if w.archive != nil {
		w.archive.Close()
	}
	w.archive = nil
}

// answer adds an answer of a server to the archive.
func (w *web) answer(url string, status int, header, body string) {
	w.t.Helper()
	w.clock = w.clock.Add(7 * time.Second)
	if status != 304 {
		header += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	x := fetch.Exchange{URL: url, Address: netip.MustParseAddr("127.0.0.1"), Began: w.clock,
		Ended: w.clock, Status: status,
		Request:  []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		Response: fmt.Appendf(nil, "HTTP/1.1 %d X\r\n%s\r\n%s", status, header, body)}
	if err := w.archive.Put(&archive.Visit{URL: url, Time: w.clock},
		[]fetch.Exchange{x}); err != nil {
		w.t.Fatal(err)
	}
	if status == 200 {
		w.body[url] = body
	} else if status != 304 && status < 500 {
		w.body[url] = ""
	}
}

const htmlType = "Content-Type: text/html; charset=utf-8\r\n"

func (w *web) page(url, body string) { w.answer(url, 200, htmlType, body) }

func (w *web) url(n int) string {
	return fmt.Sprintf("http://s%d.example/%sp%d", n%3, strings.Repeat("d/", n%4), n)
}

// text returns one of several meaningless texts.
func (w *web) text(variant uint64, words int) string {
	rng := rand.New(rand.NewPCG(variant, 2))
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "w%d%s", rng.IntN(3000), []string{" ", " ", " ", ". "}[i%4])
	}
	return b.String()
}

// step changes and visits some pages.
func (w *web) step(visits int) {
	for range visits {
		n := w.rng.IntN(40)
		url := w.url(n)
		switch w.rng.IntN(12) {
		case 0:
			w.answer(url, []int{404, 410, 301, 503, 429}[w.rng.IntN(5)], htmlType, "no")
		case 1:
			if w.body[url] != "" {
				w.answer(url, 304, "", "")
			}
		case 2:
			if w.body[url] != "" {
				w.page(url, w.body[url])
			}
		case 4:
			if body := w.body[url]; strings.HasPrefix(body, "<") { // other bytes with the same text
				w.page(url, body+"<!-- -->")
			}
		case 3:
			w.answer(url, 200, "Content-Type: text/plain\r\n", "plain")
		default:
			var b strings.Builder
			fmt.Fprintf(&b, "<html><head><title>T%d</title>", w.rng.IntN(5))
			if w.rng.IntN(12) == 0 {
				b.WriteString("<meta name=robots content=noindex>")
			}
			fmt.Fprintf(&b, "</head><body><nav class=nav>n%d", w.rng.IntN(3))
			for range w.rng.IntN(5) {
				fmt.Fprintf(&b, `<a href="%s">link %d</a> `, w.url(w.rng.IntN(40)), w.rng.IntN(3))
			}
			text := w.text(uint64(w.rng.IntN(12)), []int{20, 120, 120, 200}[w.rng.IntN(4)])
			if w.rng.IntN(3) == 0 { // a near copy
				text += " more"
			}
			w.page(url, b.String()+"</nav><main><p>"+text+"</p></main></body></html>")
		}
	}
	if err := w.archive.Sync(); err != nil {
		w.t.Fatal(err)
	}
}

// openTest opens a corpus with rows and containers in fs, and the index on disk.
func openTest(t testing.TB, fs vfs.FS, dir string) *Corpus {
	t.Helper()
	c, err := open(fs, dir, true, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// options returns the options of most tests: each rule leaves out some pages.
func options() Options {
	return Options{Settings: Settings{Unit: 15, Garbage: 0.4,
		SelectionOptions: filter.SelectionOptions{MinText: 200, MaxText: 1000, MaxAddress: 30,
			MaxDepth: 2,
			Near:     3, Quota: 6}}}
}

func (w *web) build(c *Corpus, o Options) (*Result, error) {
	r, err := archive.OpenReader(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	o.Archive = r
	return c.Build(context.Background(), o)
}

// held returns everything that must be equal in two corpora.
func held(t testing.TB, c *Corpus) map[string]string {
	t.Helper()
	all := map[string]string{}
	var urls []string
	if err := each(c.db, []byte{keyRow}, func(url string, _ []byte) (bool, error) {
		urls = append(urls, url)
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		p, err := c.Page(url)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%v %q %q %+v %v %v %v", p.Selected, p.Rule, p.Why, p.Facts, p.Outside,
			p.Changed, p.Verified)
		if p.Document != nil {
			text += fmt.Sprintf(" %x", p.Document.Digest())
		}
		if p.Selected != (p.Document != nil) {
			t.Errorf("%s: selected %v, document %v", url, p.Selected, p.Document != nil)
		}
		all[url] = text
	}
	s, err := c.Summary()
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.meta()
	if err != nil {
		t.Fatal(err)
	}
	s.Directory = ""
	all["summary"] = fmt.Sprintf("%+v", *s)
	for query, found := range searched(t, c) {
		all[query] = found
	}
	counted := map[string]int{}
	for rule, n := range m.Counts {
		if rule != "" && n != 0 {
			counted[rule] = n
		}
	}
	if m.Pages != s.Pages || m.Counts[""] != s.Selected || !reflect.DeepEqual(counted, s.LeftOut) {
		t.Errorf("counts %+v, but there are %+v", m, s)
	}
	return all
}

// searched returns the results of searches for words of the texts, without identifiers.
func searched(t testing.TB, c *Corpus) map[string]string {
	t.Helper()
	s, err := index.OpenSearcher(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := map[string]string{}
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range 60 {
		words := fmt.Sprintf("w%d", rng.IntN(3000))
		switch i % 4 {
		case 0:
			words = []string{"t0", "t1", "link", "more", "link 1", `"t2"`, "w1 -t1",
				"-more link"}[i/4%8]
		case 1:
			words += fmt.Sprintf(" w%d", rng.IntN(3000))
		}
		r, err := s.Search(context.Background(), &query.Query{Words: words})
		if err != nil {
			t.Fatal(err)
		}
		ids := map[uint64]bool{}
		text := fmt.Sprint(r.Pages, r.Total, r.Terms)
		for _, h := range r.Hits {
			if ids[h.ID] {
				t.Errorf("two pages have identifier %d", h.ID)
			}
			ids[h.ID] = true
			if url, err := c.Identified(h.ID); err != nil || url != h.URL {
				t.Errorf("identifier %d of %s is of %q, %v", h.ID, h.URL, url, err)
			}
			h.ID = 0
			text += fmt.Sprintf("\n  %+v", h)
		}
		all["search "+words] = text
	}
	return all
}

func equal(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for url, text := range want {
		if got[url] != text {
			t.Errorf("%s: %s\n is %s\nnot %s", what, url, got[url], text)
		}
	}
	for url, text := range got {
		if want[url] == "" {
			t.Errorf("%s: there is also %s, %s", what, url, text)
		}
	}
}

// TestIncremental checks that a corpus built in many steps equals one built from the whole archive,
// also if settings changed in between.
func TestIncremental(t *testing.T) {
	seeds, steps := uint64(2), 24
	if testing.Short() { // the race detector makes it ten times as slow
		seeds, steps = 1, 8
	}
	defer func(most int) { mostChanges = most }(mostChanges)
	for seed := range seeds {
		if seed == 1 {
			mostChanges = 2 // groups and servers need many batches
		}
		w := newWeb(t, seed)
		c := openTest(t, vfs.NewMem(), t.TempDir())
		rules := map[string]bool{}
		moved, collected := 0, 0
		for step := range steps {
			w.step(10)
			o := options()
			if step%9 == 4 && step < 20 {
				o.Near, o.Quota, o.MinText = -1, 0, 600
			}
			r, err := w.build(c, o)
			if err != nil {
				t.Fatal(err)
			}
			moved += r.Moved
			collected += r.Collected
			if reg, err := c.registration(); err != nil || r.Collected > 0 &&
				reg.NextID != uint64(reg.Set.Living()) || reg.Set.Living() != r.Selected {
				t.Errorf("%d pages are selected, the index has %+v, %v", r.Selected, reg, err)
			}
			for rule := range r.LeftOut {
				rules[rule] = true
			}
			if step%8 != 7 {
				continue
			}
			whole := openTest(t, vfs.NewMem(), t.TempDir())
			if _, err := w.build(whole, options()); err != nil {
				t.Fatal(err)
			}
			equal(t, fmt.Sprintf("seed %d, step %d", seed, step), held(t, c), held(t, whole))
			again, err := w.build(c, options())
			if err != nil || again.Captures+again.Read+again.Judged+again.Written != 0 {
				t.Errorf("without anything new: %+v, %v", again, err)
			}
			closed(t, whole)
		}
		closed(t, c)
		if !testing.Short() && (len(rules) < 6 || moved == 0 || collected == 0) {
			t.Errorf("seed %d tests rules %v, %d documents moved, %d collected",
				seed, rules, moved, collected)
		}
	}
}

func closed(t testing.TB, c *Corpus) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestPlacesInArchive reads each sentence again from the archive, at its place.
func TestPlacesInArchive(t *testing.T) {
	w := newWeb(t, 9)
	w.step(60)
	c := openTest(t, vfs.NewMem(), t.TempDir())
	defer closed(t, c)
	if _, err := w.build(c, options()); err != nil {
		t.Fatal(err)
	}
	r, err := archive.OpenReader(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sentences := 0
	for url := range held(t, c) {
		if !strings.HasPrefix(url, "http") {
			continue
		}
		p, err := c.Page(url)
		if err != nil || p.Document == nil {
			continue
		}
		row, err := loadRow(c.db, url)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := r.Answer(row.Last.line(url))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Document.Sentences {
			sentences++
			if got := extract.Text(answer.Body[s.Offset:s.Offset+s.Length],
				answer.Get("Content-Type"), false); got != s.Raw {
				t.Errorf("%s: sentence %q is %q in the source", url, s.Raw, got)
			}
		}
	}
	if sentences < 10 {
		t.Errorf("only %d sentences", sentences)
	}
}

// TestVerdicts has a page for each rule.
func TestVerdicts(t *testing.T) {
	w := newWeb(t, 1)
	long, other := w.text(1, 90), w.text(2, 90)
	page := func(url, main string) { w.page(url, "<title>x</title><main>"+main+"</main>") }
	want := map[string]filter.SelectionRule{}
	for _, p := range []struct {
		url, main string
		rule      filter.SelectionRule
	}{
		{"http://a.example/one", long, ""},
		{"http://a.example/other/one", long, filter.RuleCopy},
		{"http://a.example/near", long + " end", filter.RuleNearCopy},
		{"http://a.example/small", "few words", filter.RuleSmall},
		{"http://a.example/linked", "few words more", ""},
		{"http://b.example/", other + `<a href="http://a.example/linked">to it</a>`, ""},
		{"http://b.example/large", w.text(3, 400), filter.RuleLarge},
		{"http://b.example/address?with=arguments&and=more", w.text(4, 90), filter.RuleAddress},
		{"http://b.example/a/b/c/d", w.text(5, 90), filter.RuleDepth},
		{"http://b.example/gone", `<meta name=robots content=noindex>` + w.text(6, 90),
			filter.RuleNoIndex},
		{"http://b.example/404", "<h1>Page not found</h1>" + w.text(7, 90), filter.RuleMissing},
	} {
		page(p.url, p.main)
		want[p.url] = p.rule
	}
	for i := range 7 {
		url := fmt.Sprintf("http://c.example/p%d", i)
		page(url, w.text(uint64(20+i), 90))
		if want[url] = ""; i == 6 {
			want[url] = filter.RuleQuota
		}
	}
	if err := w.archive.Sync(); err != nil {
		t.Fatal(err)
	}
	c := openTest(t, vfs.NewMem(), t.TempDir())
	defer closed(t, c)
	r, err := w.build(c, options())
	if err != nil {
		t.Fatal(err)
	}
	for url, rule := range want {
		p, err := c.Page(url)
		if err != nil {
			t.Fatal(err)
		}
		if p.Rule != rule || (p.Why == "") != (rule == "") {
			t.Errorf("%s is left out by %q (%s), want %q", url, p.Rule, p.Why, rule)
		}
	}
	if r.Selected != 9 || r.Pages != len(want) || r.LeftOut["copy"] != 1 {
		t.Errorf("%+v", r)
	}
	p, err := c.Page("http://a.example/linked")
	if err != nil || len(p.Document.Header.InLinks) != 1 ||
		p.Document.Header.InLinks[0].Raw != "to it" {
		t.Errorf("%+v, %v", p, err)
	}
	var unknown *UnknownError
	if _, err := c.Page("http://a.example/never"); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

// TestCrash checks that a build continues after a crash of an earlier one, at any operation.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("has no more goroutines than TestIncremental")
	}
	w := newWeb(t, 5)
	w.step(80)
	whole := openTest(t, vfs.NewMem(), t.TempDir())
	if _, err := w.build(whole, options()); err != nil {
		t.Fatal(err)
	}
	want := held(t, whole)
	closed(t, whole)
	rng := rand.New(rand.NewPCG(3, 3))
	crashes := 0
	for after := int64(1); ; after = after*5/4 + 1 {
		mem := vfs.NewCrashableMem()
		left, dir := after, t.TempDir()
		fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || op.Kind == errorfs.OpFileSync &&
				op.Path == dir+"/pages" {
				return nil // Pebble panics if it cannot sync a directory
			}
			if left--; left < 0 {
				return &errFault
			}
			return nil
		}))
		c, err := open(fs, dir, true, func() time.Time { return noon })
		if err == nil {
			_, err = w.build(c, options())
			c.Close() // its errors are part of the test
		}
		if err == nil {
			break
		}
		crashes++
		again := openTest(t, mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng}),
			dir)
		if _, err := w.build(again, options()); err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprintf("crash %d", crashes), held(t, again), want)
		closed(t, again)
	}
	if crashes < 10 {
		t.Errorf("only %d crashes", crashes)
	}
}

var errFault = fault{}

// fault is the error of a full disk.
type fault struct{}

func (*fault) Error() string { return "injected: " + syscall.ENOSPC.Error() }

// TestDamage checks that a damaged container is named, and that nothing in it is read as a
// document.
func TestDamage(t *testing.T) {
	w := newWeb(t, 5)
	w.step(40)
	fs := vfs.NewMem()
	c := openTest(t, fs, t.TempDir())
	defer closed(t, c)
	if _, err := w.build(c, options()); err != nil {
		t.Fatal(err)
	}
	if checked, err := c.Check(context.Background()); err != nil || len(checked.Damage) > 0 ||
		checked.Documents == 0 || checked.Units == 0 {
		t.Fatalf("%+v, %v", checked, err)
	}
	segments, err := filepath.Glob(filepath.Join(index.IndexDir(c.dir), "units", "*", "bleve",
		"store", "*.zap"))
	if err != nil || len(segments) == 0 {
		t.Fatal(segments, err)
	}
	text, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(segments[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	if checked, err := c.Check(context.Background()); err != nil || len(checked.Damage) != 1 ||
		!strings.Contains(checked.Damage[0], segments[0]) {
		t.Errorf("%+v, %v", checked, err)
	}
	path := c.containerPaths(1)[0]
	f, err := fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{0xff, 0xff}, 40); err != nil {
		t.Fatal(err)
	}
	f.Close()
	checked, err := c.Check(context.Background())
	if err != nil || len(checked.Damage) == 0 {
		t.Errorf("%+v, %v", checked, err)
	}
	failures := 0
	if err := each(c.db, []byte{keyRow}, func(url string, _ []byte) (bool, error) {
		p, err := c.Page(url)
		if err != nil {
			failures++
			if !strings.Contains(err.Error(), path) {
				t.Error(err)
			}
		} else if p.Selected && !bytes.Contains(p.XML, []byte(url)) {
			t.Errorf("%s has another document", url)
		}
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	if failures == 0 {
		t.Error("nobody says that it is damaged")
	}
}

// TestRemove checks that removed pages are found nowhere, neither by a search nor in a file, before
// and after a collection, and that no build or capture adds them again. Everything else is as if
// the pages had never existed.
func TestRemove(t *testing.T) {
	w, without := newWeb(t, 2), newWeb(t, 2)
	const secret = "zanzibarsecret"
	page := func(url, text string) {
		body := "<title>x</title><main>" + text + `</main>`
		if w.page(url, body); !strings.Contains(url, "private") && !strings.Contains(url, "bad.") {
			without.clock = w.clock.Add(-7 * time.Second)
			without.page(url, body)
		}
	}
	for i := range 8 {
		page(fmt.Sprintf("http://a.example/p%d", i),
			w.text(uint64(i), 90)+`<a href="http://a.example/open">to it</a>`)
	}
	page("http://a.example/private/x", secret+" "+w.text(50, 90)+`<a href="http://a.example/open">`+
		secret+`</a>`)
	page("http://a.example/private/y", secret+" "+w.text(51, 90))
	page("http://a.example/open", w.text(52, 90))
	page("http://a.example/deep/copy", secret[:4]+" "+w.text(53, 90))
	page("http://bad.example/", secret[:4]+" "+w.text(53, 90))
	c := openTest(t, vfs.Default, t.TempDir())
	defer closed(t, c)
	for _, x := range []*web{w, without} {
		x.close()
	}
	o := options()
	o.Quota = 0
	if _, err := w.build(c, o); err != nil {
		t.Fatal(err)
	}
	finds := func(s *index.Searcher) int {
		r, err := s.Search(context.Background(), &query.Query{Words: secret})
		if err != nil {
			t.Fatal(err)
		}
		return r.Total
	}
	s, err := index.OpenSearcher(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if finds(s) != 3 { // also in the page that it links to
		t.Errorf("at first %d pages have it", finds(s))
	}
	var rules []string
	for _, text := range []string{"http://a.example/private/", "bad.example"} {
		more, err := ParseRemoval(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, more...)
	}
	r, err := c.Remove(context.Background(), rules)
	if err != nil || r.Pages != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := s.Refresh(); err != nil || finds(s) != 0 {
		t.Errorf("after it %d pages have it, %v", finds(s), err)
	}
	removed, err := archive.Remove(w.dir, func(url string) bool { return Removes(rules, url) })
	if err != nil || removed.Records != 9 {
		t.Errorf("%+v, %v", removed, err)
	}
	for _, dir := range []string{c.dir, w.dir} {
		lacks(t, dir, secret)
	}
	a, err := archive.Open(w.dir, archive.Options{Now: func() time.Time { return w.clock }})
	if err != nil || len(a.Notes()) != 0 {
		t.Fatal(a.Notes(), err)
	}
	w.archive = a
	w.page("http://a.example/private/x", "<title>again</title>"+w.text(60, 90))
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.build(c, o); err != nil {
		t.Fatal(err)
	}
	whole := openTest(t, vfs.NewMem(), t.TempDir())
	defer closed(t, whole)
	if _, err := without.build(whole, o); err != nil {
		t.Fatal(err)
	}
	equal(t, "without them", held(t, c), held(t, whole))
}

// TestCollection checks that a collection works unit by unit, and that searches find the same
// before and after each step.
func TestCollection(t *testing.T) {
	w := newWeb(t, 4)
	visit := func(pages int, text uint64) {
		for n := range pages {
			w.page(fmt.Sprintf("http://a.example/p%d", n), "<main>"+w.text(text+uint64(n), 90)+
				"</main>")
		}
		if err := w.archive.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	o := options()
	o.Quota = 0
	c := openTest(t, vfs.NewMem(), t.TempDir())
	defer closed(t, c)
	visit(60, 0)
	if _, err := w.build(c, o); err != nil {
		t.Fatal(err)
	}
	visit(45, 100)
	var before map[string]string
	o.Progress = func(stage string, done int) {
		if stage != "collection" {
			return
		}
		now := searched(t, c)
		if before == nil {
			before = now
		}
		equal(t, fmt.Sprintf("after %d pages", done), now, before)
	}
	r, err := w.build(c, o)
	if err != nil || r.Collected != 60 || r.Sets < 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	equal(t, "at the end", searched(t, c), before)
	registered, err := c.registration()
	if err != nil || registered.NextID != 60 || registered.Set.Living() != 60 {
		t.Errorf("%+v, %v", registered, err)
	}
	for _, u := range registered.Set.Units {
		if u.Pages > o.Unit || u.Deleted > 0 {
			t.Errorf("%+v", u)
		}
	}
}

// TestArchiveLacksFile checks that a build with an incomplete archive reports it, and loses no
// page.
func TestArchiveLacksFile(t *testing.T) {
	w := newWeb(t, 6)
	w.step(60)
	w.close()
	c := openTest(t, vfs.NewMem(), t.TempDir())
	defer closed(t, c)
	o := options()
	if _, err := w.build(c, o); err != nil {
		t.Fatal(err)
	}
	before := held(t, c)
	names, err := archive.Names(w.dir)
	if err != nil || len(names) < 2 {
		t.Fatal(names, err)
	}
	if err := os.Rename(names[0], names[0]+".away"); err != nil {
		t.Fatal(err)
	}
	o.Annotate = []string{"other"} // all pages are read again
	var lacks *ArchiveError
	if _, err := w.build(c, o); !errors.As(err, &lacks) || !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), names[0]) {
		t.Errorf("%v, want that %s is missing", err, names[0])
	}
	if err := os.Rename(names[0]+".away", names[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := w.build(c, o); err != nil {
		t.Fatal(err)
	}
	equal(t, "with the file", held(t, c), before)
}

// interrupted is a context that ends after a number of checks.
type interrupted struct {
	context.Context
	left int
}

func (c *interrupted) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestRemoveInterrupted checks that the next build completes an interrupted removal, at any point.
func TestRemoveInterrupted(t *testing.T) {
	const secret = "zanzibarsecret"
	w := newWeb(t, 3)
	for i := range 6 {
		w.page(fmt.Sprintf("http://a.example/p%d", i),
			"<main>"+w.text(uint64(i), 90)+`<a href="http://a.example/private/x">to it</a></main>`)
	}
	w.page("http://a.example/private/x", "<main>"+secret+" "+w.text(50, 90)+"</main>")
	w.close()
	o, interruptions := options(), 0
	o.Quota = 0
	for asked := 0; ; asked = asked*3/2 + 1 {
		c := openTest(t, vfs.Default, t.TempDir())
		if _, err := w.build(c, o); err != nil {
			t.Fatal(err)
		}
		_, err := c.Remove(&interrupted{context.Background(), asked},
			[]string{"http://a.example/private/"})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if _, bad := w.build(c, o); bad != nil {
			t.Fatal(bad)
		}
		lacks(t, c.dir, secret)
		closed(t, c)
		if err == nil {
			break
		}
		interruptions++
	}
	if interruptions < 3 {
		t.Errorf("only %d removals were interrupted", interruptions)
	}
}

// lacks looks for a text in all files below a directory, also in compressed parts.
func lacks(t *testing.T, dir, secret string) {
	t.Helper()
	seen := 0
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the open index removes files that it no longer needs
		}
		if err != nil {
			return err
		}
		var plain []byte
		switch {
		case strings.HasSuffix(path, ".zst"):
			z, err := zstd.NewReader(bytes.NewReader(text))
			if err != nil {
				return err
			}
			defer z.Close()
			plain, err = io.ReadAll(z)
			if err != nil {
				return err
			}
		case strings.HasSuffix(path, ".gz"):
			z, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				return err
			}
			if plain, err = io.ReadAll(z); err != nil {
				return err
			}
		}
		seen += len(plain)
		if bytes.Contains(text, []byte(secret)) || bytes.Contains(plain, []byte(secret)) {
			t.Errorf("%s has it", path)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Errorf("nothing compressed is in %s", dir)
	}
}

func TestParseRemoval(t *testing.T) {
	for text, want := range map[string]string{
		"WWW.Example.org":      "[http://www.example.org/ https://www.example.org/]",
		"h.example:8080":       "[http://h.example:8080/ https://h.example:8080/]",
		"https://h.example":    "[https://h.example/]",
		"https://h.example/a$": "[https://h.example/a$]",
		"h.example/a":          "[]", "": "[]", "ftp://h.example/": "[]",
	} {
		rules, err := ParseRemoval(text)
		if fmt.Sprint(rules) != want || (err == nil) != (want != "[]") {
			t.Errorf("%q: %v, %v", text, rules, err)
		}
	}
	rules := []string{"https://h.example/a$", "https://h.example/b/"}
	for url, want := range map[string]bool{"https://h.example/a": true,
		"https://H.example:443/a": true, "https://h.example/ab": false,
		"https://h.example/b/c": true, "http://h.example/b/c": false} {
		if Removes(rules, url) != want {
			t.Errorf("%s is removed: %v", url, !want)
		}
	}
}

// TestFormatOfCorpus checks that a corpus of a newer program is refused with that reason, and that
// an invalid version file is damage.
func TestFormatOfCorpus(t *testing.T) {
	for text, want := range map[string]string{
		"recrawl corpus 2\n":          "written by a newer version",
		"recrawl corpus 2 and more\n": "damaged",
		"recrawl queues 1\n":          "something else",
		"":                            "damaged",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "FORMAT"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, create := range []bool{false, true} {
			if c, err := Open(dir, create); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, %v", text, c, err)
			}
		}
	}
}
