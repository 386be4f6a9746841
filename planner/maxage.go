package planner

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// A promise of a greatest age bounds the age of copies, whatever the policy thinks of their pages.
// A page whose copy is lost, because it failed, is gone or may not be visited, is asked for after
// that age at the latest, since only a visit shows that it is there. The same holds for a watched
// page that never had a copy.
//
// Pages near their greatest age are visited before others, the oldest first. They may take half of
// each round's budget, and more only if the promise needs it. So a crawl whose copies are all of
// one day begins early to spread their next visits.

// aging keeps when the copies of pages reach their greatest age. It takes 20 bytes a page.
type aging struct {
	ages     *preferences.MaxAges `state:"same"` // nil: no promise
	deadline []uint32             // by page, unix seconds; 0: no promise
	age      []uint32             // by page, seconds
	// byTime ranks pages by -deadline. An entry is valid if the page still has that deadline.
	byTime Heap[float64]
	counts map[uint32]int // pages by deadline / agingStep
	paces  map[sitegraph.ServerID]agingPace
	left   int                  // visits left in this round for the promise
	passed []Candidate[float64] // pages skipped in this round
}

// agingPace is the demand of the greatest ages of a server's pages.
type agingPace struct {
	pages     int
	shortest  uint32 // of the ages, in seconds
	perSecond float64
}

// fewAging bounds the pages of a server that keep their greatest ages while the server is in
// trouble: somebody watches them one by one.
const fewAging = 16

const (
	// agingStep is the unit in which deadlines are counted, in seconds: that of the shortest
	// rounds.
	agingStep = 600
	// agingShare is the share of a round's budget that the promise takes without need.
	agingShare = 0.5
)

// note keeps the deadline of a page.
func (a *aging) note(c *Pages, p sitegraph.PageID) {
	if a.ages == nil {
		return
	}
	for n := sitegraph.PageID(len(a.deadline)); int(n) < c.Count(); n++ {
		a.deadline, a.age = append(a.deadline, 0), append(a.age, a.ages.Seconds(c.Graph.URL(n)))
		a.pace(c.Graph.Server(n), a.age[n])
	}
	m := c.Memory(p)
	deadline := uint32(0)
	switch {
	case a.age[p] == 0 || c.Outside(p):
	case m.State == sitegraph.StateAlive:
		deadline = m.History.Last + a.age[p]
	case m.State != sitegraph.StateSource && m.Tried > 0 && !c.Rejected(p) && c.MaxAge(p) > 0:
		deadline = m.Tried + a.age[p]
	}
	if old := a.deadline[p]; old == deadline {
		return
	} else if old > 0 {
		a.count(old, -1)
	}
	a.deadline[p] = deadline
	if deadline > 0 {
		a.count(deadline, 1)
		a.byTime.Push(Candidate[float64]{Score: -float64(deadline), Page: p})
	}
}

// pace notes the greatest age of another page of a server. 0: the page has no greatest age.
func (a *aging) pace(s sitegraph.ServerID, age uint32) {
	if age == 0 {
		return
	}
	if a.paces == nil {
		a.paces = map[sitegraph.ServerID]agingPace{}
	}
	p, known := a.paces[s]
	if !known || age < p.shortest {
		p.shortest = age
	}
	p.pages++
	p.perSecond += 1 / float64(age)
	a.paces[s] = p
}

// LongestPause returns the longest pause of a server in trouble that keeps the greatest ages of its
// pages; 0: they have none. If more than fewAging pages have one, the pause may break their ages:
// it is then a minute, or what the shortest age needs, whichever is longer.
func (p *Planner) LongestPause(s sitegraph.ServerID) time.Duration {
	pace, ok := p.aging.paces[s]
	if !ok {
		return 0
	}
	shortest := time.Duration(pace.shortest) * time.Second
	need := time.Duration(float64(time.Second) / pace.perSecond)
	if pace.pages > fewAging {
		need = max(need, min(shortest, time.Minute))
	}
	return need
}

func (a *aging) count(deadline uint32, n int) {
	if a.counts == nil {
		a.counts = map[uint32]int{}
	}
	bucket := deadline / agingStep
	if a.counts[bucket] += n; a.counts[bucket] == 0 {
		delete(a.counts, bucket)
	}
}

// begin finds how many visits of a round the promise needs: those that the shares of later rounds
// do not cover. A page whose deadline comes before the end of the next round must be visited in
// this one.
func (a *aging) begin(r Round) {
	a.left = 0
	for _, c := range a.passed {
		if -c.Score == float64(a.deadline[c.Page]) { // no visit gave it another deadline
			a.byTime.Push(c)
		}
	}
	a.passed = a.passed[:0]
	if len(a.counts) == 0 {
		return
	}
	buckets := make([]uint32, 0, len(a.counts))
	for b := range a.counts {
		buckets = append(buckets, b)
	}
	slices.Sort(buckets)
	length := r.End.Sub(r.Start).Seconds()
	due := 0
	for _, b := range buckets {
		due += a.counts[b]
		// rounds before it
		later := math.Floor((float64(b)*agingStep - float64(r.End.Unix())) / length)
		switch {
		case later < 1:
			a.left = due
		case r.Budget != Unlimited:
			share := agingShare * float64(r.Budget)
			need := float64(due) - later*share
			if need > share { // half of each budget is too little: take as much of each as suffices
				need = float64(due) / (later + 1)
			}
			a.left = max(a.left, int(math.Ceil(need)))
		}
	}
}

