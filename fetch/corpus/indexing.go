package corpus

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/fetch/corpus/index"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	keyIndexed    = 'x' // URL: entry
	keyIdentifier = 'j' // identifier, 8 octets: URL

	// publishEvery is the most new versions that are published together. Each takes about 300
	// octets of memory.
	publishEvery = 100_000
	// mostUnits is the number of units of a set before some are collected, not counting full ones.
	mostUnits = 32
)

// entry is the state of a page in the index.
type entry struct {
	ID      uint64 `json:"id"`
	Unit    int    `json:"unit"`
	Place   uint32 `json:"place"`
	Content uint64 `json:"content"` // fingerprint of the searched parts
}

// registration is the set to which a build adds.
type registration struct {
	Set    index.Set `json:"set"`
	Unit   int       `json:"unit"`   // number of the last unit
	NextID uint64    `json:"nextId"` // above every identifier
	Added  int       `json:"added"`  // versions since the last collection
}

func identifierKey(id uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{keyIdentifier}, id)
}

func (c *Corpus) registration() (*registration, error) {
	r := new(registration)
	_, err := load(c.db, key(keyMeta, "index"), r)
	return r, err
}

// indexing is the next set, in progress.
type indexing struct {
	*build
	dir     string
	last    *registration // the published one
	now     registration
	t       *tx
	changes map[int]*index.Change
	builder *index.Builder
	unit    int // the one being built
	added   int
}

// index updates the index from the documents.
func (b *build) index(ctx context.Context) error {
	dir := index.IndexDir(b.dir)
	if err := directory.Make(vfs.Default, dir); err != nil {
		return err
	}
	last, err := b.registration()
	if err != nil {
		return err
	}
	searched, err := index.ReadSet(dir)
	if err != nil {
		return err
	}
	if searched.Number != last.Set.Number { // an earlier build ended before it published
		if err := index.Publish(dir, &last.Set); err != nil {
			return err
		}
	}
	if err := index.Sweep(dir, &last.Set, searched); err != nil {
		return err
	}
	for done := 0; ; {
		x := b.indexing(dir, last)
		n, err := x.take(ctx, func(n int) { b.progress("index", done+n) })
		if err == nil && n > 0 {
			last, err = x.publish()
		}
		x.end()
		if err != nil {
			return err
		}
		if n == 0 {
			return b.collect(ctx, dir, last)
		}
		done += n
	}
}

func (b *build) indexing(dir string, last *registration) *indexing {
	x := &indexing{build: b, dir: dir, last: last, now: *last, t: b.begin(),
		changes: map[int]*index.Change{}}
	x.now.Set.Units = slices.Clone(last.Set.Units)
	x.now.Set.Number++
	return x
}

// end drops what is not published.
func (x *indexing) end() {
	x.t.Close()
	if x.builder != nil {
		x.builder.Abandon()
	}
}

// take works off the marks of at most publishEvery pages.
func (x *indexing) take(ctx context.Context, tell func(int)) (n int, err error) {
	marks := marked{kind: markIndex}
	for n < publishEvery {
		if err := x.mayGoOn(ctx); err != nil {
			return n, err
		}
		urls, err := marks.next(x.t, pagesAtOnce)
		if err != nil || len(urls) == 0 {
			return n, err
		}
		rows, documents := make([]*row, len(urls)), make([]*Document, len(urls))
		entries := make([]*entry, len(urls))
		if err := machine.TryOnCores(len(urls), func(i int) (err error) {
			rows[i], entries[i], documents[i], err = x.find(urls[i])
			return err
		}); err != nil {
			return n, err
		}
		for i, url := range urls {
			if err := x.update(url, rows[i], entries[i], documents[i]); err != nil {
				return n, err
			}
			if err := x.t.Delete(key(markIndex, url), nil); err != nil {
				return n, err
			}
		}
		n += len(urls)
		tell(n)
	}
	return n, nil
}

// find looks up a page in the index, and reads its document if that differs.
func (x *indexing) find(url string) (r *row, e *entry, d *Document, err error) {
	if r, err = loadRow(x.db, url); err != nil {
		return nil, nil, nil, err
	}
	e = new(entry)
	if found, err := load(x.db, key(keyIndexed, url), e); err != nil {
		return nil, nil, nil, err
	} else if !found {
		e = nil
	}
	if r == nil || r.Document == nil || e != nil && e.Content == r.Document.Content {
		return r, e, nil, nil
	}
	d, err = x.document(r)
	return r, e, d, err
}

