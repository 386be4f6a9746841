package main

import (
	"fmt"
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner/hints"
	"github.com/recrawl/recrawl/sitegraph"
)

// hintsResult says which feeds and sitemaps there are, and what proved true of them.
type hintsResult struct {
	Absent  int       `json:"absent"` // servers without a feed or sitemap that lists pages
	Servers []hintsOf `json:"servers"`
}

// hintsOf is one kind of claims on one server.
type hintsOf struct {
	Server  string `json:"server"`
	Kind    string `json:"kind"`    // sitemap, feed, or last-modified: the header of pages
	Sources int    `json:"sources"` // that list a page now
	Pages   int    `json:"pages"`   // listed now
	// Visits to pages of which it was said that they had changed, or were the same.
	True   int `json:"true"`   // changed, and had
	False  int `json:"false"`  // changed, and had not
	Missed int `json:"missed"` // the same, and had changed
	Same   int `json:"same"`   // the same, and was
	// LogRatio is what a claim of a change adds to the logarithm of its odds, Silence what being
	// listed without one does.
	LogRatio float64 `json:"log_ratio"`
	Silence  float64 `json:"silence"`
}

func (o *opened) hints() hintsResult {
	g := o.corpus.Graph
	r := hintsResult{Servers: []hintsOf{}}
	has := map[sitegraph.ServerID]bool{}
	for _, s := range o.corpus.Hints.Sources() {
		has[s.Server] = has[s.Server] || s.Kind != hints.LastModified && s.Pages > 0
		r.Servers = append(r.Servers, hintsOf{g.ServerName(s.Server), s.Kind.String(), s.Sources, s.Pages, s.True, s.False, s.Missed, s.Same, s.LogRatio, s.Silence})
	}
	for s := range sitegraph.ServerID(g.Servers()) {
		if len(g.ServerPages(s)) > 0 && !has[s] {
			r.Absent++
		}
	}
	return r
}

// tables are the hints for people; none where nothing was ever heard.
func (r *hintsResult) tables() []report.Table {
	t := report.Table{Title: "Claims of feeds, sitemaps and Last-Modified, by what they proved to be worth",
		Header: []string{"server", "claims of", "sources", "pages", "changed: right", "wrong", "same: wrong", "right", "worth of either"}}
	for i, s := range r.Servers {
		if i == shownServers {
			break
		}
		t.Rows = append(t.Rows, []string{s.Server, s.Kind, report.Count(s.Sources), report.Count(s.Pages), report.Count(s.True), report.Count(s.False), report.Count(s.Missed), report.Count(s.Same),
			fmt.Sprintf("odds x%.2g, x%.2g", math.Exp(s.LogRatio), math.Exp(s.Silence))})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if r.Absent > 0 {
		t.Note = fmt.Sprintf("Absent: %s without a feed or sitemap that lists pages.", report.Plural(r.Absent, "server"))
	}
	return []report.Table{t}
}

// hintResult is what feeds and sitemaps claim of a page.
type hintResult struct {
	Kind      string     `json:"kind"`       // of the source that log_ratio goes by
	Claimed   *time.Time `json:"claimed"`    // newest modification claimed; null: listed without a date
	EveryDays *float64   `json:"every_days"` // how often it is said to change; null: not told
	LogRatio  float64    `json:"log_ratio"`  // what it adds to the logarithm of the odds that the page has changed
}

func (o *opened) hint(page sitegraph.PageID) *hintResult {
	h, ok := o.corpus.Hints.Of(page)
	if !ok {
		return nil
	}
	r := &hintResult{Kind: h.Kind.String(), Claimed: moment(h.Claimed), LogRatio: h.LogRatio}
	if h.Every > 0 {
		days := estimator.Days(h.Every)
		r.EveryDays = &days
	}
	return r
}

func (r *hintResult) String() string {
	if r == nil {
		return "absent: no feed or sitemap names it"
	}
	text := "a " + r.Kind + " names it"
	if r.Claimed != nil {
		text += ", modified " + r.Claimed.Format(time.RFC3339)
	}
	if r.EveryDays != nil {
		text += fmt.Sprintf(", changing each %.3g days", *r.EveryDays)
	}
	return text + fmt.Sprintf("; proved worth: odds x%.2g", math.Exp(r.LogRatio))
}
