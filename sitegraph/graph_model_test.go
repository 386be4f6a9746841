package sitegraph

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// graphModel is a Graph of plain maps. It also keeps some lists that the graph returned, with
// copies of their content at that time.
type graphModel struct {
	graph         *Graph
	urls          []string
	pages         map[string]PageID
	links, frames map[PageID][]PageID
	start         map[string][]PageID // by server
	depth         map[PageID]int
	held          []heldList
}

type heldList struct{ list, then []PageID }

func newGraphModel() *graphModel {
	return &graphModel{graph: NewGraph(), pages: map[string]PageID{}, links: map[PageID][]PageID{},
		frames: map[PageID][]PageID{}, start: map[string][]PageID{}, depth: map[PageID]int{}}
}

func (m *graphModel) clone() *graphModel {
	c := *m
	c.graph = m.graph.Clone()
	c.urls, c.pages, c.held = slices.Clone(m.urls), maps.Clone(m.pages), slices.Clone(m.held)
	c.links, c.frames, c.depth = maps.Clone(m.links), maps.Clone(m.frames), maps.Clone(m.depth)
	c.start = map[string][]PageID{}
	for s, pages := range m.start {
		c.start[s] = slices.Clone(pages)
	}
	return &c
}

func (m *graphModel) add(url string) PageID {
	p, ok := m.pages[url]
	if !ok {
		p = PageID(len(m.urls))
		m.urls, m.pages[url] = append(m.urls, url), p
	}
	return p
}

func (m *graphModel) resolve(p PageID, urls []string) (ids []PageID) {
	for _, url := range urls {
		if ServerName(url) != ServerName(m.urls[p]) {
			continue
		}
		if id := m.add(url); id != p {
			ids = append(ids, id)
		}
	}
	return ids
}

// setLinks also sets provisional depths.
func (m *graphModel) setLinks(p PageID, links, frames []PageID) {
	if slices.Equal(m.links[p], links) && slices.Equal(m.frames[p], frames) {
		return
	}
	m.links[p], m.frames[p] = links, frames
	from := m.depth[p]
	if from == 0 || from == MaxDepth {
		return
	}
	for _, q := range frames {
		if m.depth[q] == 0 {
			m.depth[q] = from + 1
			if from == 1 {
				m.depth[q] = 1
			}
		}
	}
	for _, q := range links {
		if m.depth[q] == 0 {
			m.depth[q] = from + 1
		}
	}
}

// refresh finds shortest paths: it tries every link until nothing changes.
func (m *graphModel) refresh() {
	clear(m.depth)
	for _, pages := range m.start {
		for _, p := range pages {
			m.depth[p] = 1
		}
	}
	shorten := func(from PageID, to []PageID, depth int) (shorter bool) {
		for _, q := range to {
			if m.depth[from] > 0 && depth <= MaxDepth && (m.depth[q] == 0 || m.depth[q] > depth) {
				m.depth[q] = depth
				shorter = true
			}
		}
		return shorter
	}
	for again := true; again; {
		again = false
		for p := range PageID(len(m.urls)) {
			again = shorten(p, m.links[p], m.depth[p]+1) || again
			if m.depth[p] == 1 {
				again = shorten(p, m.frames[p], 1) || again
			}
		}
	}
}

// modelAddress returns one of a few hundred addresses: on two large servers and some small ones.
// Some pages have a directory of their own; some addresses are long.
func modelAddress(rng *rand.Rand) string {
	n := rng.IntN(150)
	server := []string{"a.example", "b.example:8080"}[rng.IntN(8)/7]
	if rng.IntN(100) == 0 {
		server = fmt.Sprintf("c%d.example", n)
	}
	url := fmt.Sprintf("%s://%s/", []string{"http", "https"}[n%7/6], server)
	switch n % 5 {
	case 0:
		return fmt.Sprintf("%s?%d=/", url, n)
	case 1:
		return fmt.Sprintf("%sown%d/page", url, n)
	case 2:
		return fmt.Sprintf("%s%s/%d", url, strings.Repeat("long", n*n/4), n)
	}
	return fmt.Sprintf("%sd%d/%d", url, n%3, n)
}

func (m *graphModel) step(rng *rand.Rand) {
	url := modelAddress(rng)
	switch k := rng.IntN(20); {
	case k < 3:
		m.add(url)
		m.graph.Add(url)
	case k < 4 && len(m.start[ServerName(url)]) < 3:
		p := m.add(url)
		if s := ServerName(url); !slices.Contains(m.start[s], p) {
			m.start[s] = append(m.start[s], p)
			m.depth[p] = 1
		}
		m.graph.AddStart(url)
	case k < 12:
		var links, frames []string
		for range rng.IntN(40) * rng.IntN(2) {
			links = append(links, modelAddress(rng))
		}
		for range rng.IntN(3) * rng.IntN(2) {
			frames = append(frames, modelAddress(rng))
		}
		p := m.add(url)
		m.graph.SetLinks(m.graph.Add(url), links, frames)
		links1, frames1 := m.resolve(p, links), m.resolve(p, frames)
		m.setLinks(p, links1, frames1)
	case k < 19:
		p := m.add(url)
		own := m.graph.ServerPages(m.graph.Server(m.graph.Add(url)))
		var links []PageID
		n := rng.IntN(200) * rng.IntN(2)
		if rng.IntN(200) == 0 {
			n = maxChunk/16 + rng.IntN(3) - 1
		}
		for range n {
			links = append(links, own[rng.IntN(len(own))])
		}
		frames := links[:min(len(links), rng.IntN(2))]
		m.setLinks(p, slices.Clone(links), slices.Clone(frames))
		m.graph.SetLinkIDs(p, links, frames)
		for i := range links {
			links[i] = NoPage // the graph keeps no slice of its caller
		}
		list := m.graph.Links(p)
		m.held = append(m.held, heldList{list, slices.Clone(list)})
	default:
		m.refresh()
		m.graph.Refresh()
	}
}