// document reads the document of a page from its container.
func (c *Corpus) document(r *row) (*Document, error) {
	text, err := ReadContainer(c.fs, c.containerPaths(r.Document.Container)[1], r.Document.JSON)
	if err != nil {
		return nil, err
	}
	return ParseJSON(text)
}

// update indexes a page.
func (x *indexing) update(url string, r *row, e *entry, d *Document) error {
	if r != nil && r.Document != nil && d == nil { // the same content, verified later
		c, err := x.change(e.Unit)
		if err == nil {
			c.Date(e.Place, r.Changed.Unix(), r.Verified.Unix())
		}
		return err
	}
	if e != nil {
		c, err := x.change(e.Unit)
		if err != nil {
			return err
		}
		c.Delete(e.Place)
		x.result.Deleted++
		if err := errors.Join(x.t.Delete(key(keyIndexed, url), nil),
			x.t.Delete(identifierKey(e.ID), nil)); err != nil {
			return err
		}
	}
	if d == nil {
		return nil
	}
	x.now.Added++
	x.result.Indexed++
	id := x.now.NextID
	x.now.NextID++
	return x.add(url, id, r, d)
}

// add adds a version of a page to the unit being built.
func (x *indexing) add(url string, id uint64, r *row, d *Document) error {
	if x.builder != nil && x.builder.Len() >= x.Unit {
		if err := x.closeUnit(); err != nil {
			return err
		}
	}
	if x.builder == nil {
		x.now.Unit++
		x.unit = x.now.Unit
		b, err := index.NewBuilder(x.dir, x.unit)
		if err != nil {
			return err
		}
		x.builder = b
	}
	place := uint32(x.builder.Len())
	if err := x.builder.Add(pageOf(id, r, d)); err != nil {
		return err
	}
	x.added++
	return errors.Join(x.t.store(key(keyIndexed, url), entry{id, x.unit, place, d.Content()}),
		x.t.Set(identifierKey(id), []byte(url), nil))
}

// pageOf returns the searched parts of a document.
func pageOf(id uint64, r *row, d *Document) *index.Page {
	p := &index.Page{ID: id, URL: d.URL, Server: sitegraph.ServerName(d.URL), Language: d.Language,
		Changed: r.Changed, Verified: r.Verified}
	p.Tie, _ = strconv.ParseUint(d.DocID, 16, 64)
	if d.Header.Title != nil {
		p.Title = d.Header.Title.Raw
	}
	for i := range d.Sentences {
		if d.Sentences[i].Place == Main {
			p.Body = append(p.Body, d.Sentences[i].Raw)
		}
	}
	for _, l := range d.Header.InLinks {
		if l.Raw != "" {
			p.Anchors = append(p.Anchors, l.Raw)
		}
	}
	return p
}

// change returns the change for the state of a unit.
func (x *indexing) change(unit int) (*index.Change, error) {
	if c := x.changes[unit]; c != nil {
		return c, nil
	}
	i := slices.IndexFunc(x.now.Set.Units, func(u index.Unit) bool { return u.Number == unit })
	if i < 0 {
		return nil, damaged("a page is in unit %d, which the index does not have", unit)
	}
	c, err := index.Edit(x.dir, x.now.Set.Units[i])
	x.changes[unit] = c
	return c, err
}

func (x *indexing) closeUnit() error {
	pages := x.builder.Len()
	octets, err := x.builder.Octets()
	if err == nil {
		err = x.room(octets)
	}
	if err != nil {
		return err
	}
	if err := x.builder.Close(x.now.Set.Number); err != nil {
		return err
	}
	x.builder = nil
	x.now.Set.Units = append(x.now.Set.Units, index.Unit{Number: x.unit, State: x.now.Set.Number,
		Pages: pages})
	return nil
}

// publish makes the set durable, registers it, and lets searches use it.
func (x *indexing) publish() (*registration, error) {
	if x.builder != nil {
		if err := x.closeUnit(); err != nil {
			return nil, err
		}
	}
	for i, u := range x.now.Set.Units {
		if c := x.changes[u.Number]; c != nil {
			saved, err := c.Save(x.now.Set.Number)
			if err != nil {
				return nil, err
			}
			x.now.Set.Units[i] = saved
		}
	}
	if err := x.t.store(key(keyMeta, "index"), &x.now); err != nil {
		return nil, err
	}
	if err := x.t.Commit(pebble.Sync); err != nil {
		return nil, err
	}
	if err := index.Publish(x.dir, &x.now.Set); err != nil {
		return nil, err
	}
	x.result.Sets++
	if x.state.Purge { // nothing removed may stay, even for readers of the previous set
		return &x.now, index.Sweep(x.dir, &x.now.Set)
	}
	return &x.now, index.Sweep(x.dir, &x.now.Set, &x.last.Set)
}

