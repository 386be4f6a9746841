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

// A planner of many pages is kept as an image of its scratch files (planner.Keep). The loop writes
// one after the first round of Run, at its end, and after visits to a part of the pages. The next
// process maps these files and reads only the records that were saved since. Without a usable image
// it reads all records, which only costs time. An image is unusable if it is missing, damaged, of
// other settings or another program version, or if the store does not know what was saved since.

// Positions is a Store that knows which pages were saved after a position. Other stores get no
// image.
type Positions interface {
	// Position starts to note saved pages, and returns the position. It is durable with the next
	// commit.
	Position(most int) (uint64, error)
	// Forget drops the notes before the last position.
	Forget() error
	// TouchedParts returns the pages saved since a position, and those of them whose links were
	// saved; false: unknown.
	TouchedParts(since uint64) (pages, linked []sitegraph.PageID, ok bool, err error)
	// Links returns the links and frames saved last for a page.
	Links(p sitegraph.PageID) (links, frames []sitegraph.PageID, err error)
	// Starts passes each start page to each.
	Starts(each func(p sitegraph.PageID)) error
}

const (
	// imagePages is the least number of pages for an image: reading as many records takes a second.
	imagePages = 200_000
	// imagePart: an image is written after visits to 1/imagePart of the pages. It writes 150 bytes
	// a page, so that a visit pays for 20 KB. A start after a kill reads as many records one by
	// one.
	imagePart = 128
	// notedPart: at most 1/notedPart of the pages are noted between two images. Reading more of
	// them one by one would take as long as reading all in order.
	notedPart = 4
)

// wantsImage returns the store if an image is to be kept.
func (l *Loop) wantsImage() (Positions, bool) {
	least := l.ImagePages
	if least == 0 {
		least = imagePages
	}
	s, ok := l.Store.(Positions)
	return s, ok && l.graph.Scratch() != nil && l.graph.Pages() >= least
}

// sinceImage returns how many visits followed the image that a planner was made from.
func sinceImage(p *planner.Planner) int {
	if pages, ok := p.SinceImage(); ok {
		return pages
	}
	return math.MaxInt / 2
}

// saveImage writes an image; between rounds only after many visits since the last.
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
		return l.storeError(err, "read the lessons of the policy")
	}
	l.sinceImage = 0
	if err := l.Planner.Keep(planner.ImageNote{Position: position, Learnt: sumOf(learnt)},
		atEnd); err != nil {
		if l.Unkept != nil {
			l.Unkept(err)
		}
		return nil // the earlier image is good, with all notes
	}
	if err := s.Forget(); err != nil {
		return l.storeError(err, "end an image of the planner")
	}
	if err := l.Store.Commit(); err != nil {
		return l.storeError(err, "end an image of the planner")
	}
	return nil
}

// awaitVerified waits until the planner's image is checked. It precedes every save that depends on
// the image, so that damage costs no more than the end of the process.
func (l *Loop) awaitVerified() error {
	if err := l.graph.Scratch().Checked(); err != nil {
		l.broken = true
		return err
	}
	return nil
}

// RecallImage returns the planner of the image in a directory, updated by what was saved since; nil
// if no image fits. The image stays until the planner writes the next. build makes a planner of
// pages. why reports a problem of an image. A large image is still being checked when RecallImage
// returns: save nothing that depends on it before arena.File.Checked reports success.
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
		return nil, nil, fmt.Errorf("read the pages saved since the image: %w", err)
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

// revise reads the records that were saved after the image.
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
