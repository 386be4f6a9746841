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

// Model is what the known past of servers says of their future: that they go on as they did. Many
// goroutines may use it.
type Model struct {
	weeks int
	pasts []*past
}

// Learn reads the first weeks of histories, and nothing of what comes later.
func Learn(servers []*history.Server, weeks int) (*Model, error) {
	if weeks < 1 {
		return nil, fmt.Errorf("no known week: what comes can only be told from what was")
	}
	m := &Model{weeks: weeks}
	for _, server := range servers {
		m.pasts = append(m.pasts, pastOf(server, weeks))
	}
	return m, nil
}

// Limit leaves the options as they are.
func (m *Model) Limit(o Options) Options { return o }

// Doubts say that there are few servers, and which have no top page.
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

// Future continues all servers by so many weeks that might come: the known weeks as they were, then
// the same weeks again and again in their order, from one drawn for each server (a circular block
// bootstrap, Politis and Romano 1992, whose blocks are as long as can be: busy and quiet times
// last for many weeks). The same seed and number give the same; servers do not depend on
// each other's draws, nor on their order.
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

// future is one server as it is continued.
type future struct {
	past  *past
	rng   *rand.Rand
	start int64 // of the week, in seconds after the window's
	pages []*instance
	of    [][]int32 // by page of the past: those that live on as it
	made  uint64    // contents
	salt  uint64
	byURL map[string]int32 // pages of the past
	names map[string]int   // addresses given, for new ones

	standIn []*instance // by page of the past: what stands in for it now; nil: nothing yet
	queues  [][]int32   // by shape, last of the server: pages that may stand in next
}

// instance is a page of the future: one of the past, or one born as one of the past was.
type instance struct {
	as       int32 // page of the past
	url      string
	versions []history.Version
	pending  []string // links that the next version has
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

// content is one that no page ever had.
func (f *future) content() sitegraph.Digest {
	f.made++
	return content(f.salt, f.made)
}

// content is the digest of the number-th content of a server, whose salt is not 0.
func content(salt, number uint64) (d sitegraph.Digest) {
	binary.LittleEndian.PutUint64(d[:8], salt)
	binary.LittleEndian.PutUint64(d[8:], number)
	return d
}

// time of a turn in this week.
func (f *future) time(at int32) int64 { return f.past.server.T0 + f.start + int64(at) }
