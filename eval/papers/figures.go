package papers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph"
)

// Figures are the figures of a corpus. The package comment defines the terms.
type Figures struct {
	Base       int       `json:"base"`      // weeks after the window's start
	Histories  int       `json:"histories"` // servers given
	Servers    int       `json:"servers"`   // with pages at the base
	Pages      int       `json:"pages"`     // at the base
	Without    []string  `json:"without"`   // servers without pages at the base
	Change     string    `json:"change"`
	Seed       uint64    `json:"seed"`
	Sample     int       `json:"sample"`
	Weeks      []int     `json:"weeks"`
	Thresholds []float64 `json:"thresholds"`
	Periods    []Period  `json:"periods"`
	GroupWeeks int       `json:"group_weeks"` // period of groups: 4 weeks, or else the shortest
	Groups     []Group   `json:"groups"`
	Claims     []Claim   `json:"claims"`
	Warnings   []string  `json:"warnings"`
}

// Period has the results for N weekly snapshots.
type Period struct {
	Weeks      int        `json:"weeks"`    // N
	Servers    int        `json:"servers"`  // with pages
	Emptied    []string   `json:"emptied"`  // servers whose base pages have all vanished
	Changing   int        `json:"changing"` // servers with changed pages
	Pages      int        `json:"pages"`
	Changed    int        `json:"changed"`
	Vanished   int        `json:"vanished"`
	Methods    []Method   `json:"methods"`
	Depths     []Depth    `json:"depths"`
	Thresholds []ByServer `json:"by_servers"`
	Rates      []Rate     `json:"rates"`
}

// Group has the results for some servers.
type Group struct {
	Name    string   `json:"group"`
	Servers int      `json:"servers"`
	Pages   int      `json:"pages"`
	Changed int      `json:"changed"`
	Methods []Method `json:"methods"`
}

// FiguresOptions configure figures.
type FiguresOptions struct {
	Weeks      []int                      // periods N: 2 or more snapshots, within the window
	Thresholds []float64                  // least rates of servers; nil: 0.1 to 0.9
	GroupOf    func(server string) string // nil: all servers are one group
	Seed       uint64
	Sample     int    // pages that server-sample samples on each server; default 5
	Tick       func() // after each sweep, from any goroutine; may be nil
}

var usualThresholds = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}

// Whole is the method that fetches all pages.
const Whole = "whole"

// SitePolicies are methods whose sweeps are counted by server.
var SitePolicies = []string{"a", "b", "b-closure", "c", "c-closure"}

// PaperPolicies are the methods of [LINK].
var PaperPolicies = []string{"a", "b", "c"}

// rated are policies by servers, with rates from different sources.
var rated = []string{"server-true", "server-previous", "server-sample"}

// Sweeps returns the number of sweeps of NewFigures.
func (o FiguresOptions) Sweeps() int { return len(rising(o.Weeks)) * len(swept()) }

// swept returns the policies for which NewFigures makes sweeps.
func swept() []string { return slices.Concat(SitePolicies, rated) }

