package tune

import (
	"cmp"
	"slices"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	daySeconds  = 24 * 60 * 60
	weekSeconds = 7 * daySeconds
)

// turn is an event of a page at a time of a week.
type turn struct {
	at   int32 // seconds after the week's start, from 0
	page int32 // in the server's Pages
	what what
	// text and main: for a change, which digests changed besides that of the bytes.
	text, main bool
}

type what uint8

const (
	changed what = iota
	born         // for the first time
	revived      // there again
	died
)

// past is the known past of a server.
type past struct {
	server *history.Server
	weeks  [][]turn // by week, in order of time, then of page
	shape  []int32  // by page: number of its address shape
	shapes int
	// hubs are the first few pages that came to link to a page born in the known past.
	hubs map[int32][]int32
}

// pastOf reads the first weeks of a history, and no later ones.
func pastOf(s *history.Server, weeks int) *past {
	p := &past{server: s, weeks: make([][]turn, weeks), shape: make([]int32, len(s.Pages))}
	end := int64(weeks) * weekSeconds
	numbers := map[string]int32{}
	for i, page := range s.Pages {
		if len(page.Versions) == 0 || page.Versions[0].T-s.T0 >= end {
			p.shape[i] = -1 // not known yet
			continue
		}
		shape := sitegraph.Shape(page.URL)
		n, ok := numbers[shape]
		if !ok {
			n = int32(len(numbers))
			numbers[shape] = n
		}
		p.shape[i] = n
		p.follow(int32(i), page, end)
	}
	p.shapes = len(numbers)
	for _, turns := range p.weeks {
		slices.SortFunc(
			turns,
			func(a, b turn) int {
				return cmp.Or(cmp.Compare(a.at, b.at),
					cmp.Compare(a.page, b.page))
			},
		)
	}
	p.findHubs(end)
	return p
}

// follow notes the turns of a page before end.
func (p *past) follow(i int32, page *history.Page, end int64) {
	var last *history.Version
	lived := false
	for k := range page.Versions {
		v := &page.Versions[k]
		t := v.T - p.server.T0
		if t >= end {
			return
		}
		if what, ok := turned(last, v, lived); ok && t > 0 { // else the state at the start
			w := t / weekSeconds
			next := turn{at: int32(t - w*weekSeconds), page: i, what: what}
			if what == changed {
				next.text, next.main = last.Digests.Text != v.Digests.Text,
					last.Digests.Main != v.Digests.Main
			}
			p.weeks[w] = append(p.weeks[w], next)
		}
		lived = lived || v.Alive()
		last = v
	}
}

// turned returns the kind of a new version, or false if only links or size differ.
func turned(last, next *history.Version, lived bool) (what, bool) {
	switch was, is := last.Alive(), next.Alive(); {
	case was && is:
		return changed, last.Digests.Bytes != next.Digests.Bytes
	case is && lived:
		return revived, true
	case is:
		return born, true
	default:
		return died, was
	}
}

// mostHubs limits the hubs remembered for a new page.
const mostHubs = 3

// findHubs finds the pages that came to link to those born in the known past.
func (p *past) findHubs(end int64) {
	p.hubs = map[int32][]int32{}
	numbers := map[string]int32{}
	for _, turns := range p.weeks {
		for _, t := range turns {
			if t.what == born {
				numbers[p.server.Pages[t.page].URL] = t.page
			}
		}
	}
	if len(numbers) == 0 {
		return
	}
	for i, page := range p.server.Pages {
		var before []string
		for k := range page.Versions {
			v := &page.Versions[k]
			if v.T-p.server.T0 >= end {
				break
			}
			if len(v.Links) == 0 || len(before) == len(v.Links) && &before[0] == &v.Links[0] {
				continue
			}
			before = v.Links
			for _, url := range v.Links {
				to, ok := numbers[url]
				if !ok || to == int32(i) || len(p.hubs[to]) == mostHubs ||
					slices.Contains(p.hubs[to], int32(i)) {
					continue
				}
				p.hubs[to] = append(p.hubs[to], int32(i))
			}
		}
	}
}
