package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/archive/replay"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/requisite"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// looksIn names the environment variable with a directory of npm modules and an unpacked
// replaywebpage. With it the archive of 24 weeks is compared with the live pages in a browser.
const looksIn = "RECRAWL_TEST_LOOKS"

const weeks, sitePages, cdns = 24, 6, 3

// sitesLive are sites that change over weeks, and three servers with shared requisites. Of four
// sites one has a style sheet that changes in place, one a style sheet with a digest in its URL,
// and two one that never changes.
type sitesLive struct {
	sites int
	week  atomic.Int64

	mu            sync.Mutex
	pages, beside int // requests since the last count
	cache         map[string][]byte
	font          []byte
	address       string
}

func newSitesLive(t *testing.T, sites int) *sitesLive {
	s := &sitesLive{sites: sites, cache: map[string][]byte{}, font: []byte("no font")}
	for _, path := range []string{"/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf"} {
		if font, err := os.ReadFile(path); err == nil {
			s.font = font
		}
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.address = server.Listener.Addr().String()
	return s
}

func (s *sitesLive) urls() (urls []string) {
	for site := range s.sites {
		for page := range sitePages {
			urls = append(urls, fmt.Sprintf("http://site%d.example/p%d", site, page))
		}
	}
	return urls
}

// edition counts the changes of something that changes every number of weeks.
func (s *sitesLive) edition(every int) int { return int(s.week.Load()) / every }

// sheet returns the URL of the style sheet of a site, and its edition.
func (s *sitesLive) sheet(site int) (name string, edition int) {
	switch site % 4 {
	case 0:
		return "/style.css", s.edition(9)
	case 1:
		edition = s.edition(7)
		return fmt.Sprintf("/assets/style.%08xc0de%d.css", 0xabc0+edition, site), edition
	}
	return "/style.css", 0
}

func (s *sitesLive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/week" {
		var week int64
		fmt.Sscan(r.URL.RawQuery, &week)
		s.week.Store(week)
		return
	}
	body, kind := s.answer(r)
	s.mu.Lock()
	switch {
	case r.URL.Path == "/robots.txt":
	case kind == "text/html; charset=utf-8":
		s.pages++
	default:
		s.beside++
	}
	s.mu.Unlock()
	if body == nil {
		http.NotFound(w, r)
		return
	}
	sum := fnv.New64a()
	sum.Write(body)
	tag := fmt.Sprintf(`"%x"`, sum.Sum64())
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.Write(body)
}

