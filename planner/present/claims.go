package present

import (
	"fmt"
	"math"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/hints"
	"github.com/recrawl/recrawl/sitegraph"
)

// claims says which feeds and sitemaps there are, and what proved true of them.
type claims struct {
	Absent  int            `json:"absent"` // servers without a feed or sitemap that lists pages
	Servers []serverClaims `json:"servers"`
}

// serverClaims is one kind of claims on one server.
type serverClaims struct {
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

func noClaims() claims { return claims{Servers: []serverClaims{}} }

func claimsOf(c *planner.Corpus) claims {
	r := noClaims()
	has := map[sitegraph.ServerID]bool{}
	for _, s := range c.Hints.Sources() {
		has[s.Server] = has[s.Server] || s.Kind != hints.LastModified && s.Pages > 0
		r.Servers = append(r.Servers, serverClaims{
			Server:   c.Graph.ServerName(s.Server),
			Kind:     s.Kind.String(),
			Sources:  s.Sources,
			Pages:    s.Pages,
			True:     s.True,
			False:    s.False,
			Missed:   s.Missed,
			Same:     s.Same,
			LogRatio: s.LogRatio,
			Silence:  s.Silence,
		})
	}
	for s := range sitegraph.ServerID(c.Graph.Servers()) {
		if len(c.Graph.ServerPages(s)) > 0 && !has[s] {
			r.Absent++
		}
	}
	return r
}

// tables are none where nothing was ever heard.
func (r *claims) tables() []report.Table {
	t := report.Table{
		Title: "Claims of feeds, sitemaps and Last-Modified, by what they proved to be worth",
		Header: []string{
			"server", "claims of", "sources", "pages",
			"changed: right", "wrong", "same: wrong", "right", "worth of either",
		},
	}
	for _, s := range r.Servers[:min(len(r.Servers), shownServers)] {
		t.Rows = append(t.Rows, []string{
			s.Server,
			s.Kind,
			report.Count(s.Sources),
			report.Count(s.Pages),
			report.Count(s.True),
			report.Count(s.False),
			report.Count(s.Missed),
			report.Count(s.Same),
			fmt.Sprintf("odds x%.2g, x%.2g", math.Exp(s.LogRatio), math.Exp(s.Silence)),
		})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if r.Absent > 0 {
		t.Note = fmt.Sprintf(
			"Absent: %s without a feed or sitemap that lists pages.",
			report.Plural(r.Absent, "server"),
		)
	}
	return []report.Table{t}
}
