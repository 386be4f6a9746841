package survey

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	daySeconds  = 24 * 60 * 60
	weekSeconds = 7 * daySeconds
)

// Survey is what was found. The package comment says what the words mean.
type Survey struct {
	Base      int         `json:"base"` // weeks after the window's start
	Change    string      `json:"change"`
	Weeks     []int       `json:"weeks"`
	Groups    []Group     `json:"groups"`
	Total     Group       `json:"total"`
	Intervals []Intervals `json:"intervals"`
	Warnings  []string    `json:"warnings"`
}

// Options of a survey.
type Options struct {
	Weeks   []int                      // periods N: 2 or more snapshots that lie in the window
	GroupOf func(server string) string // nil: BySuffix
	Tick    func()                     // after each server, from any goroutine; may be nil
}

// Check says whether a period fits into the window.
func Check(base, weeks int) error {
	if weeks < 2 {
		return fmt.Errorf("a period of %d weekly snapshots compares nothing; take 2 or more", weeks)
	}
	if base+weeks-1 > eval.WindowWeeks {
		return fmt.Errorf(
			"%d weekly snapshots from week %d on reach beyond the window of %d weeks; take %d or "+
				"fewer, or an earlier base",
			weeks,
			base,
			eval.WindowWeeks,
			eval.LongestPeriod(base),
		)
	}
	return nil
}

// New surveys a corpus from its base on; eval.ErrNoLinks if no history tells of links. Cost: for
// each page one look a week and one a day, for each period one look at all links of its last
// snapshot; servers in parallel.
func New(ctx context.Context, c *eval.Dataset, o Options) (*Survey, error) {
	s := &Survey{Base: int(c.Base.Sub(history.WorldEpoch) / (weekSeconds * time.Second)),
		Change: c.Change.String(),
		Weeks:  slices.Clone(o.Weeks), Groups: []Group{}, Warnings: []string{}}
	if len(o.Weeks) == 0 {
		return nil, fmt.Errorf("no periods to survey")
	}
	for _, weeks := range o.Weeks {
		if err := Check(s.Base, weeks); err != nil {
			return nil, err
		}
	}
	if o.GroupOf == nil {
		o.GroupOf = BySuffix
	}
	found := make([]surveyed, len(c.World.Servers))
	pages := pagesByServer(c)
	machine.EachOnCores(len(found), func(i int) {
		if ctx.Err() != nil {
			return
		}
		found[i] = surveyServer(c, c.World.Servers[i], pages[i], o.Weeks)
		if o.Tick != nil {
			o.Tick()
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.warn(c, found); err != nil {
		return nil, err
	}
	s.sum(c, found, o)
	for _, p := range s.Total.Periods {
		if w := eval.AllVanished(p.Weeks, p.Pages, p.Vanished); w != "" {
			s.Warnings = append(s.Warnings, w)
		}
	}
	return s, nil
}

// sum adds servers up, in their order.
func (s *Survey) sum(c *eval.Dataset, found []surveyed, o Options) {
	groups := map[string]*Group{}
	total := newGroup("total", o.Weeks)
	all := newCensus(c)
	for i := range found {
		name := o.GroupOf(c.World.Servers[i].Name)
		if groups[name] == nil {
			groups[name] = newGroup(name, o.Weeks)
		}
		groups[name].add(&found[i].group)
		total.add(&found[i].group)
		all.add(found[i].census)
	}
	for _, g := range groups {
		g.finish()
		s.Groups = append(s.Groups, *g)
	}
	slices.SortFunc(s.Groups, func(a, b Group) int { return strings.Compare(a.Name, b.Name) })
	total.finish()
	s.Total = *total
	s.Intervals = all.intervals()
}

// warn names the servers that tell less than the others.
func (s *Survey) warn(c *eval.Dataset, found []surveyed) error {
	linkless, present := 0, 0
	for i := range found {
		name, g := c.World.Servers[i].Name, &found[i].group
		switch {
		case g.Absent > 0:
			s.Warnings = append(
				s.Warnings,
				fmt.Sprintf("%s has no page at week %d; it is left out", name, s.Base),
			)
		case found[i].linkless:
			linkless++
			s.Warnings = append(
				s.Warnings,
				fmt.Sprintf(
					"the history of %s tells no links at week %d: only its start page is "+
						"surveyed, %d other pages are left out",
					name,
					s.Base,
					g.Unlinked,
				),
			)
		}
		present += g.Servers
	}
	if linkless == present {
		return eval.ErrNoLinks
	}
	return nil
}

// pagesByServer divides the base pages among the servers of the world.
func pagesByServer(c *eval.Dataset) [][]sitegraph.PageID {
	place := make(map[string]int, len(c.World.Servers))
	for i, s := range c.World.Servers {
		place[s.Name] = i
	}
	pages := make([][]sitegraph.PageID, len(c.World.Servers))
	g := c.Graph()
	for _, p := range c.Pages {
		i := place[g.ServerName(g.Server(p))]
		pages[i] = append(pages[i], p)
	}
	return pages
}
