package corpus

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/machine"
)

const (
	// fullDocuments and fullBytes limit a container. One container at a time is written, with its
	// rows in memory. A full one takes about 20 MB on disk.
	fullDocuments = 5_000
	fullBytes     = 128 << 20
	// smallMost is the number of containers with less than a quarter of the documents before they
	// are merged.
	smallMost = 8
)

// holding describes the documents of a container.
type holding struct {
	Documents int `json:"documents"`
	Valid     int `json:"valid"`
}

func (c *Corpus) containerPaths(number uint32) (paths [2]string) {
	for i, kind := range []string{"xml", "jsonl"} {
		paths[i] = c.fs.PathJoin(c.dir, standardDir, fmt.Sprintf("%06d.%s.zst", number, kind))
	}
	return paths
}

// pair is the two open containers for XML and JSON Lines, with the batch of their rows.
type pair struct {
	*build
	number uint32
	files  [2]*ContainerWriter
	has    int
	t      *tx
}

// pair returns a pair that so far has only a batch.
func (b *build) pair() *pair { return &pair{build: b, t: b.begin()} }

// add appends a document.
func (p *pair) add(url string, texts [2][]byte, d document) (*document, error) {
	if p.files[0] == nil {
		p.state.Container++
		p.number = p.state.Container
		for i, path := range p.containerPaths(p.number) {
			w, err := CreateContainer(p.fs, path)
			if err != nil {
				return nil, err
			}
			p.files[i] = w
		}
	}
	d.Container = p.number
	for i, at := range []*ContainerPlace{&d.XML, &d.JSON} {
		place, err := p.files[i].Add(texts[i])
		if err != nil {
			return nil, err
		}
		*at = place
	}
	p.has++
	return &d, p.t.Set(containerKey(keyContained, p.number, url), nil, nil)
}

func (p *pair) full() bool {
	return p.t.Len() > fullBytes || p.files[0] != nil &&
		(p.has >= fullDocuments || p.files[0].Size() > fullBytes)
}

// commit completes the containers, and then commits the rows.
func (p *pair) commit() error {
	for i, w := range p.files {
		if w == nil {
			continue
		}
		p.files[i] = nil
		if err := w.Close(); err != nil {
			return err
		}
	}
	if p.has > 0 {
		if err := p.t.store(containerKey(keyIn1, p.number, ""), holding{p.has, p.has}); err != nil {
			return err
		}
	}
	p.has = 0
	if err := p.t.store(key(keyMeta, "state"), p.state); err != nil {
		return err
	}
	if err := p.t.Commit(pebble.NoSync); err != nil {
		return err
	}
	p.t = p.begin()
	return nil
}

// abandon drops what is not committed.
func (p *pair) abandon() {
	for _, w := range p.files {
		if w != nil {
			w.Abandon() // the next build removes the rest
		}
	}
	p.t.Close()
}

// made is the new document of a page.
type made struct {
	row     *row
	later   bool // it needs the archive, which a removal does not have
	verdict filter.SelectionVerdict
	texts   [2][]byte // nil: nothing new
	written document
}

// write makes the documents of all marked pages.
func (b *build) write(ctx context.Context) error {
	p := b.pair()
	defer func() { p.abandon() }()
	marks := marked{kind: markWrite}
	for done := 0; ; {
		if err := b.mayGoOn(ctx); err != nil {
			return err
		}
		urls, err := marks.next(p.t, pagesAtOnce)
		if err != nil {
			return err
		}
		if len(urls) == 0 {
			return p.commit()
		}
		pages := make([]made, len(urls))
		if err := machine.TryOnCores(len(urls), func(i int) (err error) {
			pages[i], err = b.make(ctx, urls[i])
			return err
		}); err != nil {
			return err
		}
		for i, url := range urls {
			if err := b.put(p, url, &pages[i]); err != nil {
				return err
			}
			if err := p.t.Delete(key(markWrite, url), nil); err != nil {
				return err
			}
		}
		done += len(urls)
		b.progress("documents", done)
		if p.full() {
			if err := p.commit(); err != nil {
				return err
			}
		}
	}
}

