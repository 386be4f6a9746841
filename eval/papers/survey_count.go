package papers

import (
	"math"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// SurveyGroup has the results for some servers.
type SurveyGroup struct {
	Name           string         `json:"group"`
	Servers        int            `json:"servers"`
	Absent         int            `json:"absent"`
	Pages          int            `json:"pages"`
	PagesPerServer eval.Number    `json:"pages_per_server"`
	Tops           int            `json:"tops"`
	Unlinked       int            `json:"unlinked"`
	Periods        []SurveyPeriod `json:"periods"`
}

// SurveyPeriod has the results of a group in N weekly snapshots.
type SurveyPeriod struct {
	Weeks        int         `json:"weeks"` // N
	Pages        int         `json:"pages"`
	Vanished     int         `json:"vanished"`
	New          int         `json:"new"`
	Returned     int         `json:"returned"`
	Updated      int         `json:"updated"`
	UpdatedShare eval.Number `json:"updated_share"`
	Differ       int         `json:"differ"`
	DifferShare  eval.Number `json:"differ_share"`

	Tops             int         `json:"tops"`
	TopsUpdated      int         `json:"tops_updated"`
	TopsUpdatedShare eval.Number `json:"tops_updated_share"`

	ByTop   ByTop `json:"by_top"`
	Updates []int `json:"updates"` // pages by number of updates, 0..N-1
}

// ByTop is [LINK table 3] without its third row, which is SurveyPeriod.UpdatedShare.
type ByTop struct {
	Servers   int         `json:"servers"` // with an updated top
	Pages     int         `json:"pages"`   // of these servers
	Updated   int         `json:"updated"` // of these pages
	OfUpdated eval.Number `json:"of_updated"`
	OfPages   eval.Number `json:"of_pages"`
	OfServers eval.Number `json:"of_servers"`
}

func newSurveyGroup(name string, weeks []int) *SurveyGroup {
	g := &SurveyGroup{Name: name, Periods: make([]SurveyPeriod, len(weeks))}
	for i, n := range weeks {
		g.Periods[i] = SurveyPeriod{Weeks: n, Updates: make([]int, n)}
	}
	return g
}

func (g *SurveyGroup) add(o *SurveyGroup) {
	g.Servers += o.Servers
	g.Absent += o.Absent
	g.Pages += o.Pages
	g.Tops += o.Tops
	g.Unlinked += o.Unlinked
	for i := range g.Periods {
		p, q := &g.Periods[i], &o.Periods[i]
		p.Pages += q.Pages
		p.Vanished += q.Vanished
		p.New += q.New
		p.Returned += q.Returned
		p.Updated += q.Updated
		p.Differ += q.Differ
		p.Tops += q.Tops
		p.TopsUpdated += q.TopsUpdated
		p.ByTop.Servers += q.ByTop.Servers
		p.ByTop.Pages += q.ByTop.Pages
		p.ByTop.Updated += q.ByTop.Updated
		for u, n := range q.Updates {
			p.Updates[u] += n
		}
	}
}

// finish computes the shares from the counts.
func (g *SurveyGroup) finish() {
	g.PagesPerServer = Ratio(g.Pages, g.Servers)
	for i := range g.Periods {
		p := &g.Periods[i]
		p.UpdatedShare = Ratio(p.Updated, p.Pages)
		p.DifferShare = Ratio(p.Differ, p.Pages)
		p.TopsUpdatedShare = Ratio(p.TopsUpdated, p.Tops)
		p.ByTop.OfUpdated = Ratio(p.ByTop.Updated, p.Updated)
		p.ByTop.OfPages = Ratio(p.ByTop.Updated, p.ByTop.Pages)
		p.ByTop.OfServers = Ratio(p.ByTop.Servers, g.Servers)
	}
}

// Ratio returns a share, or NaN for b = 0.
func Ratio(a, b int) eval.Number {
	if b == 0 {
		return eval.Number(math.NaN())
	}
	return eval.Number(float64(a) / float64(b))
}

// surveyed is the part of one server.
type surveyed struct {
	group    SurveyGroup
	census   *census
	linkless bool // has other pages, but no link leads to them
}

func surveyServer(c *eval.Dataset, s *history.Server, pages []sitegraph.PageID,
	weeks []int) surveyed {
	r := surveyed{group: *newSurveyGroup(s.Name, weeks), census: newCensus(c)}
	g := &r.group
	if len(pages) == 0 {
		g.Absent = 1
		return r
	}
	g.Servers, g.Pages = 1, len(pages)
	graph := c.Graph()
	r.linkless = true
	var states []pageState
	for _, id := range pages {
		page, shift := c.World.Find(graph.URL(id))
		base := c.Base.Unix() + shift
		r.linkless = r.linkless && !page.At(base).LinksKnown
		top := graph.Depth(id) == 1
		if top {
			g.Tops++
		}
		for i := range g.Periods {
			states = snapshots(states[:0], page, base, weeks[i])
			g.Periods[i].addPage(states, c.Change, top)
		}
		r.census.visit(page, base, c.Change)
	}
	for i := range g.Periods {
		p := &g.Periods[i]
		if p.TopsUpdated > 0 {
			p.ByTop.Servers, p.ByTop.Pages, p.ByTop.Updated = 1, p.Pages, p.Updated
		}
	}
	countOthers(c, s, g)
	r.linkless = r.linkless && g.Unlinked > 0
	return r
}

// pageState is a page at a snapshot: its version, or nil.
type pageState = *history.Version

func snapshots(to []pageState, page *history.Page, base int64, weeks int) []pageState {
	for k := range int64(weeks) {
		v := page.At(base + k*weekSeconds)
		if !v.Alive() {
			v = nil
		}
		to = append(to, v)
	}
	return to
}

// addPage counts a base page by its states at the snapshots; the first one has it.
func (p *SurveyPeriod) addPage(states []pageState, by sitegraph.ChangeBy, top bool) {
	first, last := states[0], states[len(states)-1]
	if last == nil {
		p.Vanished++
		return
	}
	p.Pages++
	updates, gaps := 0, 0
	for k := 1; k < len(states); k++ {
		before, now := states[k-1], states[k]
		switch {
		case now == nil:
			gaps++
		case before != nil && before != now && before.Digests.Differ(now.Digests, by):
			updates++
		}
	}
	p.Updates[updates]++
	if updates > 0 {
		p.Updated++
	}
	if gaps > 0 {
		p.Returned++
	}
	if first != last && first.Digests.Differ(last.Digests, by) {
		p.Differ++
	}
	if top {
		p.Tops++
		if updates > 0 {
			p.TopsUpdated++
		}
	}
}

// countOthers counts the pages in no share: unlinked ones at the base, and new ones at the last
// snapshot of each period.
func countOthers(c *eval.Dataset, s *history.Server, g *SurveyGroup) {
	base := c.Base.Unix() + s.T0 - history.WorldEpoch.Unix()
	for _, page := range s.Pages {
		if !page.At(base).Alive() {
			continue
		}
		if id, ok := c.Graph().Lookup(page.URL); !ok || !c.IsBase(id) {
			g.Unlinked++
		}
	}
	for i := range g.Periods {
		p := &g.Periods[i]
		t := base + int64(p.Weeks-1)*weekSeconds
		graph := linksAt(c, s, t)
		for _, page := range s.Pages {
			if !page.At(t).Alive() || page.At(base).Alive() {
				continue
			}
			if id, ok := graph.Lookup(page.URL); ok && graph.Depth(id) > 0 {
				p.New++
			}
		}
	}
}

// linksAt returns the graph of a server at time t (its own seconds), entered as at the base: a
// crawl of that snapshot would find it.
func linksAt(c *eval.Dataset, s *history.Server, t int64) *sitegraph.Graph {
	graph := sitegraph.NewGraph()
	if id, ok := c.Graph().LookupServer(s.Name); ok {
		for _, p := range c.Graph().StartPages(id) {
			graph.AddStart(c.Graph().URL(p))
		}
	}
	for _, page := range s.Pages {
		switch v := page.At(t); {
		case v.Alive():
			graph.SetLinks(graph.Add(page.URL), v.Links, v.Frames)
		case v != nil && v.Redirect != "":
			// A redirect is the only link of its URL, as in the loop.
			graph.SetLinks(graph.Add(page.URL), []string{v.Redirect}, nil)
		}
	}
	graph.Refresh()
	return graph
}