func (s *sitesLive) answer(r *http.Request) (body []byte, kind string) {
	site, page := 0, 0
	fmt.Sscanf(r.Host, "site%d.example", &site)
	name, edition := s.sheet(site)
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, ".png"):
		return s.picture(r.Host + path), "image/png"
	case path == "/fonts/own.ttf":
		return s.font, "font/ttf"
	case path == "/base.css":
		return []byte("body{margin:2em;line-height:1.5}img{margin:4px}" +
			"ul{background:url(dots.png);padding:1em 3em}"), "text/css"
	case path == "/more.css":
		return []byte("p{max-width:40em}canvas{border:3px solid #345}"), "text/css"
	case path == name:
		return fmt.Appendf(nil, `@import "http://cdn%d.example/base.css"; @import url(/more.css);
@font-face{font-family:Own;src:url("/fonts/own.ttf")}
h1{font-family:Own,serif;color:hsl(%d 70%% 35%%)}
body{background:hsl(%d 40%% 92%%) url(/img/back.png) no-repeat right top}`,
			site%cdns, 90*edition, 60*site+120*edition), "text/css"
	case path == "/draw.js":
		return []byte(drawn), "text/javascript"
	case path == "/data.json" && site%10 == 3: // requests of a script are not known beforehand
		return []byte(`[3,1,4,1,5,9,2,6]`), "application/json"
	}
	if n, _ := fmt.Sscanf(path, "/p%d", &page); n == 0 {
		return nil, "text/plain"
	}
	every := []int{1, 3, 8, 100, 100, 100}[page]
	random := rand.New(rand.NewPCG(uint64(100*site+page), uint64(s.edition(every))))
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Site %d, page %d</title>
<link rel="stylesheet" href="%s"><link rel="icon" href="/img/icon.png"><script src="/draw.js" defer></script>
<style>h2{background:url(/img/line.png) repeat-x bottom}</style></head>
<body data-site="%d"><h1>Page %d of site %d</h1><h2 style="padding-right:20px">Edition %d</h2>
<img src="/img/page%d.png" srcset="/img/page%d.png 1x, /img/page%d-large.png 2x" width="320" height="200" alt="">
<picture><source srcset="/img/wide%d.png" media="(min-width: 500px)"><img src="/img/narrow%d.png" width="300" height="200" alt=""></picture>
<div style="width:64px;height:32px;background:url('//cdn%d.example/stamp.png')"></div>`,
		site, page, name, site, page, site, s.edition(every), page, page, page, page, page,
		(site+1)%cdns)
	for range 8 {
		b.WriteString("<p>")
		for range 40 {
			b.WriteString([]string{"some ", "words ", "of ", "this ", "page ", "that ", "are ",
				"kept "}[random.IntN(8)])
		}
	}
	b.WriteString("<ul>")
	for other := range sitePages {
		fmt.Fprintf(&b, `<li><a href="/p%d">page %d</a>`, other, other)
	}
	return []byte(b.String()), "text/html; charset=utf-8"
}

// drawn draws the rest of a page: bars, and a picture that the page names elsewhere.
const drawn = `const count = Number(localStorage.getItem('seen') ?? 0); localStorage.setItem('seen', count + 1);
const canvas = document.body.appendChild(document.createElement('canvas')); canvas.width = 400; canvas.height = 120;
const draw = (values) => { const c = canvas.getContext('2d'); c.fillStyle = '#a33'; values.forEach((v, i) => c.fillRect(10 + 45 * i, 110 - 10 * v, 35, 10 * v)); };
draw([5, 3, 8, 6, 2, 7, 4, 9]);
const picture = new Image(64, 64); picture.src = '/img/back.png'; document.body.append(picture);
document.body.insertAdjacentHTML('beforeend', '<p>Drawn by a script. <img src="/img/icon.png" width="16" height="16" alt="">');
if (document.body.dataset.site % 10 == 3) fetch('/data.json').then((a) => a.json()).then(draw, () => {});
`

// picture returns noise of about 50 kB that depends on a name.
func (s *sitesLive) picture(name string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if made := s.cache[name]; made != nil {
		return made
	}
	sum := fnv.New64a()
	sum.Write([]byte(name))
	random := rand.New(rand.NewPCG(sum.Sum64(), 1))
	size := image.Rect(0, 0, 160, 100)
	for _, small := range []string{"icon", "line", "dots"} {
		if !strings.Contains(name, small) {
			continue
		}
		size = image.Rect(0, 0, 16, 16)
	}
	picture := image.NewRGBA(size)
	level := func(most int) uint8 { return uint8(random.IntN(most)) }
	base := color.RGBA{level(160), level(160), level(160), 255}
	for y := range size.Dy() {
		for x := range size.Dx() {
			picture.Set(x, y, color.RGBA{base.R + level(64), base.G + level(64),
				base.B + level(64), 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		panic(err) // a buffer accepts everything
	}
	s.cache[name] = out.Bytes()
	return s.cache[name]
}

// keepWeeks captures all pages each week, in virtual time, and returns the times.
func (s *sitesLive) keepWeeks(t *testing.T, dir string) (moments []time.Time) {
	clock := crawl.NewVirtualClock(time.Date(2026, 1, 4, 12, 0, 0, 0, time.UTC))
	client, err := fetch.New(fetch.Options{UserAgent: contact, Interval: time.Second, Clock: clock,
		Capture: true, AllowPrivate: true,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.address)
		}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(dir, archive.Options{Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := requisite.Open(requisite.Options{Client: client, Archive: a, Dir: dir,
		Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	records := map[string]*sitegraph.Record{}
	for week := range weeks {
		s.week.Store(int64(week))
		moments = append(moments, clock.Now())
		for _, url := range s.urls() {
			if records[url] == nil {
				records[url] = &sitegraph.Record{URL: url}
			}
			rec := records[url]
			visit := func(ctx context.Context, rec *sitegraph.Record) (*sitegraph.Observation,
				error) {
				o, err := client.Visit(ctx, *rec)
				return &o, err
			}
			o, err := keeper.Visit(ctx, url, func(ctx context.Context) (*sitegraph.Observation,
				error) {
				return a.Take(ctx, archive.Visit{}, rec, visit)
			})
			if err != nil {
				t.Fatal(err)
			}
			rec.Apply(*o, sitegraph.ChangeByBytes)
		}
		if left, err := keeper.Finish(ctx, clock.Now().Add(24*time.Hour)); err != nil || left > 0 {
			t.Fatalf("week %d: %d wait, %v", week, left, err)
		}
		if s.mu.Lock(); week == 0 {
			s.pages, s.beside = 0, 0
		}
		s.mu.Unlock()
		clock.SleepUntil(ctx, moments[week].Add(7*24*time.Hour))
	}
	if err := errors.Join(keeper.Close(), a.Close()); err != nil {
		t.Fatal(err)
	}
	c := keeper.Counts()
	t.Logf("%s; in all %d of %d requests after the first week", c, s.beside, s.pages+s.beside)
	if s.beside > (s.pages+s.beside)/10 || c.Checks == 0 {
		t.Errorf("%d of %d requests after the first week were for requisites", s.beside,
			s.pages+s.beside)
	}
	return moments
}

// TestLooks archives sites for 24 weeks with their requisites. The archive takes at most 1.3 times
// as much as the first capture and later changes, has each body once, and serves all requisites. In
// a browser its pages look like the live ones.
func TestLooks(t *testing.T) {
	t.Parallel()
	modules := os.Getenv(looksIn)
	sites := 4
	if modules != "" {
		sites = 20
	}
	s := newSitesLive(t, sites)
	dir := t.TempDir()
	moments := s.keepWeeks(t, dir)
	r, err := archive.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s.isSmall(t, r, dir, moments)
	s.isServed(t, r, moments)
	s.seesChanges(t, r, moments)
	if modules == "" {
		t.Logf("%s is not set: nothing is shown in a browser", looksIn)
		return
	}
	wacz := filepath.Join(dir, "all.wacz")
	if _, err := archive.Export(t.Context(), r, archive.ExportTo{WACZ: wacz,
		Created: "2026-06-30T00:00:00Z"}, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	l, err := replay.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go replay.New(r).Serve(ctx, l)
	type shown struct {
		Week int    `json:"week"`
		URL  string `json:"url"`
		At   string `json:"at"`
	}
	var samples []shown
	for i, url := range s.urls() { // a page of each site, some weeks after each change
		week := []int{0, 6, 8, 17, 16, 17}[i/sitePages%6]
		if i%sitePages != i/sitePages%sitePages {
			continue
		}
		at, err := r.Of(url, moments[week].Add(time.Hour), 1)
		if err != nil || len(at) == 0 {
			t.Fatalf("%s in week %d: %v", url, week, err)
		}
		samples = append(samples, shown{week, url, at[0].Time.UTC().Format("20060102150405")})
	}
	input, err := json.Marshal(samples)
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("../../.ci/archive/looks.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script, modules, s.address, "http://"+l.Addr().String(), wacz)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("in a browser: %v", err)
	}
}

// isSmall checks the size of the archive, and that each body is there once.
func (s *sitesLive) isSmall(t *testing.T, r *archive.Reader, dir string, moments []time.Time) {
	var all, first, changed int64
	files, _ := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		all += info.Size()
	}
	bodies := map[string]string{}
	if err := r.Each(func(c *archive.Capture) error {
		if c.Time.Before(moments[1]) {
			first = max(first, c.Offset+c.Length)
		} else if c.MIME != archive.Revisit {
			changed += c.Length
		}
		if c.MIME == archive.Revisit || c.Length < 2<<10 {
			return nil
		}
		if other, ok := bodies[c.Digest]; ok {
			t.Errorf("%s and %s have a record each", other, c.URL)
		}
		bodies[c.Digest] = c.URL
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	bound := int64(1.3 * float64(first+changed))
	t.Logf("%d octets: the first capture of %d sites has %d, what changed in %d weeks %d",
		all, s.sites, first, weeks-1, changed)
	if all > bound || len(files) != 1 {
		t.Errorf("%d octets in %d files, want at most %d in one", all, len(files), bound)
	}
}

// isServed requests all requisites of pages of some weeks.
func (s *sitesLive) isServed(t *testing.T, r *archive.Reader, moments []time.Time) {
	server := replay.New(r)
	asked := 0
	for _, week := range []int{0, 10, weeks - 1} {
		for _, url := range s.urls() {
			at := moments[week].Format("20060102150405") + "id_/"
			get := func(url string) *httptest.ResponseRecorder {
				w := httptest.NewRecorder()
				q := httptest.NewRequest("GET", "http://127.0.0.1/web/"+at+url, nil)
				server.ServeHTTP(w, q)
				if w.Code == http.StatusFound {
					to := "http://127.0.0.1" + w.Header().Get("Location")
					q = httptest.NewRequest("GET", to, nil)
					w = httptest.NewRecorder()
					server.ServeHTTP(w, q)
				}
				return w
			}
			for _, shown := range extract.HTMLRequisites(get(url).Body.Bytes(), "text/html", url) {
				if w := get(shown); w.Code != 200 || w.Body.Len() == 0 {
					t.Errorf("week %d: %s of %s: %d", week, shown, url, w.Code)
				}
				asked++
			}
		}
	}
	if asked < 10*s.sites {
		t.Errorf("%d requisites were asked for", asked)
	}
}

// mostLag is the most weeks until a change of a style sheet in place is found, if a tenth of the
// requests of these small sites is for requisites.
const mostLag = 7

// seesChanges checks when changes in place were found.
func (s *sitesLive) seesChanges(t *testing.T, r *archive.Reader, moments []time.Time) {
	sum, n := 0, 0
	for site := 0; site < s.sites; site += 4 {
		all, err := r.Of(fmt.Sprintf("http://site%d.example/style.css", site), moments[0], 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []int{9, 18} {
			lag := weeks
			for week := weeks - 1; week >= change; week-- {
				for _, c := range all {
					if c.MIME != archive.Revisit && !c.Time.Before(moments[week]) &&
						c.Time.Before(moments[week].Add(7*24*time.Hour)) {
						lag = week - change
					}
				}
			}
			if lag > mostLag {
				t.Errorf("site %d: the change of week %d was seen %d weeks later", site, change, lag)
			}
			sum, n = sum+lag, n+1
		}
	}
	t.Logf("changes in place were seen %.1f weeks later", float64(sum)/float64(n))
}
