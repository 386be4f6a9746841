package crawl_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// shelves are servers of sections with a list and pages that it links to. Sections change at
// different rates, their pages with the list or independently.
type shelves struct{ sections, pages int }

func (w *shelves) Fetch(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
	url := r.Record.URL
	o := sitegraph.Observation{URL: url, Time: time.Now(), Outcome: sitegraph.OutcomeFetched,
		Status: 200, LinksKnown: true, FramesKnown: true}
	o.NotBefore = o.Time.Add(10 * time.Second)
	hours := int(o.Time.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) / time.Hour)
	section := url[:strings.LastIndex(url, "/")+1]
	of := func(name string, most int) int {
		every := 3 + int(chance(name)>>20)%most
		return (hours + int(chance(name)>>40)%every) / every
	}
	o.Digests.Bytes = sitegraph.DigestOf(fmt.Append(nil, url, of(section, 60), of(url, 90)))
	switch {
	case strings.Count(url, "/") == 3:
		for s := range w.sections {
			o.Links = append(o.Links, fmt.Sprintf("%ss%d/", url, s))
		}
	case strings.HasSuffix(url, "/"):
		for p := range w.pages {
			o.Links = append(o.Links, fmt.Sprintf("%sp%d", url, p))
		}
	}
	return o, nil
}

// In a round of several workers the list of a section comes before its pages, unless later outcomes
// made the list due.
func TestTopsBeforeMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const servers, budget = 12, 240
		m := &rig{T: t, disk: newDisk(), clock: crawl.WallClock{}}
		m.pages = m.disk.restore()
		p, err := policy.New("sites", policy.Settings{Pages: m.pages, Mode: planner.Stream,
			Seed: 1, PerDay: 4 * budget})
		if err != nil {
			t.Fatal(err)
		}
		lists, late, members := 0, 0, 0
		before := map[sitegraph.PageID]bool{} // tops of visited members
		m.plan = planner.New(m.pages, p, planner.LiveOptions())
		m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: &shelves{6, 12},
			Store: m.disk, Clock: m.clock, Discover: true, Workers: 8, Pause: 10 * time.Second,
			Seen: func(e *crawl.Event) {
				top, _, _ := p.(planner.Sited).Site(e.Record.Page)
				switch {
				case e.Visit.First || top == sitegraph.NoPage:
				case top == e.Record.Page:
					if lists++; before[top] {
						late++
					}
				default:
					members++
					before[top] = true
				}
			}})
		for s := range servers {
			m.seed(fmt.Sprintf("http://h%d.example/", s))
		}
		for round := range 40 {
			if round == 10 {
				lists, late, members = 0, 0, 0
			}
			clear(before)
			r, err := m.roundOf(m.Context(), 6*time.Hour, budget)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Until(r.End))
		}
		if lists < 300 || members < 1000 || late > lists/20 {
			t.Errorf("of %d visits to lists %d come after pages of their section, of which %d "+
				"are visited", lists, late, members)
		}
	})
}