// collect rebuilds units once the share of added and deleted versions since the last collection is
// large, or if there are many small units. Full units without deletions stay, unless they have an
// identifier that would not be dense. Each new unit is published at once, without the old ones that
// it replaces. So memory does not grow with the corpus.
func (b *build) collect(ctx context.Context, dir string, last *registration) error {
	pages, deleted, small := 0, 0, 0
	for _, u := range last.Set.Units {
		pages += u.Pages
		deleted += u.Deleted
		if u.Pages < b.Unit/2 {
			small++
		}
	}
	if pages == 0 || small <= mostUnits && float64(deleted) < b.Garbage*float64(pages) &&
		!(b.state.Purge && deleted > 0) {
		return nil
	}
	began := time.Now()
	g, err := b.garbage(dir, &last.Set)
	if err != nil {
		return err
	}
	for len(g.old) > 0 {
		x := b.indexing(dir, last)
		err := x.move(ctx, g)
		if err == nil {
			last, err = x.publish()
		}
		x.end()
		if err != nil {
			return fmt.Errorf("collect identifiers: %w", err)
		}
	}
	b.result.CollectionSeconds = time.Since(began).Seconds()
	return nil
}

// garbage is the remaining work of a collection.
type garbage struct {
	old []index.Unit // units to rebuild
	// by dense identifier: a page has it; an octet a page
	used []bool
	free uint64 // the first that may be free
}

// garbage finds the work of a collection for a set.
func (b *build) garbage(dir string, set *index.Set) (*garbage, error) {
	living := uint64(set.Living())
	g := &garbage{used: make([]bool, living)}
	for _, u := range set.Units {
		c, err := index.Edit(dir, u)
		if err != nil {
			return nil, err
		}
		if u.Deleted > 0 || u.Pages < b.Unit || slices.Max(c.IDs()) >= living {
			g.old = append(g.old, u)
		}
		for place, id := range c.IDs() {
			if id < living && !c.Deleted(uint32(place)) {
				g.used[id] = true // a page keeps a dense identifier
			}
		}
	}
	return g, nil
}

// dense returns the identifier of a page after a collection.
func (g *garbage) dense(id uint64) uint64 {
	if id < uint64(len(g.used)) {
		return id
	}
	for g.used[g.free] {
		g.free++
	}
	g.used[g.free] = true
	return g.free
}

// move builds a unit from the rest of old ones.
func (x *indexing) move(ctx context.Context, g *garbage) error {
	pages := 0
	for len(g.old) > 0 {
		u := g.old[0]
		if pages > 0 && pages+u.Pages-u.Deleted > x.Unit {
			break
		}
		g.old, pages = g.old[1:], pages+u.Pages-u.Deleted
		x.now.Set.Units = slices.DeleteFunc(x.now.Set.Units, func(of index.Unit) bool {
			return of.Number == u.Number
		})
		c, err := index.Edit(x.dir, u)
		if err != nil {
			return err
		}
		for place, id := range c.IDs() {
			if place%atOnce == 0 {
				if err := x.mayGoOn(ctx); err != nil {
					return err
				}
				x.progress("collection", x.result.Collected)
			}
			if c.Deleted(uint32(place)) {
				continue
			}
			if err := x.moveOne(id, g); err != nil {
				return err
			}
		}
	}
	if len(g.old) == 0 {
		x.now.NextID, x.now.Added = uint64(len(g.used)), 0
	}
	return nil
}

// moveOne moves the page of an identifier.
func (x *indexing) moveOne(id uint64, g *garbage) error {
	url, err := get(x.db, identifierKey(id))
	if err != nil || url == nil {
		return errors.Join(err, damaged("no page has the identifier %d", id))
	}
	r, err := loadRow(x.db, string(url))
	if err != nil || r == nil || r.Document == nil {
		return errors.Join(err, damaged("the index has %s, but the corpus has no document of it", url))
	}
	d, err := x.document(r)
	if err != nil {
		return err
	}
	dense := g.dense(id)
	if dense != id {
		if err := x.t.Delete(identifierKey(id), nil); err != nil {
			return err
		}
	}
	x.result.Collected++
	return x.add(string(url), dense, r, d)
}
