package requisite

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
)

func same(t *testing.T, what string, got map[string]int, want ...string) {
	t.Helper()
	var all []string
	for _, url := range slices.Sorted(maps.Keys(got)) {
		all = append(all, fmt.Sprintf("%s %d", url, got[url]))
	}
	slices.Sort(want)
	if !slices.Equal(all, want) {
		t.Errorf("%s: %q, want %q", what, all, want)
	}
}

// TestAllThatAPageShows checks that all requisites of a page are kept: imports of imports, fonts,
// pictures of sets and of styles. Style sheets that import each other end.
func TestAllThatAPageShows(t *testing.T) {
	w := newWorld(t, 0, "h.example", "cdn.example")
	w.text("http://h.example/", "text/html", `<link rel=stylesheet href=/s.css><script src=a.js></script>
		<img src=http://cdn.example/p.png srcset="p2.png 2x"><a href=/page>no requisite</a>`)
	w.text("http://h.example/s.css", "text/css; charset=utf-8", `@import "//cdn.example/t.css";
		@font-face{src:url(f.woff2)} b{background:url(bg.png)}`)
	w.text("http://cdn.example/t.css", "text/css", `@import url(http://h.example/s.css);@import "u.css";`)
	w.text("http://cdn.example/u.css", "text/css", `b{background:url(deep.png)}`)
	w.visit("http://h.example/")
	w.finish()
	want := []string{"h.example/ 1", "h.example/s.css 1", "h.example/a.js 1", "h.example/p2.png 1",
		"h.example/f.woff2 1", "h.example/bg.png 1", "cdn.example/p.png 1", "cdn.example/t.css 1",
		"cdn.example/u.css 1", "cdn.example/deep.png 1"}
	same(t, "asked for", w.asks(), want...)
	want = append(want, "h.example/robots.txt 1", "cdn.example/robots.txt 1")
	same(t, "kept", w.kept(), want...)
}

// TestSharedByPages checks that a shared requisite of a hundred pages is asked for once, and again
// when it is due: conditionally, by its own rate of change, and never if its URL has a digest.
// Checks take a tenth of the requests.
func TestSharedByPages(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	var pages []string
	for i := range 100 {
		url := fmt.Sprintf("http://h.example/%d", i)
		pages = append(pages, url)
		w.text(url, "text/html", `<link rel=stylesheet href=s.css><img src=logo.png?v=3>
			<img src=pic.png>`)
	}
	version := "one"
	conditional := 0
	w.mux.HandleFunc("h.example/s.css", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/css")
		rw.Header().Set("ETag", `"`+version+`"`)
		if r.Header.Get("If-None-Match") != "" {
			conditional++
		}
		if r.Header.Get("If-None-Match") == `"`+version+`"` {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprintf(rw, "b{background:url(%s.png)}", version)
	})
	for _, name := range []string{"logo.png", "pic.png", "one.png", "two.png"} {
		w.text("http://h.example/"+name, "image/png", name)
	}
	week := func() map[string]int {
		w.visit(pages...)
		w.finish()
		w.clock.(*clock).advance(7 * day)
		return w.asks()
	}
	asks := week()
	if asks["h.example/s.css"] != 1 || asks["h.example/logo.png?v=3"] != 1 ||
		asks["h.example/pic.png"] != 1 || asks["h.example/one.png"] != 1 || len(asks) != 104 {
		t.Errorf("first week: %v", asks)
	}
	sheet, logo, pic, requests := 0, 0, 0, 0
	for n := range 23 {
		if n == 11 {
			version = "two"
			w.kill() // the state is rebuilt from the archive
		}
		asks := week()
		sheet += asks["h.example/s.css"]
		logo += asks["h.example/logo.png?v=3"]
		pic += asks["h.example/pic.png"]
		for url, n := range asks {
			if strings.Contains(url, ".png") || strings.Contains(url, ".css") {
				requests += n
			}
		}
	}
	if logo > 1 || sheet < 10 || sheet > 15 || pic < 2 || pic > 5 || requests > 2300/9 {
		t.Errorf("in 23 weeks: style sheet %d, logo %d, picture %d, %d in all",
			sheet, logo, pic, requests)
	}
	if conditional < sheet-2 {
		t.Errorf("%d of %d checks were conditional", conditional, sheet)
	}
	if kept := w.kept(); kept["h.example/two.png"] == 0 {
		t.Errorf("what the changed sheet shows is not kept: %v", kept)
	}
}

