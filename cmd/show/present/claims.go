package present

import (
	"fmt"
	"math"

	"github.com/recrawl/recrawl/cmd/show/evals"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// claims says which feeds and sitemaps there are, and how reliable they proved.
type claims struct {
	Absent  int            `json:"absent"` // servers without a feed or sitemap that lists pages
	Servers []serverClaims `json:"servers"`
}

// serverClaims has the claims of one kind on one server.
type serverClaims struct {
	Server string `json:"server"`
	Kind   string `json:"kind"` // sitemap, feed, or last-modified: the header of pages
	planner.HintCounts
	// LogRatio is what a claim of a change adds to the log odds of a change. Silence is what a
	// listing without a claim adds.
	LogRatio float64 `json:"log_ratio"`
	Silence  float64 `json:"silence"`
}

func noClaims() claims { return claims{Servers: []serverClaims{}} }

func claimsOf(c *planner.Pages) claims {
	r := noClaims()
	has := map[sitegraph.ServerID]bool{}
	for _, s := range c.Hints.Sources() {
		has[s.Server] = has[s.Server] || s.Kind != planner.LastModified && s.Pages > 0
		r.Servers = append(r.Servers, serverClaims{
			Server:     c.Graph.ServerName(s.Server),
			Kind:       s.Kind.String(),
			HintCounts: s.HintCounts,
			LogRatio:   s.LogRatio,
			Silence:    s.Silence,
		})
	}
	for s := range sitegraph.ServerID(c.Graph.Servers()) {
		if len(c.Graph.ServerPages(s)) > 0 && !has[s] {
			r.Absent++
		}
	}
	return r
}

// tables returns the tables of the claims, or none if there were no claims.
func (r *claims) tables() []report.Table {
	t := report.Table{
		Title: "Claims of feeds, sitemaps and Last-Modified, by what they proved to be worth",
	}
	t.Header = append([]string{"server", "claims of"}, evals.ClaimColumns...)
	t.Header = append(t.Header, "worth of either")
	for _, s := range r.Servers[:min(len(r.Servers), shownServers)] {
		row := append([]string{s.Server, s.Kind}, evals.ClaimCells(s.HintCounts)...)
		worth := fmt.Sprintf("odds x%.2g, x%.2g", math.Exp(s.LogRatio), math.Exp(s.Silence))
		t.Rows = append(t.Rows, append(row, worth))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if r.Absent > 0 {
		t.Note = fmt.Sprintf(
			"Absent: %s without a feed or sitemap that lists pages.",
			words.Plural(r.Absent, "server"),
		)
	}
	return []report.Table{t}
}
