package synth

import (
	"math"
	"math/rand/v2"
)

// pool returns the pages that change by the mix of the domain: all leaves and posts. Hubs change
// with the sessions below them.
func (b *builder) pool() []*page {
	var pool []*page
	for _, p := range b.pages {
		if p.born == 0 && (p.kind == kindLeaf || p.kind == kindPost) {
			pool = append(pool, p)
		}
	}
	b.rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	return pool
}

// untouched returns a page of the pool without events, or nil if it finds none.
func untouched(pool []*page, rng *rand.Rand) *page {
	for range 20 {
		if len(pool) == 0 {
			return nil
		}
		if p := pool[rng.IntN(len(pool))]; !p.group.busy && len(p.events) == 0 {
			return p
		}
	}
	return nil
}

// liveCounters gives n single pages a counter or a date that changes daily or weekly.
func (b *builder) liveCounters(n int, pool []*page) {
	for range n {
		p := untouched(pool, b.rng)
		if p == nil {
			return
		}
		days := 1
		if b.rng.Float64() < 0.6 {
			days = 7
		}
		for _, at := range each(days, b.end, b.rng) {
			b.touch(p, at, causeTick)
		}
	}
}

// liveBatches makes n pages change often, in batches of one group each that are edited in common
// sessions. In fast ones (speed 0) a session a week has a probability of 0.3 to 1, in medium ones
// (1) there are 0.08 to 0.3 a week.
func (b *builder) liveBatches(n, speed int, pool []*page) {
	for n > 0 {
		p := untouched(pool, b.rng)
		if p == nil {
			return
		}
		g := p.group
		size := min(n, 1+b.rng.IntN(min(9, 1+len(g.members)/2)))
		batch := []*page{p}
		for _, q := range g.members {
			if len(batch) < size && q != p && q.born == 0 && len(q.events) == 0 {
				batch = append(batch, q)
			}
		}
		g.busy = len(b.groups) > 3
		n -= len(batch)
		hub := g.hub.kind == kindHub
		if hub && len(g.hub.events) == 0 {
			n--
		}
		b.liveBatch(g, batch, hub, speed)
	}
}

func (b *builder) liveBatch(g *group, batch []*page, hub bool, speed int) {
	var times []int32
	if speed == 0 {
		chance := 0.3 + 0.68*b.rng.Float64()
		times = regular(-math.Log(1-chance), b.end, b.rng)
	} else {
		times = regular(0.08+0.22*b.rng.Float64(), b.end, b.rng)
	}
	for _, at := range times {
		touched := batch[:0:0]
		for _, p := range batch {
			if b.rng.Float64() < 0.85 {
				touched = append(touched, p)
			}
		}
		if len(touched) == 0 {
			touched = batch[:1]
		}
		b.session(g, touched, at, hub && b.rng.Float64() < 0.8, 0.22, 0.05)
	}
}

// liveSlow edits all other pages: sessions over the whole window, each on a few pages of a group,
// at the rate of edits per page and week.
func (b *builder) liveSlow(perWeek float64, pool []*page) {
	var quiet []*page
	for _, p := range pool {
		if len(p.events) == 0 {
			quiet = append(quiet, p)
		}
	}
	want := round(perWeek*float64(len(quiet))*float64(b.end)/weekSeconds, b.rng)
	var sessions [][]*page
	for want > 0 && len(quiet) > 0 {
		p := quiet[b.rng.IntN(len(quiet))]
		pages := []*page{p}
		more := min(want-1, int(2.2*b.rng.ExpFloat64()))
		first := b.rng.IntN(len(p.group.members))
		for k := range p.group.members {
			q := p.group.members[(first+k)%len(p.group.members)]
			if more > 0 && q != p && q.born == 0 {
				pages = append(pages, q)
				more--
			}
		}
		want -= len(pages)
		sessions = append(sessions, pages)
	}
	for i, at := range strata(len(sessions), b.end, b.rng) {
		g := sessions[i][0].group
		hub := g.hub.kind == kindHub && b.rng.Float64() < 0.5
		if hub && b.rng.Float64() < 0.5 {
			b.session(g, sessions[i], at, true, 0.1, 0.3)
		} else {
			b.session(g, sessions[i], at, hub, 0, 0)
		}
	}
}

// liveRebuilds changes the template of the whole server once if the plan says so. Otherwise one
// section in twenty-five gets a new template.
func (b *builder) liveRebuilds() {
	if b.plan.rebuild {
		b.rebuild(b.pages, 1+int32(b.rng.IntN(int(b.end-1))))
		return
	}
	for _, g := range b.groups {
		if g.hub.kind == kindHub && b.rng.Float64() < 0.04 {
			pages := append([]*page{g.hub}, g.members...)
			b.rebuild(pages, 1+int32(b.rng.IntN(int(b.end-1))))
		}
	}
}

func (b *builder) rebuild(pages []*page, at int32) {
	for i, p := range pages {
		if at := at + 2*int32(i); p.born < at {
			b.touch(p, at, causeRebuild)
		}
		p.rebuiltBefore = p.born >= at
	}
}