// TestCreditOverRuns checks that short runs add up their credit for checks.
func TestCreditOverRuns(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	var pages []string
	for i := range 6 {
		pages = append(pages, fmt.Sprintf("http://h.example/%d", i))
		w.text(pages[i], "text/html", `<link rel=stylesheet href=s.css>`)
	}
	w.text("http://h.example/s.css", "text/css", "b{}")
	for range 52 {
		w.visit(pages...)
		w.finish()
		w.close()
		w.clock.(*clock).advance(7 * day)
		w.open()
	}
	if n := w.asks()["h.example/s.css"]; n < 20 || n > 32 {
		t.Errorf("in 52 weeks of 6 visits the sheet was asked for %d times", n)
	}
}

// TestAddressesThatChange checks that URLs which change with each visit use the credit for checks,
// and hold back no check.
func TestAddressesThatChange(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	visit := 0
	w.mux.HandleFunc("h.example/", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, `<link rel=stylesheet href=s.css>`)
		if visit == 15 {
			fmt.Fprint(rw, `<img src=late.png>`)
		}
		for i := range 20 {
			fmt.Fprintf(rw, `<img src="c%d.gif?t=%d">`, i, visit)
		}
	})
	for _, name := range []string{"s.css", "late.png", "{count}"} {
		w.text("http://h.example/"+name, "text/plain", name)
	}
	for visit = range 30 {
		w.visit("http://h.example/")
		w.finish()
		w.clock.(*clock).advance(30 * day)
	}
	asks := w.asks()
	if n := asks["h.example/s.css"]; n != 3 && n != 4 {
		t.Errorf("the sheet was asked for %d times", n)
	}
	if n := len(asks); asks["h.example/late.png"] != 1 || n < 23 || n > 26 {
		t.Errorf("%d addresses were asked for, of late.png %d", n, asks["h.example/late.png"])
	}
}

// TestMostChecks checks that without room for more checks the least worthy are dropped, and
// counted.
func TestMostChecks(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	now := w.clock.Now()
	for i := range mostChecks {
		w.keeper.want(&item{URL: fmt.Sprintf("http://h.example/%d.gif?t", i)}, &fact{}, true, now)
	}
	sheet := "http://h.example/s.css"
	w.keeper.want(&item{URL: sheet}, &fact{held: true, due: now.Add(-9 * day)}, true, now)
	poor := "http://h.example/p.png"
	w.keeper.want(&item{URL: poor}, &fact{held: true, due: now}, true, now)
	if len(w.keeper.checks) != mostChecks || w.keeper.checks[sheet] == nil ||
		w.keeper.checks[poor] != nil || w.keeper.counts.Dropped != 2 {
		t.Errorf("%d checks, %+v", len(w.keeper.checks), w.keeper.counts)
	}
}

// TestNotModifiedPage checks that a "not modified" page has the requisites of its copy.
func TestNotModifiedPage(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	w.text("http://h.example/", "text/html", `<link rel=stylesheet href=s.css>`)
	w.text("http://h.example/s.css", "text/css", "b{}")
	rec := sitegraph.Record{URL: "http://h.example/"}
	for n := range 11 { // ten visits earn a check
		o := w.visitOf(&rec)
		rec.Apply(*o, sitegraph.ChangeByBytes)
		if n > 0 && o.Outcome != sitegraph.OutcomeNotModified {
			t.Fatalf("visit %d: %v %s", n, o.Outcome, o.Detail)
		}
		if err := w.keeper.Keep(); err != nil {
			t.Fatal(err)
		}
		w.finish()
		w.clock.(*clock).advance(7 * day)
	}
	if n := w.asks()["h.example/s.css"]; n != 2 {
		t.Errorf("the sheet was asked for %d times", n)
	}
}