// check compares all results of the graph with the model.
func (m *graphModel) check() error {
	g := m.graph
	if g.Pages() != len(m.urls) {
		return fmt.Errorf("%d pages, want %d", g.Pages(), len(m.urls))
	}
	for i, url := range m.urls {
		p := PageID(i)
		if got, ok := g.Lookup(url); !ok || got != p || g.URL(p) != url {
			return fmt.Errorf("%.50q is page %d %v, want %d: %.50q", url, got, ok, p, g.URL(p))
		}
		if _, ok := g.Lookup(url + "!"); ok {
			return fmt.Errorf("%.50q! is known", url)
		}
		s, ok := g.LookupServer(ServerName(url))
		if !ok || s != g.Server(p) || g.ServerName(s) != ServerName(url) ||
			!slices.Equal(g.StartPages(s), m.start[ServerName(url)]) {
			return fmt.Errorf("%.50q is on server %d %q, starts %v, want %d, %v",
				url, g.Server(p), g.ServerName(s), g.StartPages(s), s, m.start[ServerName(url)])
		}
		if pages := g.ServerPages(s); pages[g.place[p]] != p || !slices.IsSorted(pages) {
			return fmt.Errorf("page %d is not at %d of %v", p, g.place[p], pages)
		}
		if !slices.Equal(g.Links(p), m.links[p]) || !slices.Equal(g.Frames(p), m.frames[p]) {
			return fmt.Errorf("links %v, frames %v of page %d, want %v, %v",
				g.Links(p), g.Frames(p), p, m.links[p], m.frames[p])
		}
		if n := len(g.Links(p)); cap(g.Links(p)) != n {
			return fmt.Errorf("who appends to the %d links of %d writes into those of others", n, p)
		}
		if q := PageID(i / 2); g.SameDirectory(p, q) != (Directory(url) == Directory(m.urls[q])) {
			return fmt.Errorf("%.50q and %.50q: same directory %v",
				url, m.urls[q], g.SameDirectory(p, q))
		}
		if g.Depth(p) != m.depth[p] {
			return fmt.Errorf("depth of %d is %d, want %d", p, g.Depth(p), m.depth[p])
		}
	}
	for _, h := range m.held {
		if !slices.Equal(h.list, h.then) {
			return fmt.Errorf("a list returned as %v became %v", h.then, h.list)
		}
	}
	return checkLists(&g.links)
}

// checkLists counts the live entries of each chunk again, and checks that enough are live.
func checkLists(l *lists) error {
	live, total := make([]int, len(l.chunks)), 0
	for _, r := range l.of {
		if r != 0 {
			live[r.chunk()] += r.length() + 1
		}
	}
	for i, c := range l.chunks {
		total += len(c.ids)
		if c.live != live[i] {
			return fmt.Errorf("chunk %d has %d live, want %d", i, c.live, live[i])
		}
		if i != l.open && c.isSparse() && !slices.Contains(l.sparse, i) {
			return fmt.Errorf("chunk %d of %d has only %d live", i, len(c.ids), c.live)
		}
		if (i == 0 || slices.Contains(l.free, i)) != (c.ids == nil) {
			return fmt.Errorf("chunk %d of %d is free or is not: %v", i, len(c.ids), l.free)
		}
	}
	if total != l.total {
		return fmt.Errorf("total is %d, want %d", l.total, total)
	}
	return nil
}

// Random operations on graphs and on their clones agree with maps. Each clone changes
// independently. A returned list never changes.
func TestGraphModel(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		models := []*graphModel{newGraphModel()}
		for step := range 1500 {
			m := models[rng.IntN(len(models))]
			m.step(rng)
			if rng.IntN(150) == 0 {
				c := m.clone()
				if len(models) < 4 {
					models = append(models, c)
				} else {
					models[rng.IntN(len(models))] = c
				}
			}
			if step%100 != 99 {
				continue
			}
			for _, m := range models {
				if err := m.check(); err != nil {
					t.Fatalf("seed %d, step %d: %v", seed, step, err)
				}
			}
		}
	}
}

// Many goroutines read a graph while others write clones that share its chunks. The race detector
// looks on.
func TestGraphConcurrent(t *testing.T) {
	for seed := range uint64(4) {
		first := newGraphModel()
		rng := rand.New(rand.NewPCG(seed, 4))
		for range 300 {
			first.step(rng)
		}
		var clones [4]*graphModel
		var all sync.WaitGroup
		for i := range clones {
			all.Go(func() { // all read the graph first, and clone it
				if err := first.check(); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				clones[i] = first.clone()
			})
		}
		all.Wait()
		for i, m := range append(clones[:], first) {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(seed, uint64(10+i)))
				for range 300 {
					m.step(rng)
				}
				if err := m.check(); err != nil {
					t.Errorf("seed %d, graph %d: %v", seed, i, err)
				}
			})
		}
		all.Wait()
	}
}
