package planner

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
)

// Unfit describes the visits of a round that the limits of a server refused.
type Unfit struct {
	Server string // "": all servers together
	Pages  int
	Value  float64      // their worth together; unknown worth counts as 0
	Price  float64      // the least worth of a fetch of the server beyond the price for all
	Uses   []budget.Use // of the server's limits
}

// Uses returns the use of each limit for all servers, apart from the number of fetches of the
// round.
func (p *Planner) Uses() []budget.Use {
	if p.caps == nil {
		return nil
	}
	return p.caps.all.Uses()
}

// Unfit returns the visits of this round that the limits refused, by server, the most valuable
// first. Visits beyond the round's budget of fetches are not included, since the policy was not
// asked for them. See Beyond.
func (p *Planner) Unfit() []Unfit {
	if p.caps == nil {
		return nil
	}
	var list []Unfit
	for _, b := range append([]*book{p.caps.all}, p.caps.active...) {
		if b.pages > 0 {
			list = append(list, Unfit{b.Name(), b.pages, b.value, p.serverPrice(b), b.Uses()})
		}
	}
	sortUnfit(list)
	return list
}

// serverPrice returns the price of a server; that of this round if a visit was refused in it.
func (p *Planner) serverPrice(b *book) float64 {
	if b == p.caps.all {
		return 0
	}
	margin := b.margin
	if b.refused {
		margin = b.best
	}
	return max(margin-p.Price(), 0)
}

func sortUnfit(list []Unfit) {
	slices.SortFunc(list, func(a, b Unfit) int {
		return cmp.Or(
			cmp.Compare(b.Value, a.Value),
			cmp.Compare(b.Pages, a.Pages),
			cmp.Compare(a.Server, b.Server),
		)
	})
}

// Beyond returns all visits that the budget leaves out of this round, by server. Call it in dry
// runs only: it takes the proposals of the policy, and nobody fetches them. New pages count in
// Unfit.Pages, but add nothing to Unfit.Value. They include URLs that probably lead to no page.
func (p *Planner) Beyond() []Unfit {
	if !p.bound() {
		return nil
	}
	of := map[sitegraph.ServerID]*Unfit{}
	count := func(v Visit) {
		server := p.Pages.Graph.Server(v.Page)
		if p.caps != nil {
			if b := p.caps.of(server); b != nil && !b.HasRoom(v.need) {
				p.caps.refuse(&v, b)
				return
			}
		}
		u := of[server]
		if u == nil {
			u = &Unfit{Server: p.Pages.Graph.ServerName(server)}
			of[server] = u
		}
		u.Pages++
		u.Value += orZero(p.Pages.worth(&v))
	}
	if p.caps != nil && p.caps.pending != nil {
		count(*p.caps.pending)
		p.caps.pending = nil
		p.caps.spent = true
	}
	p.frontier.recall()
	for v, ok := p.frontier.next(true); ok; v, ok = p.frontier.next(true) {
		if !p.Pages.Outside(v.Page) {
			count(v)
		}
	}
	if p.Policy != nil {
		for v, ok := p.propose(); ok; v, ok = p.propose() {
			p.Pages.Propose(v.Page)
			if !p.Pages.Outside(v.Page) {
				count(v)
			}
		}
	}
	list := make([]Unfit, 0, len(of))
	for _, u := range of {
		list = append(list, *u)
	}
	sortUnfit(list)
	return list
}

// WhyNot returns why budgets or weights keep a page out of this round; "" if they do not. Call it
// when the round has been planned to its end.
func (p *Planner) WhyNot(page sitegraph.PageID) string {
	if p.Pages.Weight(page) == 0 {
		return "its weight is 0"
	}
	if rests, why := p.restsNow(page); rests {
		return why
	}
	if worth, ok := p.tooPoor(page); ok {
		return fmt.Sprintf("a visit is worth %.2g now, less than the least value of %.3g",
			worth, p.options.LeastValue)
	}
	if ranker, ok := p.Policy.(Ranker); ok && slices.Contains(p.frontier.doubtful, page) {
		return fmt.Sprintf(
			"of first visits to addresses like it about %.2g meet a page, and other visits are "+
				"worth more: it waits for what these leave over, or for its turn among such pages",
			ranker.Expect(page),
		)
	}
	if p.caps != nil {
		if b := p.caps.of(p.Pages.Graph.Server(page)); b != nil {
			need := int64(0)
			if p.caps.inBytes {
				need = p.caps.need(page, b.server, b)
			}
			if !b.HasRoom(need) {
				var uses []string
				for _, u := range b.Uses() {
					uses = append(uses, u.String())
				}
				return "the budget of its server has no room for it (" + strings.Join(uses, "; ") +
					")"
			}
		}
	}
	if !p.bound() {
		return ""
	}
	end := sitegraph.Unix32(p.Pages.round.End)
	if m := p.Pages.Memory(page); m.State == sitegraph.StateAlive && m.Due > end &&
		!p.Pages.InPlay(page) {
		return "it is not due before the round ends"
	}
	if price := p.Price(); price > 0 {
		text := fmt.Sprintf("the budget ends before it: the last page that fits is worth %.3g",
			price)
		if ranker, ok := p.Policy.(Ranker); ok && ranker.Worth(page) > 0 {
			text += fmt.Sprintf(", this one %.3g", ranker.Worth(page))
		}
		return text
	}
	return "the budget ends before it"
}