// TestKilled kills the process before, between and after requests. The next process asks for each
// waiting item once.
func TestKilled(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	page := `<link rel=stylesheet href=s.css>`
	for i := range 20 {
		page += fmt.Sprintf("<img src=%d.png>", i)
		w.text(fmt.Sprintf("http://h.example/%d.png", i), "image/png", fmt.Sprint("picture ", i))
	}
	w.text("http://h.example/", "text/html", page)
	w.text("http://h.example/s.css", "text/css", "b{background:url(deep.png)}")
	w.text("http://h.example/deep.png", "image/png", "deep")
	w.visit("http://h.example/") // acknowledged
	for n := range 22 {
		w.kill()
		if got := w.keeper.Counts().Waiting; got != 21-n && got != 22-n { // deep.png follows
			t.Fatalf("after %d requests and a kill %d wait", n, got)
		}
		w.keeper.step(context.Background())
		if err := w.keeper.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	w.kill()
	if n := w.finish(); n != 0 {
		t.Errorf("%d wait in the end", n)
	}
	for url, n := range w.asks() {
		if n != 1 {
			t.Errorf("%s was asked for %d times", url, n)
		}
	}
	if kept := w.kept(); len(kept) != 24 {
		t.Errorf("%d addresses are kept: %v", len(kept), kept)
	}
	// An answer that was not durable is asked for again. A torn line is ignored.
	w.clock.(*clock).advance(30 * day)
	w.text("http://h.example/new", "text/html", "<img src=new.png>")
	w.visit("http://h.example/new")
	w.keeper.step(context.Background()) // no Keep
	path := filepath.Join(w.dir, logName)
	w.keeper.log.f.WriteString(`{"done":"http://h.example/new.png"`)
	w.kill()
	w.finish()
	if n := w.asks()["h.example/new.png"]; n != 2 {
		t.Errorf("asked for %d times", n)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), `png"{`) {
		t.Errorf("the log: %s, %v", text, err)
	}
}

// TestLongLog checks that a log which is mostly out of date is rewritten, and that a kill loses
// nothing.
func TestLongLog(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	w.keeper.log.whole = -leastLog - 1
	w.text("http://h.example/", "text/html", `<img src=a.png><img src=b.png>`)
	w.visit("http://h.example/")
	if w.keeper.log.size != w.keeper.log.whole {
		t.Fatalf("the log is not written anew: %+v", w.keeper.log)
	}
	w.keeper.step(context.Background())
	w.keeper.log.whole = -leastLog - 1
	if err := w.keeper.Keep(); err != nil {
		t.Fatal(err)
	}
	w.kill()
	if n := w.keeper.Counts().Waiting; n != 1 {
		t.Errorf("%d wait", n)
	}
}

// TestForbidden checks what is not asked for: by robots.txt, by the guard, or because of noarchive.
func TestForbidden(t *testing.T) {
	w := newWorld(t, 0, "h.example", "no.example")
	w.robots["no.example"] = "User-agent: *\nDisallow: /p"
	w.text("http://h.example/", "text/html", `<img src=http://no.example/p.png><img src=q.png>
		<img src=ftp://h.example/x.png><img src=http://inside.example/x.png>
		<img src=http://h.example:8080/x.png>`)
	w.mux.HandleFunc("h.example/q.png", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("X-Robots-Tag", "noarchive")
		fmt.Fprint(rw, "a picture")
	})
	w.text("http://h.example/secret", "text/html",
		`<meta name=robots content=noarchive><img src=secret.png>`)
	w.visit("http://h.example/", "http://h.example/secret")
	w.finish()
	same(t, "asked for", w.asks(), "h.example/ 1", "h.example/secret 1", "h.example/q.png 1")
	if n := w.keeper.Counts(); n.Waiting != 0 || n.Failed != 0 {
		t.Errorf("%+v", n)
	}
	if kept := w.kept(); kept["h.example/q.png"] != 0 || kept["h.example/secret"] != 0 {
		t.Errorf("kept: %v", kept)
	}
}