// rising sorts values and removes duplicates.
func rising[T int | float64](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// NewFigures makes the figures of a corpus. It takes a sweep for each policy and period, in
// parallel.
func NewFigures(ctx context.Context, c *eval.Dataset, o FiguresOptions) (*Figures, error) {
	if len(o.Weeks) == 0 {
		return nil, errors.New("no periods to make figures of")
	}
	if len(o.Thresholds) == 0 {
		o.Thresholds = usualThresholds
	}
	if o.Sample == 0 {
		o.Sample = 5
	}
	if o.GroupOf == nil {
		o.GroupOf = func(string) string { return "all" }
	}
	o.Weeks, o.Thresholds = rising(o.Weeks), rising(o.Thresholds)
	periods, err := count(ctx, c, o)
	if err != nil {
		return nil, err
	}
	f := &Figures{
		Base:       int(c.Base.Sub(history.WorldEpoch) / (7 * 24 * time.Hour)),
		Change:     c.Change.String(),
		Seed:       o.Seed,
		Sample:     o.Sample,
		Weeks:      o.Weeks,
		Thresholds: o.Thresholds,
		Groups:     []Group{},
		Warnings:   []string{},
	}
	d := resampled(c.Graph().Servers(), o.Seed)
	f.census(c)
	for _, p := range periods {
		f.Periods = append(f.Periods, p.period(o, d))
		f.Periods[len(f.Periods)-1].Emptied = p.emptied(c)
	}
	month := atMonth(periods)
	f.GroupWeeks = month.weeks
	groups := groupsOf(c, o.GroupOf)
	for _, g := range groups {
		f.addGroup(g, month, d)
	}
	f.Claims = judge(claims(periods, month, groups, o.Thresholds), d)
	f.warn(c, periods)
	return f, nil
}

// count makes all sweeps.
func count(ctx context.Context, c *eval.Dataset, o FiguresOptions) ([]*counted, error) {
	periods := make([]*counted, len(o.Weeks))
	if err := machine.TryOnCores(len(periods), func(i int) (err error) {
		periods[i], err = newCounted(c, o.Weeks[i])
		return err
	}); err != nil {
		return nil, err
	}
	policies := swept()
	sweeps := make([]*eval.Sweep, len(periods)*len(policies))
	if err := machine.TryOnCores(len(sweeps), func(i int) (err error) {
		p := periods[i/len(policies)]
		sweeps[i], err = p.horizon.Sweep(
			ctx,
			eval.SnapshotOptions{Seed: o.Seed, Sample: o.Sample},
			policies[i%len(policies)],
		)
		if err == nil && o.Tick != nil {
			o.Tick()
		}
		return err
	}); err != nil {
		return nil, err
	}
	for i, s := range sweeps {
		periods[i/len(policies)].add(s)
	}
	return periods, nil
}

// atMonth returns the period of figures with a single one: 4 weeks, or else the shortest.
func atMonth(periods []*counted) *counted {
	for _, p := range periods {
		if p.weeks == 4 {
			return p
		}
	}
	return periods[0]
}

// addGroup counts a group with pages.
func (f *Figures) addGroup(g group, month *counted, all draws) {
	p := month.in(g)
	sum := p.methods[Whole].sum(p.once())
	if sum.Pages == 0 {
		return
	}
	servers, _ := p.servers(p.once())
	methods, d := p.results(p.once()), all.of(g)
	drawn := make([][]Method, len(d))
	machine.EachOnCores(len(d), func(i int) { drawn[i] = p.results(d[i]) })
	spreadMethods(methods, drawn, func(m *[]Method) []Method { return *m })
	f.Groups = append(
		f.Groups,
		Group{Name: g.name, Servers: servers, Pages: sum.Pages, Changed: sum.Changed,
			Methods: methods},
	)
}

// warn explains empty figures or missing verdicts.
func (f *Figures) warn(c *eval.Dataset, periods []*counted) {
	warn := func(format string, args ...any) {
		f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...))
	}
	deep := slices.ContainsFunc(periods[0].depths, func(d tallies) bool {
		return slices.ContainsFunc(d[1:], func(t eval.Tally) bool { return t.Pages > 0 })
	})
	switch {
	case deep:
	case f.unreached(c):
		warn("only start pages are reached from start pages: the methods need histories that " +
			"tell links")
	default:
		warn("no server has a page beside its start page: there is nothing for the methods " +
			"to choose")
	}
	var few []string
	for _, p := range f.Periods {
		if p.Changing < LeastServers {
			few = append(few, fmt.Sprint(p.Weeks))
		}
	}
	if few != nil {
		warn(
			"fewer than %d servers have pages that changed within %s weeks: that tells nothing "+
				"of others, so no claim is judged there",
			LeastServers,
			strings.Join(few, ", "),
		)
	}
	for _, p := range f.Periods {
		if w := eval.AllVanished(p.Weeks, p.Pages, p.Vanished); w != "" {
			f.Warnings = append(f.Warnings, w)
		}
	}
}

// census counts servers and pages at the base.
func (f *Figures) census(c *eval.Dataset) {
	g := c.Graph()
	f.Histories, f.Pages, f.Without = len(c.World.Servers), len(c.Pages), []string{}
	has := map[string]bool{}
	for _, page := range c.Pages {
		has[g.ServerName(g.Server(page))] = true
	}
	for _, s := range c.World.Servers {
		if !has[s.Name] {
			f.Without = append(f.Without, s.Name)
		}
	}
	f.Servers = len(has)
	slices.Sort(f.Without)
}

// emptied returns the servers that had pages at the base and have none left.
func (p *counted) emptied(c *eval.Dataset) []string {
	g := c.Graph()
	empty := make([]bool, g.Servers())
	for _, page := range c.Pages {
		s := g.Server(page)
		empty[s] = p.methods[Whole][s].Pages == 0
	}
	names := []string{}
	for s, is := range empty {
		if is {
			names = append(names, g.ServerName(sitegraph.ServerID(s)))
		}
	}
	slices.Sort(names)
	return names
}

// unreached reports whether no link leads to some page at the base.
func (f *Figures) unreached(c *eval.Dataset) bool {
	alive := 0
	for _, s := range c.World.Servers {
		base := c.Base.Unix() + s.T0 - history.WorldEpoch.Unix()
		for _, page := range s.Pages {
			if page.At(base).Alive() {
				alive++
			}
		}
	}
	return alive > len(c.Pages)
}

// group is some servers of a corpus.
type group struct {
	name    string
	servers []int // ServerIDs, ascending
}

// groupsOf divides the servers into groups, in order of name.
func groupsOf(c *eval.Dataset, groupOf func(server string) string) []group {
	g := c.Graph()
	byName := map[string][]int{}
	for s := range g.Servers() {
		name := groupOf(g.ServerName(sitegraph.ServerID(s)))
		byName[name] = append(byName[name], s)
	}
	var all []group
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, group{name, byName[name]})
	}
	return all
}

// only returns how often each server of the group is in a corpus.
func (g group) only(times []int) []int { return pick(times, g.servers) }

// in returns the period for the group alone: groups share no server, so all together cost as much
// as the whole corpus.
func (p *counted) in(g group) *counted {
	q := &counted{weeks: p.weeks, methods: map[string]tallies{}, depths: pick(p.depths, g.servers)}
	for method, t := range p.methods {
		q.methods[method] = pick(t, g.servers)
	}
	q.sortByRate()
	return q
}

// of turns a statistic of the group into one of the corpus.
func (g group) of(s statistic) statistic {
	return func(times []int) float64 { return s(g.only(times)) }
}

func pick[S ~[]T, T any](all S, servers []int) S {
	some := make(S, len(servers))
	for i, s := range servers {
		some[i] = all[s]
	}
	return some
}
