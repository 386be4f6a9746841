package fetch

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// prose returns words words of text, the same for the same seed.
func prose(seed uint64, words int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	parts := strings.Fields("river stone market letter garden window winter summer train paper " +
		"silver copper music dance history science city village " +
		"mountain forest bridge castle engine wheel harbour island valley meadow the a of and " +
		"with under over near beyond against old new small large")
	var b strings.Builder
	for range words {
		b.WriteString(parts[r.IntN(len(parts))] + " ")
	}
	return b.String()
}

func htmlOf(title, heading, main string) string {
	return fmt.Sprintf(`<html><head><title>%s</title></head><body><nav><a href=/>Home</a> <a href=/news/>News</a> Search Login</nav>
<main><h1>%s</h1><p>%s</p></main><footer>Copyright, imprint, contact</footer></body></html>`, title, heading, main)
}

// softSite is a server with labelled pages.
type softSite struct {
	name string
	// there has the pages that exist, by path; before has those of the first pass.
	there, before map[string]string
	// missing has paths of pages that do not exist, or no longer.
	missing []string
	// unknown is the answer of the server for missing and any other path.
	unknown func(path string, n int) (int, string)
	// lost is the known number of pages in missing that the client does not find.
	lost int
}

func articles(dir string, n, words int) map[string]string {
	pages := map[string]string{}
	for i := range n {
		pages[fmt.Sprintf("%s%d.html", dir, i)] = htmlOf(fmt.Sprintf("Article %d", i),
			fmt.Sprintf("Article %d", i), prose(uint64(i), words))
	}
	return pages
}

func paths(dir string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%sgone-%d.html", dir, i))
	}
	return all
}

func with(pages map[string]string, more ...string) map[string]string {
	for i := 0; i < len(more); i += 2 {
		pages[more[i]] = more[i+1]
	}
	return pages
}

func softSites() []softSite {
	notFound := htmlOf("Page not found - Example", "Oops!",
		"The page that you are looking for is not here. Try the search, or go to the home page "+
			"and look there.")
	always := func(page string) func(string, int) (int, string) {
		return func(string, int) (int, string) { return 200, page }
	}
	product := func(name, price string) string {
		return htmlOf(name+" - Shop", name, "Price "+price+" euro. In stock. Delivery in two "+
			"days. Add to basket. Free returns within thirty days of delivery.")
	}
	vanished := articles("/old/", 6, 80)
	return []softSite{
		{name: "says not found", there: articles("/a/", 8, 80), missing: paths("/a/", 8),
			unknown: always(notFound)},
		{name: "in German, with the address", there: articles("/a/", 8, 80),
			missing: paths("/a/", 8),
			unknown: func(path string, _ int) (int, string) {
				return 200, htmlOf("Seite nicht gefunden", "Fehler",
					"Die Seite "+path+" konnte leider nicht gefunden werden. Bitte prüfen Sie "+
						"die Adresse oder nutzen Sie unsere Suche.")
			}},
		{name: "in Japanese", there: articles("/a/", 8, 80), missing: paths("/a/", 4),
			unknown: always(htmlOf("ページが見つかりません", "404", "お探し の ページ は 見つかりません でした 。 URL を ご確認 "+
				"ください 。 トップ ページ へ 戻る"))},
		{name: "with a moment", there: articles("/a/", 8, 80), missing: paths("/a/", 6),
			unknown: func(_ string, n int) (int, string) {
				return 200, htmlOf("404 - not found", "404",
					prose(7, 60)+fmt.Sprintf("Request %d at %02d:%02d", 100000+n, n%24, n%60))
			}},
		{name: "with other articles each time", there: articles("/a/", 8, 80),
			missing: paths("/a/", 6), lost: 6,
			unknown: func(_ string, n int) (int, string) {
				return 200, htmlOf("404 - not found", "404",
					"Not found. Read instead: "+prose(uint64(1000+n), 60))
			}},
		{name: "shows the home page", there: with(articles("/a/", 8, 80), "/",
			htmlOf("Home", "Welcome", prose(99, 100)), "/index.html",
			htmlOf("Home", "Welcome", prose(99, 100))),
			missing: paths("/a/", 6), lost: 6,
			unknown: always(htmlOf("Home", "Welcome", prose(99, 100)))},
		{name: "pages that were there, and now a page without a word for it",
			there: articles("/a/", 8, 80), before: vanished,
			missing: []string{"/old/0.html", "/old/1.html", "/old/2.html", "/old/3.html",
				"/old/4.html", "/old/5.html"},
			unknown: always(htmlOf("Example", "Example", "Our archive has moved house. Please "+
				"use the search above to look for what you want.")), lost: 3},
		{name: "two directories, one of them honest", there: articles("/b/", 8, 80),
			missing: paths("/a/", 6),
			unknown: func(path string, _ int) (int, string) {
				if strings.HasPrefix(path, "/a/") {
					return 200, notFound
				}
				return 404, notFound
			}},
		{name: "honest, with articles on errors", there: with(articles("/a/", 8, 80),
			"/a/404.html", htmlOf("404 Not Found: what it means", "404 Not Found", prose(50, 120)),
			"/a/lost.html", htmlOf("Page not found? Ten tips", "Page not found", prose(51, 120))),
			unknown: func(string, int) (int, string) { return 404, notFound }},
		{name: "not honest, with articles on errors", there: with(articles("/a/", 8, 80),
			"/a/404.html", htmlOf("404 Not Found: what it means", "404 Not Found", prose(50, 120)),
			"/a/quoting.html",
			htmlOf("Page not found - Example", "Our error page", "The page that you are looking "+
				"for is not here, says ours. "+prose(52, 60))),
			missing: paths("/a/", 6), unknown: always(notFound)},
		{name: "filled by scripts", there: map[string]string{"/": shell, "/a": shell, "/b": shell,
			"/c": shell, "/d/e": shell, "/d/f": shell}, unknown: always(shell)},
		{name: "filled by scripts, with a word about it", there: map[string]string{"/": wordyShell,
			"/a": wordyShell, "/b": wordyShell, "/c": wordyShell, "/d/e": wordyShell},
			unknown: always(wordyShell)},
		{name: "products that hardly differ",
			there: map[string]string{"/p/1": product("Lamp 1", "10"),
				"/p/2": product("Lamp 2", "10"), "/p/3": product("Lamp 3", "10"),
				"/p/4": product("Lamp 4", "11")},
			unknown: always(product("Unknown", "0"))},
		{name: "products, and a page that says so",
			there: map[string]string{"/p/1": product("Lamp 1", "10"),
				"/p/2": product("Lamp 2", "10"), "/p/3": product("Lamp 3", "10")},
			missing: []string{"/p/77", "/p/78", "/p/79"},
			unknown: always(htmlOf("Product not found - Shop", "Not found",
				"This product does not exist. Delivery in two days for all others."))},
		{name: "empty categories", there: with(articles("/a/", 4, 80), "/c/red", emptyCategory,
			"/c/blue", emptyCategory, "/c/green", emptyCategory), unknown: always(emptyCategory)},
		{name: "a login wall", there: with(articles("/a/", 4, 80), "/m/1", login, "/m/2", login,
			"/m/3", login), unknown: always(login)},
		{name: "a redirect", there: with(articles("/a/", 4, 80), "/error.html", notFound),
			unknown: func(string, int) (int, string) { return 302, "" }},
		{name: "maintenance", there: articles("/a/", 8, 80),
			unknown: func(string, int) (int, string) { return 503, "" }},
		{name: "few words", there: articles("/a/", 4, 80), missing: paths("/a/", 4), lost: 4,
			unknown: always(htmlOf("Not found", "Not found", "Sorry."))},
	}
}