// TestUnkeptOverRuns checks that each run remembers when unkept requisites are due, although the
// archive does not have them: seldom, as checks, and with doubling intervals.
func TestUnkeptOverRuns(t *testing.T) {
	w := newWorld(t, 0, "h.example", "busy.example")
	w.text("http://h.example/", "text/html",
		`<img src=q.png><img src=http://busy.example/1.png>`)
	w.mux.HandleFunc("h.example/q.png", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("X-Robots-Tag", "noarchive")
		fmt.Fprint(rw, "a picture")
	})
	up, tries := false, 0
	w.mux.HandleFunc("busy.example/1.png", func(rw http.ResponseWriter, _ *http.Request) {
		if !up {
			tries++
			panic(http.ErrAbortHandler) // no answer
		}
		fmt.Fprint(rw, "a picture")
	})
	week := func() {
		w.visit("http://h.example/")
		began := w.clock.Now()
		for w.clock.Now().Before(began.Add(day)) {
			w.keeper.step(context.Background())
		}
		if n := w.keeper.Counts().Waiting; n != 0 {
			t.Fatalf("%d wait", n)
		}
		w.close()
		w.clock.(*clock).advance(7*day - w.clock.Now().Sub(began))
		w.open()
	}
	for range 25 {
		week()
	}
	asks := w.asks()
	if n := asks["h.example/q.png"]; n < 2 || n > 4 {
		t.Errorf("one that says noarchive was asked for %d times", n)
	}
	if tries < 6*mostTries || tries > 10*mostTries {
		t.Errorf("one without an answer was asked for %d times", tries)
	}
	if waiting, nothing, err := Pending(w.dir); waiting != 0 || nothing != 2 || err != nil {
		t.Errorf("the log says that %d wait, and of %d nothing is kept: %v", waiting, nothing, err)
	}
	up = true
	for range 5 {
		week()
	}
	if w.kept()["busy.example/1.png"] != 1 || w.keeper.unkept["http://busy.example/1.png"] != nil {
		t.Errorf("when there is an answer: %v, %v", w.kept(), w.keeper.unkept)
	}
	for i := range mostUnkept + 9 {
		w.keeper.remember(&unkept{URL: fmt.Sprint(i), Due: w.clock.Now()})
	}
	if n := len(w.keeper.unkept); n != mostUnkept {
		t.Errorf("%d are remembered", n)
	}
}

// TestForget checks that removed URLs are nowhere in the log, neither as items nor as pages of
// others. The rest waits.
func TestForget(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	w.text("http://h.example/secret", "text/html", `<img src=a.png>`)
	w.text("http://h.example/", "text/html", `<img src=b.png><img src=secret.png>`)
	w.visit("http://h.example/secret", "http://h.example/")
	w.keeper.log.f.Close()
	w.archive.Close()
	if err := Forget(w.dir, func(url string) bool {
		return strings.Contains(url, "secret")
	}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(w.dir, logName))
	if err != nil || strings.Contains(string(text), "secret") ||
		!strings.Contains(string(text), "b.png") {
		t.Errorf("the log: %s, %v", text, err)
	}
	w.open()
	if n := w.keeper.Counts().Waiting; n != 1 {
		t.Errorf("%d wait", n)
	}
	if err := Forget(t.TempDir(), nil); err != nil {
		t.Errorf("without a log: %v", err)
	}
}

// TestRedirects checks that redirects are followed as separate requisites, and end.
func TestRedirects(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	w.text("http://h.example/", "text/html", `<img src=r0.png><img src=loop.png>`)
	for i := range 9 {
		w.mux.Handle(fmt.Sprintf("h.example/r%d.png", i),
			http.RedirectHandler(fmt.Sprintf("/r%d.png", i+1), http.StatusFound))
	}
	w.mux.Handle("h.example/loop.png", http.RedirectHandler("/loop.png", http.StatusFound))
	w.visit("http://h.example/")
	w.finish()
	want := []string{"h.example/ 1", "h.example/loop.png 1"}
	for i := range mostDepth + 1 {
		want = append(want, fmt.Sprintf("h.example/r%d.png 1", i))
	}
	same(t, "asked for", w.asks(), want...)
}

// TestTroubledServer checks that a failing or busy server rests, longer each time, and that its
// items then wait for their page.
func TestTroubledServer(t *testing.T) {
	w := newWorld(t, 0, "h.example", "busy.example")
	w.text("http://h.example/", "text/html", `<img src=http://busy.example/1.png>
		<img src=http://down.example/2.png><img src=ok.png>`)
	w.mux.HandleFunc("busy.example/", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "1000")
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	w.visit("http://h.example/")
	began := w.clock.Now()
	if n := w.finish(); n != 2 {
		t.Errorf("%d wait at the end of a run", n)
	}
	if w.clock.Now().Sub(began) > time.Minute {
		t.Errorf("the end waited for servers that fail: %v", w.clock.Now().Sub(began))
	}
	for range 1000 {
		w.keeper.step(context.Background())
	}
	asks := w.asks()
	if asks["busy.example/1.png"] != mostTries || asks["h.example/ok.png"] != 1 {
		t.Errorf("asked for %v", asks)
	}
	if c := w.keeper.Counts(); c.Waiting != 0 || c.Failed != 2 {
		t.Errorf("%+v", c)
	}
	if took := w.clock.Now().Sub(began); took < (mostTries-1)*1000*time.Second {
		t.Errorf("all tries within %v", took)
	}
}

