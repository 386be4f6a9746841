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

// A new planner knows the records of all pages. Its former memory also decides visits: the order of
// the frontier, half a visit carried over, and what the policy made of all visits. So the loop
// saves that memory at the end of each round (WriteMemory), and the planner of the next process
// reads it (Recollect). Its visits are then those that the first planner would have made.
//
// If a process dies within a round, records are newer than the saved memory. At the next Begin the
// policy then learns the missing visits from the records.

// mostState bounds the saved bytes: about 500,000 pages with sites. Larger memories are not saved.
const mostState = 64 << 20

// leastState is the least share of a page, which shows early that a memory is too large.
const leastState = 64

// apart has the types that every process makes anew.
var apart = state.Apart{
	reflect.TypeFor[*Pages](),
	reflect.TypeFor[*sitegraph.Graph](),
	reflect.TypeFor[*Ties](), // of the policy, which has them as a value
}

// pageState holds the times of a page to compare with its record. The store may have moved Due
// since the policy was asked for it.
type pageState struct {
	tried, due uint32
	interval   float32
	state      sitegraph.State
	queued     bool
}

// keptState is saved beside frontier, sources, looks, promises, price and policy.
type keptState struct {
	name     string               `state:"same"` // of the policy
	weights  *preferences.Weights `state:"same"`
	share    float64              `state:"same"` // of new pages
	least    float64              `state:"same"` // LeastValue
	pages    []pageState
	versions []int // of the graph, by server
	round    int   // number of the last round
	left     int   // visits left in it
	spent    bool
	newCarry float64
	price    budget.Price
	again    float64 // fraction of a look carried over
	pending  []Visit // under limits
	shelves  []shelf // of servers whose limits refuse visits
	sizes    budget.Sizes
}

// roots returns the values that are saved, s first.
func (p *Planner) roots(s *keptState) []any {
	return []any{s, &p.frontier, &p.sources, &p.aging, &p.Policy}
}

// WriteMemory writes the memory for Recollect. Call it between two rounds, when all outcomes are
// known. state.ErrTooLarge: there are too many pages.
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

// keptState returns the present state, without the pages.
func (p *Planner) keptState() *keptState {
	c := p.Pages
	c.Graph.Refresh() // like the next round: versions count from here
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

// Recollect restores, before the first round, what WriteMemory wrote in another process. exact
// reports whether nothing happened since. After an error the planner and its policy are unusable.
func (p *Planner) Recollect(memory []byte) (exact bool, err error) {
	c := p.Pages
	s := keptState{name: p.options.Name, weights: c.weights, share: p.options.NewShare,
		least: p.options.LeastValue, sizes: p.capSizes()}
	if err := state.Read(memory, apart, p.roots(&s)...); err != nil {
		return false, err
	}
	if len(s.pages) > len(c.pages) || len(s.versions) > c.Graph.Servers() {
		return false, state.ErrSettings // the memory belongs to a store that lost pages
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

// recollect restores the state beside the pages.
func (p *Planner) recollect(s *keptState) {
	p.previous = &s.round
	p.left, p.newCarry, p.Pages.price, p.again.carry = s.left, s.newCarry, s.price, s.again
	p.recollectCaps(s)
	for _, k := range p.sources.byKey {
		k.out = nil // no visit is under way
	}
}

// sortMissed orders the visits that the policy missed.
func (p *Planner) sortMissed() {
	c := p.Pages
	slices.SortFunc(p.missed, func(a, b sitegraph.PageID) int {
		return cmp.Or(cmp.Compare(c.Memory(a).Tried, c.Memory(b).Tried), cmp.Compare(a, b))
	})
}

// Before returns the number of the last round of the process with the restored memory; false: none
// was restored.
func (p *Planner) Before() (round int, ok bool) {
	if p.previous == nil {
		return 0, false
	}
	return *p.previous, true
}

// inLine returns, by page, whether it waits for a first visit.
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

// meet queues a page whose record is newer than the memory.
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

// recollectCaps restores the visits that wait for room. Used budgets are in the store.
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
		for k := range of.held { // its server no longer has limits
			again(&of.held[k])
		}
	}
}

// caughtUpWhole bounds the missed visits that the policy learns like present ones. These take as
// long as visits do. After a crash of a large crawl a hundred thousand may be missed, and the first
// visit would wait for all.
const caughtUpWhole = 512

// catchUp passes missed visits to the policy in order. It stops where the records end.
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

// Reading the records of millions of pages takes minutes. So the planner of a large crawl is saved
// whole now and then: graph, pages and policy, as an image of its scratch files (arena.File.Keep).
// The next process makes its planner on these files (Thaw), and reads only the records saved since
// (Revise).

// ImageNote describes the time of an image.
type ImageNote struct {
	Position uint64  `json:"position"`   // in the store
	Mean     float64 `json:"mean_bytes"` // Pages.MeanBytes
	Learnt   []byte  `json:"learnt"`     // checksum of the policy's lessons
	// Latest is the time of the last visit of any page, in unix seconds; 0: unknown.
	Latest uint32 `json:"latest_visit"`
}

// keptImage is in an image beside frontier, sources, promises, strains and policy.
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

// Keep writes an image. Call it between two rounds. Its graph must have a scratch file. After last
// the planner makes no more visits.
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

// NewPagesOf returns an empty corpus on the files of an image, for a planner that will Thaw it.
func NewPagesOf(image *arena.Image, note *ImageNote) *Pages {
	c := NewPages(sitegraph.NewGraphIn(image.File))
	c.meanBytes, c.latest = note.Mean, note.Latest
	if note.Latest == 0 {
		c.latest = math.MaxUint32
	}
	return c
}

// Thaw restores the planner of an image in a planner over NewPagesOf. After an error planner and
// image are unusable.
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

// SinceImage returns how many pages were saved since the image of the planner; false: it has none.
func (p *Planner) SinceImage() (pages int, ok bool) { return p.revised, p.thawed }

// Revise applies a record that was saved since the image was written. The graph knows its page and
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
	default: // the store may have moved Due since
		m.Due, m.Interval = before.Due, before.Interval
	}
	if m.State != before.State {
		p.meet(r.Page)
	}
}

// Revised ends the calls of Revise.
func (p *Planner) Revised() { p.sortMissed() }
