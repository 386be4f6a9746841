package crawl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/state"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// A planner of many pages is kept as an image of its scratch files (planner.Keep): when Run ends,
// after its first round, and whenever a part of the pages was visited since. The next process maps
// these files and reads the records that were saved since, and no others. An image that is missing,
// damaged, of other settings, of another version of the program or of a store that does not know
// what was saved since costs time alone: then all records are read.

// Positions is a Store that knows which pages were saved since a moment. Of another one there is no
// image.
type Positions interface {
	// Position notes pages from now on. It is durable with the next commit.
	Position(most int) (uint64, error)
	// Forget drops the notes before that.
	Forget() error
	// TouchedParts are the pages that were saved since, and those of them whose links were; false:
	// that is not known.
	TouchedParts(since uint64) (pages, linked []sitegraph.PageID, ok bool, err error)
	// Links are those that were saved last.
	Links(p sitegraph.PageID) (links, frames []sitegraph.PageID, err error)
	// Starts hands on the start pages.
	Starts(each func(p sitegraph.PageID)) error
}

const (
	// imagePages are worth an image: to read as many records takes a second.
	imagePages = 200_000
	// imagePart of the pages is visited between two images: 1/imagePart. An image writes 150 bytes
	// a page, so a visit pays for 20 KB. A start after a kill reads so many records one by one.
	imagePart = 128
	// notedPart of the pages, 1/notedPart, are noted between two images at most: to read more of
	// them one by one takes as long as to read all in order.
	notedPart = 4
)

// wantsImage reports whether there is to be an image, and to what.
func (l *Loop) wantsImage() (Positions, bool) {
	least := l.ImagePages
	if least == 0 {
		least = imagePages
	}
	s, ok := l.Store.(Positions)
	return s, ok && l.graph.Scratch() != nil && l.graph.Pages() >= least
}

// sinceImage is how much happened since the image that a planner was made of.
func sinceImage(p *planner.Planner) int {
	if pages, ok := p.SinceImage(); ok {
		return pages
	}
	return math.MaxInt / 2
}

// saveImage writes an image; between rounds only where much happened since the last.
func (l *Loop) saveImage(atEnd bool) error {
	s, ok := l.wantsImage()
	if !ok || !atEnd && l.sinceImage < l.graph.Pages()/imagePart {
		return nil
	}
	position, err := s.Position(l.graph.Pages() / notedPart)
	if err != nil {
		return l.storeError(err, "begin an image of the planner")
	}
	if err := l.Store.Commit(); err != nil {
		return l.storeError(err, "begin an image of the planner")
	}
	learnt, _, err := l.Store.Setting(learntSetting)
	if err != nil {
		return l.storeError(err, "read what the policy has learnt")
	}
	l.sinceImage = 0
	if err := l.Planner.Keep(planner.ImageNote{Position: position, Learnt: sumOf(learnt)},
		atEnd); err != nil {
		if l.Unkept != nil {
			l.Unkept(err)
		}
		return nil // the image before is good, with all notes
	}
	if err := s.Forget(); err != nil {
		return l.storeError(err, "end an image of the planner")
	}
	if err := l.Store.Commit(); err != nil {
		return l.storeError(err, "end an image of the planner")
	}
	return nil
}

// awaitVerified waits until the image of which the planner was made is checked. It goes before
// anything is saved that came of it: so damage costs no more than the end of the process.
func (l *Loop) awaitVerified() error {
	if err := l.graph.Scratch().Checked(); err != nil {
		l.broken = true
		return err
	}
	return nil
}

// RecallImage returns the planner of the image in a directory, brought up to what was saved since;
// nil without an image that fits. The image stays until the planner writes the next. build makes a
// planner of pages. why says what was wrong with an image. A large image is still checked while the
// planner is in use: save nothing of it before arena.File.Checked reports success.
func RecallImage(s Store, dir string, build func(*planner.Pages) (*planner.Planner, error)) (
	p *planner.Planner, why, err error) {
	of, ok := s.(Positions)
	if !ok {
		return nil, nil, nil
	}
	if gone, err := forgotten(s); gone || err != nil {
		return nil, nil, err
	}
	var note planner.ImageNote
	var touched, linked []sitegraph.PageID
	image, why := arena.TakeImage(dir, func(text []byte) bool {
		if json.Unmarshal(text, &note) != nil {
			return false
		}
		touched, linked, ok, err = of.TouchedParts(note.Position)
		return ok && err == nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read what was saved since the image: %w", err)
	}
	if errors.Is(why, arena.ErrNoImage) {
		return nil, nil, nil
	}
	if why != nil {
		return nil, why, nil
	}
	if p, err = build(planner.NewPagesOf(image, &note)); err != nil {
		image.Close()
		return nil, nil, err
	}
	if why = p.Thaw(image); why == nil {
		p.Pages.Graph.SpareMemory(p.Pages.Graph.Pages())
		why = revise(s, of, p, touched, linked)
	}
	if why != nil {
		image.Close()
		if errors.Is(why, state.ErrForm) || errors.Is(why, state.ErrSettings) {
			why = nil
		}
		return nil, why, nil
	}
	learnt, _, err := s.Setting(learntSetting)
	if err != nil {
		return nil, nil, err
	}
	if len(touched) > 0 || !bytes.Equal(sumOf(learnt), note.Learnt) {
		why = RecallLearnt(s, p.Policy)
	}
	return p, why, nil
}

// revise reads what was saved since the image was written.
func revise(s Store, of Positions, p *planner.Planner, touched, linked []sitegraph.PageID) error {
	if len(touched) == 0 {
		return nil
	}
	g := p.Pages.Graph
	known := sitegraph.PageID(g.Pages())
	records := make([]sitegraph.Record, len(touched))
	for i, page := range touched {
		r := &records[i]
		if err := s.Load(page, r); err != nil {
			return err
		}
		if page >= known && g.Add(r.URL) != page || g.URL(page) != r.URL {
			return fmt.Errorf("page %d has the address %q of another", page, r.URL)
		}
	}
	for _, page := range linked {
		links, frames, err := of.Links(page)
		if err != nil {
			return err
		}
		g.SetLinkIDs(page, links, frames)
	}
	if err := of.Starts(g.MakeStart); err != nil {
		return err
	}
	for i := range records {
		p.Revise(&records[i])
	}
	p.Revised()
	return nil
}