var (
	shell      = `<html><head><title>App</title></head><body><div id=root></div><script src=/app.js></script></body></html>`
	wordyShell = htmlOf("App", "", "This application needs JavaScript. Please enable it in "+
		"the settings of your browser and load the page again.")
	emptyCategory = htmlOf("Shop", "Category",
		"There are no products in this category at the moment. Please come back later, or look "+
			"at the others.")
	login = htmlOf("Members", "Login",
		"This page is for members. Please log in with your name and password, or register for "+
			"free here.")
)

// TestSoftMissing visits all pages of labelled servers three times. Some vanish after the first
// pass; the last pass is compared with the labels.
func TestSoftMissing(t *testing.T) {
	var found, hidden, missed, requests, probes int
	for _, site := range softSites() {
		w := newWeb(t, "h.example", "127.0.0.1")
		pass, n := 0, 0
		known := map[string]bool{}
		handle := func(rw http.ResponseWriter, r *http.Request) {
			path := r.URL.Path
			n++
			page, ok := site.there[path]
			if !ok && pass == 0 {
				page, ok = site.before[path]
			}
			status := 200
			if !ok {
				status, page = site.unknown(path, n)
			}
			if status == 302 {
				rw.Header().Set("Location", "/error.html")
			}
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			rw.WriteHeader(status)
			fmt.Fprint(rw, page)
		}
		w.handle("h.example/", handle)
		w.handle("h.example/robots.txt", http.NotFound)
		c := w.client(func(o *Options) { o.SoftMissing, o.Interval = true, time.Second })
		records := map[string]*sitegraph.Record{}
		all := append([]string(nil), site.missing...)
		for path := range site.there {
			all = append(all, path)
		}
		for _, path := range all {
			known[path] = true
			records[path] = &sitegraph.Record{URL: "http://h.example" + path,
				State: sitegraph.StateNew}
		}
		gone := map[string]bool{}
		for pass = range 4 {
			for _, path := range all {
				o := w.visit(c, *records[path])
				gone[path] = o.Outcome == sitegraph.OutcomeGone && o.Status == 200
				if o.Outcome == sitegraph.OutcomeFetched {
					records[path].State, records[path].Digests = sitegraph.StateAlive, o.Digests
				}
			}
			w.clock.advance(2 * time.Hour)
		}
		of, asked := 0, 0
		for _, path := range site.missing {
			if gone[path] {
				of++
			}
		}
		found += of
		missed += len(site.missing) - of
		if len(site.missing)-of > site.lost {
			t.Errorf("%s: %d of %d missing pages are found, and %d may be lost",
				site.name, of, len(site.missing), site.lost)
		}
		for path := range site.there {
			if gone[path] {
				hidden++
				t.Errorf("%s: %s is there, and was taken for gone", site.name, path)
			}
		}
		for _, r := range w.requests {
			if requests++; !known[r.path] && r.path != "/robots.txt" {
				probes++
				asked++
			}
		}
		// one for each 20 visits, and the first
		if most := 1 + 4*len(all)/probeEvery; asked > most {
			t.Errorf("%s: %d probes in %d requests", site.name, asked, len(w.requests))
		}
		t.Logf("%-60s missing %d, found %d, probes %d", site.name, len(site.missing), of, asked)
	}
	precision, recall := float64(found)/float64(found+hidden), float64(found)/float64(found+missed)
	t.Logf("precision %.3f, recall %.3f of %d missing pages; %d probes in %d requests",
		precision, recall, found+missed, probes, requests)
	if precision < 1 || recall < 0.69 {
		t.Errorf("precision %.3f, recall %.3f", precision, recall)
	}
}

