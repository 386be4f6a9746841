package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/crawl"
)

// newsBegins and newsEnds are the hours between which front pages of newspapers change.
const newsBegins, newsEnds = 7, 22

// newspapers have front pages that change every ten minutes by day and never by night, articles
// that change once in a month at any time, and an archive that never changes.
func newspapers(rng *rand.Rand, papers, fronts, articles, archive, days int) (
	all []*history.Server) {
	for n := range papers {
		top := fmt.Sprintf("http://news%d.example/", n)
		links := make([]string, 0, fronts+articles+archive)
		var pages []*history.Page
		add := func(kind string, count int, change func(p *history.Page)) {
			for i := range count {
				p := page(fmt.Sprintf("%s%s/%d", top, kind, i), shows(0, "0"))
				change(p)
				links, pages = append(links, p.URL), append(pages, p)
			}
		}
		add("front", fronts, func(p *history.Page) {
			for t := int64(0); t < int64(days)*daySeconds; t += 600 {
				if hour := t % daySeconds / 3600; newsBegins <= hour && hour < newsEnds {
					p.Versions = append(p.Versions, shows(t+rng.Int64N(600), fmt.Sprint(t)))
				}
			}
		})
		add("article", articles, func(p *history.Page) {
			for t := rng.Int64N(60 * daySeconds); t < int64(days)*daySeconds; t += 1 +
				rng.Int64N(60*daySeconds) {
				p.Versions = append(p.Versions, shows(t+1, fmt.Sprint(t)))
			}
		})
		add("archive", archive, func(*history.Page) {})
		pages = append(pages, page(top, shows(0, "top", links...)))
		all = append(all, server(fmt.Sprintf("news%d.example", n), 0, pages...))
	}
	return all
}

// TestNewspapers checks that value, in rounds of ten minutes, visits front pages by day and not by
// night. Rounds of ten minutes find more than hourly ones, and these more than daily ones, with the
// same fetches a day.
func TestNewspapers(t *testing.T) {
	t.Parallel()
	const days = 21
	c := newCorpus(t, newspapers(rand.New(rand.NewPCG(1, 2)), 2, 4, 100, 100, days),
		Options{Base: week})
	found, delay := 0, Number(math.Inf(1))
	for _, step := range []time.Duration{day, time.Hour, 10 * time.Minute} {
		byDay, byNight := 0, 0
		stage := c.replayed()
		stage.Log = func(e *crawl.Event) {
			at := e.Record.Tried
			// it must learn the hours first
			if url := stage.Graph.URL(e.Visit.Page); !isFront(url) || at.Before(c.Base.Add(3*day)) {
				return
			}
			switch hour := at.Add(-time.Minute).Hour(); {
			case newsBegins <= hour && hour < newsEnds:
				byDay++
			case hour != newsEnds: // the last changes of the day are found then
				byNight++
			}
		}
		r, err := c.StreamOn(t.Context(), stage,
			StreamOptions{Weeks: 2, Step: step, Budget: 1, Seed: 1}, "sites", nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("in rounds of %v: fetched %d, changed %d, found after %.2f hours (median %.2f); "+
			"visits to front pages %d by day, %d by night", step, r.Fetched, r.Changed,
			float64(r.DetectionDelayHours), float64(r.MedianDelayHours), byDay, byNight)
		if r.Changed <= found || r.DetectionDelayHours >= delay {
			t.Errorf("rounds of %v find %d changes after %.2f hours, longer ones %d after %.2f",
				step, r.Changed, float64(r.DetectionDelayHours), found, float64(delay))
		}
		found, delay = r.Changed, r.DetectionDelayHours
		const share = float64(newsEnds-newsBegins) / (24 - 1 - (newsEnds - newsBegins))
		if step < day && float64(byDay) < 3*share*float64(byNight) {
			t.Errorf("in rounds of %v there are %d visits to front pages by day and %d by night, "+
				"of which the day has %.2f times as many hours", step, byDay, byNight, share)
		}
	}
}

func isFront(url string) bool {
	var n, i int
	parsed, _ := fmt.Sscanf(url, "http://news%d.example/front/%d", &n, &i)
	return parsed == 2
}
