package scale

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// Web is a web of any size that nobody must store: it is computed from the fields below.
type Web struct {
	Pages   int
	Servers int
	Links   int // of a page, to others of its server
	Seed    uint64
	// Cycle is the time in which a budget visits all pages once, at least a month: the copies of a
	// built store are up to this old.
	Cycle time.Duration // a month at least

	first []int // by server: the number of its first page; one more for the end
}

const (
	// skew is the exponent of sizes: the k-th largest server has size / k^skew pages.
	skew = 0.9
	// perDirectory pages share a directory, and perSection a section.
	perDirectory = 40
	perSection   = 1000
	// Mean rates are log-normal. A tenth of the servers is rebuilt in rebuiltDays.
	medianRate  = 0.01 // changes a day
	spreadRate  = 1.5  // of its logarithm
	rebuiltDays = 120
)

// NewWeb returns a web; every server has at least one page.
func NewWeb(pages, servers, links int, seed uint64) *Web {
	servers = max(min(servers, pages), 1)
	w := &Web{Pages: pages, Servers: servers, Links: links, Seed: seed, Cycle: month,
		first: make([]int, servers+1)}
	total := 0.0
	for k := range servers {
		total += math.Pow(float64(k+1), -skew)
	}
	sum := 0.0
	for k := range servers {
		w.first[k] = k + int(float64(pages-servers)*sum/total)
		sum += math.Pow(float64(k+1), -skew)
	}
	w.first[servers] = pages
	return w
}

// place returns the server of a page, and its number there, from 0.
func (w *Web) place(page int) (server, i int) {
	server = sort.Search(w.Servers, func(s int) bool { return w.first[s+1] > page })
	return server, page - w.first[server]
}

func (w *Web) size(server int) int { return w.first[server+1] - w.first[server] }

// appendURL appends the address of a page: 60 to 80 bytes.
func (w *Web) appendURL(b []byte, server, i int) []byte {
	b = append(b, "https://www.host-"...)
	b = strconv.AppendInt(b, int64(server), 10)
	b = append(b, ".example/"...)
	if i == 0 {
		return b
	}
	b = append(b, "section-"...)
	b = strconv.AppendInt(b, int64(i/perSection), 10)
	b = append(b, "/topic-"...)
	b = strconv.AppendInt(b, int64(i/perDirectory), 10)
	b = append(b, "/the-name-of-a-page-"...)
	b = strconv.AppendInt(b, int64(i), 10)
	return append(b, ".html"...)
}

// parse is the inverse of appendURL.
func (w *Web) parse(url string) (server, i int, ok bool) {
	rest, ok := strings.CutPrefix(url, "https://www.host-")
	if !ok {
		return 0, 0, false
	}
	name, path, _ := strings.Cut(rest, ".example/")
	server, err := strconv.Atoi(name)
	if err != nil || server >= w.Servers {
		return 0, 0, false
	}
	if path == "" {
		return server, 0, true
	}
	i, err = strconv.Atoi(strings.TrimSuffix(path[strings.LastIndexByte(path, '-')+1:], ".html"))
	return server, i, err == nil && i < w.size(server)
}

// linksOf calls yield with the pages of the server that a page links to, each once: half of them
// near it, the others anywhere, more of them near the start. All pages are reachable from the
// first.
func (w *Web) linksOf(server, i int, yield func(j int)) {
	size := w.size(server)
	var room [64]int
	seen := append(room[:0], i)
	link := func(j int) {
		if j < size && !slices.Contains(seen, j) {
			seen = append(seen, j)
			yield(j)
		}
	}
	links := min(w.Links, size-1)
	for k := range links / 2 {
		link(i*(w.Links/2) + k + 1) // a tree of all pages
	}
	for k := 0; len(seen) <= links && k < 4*links; k++ {
		u := unit(w.hash(server, i, 2+k))
		link(int(u * u * float64(size)))
	}
}

func (w *Web) hash(server, i, what int) uint64 {
	page := planner.MixHash(planner.MixHash(w.Seed+uint64(server)) + uint64(i))
	return planner.MixHash(page + uint64(what))
}

func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// rate of a page, changes a day.
func (w *Web) rate(server, i int) float64 {
	u, v := 1-unit(w.hash(server, i, 0)), unit(w.hash(server, i, 1))
	return medianRate * math.Exp(spreadRate*math.Sqrt(-2*math.Log(u))*math.Cos(2*math.Pi*v))
}

// version counts the changes of a page up to a moment.
func (w *Web) version(server, i int, t time.Time) uint64 {
	days := float64(t.Unix()) / 86400
	n := uint64(days*w.rate(server, i) + unit(w.hash(server, i, -1)))
	if of := w.hash(server, 0, -2); of%10 == 0 {
		n += uint64(days/rebuiltDays+unit(of)) << 32
	}
	return n
}

func (w *Web) digest(server, i int, t time.Time) (d sitegraph.Digest) {
	binary.LittleEndian.PutUint64(d[:], w.hash(server, i, -3))
	binary.LittleEndian.PutUint64(d[8:], planner.MixHash(w.version(server, i, t)))
	return d
}

// Fetcher answers visits to a web, by a clock.
type Fetcher struct {
	Web   *Web
	Clock crawl.Clock
}

// Fetch returns the present content of a page.
func (f Fetcher) Fetch(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
	w, now := f.Web, f.Clock.Now()
	o := sitegraph.Observation{URL: r.Record.URL, Time: now, Outcome: sitegraph.OutcomeGone,
		Status: 404}
	server, i, ok := w.parse(r.Record.URL)
	if !ok {
		return o, nil
	}
	o.Outcome, o.Status = sitegraph.OutcomeFetched, 200
	o.Digests.Bytes = w.digest(server, i, now)
	o.Size, o.Transferred = 20_000, 20_400
	o.LinksKnown, o.FramesKnown = true, true
	var b []byte
	w.linksOf(server, i, func(j int) {
		b = w.appendURL(b[:0], server, j)
		o.Links = append(o.Links, string(b))
	})
	return o, nil
}

// String returns the size of the web.
func (w *Web) String() string {
	return fmt.Sprintf("%d pages on %d servers, %d links each", w.Pages, w.Servers, w.Links)
}