// tooPoor returns the worth of a visit to a page, and reports whether it is below LeastValue.
func (p *Planner) tooPoor(page sitegraph.PageID) (worth float64, is bool) {
	worth = math.NaN()
	switch of := p.Pages.Memory(page).State; {
	case p.options.LeastValue == 0:
		return worth, false
	case of == sitegraph.StateNew:
		worth = FirstWorth * p.newWorth(page)
	case of != sitegraph.StateAlive:
		return worth, false
	default:
		if ranker, ok := p.Policy.(Ranker); ok {
			worth = ranker.Worth(page)
		} else if e, ok := p.Policy.(Estimator); ok {
			worth = e.Probability(page, p.Pages.round.End) * p.Pages.Weight(page)
		}
	}
	return worth, worth < p.options.LeastValue
}

// Unused returns the rest of the round's budget if no possible visit is worth Options.LeastValue; 0
// without that option. Call it at the end of the round.
func (p *Planner) Unused() int {
	t := &p.Pages.turns
	if p.options.LeastValue == 0 || p.left == Unlimited || t.closed > 0 || t.kept > 0 ||
		p.caps != nil && p.caps.spent {
		return 0
	}
	return p.left
}

// LeastValue returns Options.LeastValue.
func (p *Planner) LeastValue() float64 { return p.options.LeastValue }

// Price returns the worth of the last fetch that fits into the budget of all servers, smoothed over
// rounds. It is 0 while the budget is not used up, and before the first round has ended.
func (c *Pages) Price() float64 { return c.price.Smooth() }

// ServerPrice returns how much more than Price a fetch of a server must be worth because the
// server's own limits are used up; 0 if they are not.
func (c *Pages) ServerPrice(s sitegraph.ServerID) float64 {
	if c.caps == nil || int(s) >= len(c.caps.servers) || c.caps.servers[s] == nil {
		return 0
	}
	return max(c.caps.servers[s].margin-c.price.Smooth(), 0)
}

// Price returns the worth of one more fetch: by the planned part of this round if its budget is
// used up, otherwise by earlier rounds.
func (p *Planner) Price() float64 {
	if tail, ok := p.Pages.price.Tail(); ok && p.bound() {
		return tail
	}
	return p.Pages.price.Smooth()
}

// bound reports whether the budget of this round is used up.
func (p *Planner) bound() bool {
	return p.left == 0 || p.caps != nil && (p.caps.spent || p.caps.pending != nil)
}

// Pace returns about how many fetches a day the limits of all servers together allow; Unlimited
// without such limits.
func (c *Pages) Pace(l budget.Limits) float64 {
	fetches, bytes := l.PerDay(), l.BytesPerDay()
	if bytes == Unlimited {
		return fetches
	}
	fromBytes := bytes / c.MeanBytes()
	if fetches == Unlimited {
		return fromBytes
	}
	return min(fetches, fromBytes)
}

// MeanBytes returns about how many bytes a visit to a page reads: the mean size of the copies, and
// headers.
func (c *Pages) MeanBytes() float64 {
	if c.meanBytes > 0 && len(c.pages) == 0 {
		return c.meanBytes
	}
	sum, n := 0.0, 0
	for _, m := range c.memories() {
		if class := m.size; class > 0 {
			sum += float64(budget.SizeOf(class))
			n++
		}
	}
	if n == 0 {
		return budget.FirstSize / 3 // most pages are smaller
	}
	return sum/float64(n) + budget.AroundPage
}
