package planner

import (
	"encoding/json"
	"math"

	"github.com/recrawl/recrawl/planner/state"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// Of millions of pages to read all records takes minutes. So the planner of a large crawl is kept
// whole from time to time: with graph, pages and policy, as an image of its scratch files
// (scratch.File.Keep). The planner of another process is made on these files (Thaw). It then reads
// only the records that were saved since (Revise).

// ImageNote says of which moment an image is.
type ImageNote struct {
	Position uint64  `json:"position"`   // of the store
	Mean     float64 `json:"mean_bytes"` // Corpus.MeanBytes then
	Learnt   []byte  `json:"learnt"`     // sum of what the policy had learnt then
}

// keptImage is what an image has beside frontier, sources, promises and policy.
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
	return []any{s, &p.frontier, &p.sources, &p.aging, &p.Policy}
}

// Keep writes an image. Call it between two rounds. Its graph must have a scratch file. After the
// last one the planner makes no more visits.
func (p *Planner) Keep(note ImageNote, last bool) error {
	c := p.Corpus
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
	note.Mean = c.MeanBytes()
	text, err := json.Marshal(&note)
	if err != nil {
		return err
	}
	if policy, ok := p.Policy.(Packer); ok {
		policy.Pack(true)
		defer policy.Packed()
	}
	return c.Graph.Scratch().Keep(text, last, func(k *scratch.Keeping) error {
		return state.WriteTo(k, math.MaxInt, k, apart, p.imageRoots(&s)...)
	})
}

// NewCorpusOf returns an empty corpus on the files of an image, for a planner that is to Thaw it.
func NewCorpusOf(image *scratch.Image, note *ImageNote) *Corpus {
	c := NewCorpus(sitegraph.NewGraphIn(image.File))
	c.meanBytes = note.Mean
	return c
}

// Thaw makes of a planner over NewCorpusOf the one that was kept. After an error planner and image
// are of no use.
func (p *Planner) Thaw(image *scratch.Image) error {
	c := p.Corpus
	s := keptImage{
		keptState: keptState{name: p.options.Name, weights: c.weights, share: p.options.NewShare, least: p.options.LeastValue, sizes: p.capSizes()},
		graph:     new(sitegraph.Kept),
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
	c.pages, c.alive, c.left, c.weight, c.weightSum, c.thaws = s.pages, s.alive, s.left, s.weight, s.weightSum, s.thaws
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
	c := p.Corpus
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
	default: // Due may have been moved in the store since
		m.Due, m.Interval = before.Due, before.Interval
	}
	if m.State != before.State {
		p.meet(r.Page)
	}
}

// Revised ends what Revise began.
func (p *Planner) Revised() { p.sortMissed() }
