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

// Page is everything known of a page.
type Page struct {
	URL        string     `json:"url"`
	State      string     `json:"state"`
	Status     int        `json:"status"`
	Server     string     `json:"server"`
	Depth      int        `json:"depth"` // 0: not reached from a start page
	Links      int        `json:"links"` // in-server, of the last snapshot
	Site       site       `json:"site"`
	Referer    string     `json:"referer"`
	FirstCopy  *time.Time `json:"first_copy"`
	LastVisit  *time.Time `json:"last_visit"`
	LastChange *time.Time `json:"last_change"`
	Visits     uint32     `json:"visits"`
	Changes    uint32     `json:"changes"`
	Rate
	// Fresh is the probability that the copy is up to date now, as planner.Fresh has it; null: it
	// is not known, or there is no copy.
	Fresh  *float64 `json:"fresh"`
	Errors uint8    `json:"errors"`
	// Misses are answers in a row that the page is gone, moved or forbidden; of a page that left:
	// since it left.
	Misses       uint8      `json:"misses"`
	Rejected     bool       `json:"rejected"` // a filter rejects it: because says which, and why
	NoIndex      bool       `json:"noindex"`
	ETag         string     `json:"etag"`
	LastModified *time.Time `json:"last_modified"`
	Digest       *string    `json:"digest"` // null: no copy yet
	Estimates    []estimate `json:"estimates"`
	Evidence     *evidence  `json:"evidence"` // null: the policy has none, or there is no copy
	Due          *time.Time `json:"due"`
	Reason       string     `json:"reason"`
	Turn         int        `json:"turn"` // its place in what plan shows; 0: not in that round
	// what budget or weight keeps it out of that round; "": none
	WhyNot string  `json:"why_not"`
	Weight float64 `json:"weight"` // what a change is worth to the user
	Hint   *hint   `json:"hint"`   // null: no feed or sitemap names it

	round planner.Round // the one of Turn
	why   string        // of the visit at that turn
	at    time.Time     // of a page in line: when it may begin; see InLine
}

// site is the site of a page as the policy divides its server, or as directories do.
type site struct {
	Division string   `json:"division"` // a method of recrawl sites
	InUse    bool     `json:"in_use"`   // the policy goes by it
	Tops     []string `json:"tops"`
	IsTop    bool     `json:"is_top"`
	Pages    int      `json:"pages"`
}

// DueOf gives a record the due time that the queue has: evidence may have moved it since the record
// was saved. Call it before a dry run, which plays rounds.
func DueOf(r *sitegraph.Record, c *planner.Pages) {
	if m := c.Memory(r.Page); m.State == sitegraph.StateAlive && m.Due > 0 {
		r.Due = m.DueTime()
	}
}

// Explain explains the page of a record at now. The planner has just made the dry run, which lists
// all visits of its round; policy is the name of its policy.
func Explain(r *sitegraph.Record, p *planner.Planner, ahead *crawl.Preview, policy string,
	now time.Time) *Page {
	e := Known(r, p, ahead, policy, now)
	e.Compare(p.Pages, r, now)
	return e
}

// Known is what is known of the page at now without a look at other pages: all but what Compare
// adds. It takes a moment.
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

// Compare adds the estimates of the page of a record, which rest on the pages of a corpus, and its
// site by directories where the policy knows none. The corpus may be a part of what is known: the
// server of the page and a sample of the others. It looks at many pages, and changes nothing but e.
func (e *Page) Compare(c *planner.Pages, r *sitegraph.Record, now time.Time) {
	if !e.Site.InUse {
		e.Site = siteOf(c.Graph, r.Page)
	}
	if r.History.Visits > 0 {
		e.Estimates = estimatesOf(c, r, r.History.Age(now))
	}
}

// turnOf counts from 1; 0: the page is not among the visits.
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
