package repair

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// commitPages is the number of pages between two commits.
	commitPages = 20_000
	// LostName is the file of the new store that names each page with a loss.
	LostName = "lost.jsonl"
	// reasonJournal is the reason of a page that only the journal has.
	reasonJournal = "address from the journal"
	unknownPage   = "http://unknown.invalid/page-%d"
)

func (p *page) set(kind byte, value []byte) {
	switch kind {
	case kindRecord:
		p.record = value
	case satstore.KeyAddress:
		p.address = value
	case satstore.KeyLinks:
		p.links = value
	case satstore.KeyStart:
		p.start = true
	case satstore.KeyRemoved:
		p.removed = true
	}
}

// builder makes the new store.
type builder struct {
	*repairer
	store *satstore.Store
	lost  *bufio.Writer
	known []uint64 // hashes of addresses, if there is a journal
	// visited has the last visits of the journal's last lines, by page.
	visited map[string]time.Time
	seed    maphash.Seed
}

func (r *repairer) build(dir string) (err error) {
	b := &builder{repairer: r, seed: maphash.MakeSeed()}
	if b.store, err = satstore.Open(dir, r.options); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.store.Close()) }()
	if b.visited, err = journal.Newest(b.journal(),
		time.Now().Add(sitegraph.WrongClock)); err != nil {
		b.damage(err) // the store does not need it
	}
	f, err := os.Create(filepath.Join(dir, LostName))
	if err != nil {
		return err
	}
	b.lost = bufio.NewWriter(f)
	err = errors.Join(b.fill(), b.lost.Flush(), f.Sync(), f.Close())
	if err == nil && b.result.Lost == (Lost{}) {
		err = os.Remove(f.Name())
	}
	return errors.Join(err, directory.SyncPath(dir))
}

func (b *builder) fill() error {
	count := b.report.Count("pages", 1<<14, b.pages)
	err := b.scratch.each(func(p *page) error {
		for b.store.Pages() < int(p.number) && b.store.Pages() < b.pages {
			if err := b.add(&page{number: sitegraph.PageID(b.store.Pages())}); err != nil {
				return err
			}
		}
		if int(p.number) >= b.pages {
			return nil // only a mark or links
		}
		return errors.Join(count.Add(1), b.ctx.Err(), b.add(p))
	})
	if err != nil {
		return err
	}
	for b.store.Pages() < b.pages {
		if err := b.add(&page{number: sitegraph.PageID(b.store.Pages())}); err != nil {
			return err
		}
	}
	if err := b.fromJournal(); err != nil {
		return err
	}
	count = b.report.Count("links", 1<<14, b.pages)
	if err := b.scratch.each(func(p *page) error {
		return errors.Join(count.Add(1), b.ctx.Err(), b.marks(p))
	}); err != nil {
		return err
	}
	for name, s := range b.settings {
		if s.set {
			b.result.Settings++
			if err := b.store.SaveSetting(name, s.value); err != nil {
				return err
			}
		}
	}
	b.result.Pages = b.store.Pages()
	return b.store.Commit()
}

// add puts the next page into the store.
func (b *builder) add(p *page) error {
	r := sitegraph.Record{Page: p.number}
	var lost []string
	if p.record != nil {
		if err := satstore.DecodeRecord(p.record, &r); err != nil {
			var format *satstore.FormatError
			if errors.As(err, &format) {
				format.Path = b.from
				return err
			}
			p.record = nil
		}
	}
	switch {
	case p.record != nil && p.address != nil && r.URL != string(p.address):
		p.record = nil // it belongs to another page: one of the two is wrong
	case p.record != nil && p.address == nil:
		p.address = []byte(r.URL)
	}
	remove := p.removed && p.address != nil
	switch {
	case p.address == nil:
		lost = append(lost, "address")
		b.result.Lost.Addresses++
		p.address, remove = fmt.Appendf(nil, unknownPage, p.number), true
		fallthrough
	case p.record == nil:
		if !p.removed {
			lost = append(lost, "record")
			b.result.Lost.Records++
		}
		r = sitegraph.Record{Page: p.number, URL: string(p.address), State: sitegraph.StateNew,
			Due: b.store.Clock(), Reason: satstore.ReasonLost}
	case p.links == nil && !r.Tried.IsZero() && b.lostLinks(p.number):
		lost = append(lost, "links")
		b.result.Lost.Links++
		// Its next visit asks unconditionally, and also takes the links of unchanged content.
		r.ETag, r.LastModified, r.More, r.Due = "", time.Time{}, true, b.store.Clock()
	}
	if t, ok := b.visited[r.URL]; ok && p.record != nil && r.Tried.Unix() < t.Unix() {
		lost = append(lost, "visits") // whole seconds, like sitegraph.Record.Apply
		b.result.Lost.Visits++
	}
	if err := b.store.Add(&r); err != nil {
		return err
	}
	if remove {
		if err := b.store.Remove(p.number); err != nil {
			return err
		}
		b.result.Removed++
	}
	b.note(r.URL)
	if err := b.name(&r, lost...); err != nil {
		return err
	}
	return b.step(p.number)
}

