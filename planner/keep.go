package planner

import (
	"cmp"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"slices"

	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/planner/state"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// A planner that begins anew knows the records of all pages. What it had in memory beside them
// decides visits, too: the order of the frontier, half a visit carried over, and what the policy
// made of all visits so far. So the loop keeps that at the end of each round (WriteMemory), and the
// planner of the next process takes it in (Recollect). Its visits are then those that this one
// would make.
//
// Where a process died within a round, records are newer than what was kept. Then the policy
// learns at the next Begin, from the records, of the visits that it misses.

// mostState bounds what is kept: about 500,000 pages with sites. Of more, nothing is.
const mostState = 64 << 20

// leastState is what a page takes of it at least; by it nothing is tried that cannot be.
const leastState = 64

// apart are types that every process makes anew.
var apart = state.Apart{
	reflect.TypeFor[*Pages](),
	reflect.TypeFor[*sitegraph.Graph](),
	reflect.TypeFor[*Ties](), // of the policy, which has them as a value
}

// pageState is what no record says of a page as it is kept here. Due may have been moved in the
// store since the policy was asked for it.
type pageState struct {
	tried, due uint32
	interval   float32
	state      sitegraph.State
	queued     bool
}

// keptState is beside frontier, sources, looks, promises, price and policy.
type keptState struct {
	name     string               `state:"same"` // of the policy
	weights  *preferences.Weights `state:"same"`
	share    float64              `state:"same"` // of new pages
	least    float64              `state:"same"` // LeastValue
	pages    []pageState
	versions []int // of the graph, by server
	round    int   // number of the last one
	left     int   // of it
	spent    bool
	newCarry float64
	price    budget.Price
	again    float64 // fraction of a look carried over
	pending  []Visit // under limits
	shelves  []shelf // of servers that refuse visits
	sizes    budget.Sizes
}

// roots are all that is kept, beginning with s.
func (p *Planner) roots(s *keptState) []any {
	return []any{s, &p.frontier, &p.sources, &p.aging, &p.Policy}
}

// WriteMemory writes what Recollect takes. Call it between two rounds, when all outcomes are known.
// state.ErrTooLarge: nothing can be kept of so many pages.
func (p *Planner) WriteMemory(out io.Writer) error {
	c := p.Pages
	if len(c.pages) > mostState/leastState {
		return state.ErrTooLarge
	}
	s := p.keptState()
	s.pages = make([]pageState, len(c.pages))
	for i := range c.pages {
		m := &c.pages[i]
		s.pages[i] = pageState{m.Tried, m.Due, m.Interval, m.State, m.queued}
	}
	return state.WriteTo(out, mostState, nil, apart, p.roots(s)...)
}

// keptState is that of now, but for the pages.
func (p *Planner) keptState() *keptState {
	c := p.Pages
	c.Graph.Refresh() // as the next round does first: versions count from here
	s := &keptState{
		name:     p.options.Name,
		weights:  c.weights,
		share:    p.options.NewShare,
		least:    p.options.LeastValue,
		versions: make([]int, c.Graph.Servers()),
		round:    c.round.Number,
		left:     p.left,
		newCarry: p.newCarry,
		price:    c.price,
		again:    p.again.carry,
	}
	for i := range s.versions {
		s.versions[i] = c.Graph.Version(sitegraph.ServerID(i))
	}
	if p.caps != nil {
		s.spent, s.sizes = p.caps.spent, p.caps.sizes
		if p.caps.pending != nil {
			s.pending = []Visit{*p.caps.pending}
		}
		for _, b := range p.caps.active {
			s.shelves = append(s.shelves, b.shelf)
		}
	}
	return s
}

// Recollect takes in what WriteMemory wrote in another process, before the first round. exact is
// whether nothing happened since it was written. After an error the planner and its policy are of
// no use.
func (p *Planner) Recollect(memory []byte) (exact bool, err error) {
	c := p.Pages
	s := keptState{name: p.options.Name, weights: c.weights, share: p.options.NewShare,
		least: p.options.LeastValue, sizes: p.capSizes()}
	if err := state.Read(memory, apart, p.roots(&s)...); err != nil {
		return false, err
	}
	if len(s.pages) > len(c.pages) || len(s.versions) > c.Graph.Servers() {
		return false, state.ErrSettings // it is of a store that lost pages
	}
	c.Graph.Refresh()
	for i, version := range s.versions {
		c.Graph.SetVersion(sitegraph.ServerID(i), version)
	}
	p.recollect(&s)
	inLine := p.inLine()
	exact = len(s.pages) == len(c.pages)
	for i := range c.pages {
		m := &c.pages[i]
		page := sitegraph.PageID(i)
		if i >= len(s.pages) {
			m.queued = false
			p.meet(page)
			continue
		}
		switch {
		case m.Tried != s.pages[i].tried:
			exact = false
			p.missed = append(p.missed, page)
		default:
			m.Due, m.Interval = s.pages[i].due, s.pages[i].interval
		}
		m.queued = s.pages[i].queued
		if m.State != s.pages[i].state {
			exact = false
			p.meet(page)
		}
		if m.State == sitegraph.StateNew && !inLine[i] { // its first visit was under way
			m.queued = false
			p.meet(page)
		}
	}
	p.sortMissed()
	return exact, nil
}

// recollect takes in what is kept beside the pages.
func (p *Planner) recollect(s *keptState) {
	p.previous = &s.round
	p.left, p.newCarry, p.Pages.price, p.again.carry = s.left, s.newCarry, s.price, s.again
	p.recollectCaps(s)
	for _, k := range p.sources.byKey {
		k.out = nil // no visit is under way
	}
}

// sortMissed puts visits that the policy misses in their order.
func (p *Planner) sortMissed() {
	c := p.Pages
	slices.SortFunc(p.missed, func(a, b sitegraph.PageID) int {
		return cmp.Or(cmp.Compare(c.Memory(a).Tried, c.Memory(b).Tried), cmp.Compare(a, b))
	})
}

// Before is the number of the last round of the process whose memory was taken in; false: none was.
func (p *Planner) Before() (round int, ok bool) {
	if p.previous == nil {
		return 0, false
	}
	return *p.previous, true
}

// inLine tells which pages wait for a first visit, by page.
func (p *Planner) inLine() []bool {
	is := make([]bool, len(p.Pages.pages))
	mark := func(pages []sitegraph.PageID) {
		for _, page := range pages {
			is[page] = true
		}
	}
	f := &p.frontier
	mark(f.failed)
	mark(f.deep)
	mark(f.doubtful)
	mark(f.poor)
	for i := range f.lines {
		for _, t := range f.lines[i].pages[f.lines[i].head:] {
			is[t.page] = true
		}
	}
	if p.caps != nil {
		if v := p.caps.pending; v != nil {
			is[v.Page] = true
		}
		for _, b := range p.caps.active {
			for i := range b.held {
				is[b.held[i].Page] = true
			}
		}
	}
	return is
}

// meet puts a page in line that is not as it was when memory was written.
func (p *Planner) meet(page sitegraph.PageID) {
	switch p.Pages.Memory(page).State {
	case sitegraph.StateNew:
		p.frontier.add(page)
	case sitegraph.StateSource:
		if p.sources.groups[page] == nil {
			p.FoundSource(page)
		}
	}
	p.aging.note(p.Pages, page)
}

func (p *Planner) capSizes() (sizes budget.Sizes) {
	if p.caps != nil {
		sizes = p.caps.sizes
	}
	return sizes
}

// recollectCaps takes in what waits for room. What was used is in the store.
func (p *Planner) recollectCaps(s *keptState) {
	again := func(v *Visit) {
		if v.First {
			p.frontier.failed = append(p.frontier.failed, v.Page)
		}
	}
	if p.caps == nil {
		for i := range s.pending {
			again(&s.pending[i])
		}
		for i := range s.shelves {
			for k := range s.shelves[i].held {
				again(&s.shelves[i].held[k])
			}
		}
		return
	}
	p.caps.spent, p.caps.sizes, p.caps.sized = s.spent, s.sizes, true
	for i := range s.pending {
		p.caps.pending = &s.pending[i]
	}
	for i := range s.shelves {
		of := s.shelves[i]
		if b := p.caps.of(of.server); b != nil {
			b.shelf = of
			p.caps.active = append(p.caps.active, b)
			continue
		}
		for k := range of.held { // its server has no limits any more
			again(&of.held[k])
		}
	}
}

// caughtUpWhole is of how many visits that the policy misses it is told as if they were made now.
// They take as long as visits do: after a crash of a large crawl a hundred thousand may be missed,
// and the first visit would have to wait for all.
const caughtUpWhole = 512

// catchUp tells the policy of visits that it misses, in their order, as far as the records tell.
func (p *Planner) catchUp() {
	ranker, _ := p.Policy.(Ranker)
	for i, page := range p.missed {
		m := p.Pages.Memory(page)
		p.aging.note(p.Pages, page)
		verdict := sitegraph.VerdictUnknown
		switch h := &m.History; {
		case m.State == sitegraph.StateSource || m.Errors > 0 || m.misses > 0 &&
			m.State == sitegraph.StateAlive:
			continue
		case m.State != sitegraph.StateAlive:
			verdict = sitegraph.VerdictLeft
		case h.Visits == 1:
			verdict = sitegraph.VerdictFirst
		case h.LastChange == h.Last:
			verdict = sitegraph.VerdictChanged
		default:
			verdict = sitegraph.VerdictUnchanged
		}
		switch {
		case p.Policy == nil:
		case ranker != nil && i < len(p.missed)-caughtUpWhole:
			ranker.ObserveLate(page, verdict)
		default:
			p.Policy.Observe(page, verdict)
		}
	}
	p.missed = nil
}

// Of millions of pages to read all records takes minutes. So the planner of a large crawl is kept
// whole from time to time: with graph, pages and policy, as an image of its scratch files
// (arena.File.Keep). The planner of another process is made on these files (Thaw). It then reads
// only the records that were saved since (Revise).

// ImageNote says of which moment an image is.
type ImageNote struct {
	Position uint64  `json:"position"`   // of the store
	Mean     float64 `json:"mean_bytes"` // Pages.MeanBytes then
	Learnt   []byte  `json:"learnt"`     // sum of what the policy had learnt then
	// Latest is the time of the last visit of any page, unix seconds; 0: not known.
	Latest uint32 `json:"latest_visit"`
}

// keptImage is what an image has beside frontier, sources, promises, strains and policy.
type keptImage struct {
	keptState
	graph     *sitegraph.Kept
	pages     []Memory
	alive     []int32
	left      []sitegraph.PageID
	weight    []float64
	weightSum float64
	thaws     int
	underWay  []sitegraph.PageID // first visits
}

func (p *Planner) imageRoots(s *keptImage) []any {
	return []any{s, &p.frontier, &p.sources, &p.aging, &p.strains, &p.Policy}
}

// Keep writes an image. Call it between two rounds. Its graph must have a scratch file. After the
// last one the planner makes no more visits.
func (p *Planner) Keep(note ImageNote, last bool) error {
	c := p.Pages
	c.grow()
	s := keptImage{
		keptState: *p.keptState(),
		graph:     c.Graph.Keep(),
		pages:     c.pages, alive: c.alive, left: c.left,
		weight: c.weight, weightSum: c.weightSum,
		thaws: c.thaws + 1,
	}
	inLine := p.inLine()
	for page, m := range c.memories() {
		if m.State == sitegraph.StateNew && m.queued && !inLine[page] {
			s.underWay = append(s.underWay, page)
		}
	}
	note.Mean, note.Latest = c.MeanBytes(), c.latest
	text, err := json.Marshal(&note)
	if err != nil {
		return err
	}
	return c.Graph.Scratch().Keep(text, last, func(k *arena.Keeping) error {
		return state.WriteTo(k, math.MaxInt, k, apart, p.imageRoots(&s)...)
	})
}

// NewPagesOf returns an empty corpus on the files of an image, for a planner that is to Thaw it.
func NewPagesOf(image *arena.Image, note *ImageNote) *Pages {
	c := NewPages(sitegraph.NewGraphIn(image.File))
	c.meanBytes, c.latest = note.Mean, note.Latest
	if note.Latest == 0 {
		c.latest = math.MaxUint32
	}
	return c
}

// Thaw makes of a planner over NewPagesOf the one that was kept. After an error planner and image
// are of no use.
func (p *Planner) Thaw(image *arena.Image) error {
	c := p.Pages
	s := keptImage{
		keptState: keptState{name: p.options.Name, weights: c.weights, share: p.options.NewShare,
			least: p.options.LeastValue, sizes: p.capSizes()},
		graph: new(sitegraph.Kept),
	}
	if err := state.ReadFrom(image.Owner, image, apart, p.imageRoots(&s)...); err != nil {
		return err
	}
	if err := c.Graph.Thaw(s.graph, image.File); err != nil {
		return err
	}
	if len(s.pages) != c.Graph.Pages() {
		return state.ErrForm
	}
	c.pages, c.alive, c.left, c.weight, c.weightSum, c.thaws = s.pages, s.alive, s.left, s.weight,
		s.weightSum, s.thaws
	p.recollect(&s.keptState)
	for _, page := range s.underWay {
		c.pages[page].queued = false
		p.meet(page)
	}
	image.Done()
	p.thawed = true
	return nil
}

// SinceImage is how many pages were saved since the image of which the planner was made; false: it
// was made of none.
func (p *Planner) SinceImage() (pages int, ok bool) { return p.revised, p.thawed }

// Revise takes in a record that was saved since the image was written. The graph knows its page and
// its links. Pages come in the order of their numbers, before the first round.
func (p *Planner) Revise(r *sitegraph.Record) {
	c := p.Pages
	p.revised++
	known := int(r.Page) < len(c.pages)
	c.grow()
	m := &c.pages[r.Page]
	before := *m
	c.Remember(r)
	switch {
	case !known:
		p.meet(r.Page)
		return
	case m.Tried != before.Tried:
		p.missed = append(p.missed, r.Page)
		p.strains.Visited(c.Graph.Server(r.Page))
	default: // Due may have been moved in the store since
		m.Due, m.Interval = before.Due, before.Interval
	}
	if m.State != before.State {
		p.meet(r.Page)
	}
}

// Revised ends what Revise began.
func (p *Planner) Revised() { p.sortMissed() }