// nextAging takes the page that reaches its greatest age first; skip: the promise needs no visit.
func (p *Planner) nextAging() (Visit, step) {
	a := &p.aging
	for a.left > 0 && len(a.byTime.All) > 0 {
		c := a.byTime.Take()
		if float64(a.deadline[c.Page]) != -c.Score {
			continue // it was visited since
		}
		a.passed = append(a.passed, c)
		m := p.Pages.Memory(c.Page)
		if m.State == sitegraph.StateSource || p.Pages.Outside(c.Page) {
			continue
		}
		if !p.Pages.Eligible(c.Page) || p.rested(c.Page) {
			a.left-- // it was counted
			continue
		}
		v := Visit{
			Page:        c.Page,
			First:       m.State == sitegraph.StateNew,
			Due:         time.Unix(int64(-c.Score), 0).UTC(),
			Probability: math.NaN(),
			Value:       math.NaN(),
			Reason: Because("its copy is %s old, and its greatest age is %s",
				float64(p.Pages.round.End.Unix()-int64(m.History.Last))/Day.Seconds(),
				float64(a.age[c.Page])/Day.Seconds()),
		}
		if m.State != sitegraph.StateAlive {
			v.Reason = Because("there is no copy of it; it is visited again each %s",
				float64(a.age[c.Page])/Day.Seconds())
		}
		p.Pages.Promote([]sitegraph.PageID{c.Page})
		if p.Pages.Closed(p.Pages.Graph.Server(c.Page)) {
			p.putOff(v, false)
			continue
		}
		if step := p.admit(&v); step != skip {
			a.left--
			return v, step
		}
	}
	return Visit{}, skip
}

// Deadline returns when the copy of a page reaches its greatest age; false: it has none.
func (p *Planner) Deadline(page sitegraph.PageID) (t time.Time, ok bool) {
	if d := p.aging.deadline; int(page) < len(d) && d[page] > 0 {
		return time.Unix(int64(d[page]), 0).UTC(), true
	}
	return t, false
}

// Promise describes what keeping the greatest ages takes.
type Promise struct {
	Pages   int     `json:"pages"`   // with a greatest age
	PerDay  float64 `json:"per_day"` // visits that keep the promise
	Overdue int     `json:"overdue"` // copies that are too old now
	// Servers lists the servers that politeness does not let visit often enough, the worst first.
	Servers []CrowdedServer `json:"servers,omitempty"`
}

// CrowdedServer is a server that cannot be visited as often as its pages need.
type CrowdedServer struct {
	Server string  `json:"server"`
	PerDay float64 `json:"per_day"` // visits that its pages need
	Most   float64 `json:"most"`    // visits that its pause allows
}

// Promise returns what keeping the greatest ages takes; nil: there are none.
func (p *Planner) Promise() *Promise {
	a := &p.aging
	if a.ages == nil {
		return nil
	}
	var all Promise
	needs := make([]float64, p.Pages.Graph.Servers())
	now := p.Pages.round.End.Unix()
	for page, deadline := range a.deadline {
		if deadline == 0 {
			continue
		}
		all.Pages++
		need := Day.Seconds() / float64(a.age[page])
		all.PerDay += need
		needs[p.Pages.Graph.Server(sitegraph.PageID(page))] += need
		alive := p.Pages.pages[page].State == sitegraph.StateAlive
		if alive && int64(deadline) < now {
			all.Overdue++
		}
	}
	if p.options.Pause > 0 {
		most := Day.Seconds() / p.options.Pause.Seconds()
		for s, need := range needs {
			if need > most {
				all.Servers = append(all.Servers,
					CrowdedServer{p.Pages.Graph.ServerName(sitegraph.ServerID(s)), need, most})
			}
		}
		slices.SortFunc(all.Servers, func(a, b CrowdedServer) int {
			return cmp.Or(cmp.Compare(b.PerDay, a.PerDay), cmp.Compare(a.Server, b.Server))
		})
	}
	return &all
}

// Says returns a line on the promise, and whether perDay refetches a day keep it.
func (all *Promise) Says(perDay float64) string {
	says := fmt.Sprintf("greatest ages of %d pages take %.0f/day of the budget; %d copies are "+
		"older now", all.Pages, math.Ceil(all.PerDay-1e-6), all.Overdue)
	if why := all.Broken(perDay); why != "" {
		says += "; the promise cannot be kept: " + why
	}
	return says
}

// Broken returns why perDay refetches a day cannot keep a promise, and what would keep it; "": they
// can.
func (all *Promise) Broken(perDay float64) string {
	var why []string
	if perDay >= 0 && all.PerDay > perDay*(1+1e-9) {
		why = append(why, fmt.Sprintf("%d pages need %.0f visits a day, and the budget has %.0f: "+
			"a budget of %.0f/day would keep it, or ages %.3g times as long",
			all.Pages, math.Ceil(all.PerDay-1e-6), perDay, math.Ceil(all.PerDay-1e-6),
			all.PerDay/max(perDay, 1)))
	}
	if n := len(all.Servers); n > 0 {
		worst := all.Servers[0]
		why = append(why, fmt.Sprintf("%d servers have more pages than politeness lets visit in "+
			"time. One is %s: it needs %.0f visits a day, and may get %.0f. A shorter --delay agreed "+
			"with the site would help, or ages %.3g times as long there",
			n, worst.Server, worst.PerDay, worst.Most, worst.PerDay/worst.Most))
	}
	return strings.Join(why, "; ")
}
