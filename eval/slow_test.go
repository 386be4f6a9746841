package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// This file computes the measures a second time, slowly: from the histories and a log of visits,
// with every state looked up anew, without running sums or a graph.

// randomServers makes one to three small servers with every feature of histories: versions at the
// very end of a day, several in a day or at one time, old contents again, deaths and returns, late
// pages, dead links, unlinked pages.
func randomServers(rng *rand.Rand) []*history.Server {
	var servers []*history.Server
	for s := range 1 + rng.IntN(3) {
		name := fmt.Sprintf("s%d.example", s)
		t0 := int64(1_000_000_000 + rng.IntN(100_000_000))
		urls := []string{"http://" + name + "/"}
		for i := range 3 + rng.IntN(20) {
			urls = append(urls, fmt.Sprintf("http://%s/d%d/p%d", name, rng.IntN(4), i))
		}
		var pages []*history.Page
		for i, url := range urls {
			pages = append(pages, page(url, randomLife(rng, t0, i, urls)...))
		}
		servers = append(servers, server(name, t0, pages...))
	}
	return servers
}

// randomLife makes the versions of one page over five weeks.
func randomLife(rng *rand.Rand, t0 int64, i int, urls []string) []history.Version {
	born := int64(0)
	if i > 0 && rng.IntN(3) == 0 {
		born = randomMoment(rng)
	}
	versions := []history.Version{randomVersion(rng, t0+born, i, urls)}
	moments := make([]int64, rng.IntN(8))
	for k := range moments {
		moments[k] = born + 1 + randomMoment(rng)
		if k > 0 && rng.IntN(4) == 0 { // soon after another one, or at the same moment
			moments[k] = moments[k-1] + int64(rng.IntN(3))*int64(rng.IntN(daySeconds))
		}
	}
	slices.Sort(moments)
	for _, m := range moments {
		switch {
		case rng.IntN(6) == 0:
			versions = append(versions, gone(t0+m))
		case rng.IntN(5) == 0: // bytes and links may differ for the same text
			v := randomVersion(rng, t0+m, i, urls)
			if last := versions[len(versions)-1]; last.Alive() {
				v.Digests.Text, v.Digests.Main = last.Digests.Text, last.Digests.Main
			}
			versions = append(versions, v)
		default:
			versions = append(versions, randomVersion(rng, t0+m, i, urls))
		}
	}
	return versions
}

// randomMoment returns a time in five weeks, in seconds after their start; often the very end of a
// day, or a second from it.
func randomMoment(rng *rand.Rand) int64 {
	if rng.IntN(3) == 0 {
		return int64(1+rng.IntN(34))*daySeconds + int64(rng.IntN(3)) - 1
	}
	return int64(rng.IntN(35 * daySeconds))
}

// randomVersion has one of six contents. Equal bytes always have equal links.
func randomVersion(rng *rand.Rand, t int64, i int, urls []string) history.Version {
	content := rng.IntN(6)
	rng = rand.New(rand.NewPCG(uint64(numberOf(urls[i%len(urls)])), uint64(content)))
	var links []string
	for range rng.IntN(4) + 4*max(0, 1-i) { // the top page has more
		switch rng.IntN(12) {
		case 0:
			links = append(links, urls[0]+fmt.Sprint("dead", rng.IntN(3)))
		case 1:
			links = append(links, "http://s0.example/", "http://elsewhere.example/")
		default:
			links = append(links, urls[rng.IntN(len(urls))])
		}
	}
	slices.Sort(links)
	links = slices.Compact(links)
	return shows(t, fmt.Sprintf("%d|%d|%d", content, content/2, content/4), links...)
}

// numberOf returns a number for each URL.
func numberOf(url string) (n int64) {
	for _, c := range []byte(url) {
		n = n*31 + int64(c)
	}
	return n
}

// slowState returns the version of a URL that exists at t, or nil without a page.
func slowState(s *history.Server, url string, t int64) *history.Version {
	p := s.Page(url)
	if p == nil {
		return nil
	}
	var now *history.Version
	for i := range p.Versions {
		if p.Versions[i].T <= t {
			now = &p.Versions[i]
		}
	}
	if !now.Alive() {
		return nil
	}
	return now
}

