package synth

import (
	"slices"
)

// cause is why a version differs from the one before. A version may have several.
type cause uint8

const (
	causeEdit    cause = 1 << iota // a paragraph of the main text was rewritten
	causeList                      // a listed page or a line of news came or went
	causeTick                      // the counter in the footer
	causeRebuild                   // the template: everything except the main text
)

type event struct {
	at    int32
	cause cause
}

// touch gives p a new version at a time. Events outside the life of the page or the window are
// dropped later.
func (b *builder) touch(p *page, at int32, c cause) { p.events = append(p.events, event{at, c}) }

// addNewsLine adds a line of news to the top page, in an existing version.
func (b *builder) addNewsLine(at int32, p *page) {
	b.touch(b.top, at, causeList)
	b.top.news = append(b.top.news, item{at, p})
}

// live draws all events of the window. The updates of the top page come first. Sessions then join
// them, so that they keep the rate of the plan.
func (b *builder) live() {
	b.liveTop()
	b.liveBlog()
	pool := b.pool()
	count := float64(len(b.pages) - 1)
	m := b.plan.mix
	b.liveCounters(round(m.fast*b.plan.activity*count*0.1, b.rng), pool)
	b.liveBatches(round(m.fast*b.plan.activity*count*0.9, b.rng), 0, pool)
	b.liveBatches(round(m.medium*b.plan.activity*count, b.rng), 1, pool)
	b.liveSlow(m.slow*b.plan.activity, pool)
	b.liveRebuilds()
}

// liveTop draws the updates of the top page. Daily ones are a counter or a date. The others are
// edits with which sessions announce their news.
func (b *builder) liveTop() {
	rate := b.plan.topPerWeek
	switch {
	case rate >= 4:
		b.topTimes = each(1, b.end, b.rng)
	case rate >= 1:
		b.topTimes = regular(rate, b.end, b.rng)
	default:
		b.topTimes = scattered(rate, b.end, b.rng)
	}
	for _, at := range b.topTimes {
		c := causeEdit
		if rate >= 4 {
			c = causeTick
		}
		b.touch(b.top, at, c)
	}
}

// snap moves a session of takes seconds so that it ends with an update of the top page, and reports
// whether it did.
func (b *builder) snap(at, takes int32) (int32, bool) {
	i, _ := slices.BinarySearch(b.topTimes, at)
	if i > 0 && (i == len(b.topTimes) || at-b.topTimes[i-1] < b.topTimes[i]-at) {
		i--
	}
	if i == len(b.topTimes) || b.rng.Float64() >= snapShare {
		return at, false
	}
	top := b.topTimes[i]
	if max(top-at, at-top) > snapDays*daySeconds || top <= takes {
		return at, false
	}
	return top - takes, true
}

// session edits pages of a group in turn, starting at about a time. Then it edits the hub, if it
// announces the session, and the top page, if it changes then. Hubs that are the start page use the
// times of the top page.
func (b *builder) session(g *group, pages []*page, at int32, hub bool, birth, death float64) {
	takes := step * int32(len(pages)+2)
	at, told := b.snap(at, takes)
	if at+takes >= b.end {
		return
	}
	for i, p := range pages {
		b.touch(p, at+step*int32(i), causeEdit)
	}
	atHub := at + takes - step
	if g.hub == b.top || g.hub.kind == kindMenu {
		hub, atHub = told, at+takes
	}
	subject := pages[0]
	if hub {
		if b.rng.Float64() < birth && len(g.members) < 80 {
			subject = b.birth(g, at)
		} else if b.rng.Float64() < death {
			b.death(g, atHub)
		}
		b.tellHub(g, atHub, subject)
	}
	if told && !subject.mortal {
		b.addNewsLine(at+takes, subject)
	}
}

// tellHub gives the hub its version of a session.
func (b *builder) tellHub(g *group, at int32, subject *page) {
	switch {
	case g.hub == b.top:
	case g.hub.kind == kindMenu:
		if subject.born > 0 {
			b.touch(g.hub, at, causeList)
		}
	case subject.mortal || subject == g.hub:
		b.touch(g.hub, at, causeEdit)
	default:
		b.touch(g.hub, at, causeList)
		g.hub.news = append(g.hub.news, item{at, subject})
	}
}

// birth makes a new page of a group, which the hub's version of the session lists.
func (b *builder) birth(g *group, at int32) *page {
	b.now = at + 1
	p := b.member(g)
	p.mortal = false
	b.now = 0
	if b.rng.Float64() < 0.3 {
		b.touch(p, at+daySeconds+int32(b.rng.IntN(30*daySeconds)), causeEdit)
	}
	return p
}

// death lets a page vanish when its hub drops it. One in ten vanishes earlier, and its link is
// broken until the next version of the hub.
func (b *builder) death(g *group, at int32) {
	for _, p := range g.members {
		if p.mortal && p.gone == forever && p.born < at {
			if b.rng.Float64() < 0.1 {
				at = 1 + int32(b.rng.IntN(int(b.end-1)))
			}
			p.gone = at
			return
		}
	}
}