// make makes the document of a selected page.
func (b *build) make(ctx context.Context, url string) (m made, err error) {
	if m.row, err = loadRow(b.db, url); err != nil || m.row == nil {
		return m, err
	}
	if m.verdict, err = b.verdict(b.db, m.row); err != nil || m.verdict.Rule != "" {
		return m, err
	}
	if m.later = b.Archive == nil &&
		(m.row.Document == nil || !m.row.Document.Of.Equal(m.row.Changed)); m.later {
		return m, nil
	}
	d, old, err := b.draft(ctx, url, m.row)
	if err != nil {
		return m, fmt.Errorf("document of %s: %w", url, err)
	}
	if d.Header.InLinks, err = inLinks(b.db, url); err != nil {
		return m, err
	}
	if b.Annotator != nil && !old {
		notes, err := b.Annotator.Annotate(ctx, d)
		if err == nil {
			err = d.Take(notes)
		}
		if err != nil {
			return m, err
		}
	}
	digest := d.Digest()
	if m.row.Document != nil && bytes.Equal(m.row.Document.Digest, digest[:]) {
		return m, nil
	}
	d.FormatTime = b.began.UTC()
	m.written = document{Of: m.row.Changed, Digest: digest[:], Content: d.Content()}
	if m.texts[0], err = d.XML(); err == nil {
		m.texts[1], err = d.JSON()
	}
	return m, err
}

// draft returns the document of a page. A new document lacks the links that lead to the page. old
// means that the document was written before, with its annotations.
func (b *build) draft(ctx context.Context, url string, p *row) (
	d *Document, old bool, err error) {
	text, err := get(b.db, key(keyDraft, url))
	if err != nil {
		return nil, false, err
	}
	if text == nil && p.Document != nil && p.Document.Of.Equal(p.Changed) {
		old = true
		if text, err = ReadContainer(b.fs, b.containerPaths(p.Document.Container)[1],
			p.Document.JSON); err != nil {
			return nil, old, err
		}
	}
	if text != nil {
		d, err = ParseJSON(text)
		return d, old, err
	}
	c, err := b.read(ctx, url, p)
	if err == nil && c.none {
		err = errors.New("its content is no page any more")
	}
	if err != nil {
		return nil, false, err
	}
	return c.draft, false, nil
}

// put stores a new document.
func (b *build) put(p *pair, url string, m *made) (err error) {
	r := m.row
	if r == nil {
		return nil
	}
	if m.later {
		return p.t.mark(markAlone, url)
	}
	b.count(r, &m.verdict)
	switch {
	case m.verdict.Rule != "":
		if r.Document != nil {
			b.result.Withdrawn++
		}
		if err := b.withdraw(p.t, url, r); err != nil {
			return err
		}
	case m.texts[0] != nil:
		if err := b.withdraw(p.t, url, r); err != nil {
			return err
		}
		b.result.Written++
		if r.Document, err = p.add(url, m.texts, m.written); err != nil {
			return err
		}
		if err := p.t.mark(markIndex, url); err != nil {
			return err
		}
	}
	// A draft of a page that is left out may be needed: later it may be selected.
	if m.verdict.Rule == "" {
		if err := p.t.Delete(key(keyDraft, url), nil); err != nil {
			return err
		}
	}
	return p.t.store(key(keyRow, url), r)
}

// withdraw invalidates the document of a page, if there is one.
func (b *build) withdraw(t *tx, url string, p *row) error {
	if p.Document == nil {
		return nil
	}
	k := containerKey(keyIn1, p.Document.Container, "")
	var h holding
	if _, err := load(t, k, &h); err != nil {
		return err
	}
	h.Valid--
	err := errors.Join(t.store(k, h),
		t.Delete(containerKey(keyContained, p.Document.Container, url), nil),
		t.mark(markIndex, url))
	p.Document = nil
	return err
}