// slowLinks returns the in-server links of a version of url.
func slowLinks(url string, v *history.Version) map[string]bool {
	links := map[string]bool{}
	if v == nil {
		return links
	}
	for _, link := range v.Links {
		if link != url && sitegraph.ServerName(link) == sitegraph.ServerName(url) {
			links[link] = true
		}
	}
	return links
}

// slowBase returns the pages alive at t within 11 hops of the top page.
func slowBase(s *history.Server, t int64) map[string]bool {
	base, ring := map[string]bool{}, map[string]bool{"http://" + s.Name + "/": true}
	for range sitegraph.MaxDepth {
		next := map[string]bool{}
		for url := range ring {
			v := slowState(s, url, t)
			if v == nil || base[url] {
				continue
			}
			base[url] = true
			for link := range slowLinks(url, v) {
				next[link] = true
			}
		}
		ring = next
	}
	return base
}

// slowRun is one stream: the corpus, the log of one policy, and its counts.
type slowRun struct {
	options Options
	days    int
	servers map[string]*history.Server
	base    map[string]bool
	pages   []string // base pages and those born within the days

	copyDay map[string]int             // day of the visit that made the copy; 0 for the base
	known   map[string]bool            // as a page to visit
	ever    map[string]bool            // was known once
	links   map[string]map[string]bool // links of the last fetched snapshot
	problem string                     // a visit that should not have been made
}

// state returns the version at url at the end of a day; nil: no page.
func (r *slowRun) state(url string, day int) *history.Version {
	s := r.servers[sitegraph.ServerName(url)]
	if s == nil {
		return nil
	}
	return slowState(s, url, s.T0+int64(r.options.Base.Seconds())+int64(day)*daySeconds)
}

func (r *slowRun) differ(url string, day, other int) bool {
	return r.state(url, day).Digests.Differ(r.state(url, other).Digests, r.options.Change)
}

func newSlowRun(servers []*history.Server, o Options, days int) *slowRun {
	r := &slowRun{options: o, days: days, servers: map[string]*history.Server{},
		base:    map[string]bool{},
		copyDay: map[string]int{}, known: map[string]bool{}, ever: map[string]bool{},
		links: map[string]map[string]bool{}}
	for _, s := range servers {
		r.servers[s.Name] = s
		for url := range slowBase(s, s.T0+int64(o.Base.Seconds())) {
			r.base[url], r.known[url], r.ever[url] = true, true, true
			r.copyDay[url] = 0
			r.links[url] = slowLinks(url, r.state(url, 0))
		}
		for _, p := range s.Pages {
			if r.base[p.URL] || r.born(p.URL) > 0 {
				r.pages = append(r.pages, p.URL)
			}
		}
	}
	return r
}

// born returns the first day at whose end a page not alive at the base is alive, or 0.
func (r *slowRun) born(url string) int {
	if r.state(url, 0) != nil {
		return 0
	}
	for d := 1; d <= r.days; d++ {
		if r.state(url, d) != nil {
			return d
		}
	}
	return 0
}

// happened returns the events and deaths of a page.
func (r *slowRun) happened(url string) (events, deaths int) {
	for d := 1; d <= r.days; d++ {
		switch before, after := r.state(url, d-1), r.state(url, d); {
		case before == nil:
		case after == nil:
			deaths++
		case r.differ(url, d-1, d):
			events++
		}
	}
	return events, deaths
}

// discoverable returns the discoverable pages, as a fixed point.
func (r *slowRun) discoverable() map[string]bool {
	found := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for _, url := range r.pages {
			if !r.base[url] && !found[url] {
				continue
			}
			for d := 0; d <= r.days; d++ {
				for link := range slowLinks(url, r.state(url, d)) {
					if r.born(link) > 0 && !found[link] {
						found[link], grown = true, true
					}
				}
			}
		}
	}
	return found
}

// find makes a page known.
func (r *slowRun) find(url string, day int, discoverable map[string]bool, delays *[]float64) {
	if discoverable[url] && !r.ever[url] {
		*delays = append(*delays, float64(max(day-r.born(url), 0)))
	}
	r.known[url], r.ever[url] = true, true
}

