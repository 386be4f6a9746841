package crawl_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// A sitemap claims that all its pages, which never change, always change and were modified just now
// or in the future. It is believed at first, since the claims of other servers were true. In the
// long run its pages get no more visits than those of a server that claims no changes.
func TestLiarGainsNothing(t *testing.T) {
	const pages, days, settled = 10, 400, 100
	const truthful, honest, liar = "http://truthful.example/", "http://honest.example/",
		"http://liar.example/"
	servers := []string{truthful, honest, liar}
	n := newNewsroom()
	d := newDesk(n)
	ranking, err := policy.New("sites", policy.Settings{Pages: d.corpus, Mode: planner.Stream,
		Seed: 1, PerDay: 12})
	if err != nil {
		t.Fatal(err)
	}
	d.loop.Planner = planner.New(d.corpus, ranking,
		planner.Options{NewShare: 0.25, Leftover: true, SourceShare: 0.2})
	claims := map[string][]sitegraph.Claim{}
	page := func(server string, i int) string { return fmt.Sprint(server, i) }
	for _, server := range servers {
		n.named = append(n.named, server+"sitemap.xml")
		n.kinds[server+"sitemap.xml"] = sitegraph.SourceSitemap
		for i := range pages {
			n.pages[page(server, i)] = "first"
			n.links[server] = append(n.links[server], page(server, i))
			claims[server] = append(claims[server],
				sitegraph.Claim{URL: page(server, i), Modified: base.Add(-planner.Day)})
		}
		n.pages[server] = "front"
	}
	if err := d.loop.Seed(servers...); err != nil {
		t.Fatal(err)
	}
	visits := map[string]int{}
	for day := range days {
		for i := range pages {
			if i%5 == day%5 {
				n.pages[page(truthful, i)] += "!"
				claims[truthful][i].Modified = d.now().Add(time.Hour)
			}
			// at its reading, later, and too late for a date
			ahead := time.Duration(day%4) * 12 * time.Hour
			claims[liar][i].Modified, claims[liar][i].Every = d.now().Add(planner.Day+ahead),
				time.Second
		}
		for _, server := range servers {
			if server != honest || day == 0 {
				n.say(server+"sitemap.xml", claims[server]...)
			}
		}
		d.budget = planner.Unlimited
		if day > 1 {
			d.budget = 12
		}
		d.next(t)
		if day < settled {
			continue
		}
		for _, url := range d.asked {
			if _, ok := n.pages[url]; ok {
				visits["http://"+sitegraph.ServerName(url)+"/"]++
			}
		}
	}
	for _, s := range d.corpus.Hints.Sources() {
		if s.Kind == planner.Sitemap && d.corpus.Graph.ServerName(s.Server) == "liar.example" &&
			s.LogRatio > 0.3 {
			t.Errorf("a claim of the liar is still worth %.2f", s.LogRatio)
		}
	}
	if visits[truthful] < visits[liar] || visits[liar] > visits[honest]*5/4 {
		t.Errorf("visits in %d days: %v", days-settled, visits)
	}
}

// Dates too far ahead do not count, neither in an index nor for pages that are gone. Otherwise what
// they name would be asked for at each reading.
func TestDatesAheadAreNone(t *testing.T) {
	const one, lost = front + "1.xml", front + "lost"
	n := newNewsroom()
	n.pages[front] = "front"
	n.named = []string{aSitemap}
	n.kinds[aSitemap], n.kinds[one] = sitegraph.SourceIndex, sitegraph.SourceSitemap
	d := newDesk(n)
	if err := d.loop.Seed(front); err != nil {
		t.Fatal(err)
	}
	n.say(one, sitegraph.Claim{URL: front},
		sitegraph.Claim{URL: lost, Modified: d.now().Add(1000 * planner.Day)})
	const days = 60
	times := map[string]int{}
	for range days {
		n.say(aSitemap, sitegraph.Claim{URL: one, Modified: d.now().Add(1000 * planner.Day)})
		d.next(t)
		for _, url := range d.asked {
			times[strings.TrimSuffix(url, "?")]++
		}
	}
	if n := times["/sitemap.xml"]; n < days/2 { // it differs each day
		t.Errorf("the index was read %d times in %d days", n, days)
	}
	if n := times["/1.xml"]; n < 2 || n > days/4 {
		t.Errorf("the sitemap, which stays the same, was read %d times in %d days", n, days)
	}
	if n := times["/lost"]; n != 1 {
		t.Errorf("a page that is gone was looked for %d times", n)
	}
}
