package tune

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Model predicts that servers continue as in their known past. Goroutines may share it.
type Model struct {
	weeks int
	pasts []*past
}

// Learn reads the first weeks of histories, and no later ones.
func Learn(servers []*history.Server, weeks int) (*Model, error) {
	if weeks < 1 {
		return nil, fmt.Errorf("no known week: a prediction needs a known past")
	}
	m := &Model{weeks: weeks}
	for _, server := range servers {
		m.pasts = append(m.pasts, pastOf(server, weeks))
	}
	return m, nil
}

// Limit returns the options unchanged.
func (m *Model) Limit(o Options) Options { return o }

// Doubts reports that there are few servers, and those without a top page.
func (m *Model) Doubts() (doubts []string) {
	for _, p := range m.pasts {
		if entered := eval.EnteredAt(p.server, m.weeks); entered != "" {
			doubts = append(doubts, entered)
		}
	}
	switch {
	case len(m.pasts) >= 5:
		return doubts
	case len(m.pasts) == 1:
		return append(doubts, "1 server: it cannot be resampled, so spreads are those of the "+
			"futures alone")
	}
	return append(doubts, words.Plural(len(m.pasts), "server")+
		": resampling so few says little of the spread")
}

// Future continues all servers by a number of possible weeks: the known weeks, then the same weeks
// repeatedly in order, from a random one for each server (a circular block bootstrap, Politis and
// Romano 1992, with blocks as long as possible, because busy and quiet times last for many weeks).
// The same seed and number give the same future. Servers do not depend on each other or on their
// order.
func (m *Model) Future(seed uint64, number, weeks int) []*history.Server {
	all := make([]*history.Server, len(m.pasts))
	for s, p := range m.pasts {
		h := fnv.New64a()
		h.Write([]byte(p.server.Name))
		f := newFuture(p, m.weeks, rand.New(rand.NewPCG(seed^h.Sum64(), uint64(number))))
		first := f.rng.IntN(m.weeks)
		for w := range weeks {
			f.start = int64(m.weeks+w) * weekSeconds
			f.repeat((first + w) % m.weeks)
		}
		all[s] = f.server()
	}
	return all
}

// future is the continuation of one server.
type future struct {
	past  *past
	rng   *rand.Rand
	start int64 // start of the week, in seconds after the window's
	pages []*instance
	of    [][]int32 // by page of the past: pages that live on as it
	made  uint64    // contents
	salt  uint64
	byURL map[string]int32 // pages of the past
	names map[string]int   // URLs given, for new ones

	standIn []*instance // by page of the past: its current stand-in; nil: none yet
	queues  [][]int32   // by shape, and last of the server: next pages to stand in
}

// instance is a page of the future: one of the past, or one born like one of the past.
type instance struct {
	as       int32 // page of the past
	url      string
	versions []history.Version
	pending  []string // links of the next version
}

func (i *instance) alive() bool { return i.versions[len(i.versions)-1].Alive() }

func newFuture(p *past, weeks int, rng *rand.Rand) *future {
	f := &future{
		past:    p,
		rng:     rng,
		of:      make([][]int32, len(p.server.Pages)),
		salt:    rng.Uint64() | 1,
		byURL:   map[string]int32{},
		names:   map[string]int{},
		standIn: make([]*instance, len(p.server.Pages)),
		queues:  make([][]int32, p.shapes+1),
	}
	end := p.server.T0 + int64(weeks)*weekSeconds
	for i, page := range p.server.Pages {
		f.byURL[page.URL] = int32(i)
		known := 0
		for known < len(page.Versions) && page.Versions[known].T < end {
			known++
		}
		if known > 0 {
			f.add(&instance{as: int32(i), url: page.URL,
				versions: slices.Clone(page.Versions[:known])})
		}
	}
	return f
}

func (f *future) add(i *instance) {
	f.of[i.as] = append(f.of[i.as], int32(len(f.pages)))
	f.pages = append(f.pages, i)
}

func (f *future) server() *history.Server {
	pages := make([]*history.Page, len(f.pages))
	for i, p := range f.pages {
		pages[i] = &history.Page{URL: p.url, Versions: p.versions}
	}
	return history.NewServer(f.past.server.Name, f.past.server.T0, pages)
}

// content returns a content that no page ever had.
func (f *future) content() sitegraph.Digest {
	f.made++
	return content(f.salt, f.made)
}

// content returns the digest of the number-th content of a server, whose salt is not 0.
func content(salt, number uint64) (d sitegraph.Digest) {
	binary.LittleEndian.PutUint64(d[:8], salt)
	binary.LittleEndian.PutUint64(d[8:], number)
	return d
}

// time returns the time of a turn in this week.
func (f *future) time(at int32) int64 { return f.past.server.T0 + f.start + int64(at) }