// measure computes the result of a log. The caller checks the daily totals against the budget.
func (r *slowRun) measure(log []step) StreamResult {
	var result StreamResult
	events, deaths := 0, 0
	for _, url := range r.pages {
		e, d := r.happened(url)
		events, deaths = events+e, deaths+d
	}
	discoverable := r.discoverable()
	var delays, freshness, ages []float64
	found, foundAfter := 0, 0
	for d := 1; d <= r.days; d++ {
		visited := map[string]bool{}
		for ; len(log) > 0 && log[0].day == d; log = log[1:] {
			v := log[0]
			result.Fetched++
			made, has := r.copyDay[v.url]
			switch {
			case visited[v.url]:
				r.complain("%v: second visit of the day", v)
			case v.first == has:
				r.complain("%v: has a copy: %v", v, has)
			case !r.base[v.url] && r.state(v.url, 0) != nil:
				r.complain("%v: is outside", v)
			case !r.known[v.url]:
				r.complain("%v: is not known", v)
			}
			visited[v.url] = true
			if v.first {
				result.NewFetched++
			} else {
				result.Refetched++
			}
			now := r.state(v.url, d)
			want := sitegraph.VerdictFirst
			switch {
			case now == nil:
				want = sitegraph.VerdictLeft
			case has && r.differ(v.url, made, d):
				want = sitegraph.VerdictChanged
			case has:
				want = sitegraph.VerdictUnchanged
			}
			if v.verdict != want {
				r.complain("%v: want %v", v, want)
			}
			old := r.links[v.url]
			r.links[v.url] = slowLinks(v.url, now)
			switch want {
			case sitegraph.VerdictChanged:
				result.Changed++
			case sitegraph.VerdictLeft:
				if has {
					found++
					died := d
					for r.state(v.url, died-1) == nil {
						died--
					}
					foundAfter += d - died
				}
				delete(r.copyDay, v.url)
				delete(r.known, v.url)
			}
			if now != nil {
				r.copyDay[v.url] = d
			}
			for link := range r.links[v.url] {
				if _, has := r.copyDay[link]; !has && !old[link] { // newly linked
					r.find(link, d, discoverable, &delays)
				}
			}
		}
		if f, ok := r.freshness(d); ok {
			freshness = append(freshness, f)
		}
		if a, ok := r.age(d); ok {
			ages = append(ages, a)
		}
	}
	if len(log) > 0 {
		r.complain("%v: after the last day", log[0])
	}
	result.UpdateRate = ratio(result.Changed, result.Refetched)
	result.Coverage = ratio(result.Changed, events)
	result.Freshness, result.MeanAgeDays = slowMean(freshness), slowMean(ages)
	result.Discovered = ratio(len(delays), len(discoverable))
	result.DiscoveryDelayDays = slowMean(delays)
	result.DeletionsFound = ratio(found, deaths)
	result.DeletionDelayDays = ratio(foundAfter, found)
	return result
}

func (r *slowRun) complain(format string, args ...any) {
	if r.problem == "" {
		r.problem = fmt.Sprintf(format, args...)
	}
}

// freshness returns the share of fresh copies among known living pages at a day's end.
func (r *slowRun) freshness(day int) (float64, bool) {
	living, fresh := 0, 0
	for _, url := range r.pages {
		if !r.known[url] || r.state(url, day) == nil {
			continue
		}
		living++
		if made, has := r.copyDay[url]; has && !r.differ(url, made, day) {
			fresh++
		}
	}
	return float64(fresh) / float64(living), living > 0
}

// age returns, at a day's end, the mean over known living pages with a copy of the days since the
// copy became stale: since then the page has differed or been absent at every day's end.
func (r *slowRun) age(day int) (float64, bool) {
	sum, copies := 0, 0
	for _, url := range r.pages {
		made, has := r.copyDay[url]
		if !has || !r.known[url] || r.state(url, day) == nil {
			continue
		}
		copies++
		since := day
		for d := day; d > made && (r.state(url, d) == nil || r.differ(url, made, d)); d-- {
			since = d
		}
		sum += day - since
	}
	return float64(sum) / float64(copies), copies > 0
}

func slowMean(values []float64) Number {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	if len(values) == 0 {
		return Number(math.NaN())
	}
	return Number(sum / float64(len(values)))
}

// visits returns a log line by line.
func visits(log []step) string {
	var b strings.Builder
	for _, s := range log {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}
