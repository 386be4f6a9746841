package policy

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// multiplied has the intervals of today's crawlers: a visit without a change lengthens the interval
// by a factor, and one with a change shortens it.
type multiplied struct {
	unestimated
	about             string  // with a verb for the interval
	longer, shorter   float64 // factors
	shortest, longest float64 // days
	softly            bool    // shorten less near the shortest
	forgets           bool    // after a failed visit it starts again
}

// newNutch is Nutch's AdaptiveFetchSchedule with its shipped settings: 1.4 and 0.8, a minute to a
// year. Its synchronisation with the time of a change (sync_delta) is left out. It needs
// modification times; with the times of visits that saw a change instead it found less, 0.44
// instead of 0.50 of the changes at 5 % a day.
func newNutch(s Settings) planner.Policy {
	return newDueDriven(
		s,
		multiplied{about: "its interval is %s, longer by 0.4 or shorter by 0.2 at each visit",
			longer: 1.4, shorter: 0.8, shortest: 1.0 / (24 * 60), longest: 365},
	)
}

// newStormCrawler is StormCrawler's AdaptiveScheduler with its default settings: 1.5 and 0.5, an
// hour to two weeks. Near the shortest it shortens less. A failed visit makes it forget: the next
// one has no copy to compare with, and gets the first interval. If the budget takes longer than
// half a week for all pages, the longest interval is four such cycles: with two weeks all pages
// would always be late, and so be visited in turn.
func newStormCrawler(s Settings) planner.Policy {
	return newDueDriven(
		s,
		multiplied{about: "its interval is %s, longer or shorter by half at each visit",
			longer: 1.5, shorter: 0.5, shortest: 1.0 / 24, softly: true, forgets: true,
			longest: max(14, 4*estimator.Days(cycleDays(s.Pages, s.PerDay)))},
	)
}

func (m multiplied) first(cycle float64) float64 { return m.clamp(cycle) }

func (m multiplied) clamp(days float64) float64 { return min(max(days, m.shortest), m.longest) }

func (m multiplied) next(_ sitegraph.History, interval float64, changed bool) float64 {
	switch {
	case !changed:
		interval *= m.longer
	case m.softly:
		interval = m.shorter*interval + (1-m.shorter)*m.shortest
	default:
		interval *= m.shorter
	}
	return m.clamp(interval)
}

func (m multiplied) recovered(cycle float64) (float64, bool) { return m.first(cycle), m.forgets }

// remembered returns the interval for the counts, in any order of the visits; the limits apply at
// the end.
func (m multiplied) remembered(h sitegraph.History, cycle float64) float64 {
	changes := float64(h.Changes)
	return m.clamp(
		m.first(cycle) * math.Pow(m.shorter, changes) * math.Pow(m.longer,
			float64(h.Visits-1)-changes),
	)
}

func (m multiplied) wait(
	_ sitegraph.PageID,
	_ sitegraph.History,
	interval float64,
) (float64, planner.Reason) {
	return interval, planner.Because(m.about, interval)
}

// bySitemap is the resolver of Norconex. If a sitemap has a page's modification time, the page is
// visited if that is after its last visit, and never otherwise. If the sitemap has a frequency of
// changes, the page is visited as often; otherwise at a fixed interval, one cycle of the budget.
// Sitemaps are believed.
type bySitemap struct {
	unestimated
	pages *planner.Pages
}

func newNorconex(s Settings) planner.Policy {
	policy := newDueDriven(s, bySitemap{pages: s.Pages})
	policy.heard = map[sitegraph.PageID]float64{}
	return policy
}

func (bySitemap) next(_ sitegraph.History, interval float64, _ bool) float64 { return interval }

func (bySitemap) remembered(_ sitegraph.History, cycle float64) float64 { return cycle }

func (b bySitemap) wait(p sitegraph.PageID, h sitegraph.History, interval float64) (
	float64, planner.Reason) {
	switch modified, every := b.pages.Hints.SitemapSays(p); {
	case modified > h.Last:
		return 0, planner.Because("its sitemap says that it was modified since")
	case modified > 0:
		return longestWait, planner.Because("its sitemap says that it was not modified")
	case every > 0:
		days := estimator.Days(time.Duration(every) * time.Second)
		return days, planner.Because("its sitemap says that it changes each %s", days)
	}
	return interval, planner.Because("each page is due every %.1f days", interval)
}