// TestProbesArePolite checks that a probe obeys robots.txt, keeps the pause, is made once, and
// repeated only after a week.
func TestProbesArePolite(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	page := htmlOf("Page not found", "Not found",
		"The page that you are looking for is not here. Try the search.")
	w.handle("h.example/", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, page)
	})
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, "User-agent: *\nDisallow: /closed/\nAllow: /closed/open\nCrawl-delay: 20\n")
	})
	c := w.client(func(o *Options) { o.SoftMissing = true })
	for i := range 3 {
		if o := w.get(c, fmt.Sprintf("http://h.example/closed/open%d",
			i)); o.Outcome != sitegraph.OutcomeFetched {
			t.Errorf("without a probe: %v", o.Outcome)
		}
	}
	probes := func() (n int) {
		for _, r := range w.requests {
			u, _ := url.Parse(r.path)
			if len(u.Path) > 24 &&
				strings.Trim(u.Path[len(u.Path)-24:], "bcdfghjklmnpqrstvwxz") == "" {
				n++
			}
		}
		return n
	}
	if probes() > 0 {
		t.Errorf("a probe went where robots.txt forbids")
	}
	w.clock.advance(2 * time.Hour)
	var outcomes []sitegraph.Outcome
	for i := range 60 {
		outcomes = append(outcomes, w.get(c, fmt.Sprintf("http://h.example/open/%d", i)).Outcome)
	}
	if outcomes[0] != sitegraph.OutcomeFetched || outcomes[59] != sitegraph.OutcomeGone ||
		probes() != 1 {
		t.Errorf("outcomes %v after %d probes", outcomes, probes())
	}
	for i, r := range w.requests {
		if i > 0 && r.at.Sub(w.requests[i-1].at) < 20*time.Second {
			t.Errorf("%s %v after the request before it", r.path, r.at.Sub(w.requests[i-1].at))
		}
	}
	w.clock.advance(8 * 24 * time.Hour)
	for i := range 30 {
		w.get(c, fmt.Sprintf("http://h.example/open/%d", i))
	}
	if probes() != 2 {
		t.Errorf("%d probes, want another one after a week", probes())
	}
	o, until, err := c.Try(t.Context(), &sitegraph.Record{URL: "http://h.example/x/y"})
	if err != nil || o.Outcome == sitegraph.OutcomeFailed && until.IsZero() {
		t.Errorf("%v, %v, %v", o.Outcome, until, err)
	}
}

func TestSuspectsAreBounded(t *testing.T) {
	s := newSuspects()
	for i := range mostSuspects + 100 {
		u := &url.URL{Scheme: "http", Host: fmt.Sprintf("h%d.example", i), Path: "/x"}
		for j := range 2 * mostProbes {
			u.Path = fmt.Sprintf("/%d/x", j)
			s.visited(u, &extract.Page{})
			if i%1000 == 0 {
				s.answered(u, nil, time.Unix(1, 0))
			}
		}
	}
	if len(s.servers) != mostSuspects || s.used.Len() != mostSuspects {
		t.Errorf("%d servers", len(s.servers))
	}
	for e := s.used.Front(); e != nil; e = e.Next() {
		if x := e.Value.(*suspect); len(x.probes) > mostProbes {
			t.Errorf("%d probes of %s", len(x.probes), x.server)
		}
	}
}