// name writes the losses of a page.
func (b *builder) name(r *sitegraph.Record, lost ...string) error {
	if len(lost) == 0 {
		return nil
	}
	line, err := json.Marshal(struct {
		Page    sitegraph.PageID `json:"page"`
		Address string           `json:"address"`
		Lost    []string         `json:"lost"`
	}{r.Page, r.URL, lost})
	if err != nil {
		return err
	}
	_, err = b.lost.Write(append(line, '\n'))
	return err
}

func (b *builder) step(p sitegraph.PageID) error {
	if p%commitPages != commitPages-1 {
		return nil
	}
	return b.store.Commit()
}

// marks stores the links of a page, and whether it is a start page.
func (b *builder) marks(p *page) error {
	if int(p.number) >= b.pages {
		return nil
	}
	if p.start {
		if err := b.store.SaveStart(p.number); err != nil {
			return err
		}
	}
	if p.links != nil {
		links, frames, err := satstore.DecodeLinks(p.links, 1<<31-1)
		if err != nil {
			return nil // its checksum was right: it never was one
		}
		here := func(q sitegraph.PageID) bool { return int(q) >= b.pages }
		links, frames = slices.DeleteFunc(links, here), slices.DeleteFunc(frames, here)
		if err := b.store.SaveLinks(p.number, links, frames); err != nil {
			return err
		}
		b.result.Linked++
	}
	return b.step(p.number)
}

func (b *builder) journal() string { return filepath.Join(b.from, "journal") }

func (b *builder) hash(url string) uint64 { return maphash.String(b.seed, url) }

func (b *builder) note(url string) {
	if b.visited != nil { // there is a journal
		b.known = append(b.known, b.hash(url))
	}
}

// fromJournal adds pages that only the journal has. The first of each server becomes a start page,
// from which links lead to the others.
func (b *builder) fromJournal() error {
	if b.visited == nil || !b.incomplete && b.result.Lost.Addresses == 0 {
		return nil
	}
	slices.Sort(b.known)
	added, servers := map[uint64]struct{}{}, map[uint64]struct{}{} // hashes
	var failed error
	_, err := journal.Read(b.journal(), b.report, func(e *journal.Entry) {
		if failed != nil {
			return
		}
		hash := b.hash(e.URL)
		_, ok := slices.BinarySearch(b.known, hash)
		if _, again := added[hash]; ok || again {
			return
		}
		r := sitegraph.Record{Page: sitegraph.PageID(b.store.Pages()), URL: strings.Clone(e.URL),
			State: sitegraph.StateNew, Due: b.store.Clock(), Reason: reasonJournal}
		added[hash] = struct{}{}
		b.result.FromJournal++
		b.result.Lost.Records++
		failed = errors.Join(b.store.Add(&r), b.name(&r, "record", "links"))
		_, rest, _ := strings.Cut(r.URL, "://")
		server, _, _ := strings.Cut(rest, "/")
		if _, ok := servers[b.hash(server)]; !ok && failed == nil {
			servers[b.hash(server)] = struct{}{}
			failed = b.store.SaveStart(r.Page)
		}
		if failed == nil {
			failed = b.step(r.Page)
		}
	})
	if err != nil && b.ctx.Err() == nil && !errors.Is(err, journal.ErrNone) {
		b.damage(err)
	}
	return errors.Join(b.ctx.Err(), failed)
}
