package present

import (
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// Page has everything that is known of a page.
type Page struct {
	URL        string     `json:"url"`
	State      string     `json:"state"`
	Status     int        `json:"status"`
	Server     string     `json:"server"`
	Depth      int        `json:"depth"` // 0: no start page leads to it
	Links      int        `json:"links"` // on its server, of the last snapshot
	Site       site       `json:"site"`
	Referer    string     `json:"referer"`
	FirstCopy  *time.Time `json:"first_copy"`
	LastVisit  *time.Time `json:"last_visit"`
	LastChange *time.Time `json:"last_change"`
	Visits     uint32     `json:"visits"`
	Changes    uint32     `json:"changes"`
	Rate
	// Fresh is the probability that the copy is up to date, which planner.Fresh predicts; null:
	// unknown, or no copy.
	Fresh  *float64 `json:"fresh"`
	Errors uint8    `json:"errors"`
	// Misses counts the last answers in a row that the page is gone, moved or forbidden. For a page
	// that left they count from then on.
	Misses       uint8      `json:"misses"`
	Rejected     bool       `json:"rejected"` // a filter rejects it; because names the filter and the reason
	NoIndex      bool       `json:"noindex"`
	ETag         string     `json:"etag"`
	LastModified *time.Time `json:"last_modified"`
	Digest       *string    `json:"digest"` // null: no copy yet
	Estimates    []estimate `json:"estimates"`
	Evidence     *evidence  `json:"evidence"` // null: the policy has none, or no copy
	Due          *time.Time `json:"due"`
	Reason       string     `json:"reason"`
	Turn         int        `json:"turn"` // its place among the visits of plan; 0: not in that round
	// WhyNot is the budget or weight that keeps the page out of that round; "": none.
	WhyNot string  `json:"why_not"`
	Weight float64 `json:"weight"` // worth of a change to the user
	Hint   *hint   `json:"hint"`   // null: no feed or sitemap names it

	round planner.Round // the round of Turn
	why   string        // reason of the visit at that turn
	at    time.Time     // earliest time of the visit to a page in line; see InLine
}

// site is the site of a page in the division of the policy, or by directories.
type site struct {
	Division string   `json:"division"` // a method of recrawl sites
	InUse    bool     `json:"in_use"`   // true if the policy uses it
	Tops     []string `json:"tops"`
	IsTop    bool     `json:"is_top"`
	Pages    int      `json:"pages"`
}

// DueOf sets the due time of a record to that of the queue, which evidence may have moved since the
// record was saved. Callers use it before a dry run, which plays rounds.
func DueOf(r *sitegraph.Record, c *planner.Pages) {
	if m := c.Memory(r.Page); m.State == sitegraph.StateAlive && m.Due > 0 {
		r.Due = m.DueTime()
	}
}

// Explain explains the page of a record at now. The planner has just made the dry run ahead, which
// lists all visits of its round. policy is the name of its policy.
func Explain(r *sitegraph.Record, p *planner.Planner, ahead *crawl.Preview, policy string,
	now time.Time) *Page {
	e := Known(r, p, ahead, policy, now)
	e.Compare(p.Pages, r, now)
	return e
}

// Known explains the page like Explain, but without looking at other pages: it leaves out what
// Compare adds. It takes a moment.
func Known(r *sitegraph.Record, p *planner.Planner, ahead *crawl.Preview, policy string,
	now time.Time) *Page {
	g := p.Pages.Graph
	h := r.History
	e := &Page{
		URL:          r.URL,
		State:        r.State.String(),
		Status:       r.Status,
		Server:       g.ServerName(g.Server(r.Page)),
		Depth:        g.Depth(r.Page),
		Links:        len(g.Links(r.Page)),
		Referer:      r.Referer,
		Visits:       h.Visits,
		Changes:      h.Changes,
		Rate:         RateOf(estimator.Seen(h)),
		Errors:       r.Errors,
		Misses:       r.Misses,
		Rejected:     r.ByFilter,
		NoIndex:      r.NoIndex,
		ETag:         r.ETag,
		LastModified: moment(r.LastModified),
		Due:          moment(r.Due),
		Reason:       r.Reason,
		Turn:         turnOf(ahead, r.Page),
		Weight:       p.Pages.Weight(r.Page),
		Hint:         hintOf(p.Pages, r.Page),
		round:        ahead.Round,
	}
	if fresh := p.Fresh(r.Page, now); !math.IsNaN(fresh) {
		e.Fresh = &fresh
	}
	if !r.Digests.Bytes.IsZero() {
		digest := r.Digests.Bytes.String()
		e.Digest = &digest
	}
	if h.Visits > 0 {
		first := time.Unix(int64(h.Epoch), 0).UTC()
		last := h.LastVisit()
		e.FirstCopy, e.LastVisit = &first, &last
		if h.LastChange > 0 {
			change := time.Unix(int64(h.LastChange), 0).UTC()
			e.LastChange = &change
		}
		at := ahead.Round.End
		if at.IsZero() { // no round began since the start of the process
			at = time.Unix(int64(p.Pages.LastTried()), 0)
		}
		e.Evidence = evidenceOf(p.Policy, policy, r.Page, at)
	}
	if policy, ok := p.Policy.(planner.Sited); ok && r.State != sitegraph.StateSource {
		e.Site = siteInUse(policy, g, r.Page)
	}
	if e.Turn > 0 {
		e.why = ahead.Visits[e.Turn-1].Reason.String()
	}
	if e.Turn == 0 {
		e.WhyNot = p.WhyNot(r.Page)
	}
	return e
}

// Compare adds to e the estimates of the page of a record, and its site by directories if the
// policy knows none. The estimates rest on the pages of c, which may be the server of the page and
// a sample of the others. Compare looks at many pages and changes only e.
func (e *Page) Compare(c *planner.Pages, r *sitegraph.Record, now time.Time) {
	if !e.Site.InUse {
		e.Site = siteOf(c.Graph, r.Page)
	}
	if r.History.Visits > 0 {
		e.Estimates = estimatesOf(c, r, r.History.Age(now))
	}
}

// turnOf returns the place of the page among the visits, from 1; 0: not among them.
func turnOf(ahead *crawl.Preview, page sitegraph.PageID) int {
	return 1 + slices.IndexFunc(ahead.Visits, func(v planner.Visit) bool { return v.Page == page })
}

func siteInUse(policy planner.Sited, g *sitegraph.Graph, page sitegraph.PageID) site {
	top, division, pages := policy.Site(page)
	s := site{Division: division, InUse: true, Tops: []string{}, IsTop: top == page, Pages: pages}
	if top != sitegraph.NoPage {
		s.Tops = append(s.Tops, g.URL(top))
	}
	return s
}

func siteOf(g *sitegraph.Graph, page sitegraph.PageID) site {
	for _, of := range g.PartitionA(g.Server(page), nil).Sites {
		if !g.SameDirectory(of.Tops[0], page) {
			continue
		}
		s := site{Division: "a", Pages: len(of.Tops) + len(of.Members)}
		for _, top := range of.Tops {
			s.Tops = append(s.Tops, g.URL(top))
			s.IsTop = s.IsTop || top == page
		}
		return s
	}
	return site{Division: "a", Tops: []string{}}
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