// TestRetryAfterOfBoth checks that a Retry-After to a page holds for requisites, and the reverse.
func TestRetryAfterOfBoth(t *testing.T) {
	w := newWorld(t, 0, "h.example", "busy.example")
	w.text("http://h.example/", "text/html", `<img src=http://busy.example/1.png>`)
	busy := true
	w.mux.HandleFunc("busy.example/", func(rw http.ResponseWriter, _ *http.Request) {
		if busy {
			rw.Header().Set("Retry-After", "3600")
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	w.visit("http://busy.example/page", "http://h.example/")
	began := w.clock.Now()
	for w.clock.Now().Before(began.Add(50 * time.Minute)) {
		w.keeper.step(context.Background())
	}
	same(t, "while the page's server is to be left alone", w.asks(), "busy.example/page 1",
		"h.example/ 1")
	for w.clock.Now().Before(began.Add(70 * time.Minute)) {
		w.keeper.step(context.Background())
	}
	same(t, "after that", w.asks(), "busy.example/1.png 1")
	rec := sitegraph.Record{URL: "http://busy.example/page"}
	_, until, err := w.client.Try(context.Background(), &rec)
	if err != nil || until.Sub(w.clock.Now()) < 50*time.Minute {
		t.Errorf("a page may be asked for at %v, %v", until, err)
	}
}

// TestBudget checks that the budget survives a kill, and that items beyond it wait for the next
// day.
func TestBudget(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	w.budget = []budget.Limit{{Amount: 1 << 20, Unit: budget.InBytes, Per: budget.Day}}
	w.close()
	w.open()
	page := ""
	for i := range 40 {
		page += fmt.Sprintf("<img src=%d.png>", i)
		w.text(fmt.Sprintf("http://h.example/%d.png", i), "image/png",
			strings.Repeat("x", 100_000+i))
	}
	w.text("http://h.example/", "text/html", page)
	w.visit("http://h.example/")
	w.finish()
	w.kill()
	w.finish()
	if n := len(w.asks()) - 1; n < 7 || n > 10 { // a quarter must be left for one more
		t.Errorf("%d pictures of 100 kB with 1 MiB a day", n)
	}
	for range 6 {
		w.clock.(*clock).advance(day)
		w.finish()
	}
	if n := w.keeper.Counts().Waiting; n != 0 {
		t.Errorf("a week later %d wait", n)
	}
}

// TestCutByBudget checks that an answer longer than the rest of the budget is asked for again in
// the next window, and not kept cut. One that fits in no window is kept cut in the end, and seldom
// asked for.
func TestCutByBudget(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	w.budget = []budget.Limit{{Amount: 1 << 20, Unit: budget.InBytes, Per: budget.Day}}
	w.close()
	w.open()
	w.text("http://h.example/", "text/html", `<img src=one.png><img src=two.png>`)
	w.text("http://h.example/one.png", "image/png", strings.Repeat("1", 600_000))
	w.text("http://h.example/two.png", "image/png", strings.Repeat("2", 600_000))
	w.visit("http://h.example/")
	w.finish()
	if kept := w.kept(); kept["h.example/two.png"] != 0 || w.keeper.Counts().Waiting != 1 {
		t.Errorf("kept what was cut: %v", kept)
	}
	w.clock.(*clock).advance(day)
	w.finish()
	h, err := w.archive.Held("http://h.example/two.png")
	if _, body, ok := w.archive.Answer(h, MostBytes); err != nil || !ok || len(body) != 600_000 {
		t.Errorf("kept of it: %d octets, %v", len(body), err)
	}
	w.asks()
	w.text("http://h.example/large", "text/html", `<img src=huge.png>`)
	w.text("http://h.example/huge.png", "image/png", strings.Repeat("3", 2<<20))
	w.visit("http://h.example/large")
	for range 10 {
		w.clock.(*clock).advance(day)
		w.finish()
	}
	if n := w.asks()["h.example/huge.png"]; n != mostTries || w.keeper.Counts().Waiting != 0 {
		t.Errorf("asked for the huge one %d times", n)
	}
}

// TestBounds checks the limits, in memory and in the log, for a page, a style sheet and all pages.
func TestBounds(t *testing.T) {
	w := newWorld(t, 0, "h.example")
	var page, sheet strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&page, "<img src=p%d.png>", i)
		fmt.Fprintf(&sheet, `@import "s%d.css";`, i)
	}
	w.text("http://h.example/", "text/html", page.String())
	w.text("http://h.example/s", "text/html", "<link rel=stylesheet href=s.css>")
	w.mux.HandleFunc("h.example/{sheet}", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/css")
		fmt.Fprint(rw, strings.ReplaceAll(sheet.String(), `"s`, `"`+r.PathValue("sheet")[:2]))
	})
	w.visit("http://h.example/")
	if n := w.keeper.Counts().Waiting; n != extract.MaxRequisites {
		t.Errorf("a page has %d", n)
	}
	for i := range 2 * mostOfServer {
		w.keeper.mu.Lock()
		w.keeper.wait(&item{URL: fmt.Sprintf("http://many.example/%d", i)})
		w.keeper.mu.Unlock()
	}
	for i := range 2 * mostWaiting {
		w.keeper.mu.Lock()
		w.keeper.wait(&item{URL: fmt.Sprintf("http://%d.example/", i)})
		w.keeper.mu.Unlock()
	}
	if n := w.keeper.Counts(); n.Waiting != mostWaiting ||
		n.Dropped != 2*mostOfServer+mostWaiting+extract.MaxRequisites {
		t.Errorf("%+v", n)
	}
	c := facts{of: map[string]*fact{}}
	for i := range 400_000 {
		c.put(fmt.Sprint(i), &fact{})
	}
	if c.octets > mostFacts || len(c.of) < 100_000 {
		t.Errorf("%d facts of %d octets", len(c.of), c.octets)
	}
}