// sweep removes containers that no row names, left by an interrupted build.
func (b *build) sweep() error {
	keep := map[string]bool{}
	if err := each(b.db, []byte{keyIn1}, func(rest string, _ []byte) (bool, error) {
		for _, path := range b.containerPaths(binary.BigEndian.Uint32([]byte(rest))) {
			keep[filepath.Base(path)] = true
		}
		return true, nil
	}); err != nil {
		return err
	}
	dir := b.fs.PathJoin(b.dir, standardDir)
	names, err := b.fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !keep[name] {
			if err := b.fs.Remove(b.fs.PathJoin(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// compact rewrites small containers, and those with few valid documents.
func (b *build) compact(ctx context.Context) error {
	var sparse, small []uint32
	if err := each(b.db, []byte{keyIn1}, func(rest string, value []byte) (bool, error) {
		number := binary.BigEndian.Uint32([]byte(rest))
		var h holding
		if err := json.Unmarshal(value, &h); err != nil {
			return false, fmt.Errorf("read container %d: %w", number, err)
		}
		switch {
		case 2*h.Valid < h.Documents, b.state.Purge && h.Valid < h.Documents:
			sparse = append(sparse, number)
		case h.Documents < fullDocuments/4:
			small = append(small, number)
		}
		return true, nil
	}); err != nil {
		return err
	}
	if len(small) >= smallMost {
		sparse = append(sparse, small...)
	}
	if len(sparse) == 0 {
		return nil
	}
	p := b.pair()
	defer func() { p.abandon() }()
	var emptied []uint32
	for _, number := range sparse {
		for {
			if err := b.mayGoOn(ctx); err != nil {
				return err
			}
			left, err := b.move(p, number)
			if err != nil {
				return err
			}
			if !left {
				break
			}
			if p.full() {
				if err := p.commit(); err != nil {
					return err
				}
			}
		}
		if err := p.t.Delete(containerKey(keyIn1, number, ""), nil); err != nil {
			return err
		}
		emptied = append(emptied, number)
	}
	if err := p.commit(); err != nil {
		return err
	}
	// The rows that no longer name the old containers must be on disk first.
	if err := b.db.LogData(nil, pebble.Sync); err != nil {
		return err
	}
	for _, number := range emptied {
		for _, path := range b.containerPaths(number) {
			if err := b.fs.Remove(path); err != nil {
				return err
			}
		}
	}
	return directory.Sync(b.fs, b.fs.PathJoin(b.dir, standardDir))
}

// move writes some documents of a container to the pair. left means that there may be more.
func (b *build) move(p *pair, number uint32) (left bool, err error) {
	var urls []string
	if err := each(p.t, containerKey(keyContained, number, ""),
		func(url string, _ []byte) (bool, error) {
			urls = append(urls, url)
			return len(urls) < atOnce, nil
		}); err != nil {
		return false, err
	}
	for _, url := range urls {
		r, err := loadRow(p.t, url)
		if err != nil || r == nil || r.Document == nil || r.Document.Container != number {
			return false, errors.Join(err,
				damaged("container %d has a document of %s, of which the row knows nothing",
					number, url))
		}
		var texts [2][]byte
		for i, at := range []ContainerPlace{r.Document.XML, r.Document.JSON} {
			if texts[i], err = ReadContainer(b.fs, b.containerPaths(number)[i], at); err != nil {
				return false, err
			}
		}
		if r.Document, err = p.add(url, texts, *r.Document); err != nil {
			return false, err
		}
		if err := errors.Join(p.t.Delete(containerKey(keyContained, number, url), nil),
			p.t.store(key(keyRow, url), r)); err != nil {
			return false, err
		}
		b.result.Moved++
	}
	return len(urls) == atOnce, nil
}
