package synth

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// version is the state of a page from a time on.
type version struct {
	at      int32 // seconds from the start of the window; 0: before it
	content int32 // at of the last version with changed main text or lists
	edits   uint16
	ticks   uint16
	looks   uint8 // rebuilds of the template
}

// finish turns the events of every page into versions, and sorts the pages by birth.
func (s *server) finish(rng *rand.Rand) {
	for _, p := range s.pages {
		p.finish(s, rng)
	}
	slices.SortStableFunc(s.pages, func(a, b *page) int { return cmp.Compare(a.born, b.born) })
	s.feeds(rng)
}

func (p *page) finish(s *server, rng *rand.Rand) {
	slices.SortStableFunc(p.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	slices.SortStableFunc(p.news, func(a, b item) int { return cmp.Compare(a.at, b.at) })
	p.versions = make([]version, 1, len(p.events)+1)
	v := version{at: p.born, content: p.born}
	if p.rebuiltBefore {
		v.looks = 1
	}
	p.versions[0] = v
	for i := 0; i < len(p.events); {
		at := p.events[i].at
		var c cause
		for ; i < len(p.events) && p.events[i].at == at; i++ {
			c |= p.events[i].cause
		}
		if at <= p.born || at >= p.gone || at >= s.end {
			continue
		}
		if c&(causeEdit|causeList) != 0 {
			v.content = at
		}
		if c&causeEdit != 0 && c&causeList == 0 { // the announced news is the change
			v.edits++
		}
		if c&causeTick != 0 {
			v.ticks++
		}
		if c&causeRebuild != 0 {
			v.looks++
		}
		v.at = at
		p.versions = append(p.versions, v)
	}
	p.events = nil
	p.counts = p.versions[len(p.versions)-1].ticks > 0
	if p.born == 0 && p.modified == 0 {
		p.modified = s.start - p.age(s, rng)
	}
}

// age returns the age of a page at the start of the window, in seconds: about the time between its
// changes, or up to four years without any.
func (p *page) age(s *server, rng *rand.Rand) int64 {
	const years = 4 * 365 * daySeconds
	gap := float64(years)
	if n := len(p.versions); n > 1 {
		gap = 2 * float64(s.end) / float64(n)
	}
	return 1 + int64(min(gap, years)*rng.Float64())
}

// at returns the number of the version at a time; -1 before birth and from the end on.
func (p *page) at(now int32) int {
	if now < p.born || now >= p.gone {
		return -1
	}
	i, found := slices.BinarySearchFunc(
		p.versions,
		now,
		func(v version, t int32) int { return cmp.Compare(v.at, t) },
	)
	if found {
		return i
	}
	return i - 1
}

// alive reports whether the page exists at a time.
func (p *page) alive(now int32) bool { return p.born <= now && now < p.gone }

// changed returns the Last-Modified of version v, in unix seconds.
func (p *page) changed(s *server, v int) int64 {
	if v == 0 && p.born == 0 {
		return p.modified
	}
	return s.start + int64(p.versions[v].at)
}