// TestPoliteness lets pages of one server show pictures of three others. Each server gets its
// robots.txt first, one request at a time, and its pause between two: the interval, or its
// Crawl-delay. Pages get their turns besides their requisites.
func TestPoliteness(t *testing.T) {
	const pause = 100 * time.Millisecond
	hosts := []string{"h.example", "one.example", "two.example", "slow.example"}
	w := newWorld(t, pause, hosts...)
	w.robots["slow.example"] = "User-agent: *\nCrawl-delay: 0.4"
	for n := range 8 {
		page := "<link rel=stylesheet href=s.css>"
		for _, host := range hosts {
			page += fmt.Sprintf("<img src=http://%s/%d.png>", host, n)
			w.mux.HandleFunc(fmt.Sprintf("%s/%d.png", host, n), func(rw http.ResponseWriter,
				_ *http.Request) {
				time.Sleep(20 * time.Millisecond)
				fmt.Fprint(rw, host, n)
			})
		}
		w.text(fmt.Sprintf("http://h.example/page%d", n), "text/html", page)
	}
	w.text("http://h.example/s.css", "text/css", "b{}")
	w.keeper.Start()
	began := time.Now()
	for n := range 8 {
		w.visit(fmt.Sprintf("http://h.example/page%d", n))
	}
	pages := time.Since(began)
	if n := w.finish(); n != 0 {
		t.Errorf("%d wait", n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last, count := map[string]time.Time{}, map[string]int{}
	slices.SortFunc(w.log, func(a, b asked) int { return a.began.Compare(b.began) })
	for _, a := range w.log {
		host := sitegraph.ServerName(a.url)
		want := pause
		if host == "slow.example" {
			want = 400 * time.Millisecond
		}
		switch before, ok := last[host]; {
		case !ok && !strings.HasSuffix(a.url, "/robots.txt"):
			t.Errorf("%s was asked for before robots.txt", a.url)
		case ok && count[host] == 1: // after robots.txt comes the pause known before it
			want = pause
			fallthrough
		case ok:
			if gap := a.began.Sub(before); gap < want-5*time.Millisecond {
				t.Errorf("%s was asked for %v after the last request, want %v", a.url, gap, want)
			}
		}
		last[host] = a.end
		count[host]++
	}
	for host, want := range map[string]int{"h.example": 18, "one.example": 9, "two.example": 9,
		"slow.example": 9} {
		if count[host] != want {
			t.Errorf("%s had %d requests, want %d", host, count[host], want)
		}
	}
	// Eight pages take 0.8 s at least; with every other turn twice as long, and some more.
	if pages > 3*time.Second {
		t.Errorf("the pages took %v", pages)
	}
}
