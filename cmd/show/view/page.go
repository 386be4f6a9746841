package view

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

// Page is everything known of a page.
type Page struct {
	*present.Page
	Says string `json:"sentence"`

	record sitegraph.Record
}

// Page looks at one, by its address. Its site and the estimates, which look at other pages, come
// only with whole: that takes up to some seconds. It is ErrUnknown if the page is not known.
func (d *Desk) Page(ctx context.Context, address string, whole bool) (*Page, error) {
	url, err := sitegraph.Canonical(strings.TrimSpace(address))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	var p *Page
	var failed error
	now := time.Now()
	err = d.do(ctx, func() {
		c := d.o.Planner.Pages
		id, ok := c.Graph.Lookup(url)
		if !ok || int(id) >= c.Count() {
			return
		}
		p = &Page{}
		if failed = d.o.Store.Load(id, &p.record); failed != nil {
			return
		}
		present.DueOf(&p.record, c)
		ahead, at, inLine := d.ahead(id)
		p.Page = present.Known(&p.record, d.o.Planner, ahead, d.o.Policy, now)
		if inLine {
			p.Page.InLine(at)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return nil, fmt.Errorf("%s is %w", url, ErrUnknown)
	case failed != nil:
		return nil, failed
	}
	if whole {
		if err := d.compare(ctx, p, now); err != nil {
			return nil, err
		}
	}
	p.Says = p.Sentence(now)
	return p, nil
}

// ahead are the visits that come: those of the dry run, or those of the page's server that the loop
// has chosen, and when it may make that to the page.
func (d *Desk) ahead(id sitegraph.PageID) (ahead *crawl.Preview, at time.Time, inLine bool) {
	l := d.loop.Load()
	if l == nil {
		if d.o.Ahead != nil {
			return d.o.Ahead, at, false
		}
		return &crawl.Preview{Round: d.o.Planner.Pages.Round()}, at, false
	}
	ahead = &crawl.Preview{Round: d.o.Planner.Pages.Round()}
	ahead.Visits, at, inLine = l.InLine(id)
	return ahead, at, inLine
}

// compare adds site and estimates. They rest on the server of the page, and a sample of the others
// as the last survey took it.
func (d *Desk) compare(ctx context.Context, p *Page, now time.Time) error {
	server := sitegraph.ServerName(p.record.URL)
	c, err := d.copyOf(ctx, server, copyMost, p.record.Page)
	if err != nil {
		return err
	}
	survey := d.survey.Load()
	id, ok := c.graph.Lookup(p.record.URL)
	if !ok { // it became known since the copy was made
		return fmt.Errorf("%s is %w", p.record.URL, ErrUnknown)
	}
	// The copy is shared: what is added to it goes to a clone.
	graph := c.graph.Clone()
	corpus := planner.NewPages(graph)
	for page := range sitegraph.PageID(len(c.pages)) {
		corpus.Remember(recordOf(page, graph.URL(page), c.corpus.Memory(page)))
	}
	for i, s := range survey.sample {
		name := survey.Servers[s.server].Name
		if name == server {
			continue
		}
		other := graph.Add(fmt.Sprintf("http://%s/%d", name, i))
		corpus.Remember(&sitegraph.Record{Page: other, URL: graph.URL(other),
			State: sitegraph.StateAlive, History: s.history})
	}
	graph.Refresh()
	record := p.record
	record.Page = id
	p.Compare(corpus, &record, now)
	return nil
}

// Visits are those of a page, from the journal, the newest first.
func (d *Desk) PageVisits(ctx context.Context, address string, limit int) (*journal.Found, error) {
	url, err := sitegraph.Canonical(strings.TrimSpace(address))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return d.Journal(ctx, journal.Query{URL: url, Limit: limit})
}

// Journal searches the journal. Where there is none yet nothing is found.
func (d *Desk) Journal(ctx context.Context, q journal.Query) (*journal.Found, error) {
	found, err := journal.Search(ctx, filepath.Join(d.o.Data, "journal"), q)
	if errors.Is(err, journal.ErrNone) || errors.Is(err, fs.ErrNotExist) {
		return &journal.Found{Entries: []journal.Entry{}}, nil
	}
	return found, err
}

// ErrNoArchive says that nothing is kept of what was fetched.
var ErrNoArchive = errors.New("there is no archive: run keeps what it fetches with --archive")

// archiveBox has the archive as it was a moment ago.
type archiveBox struct {
	turn   chan struct{} // of 1, full while a request uses the archive: that may take seconds
	reader *archive.Reader
	failed error     // why there is no reader
	at     time.Time // the reader has everything that was written before
}

const (
	// archiveHolds is how long an archive that was opened is not opened again, and failureHolds
	// how long one that could not be opened.
	archiveHolds = 30 * time.Second
	failureHolds = 3 * time.Second
)

// Diff compares the last two archived versions of a page, by one of archive.DifferenceKinds. It is
// ErrNoArchive without an archive, and archive.ErrNoPage if it has no two versions.
func (d *Desk) Diff(ctx context.Context, address, kind string) (*archive.Difference, error) {
	if d.o.Archive == "" {
		return nil, ErrNoArchive
	}
	url, err := sitegraph.Canonical(strings.TrimSpace(address))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	b := &d.archive
	if err := b.enter(ctx); err != nil {
		return nil, err
	}
	defer b.leave()
	if err := b.open(d.o.Archive, time.Now()); err != nil {
		return nil, err
	}
	return archive.Compare(ctx, b.reader, url, nil, kind, time.Now(), d.o.Show)
}

// enter waits until no other request uses the archive.
func (b *archiveBox) enter(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	select {
	case b.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *archiveBox) leave() { <-b.turn }

// open opens the archive again if the reader may lack captures that were written up to a moment.
// It does not if it did so less than archiveHolds ago; b.at says how new the reader is.
func (b *archiveBox) open(dir string, upTo time.Time) (err error) {
	now := time.Now() // before it is read: what is written meanwhile may be in it or not
	switch age := now.Sub(b.at); {
	case b.failed != nil && age < failureHolds:
		return b.failed
	case b.reader != nil && (b.at.After(upTo) || age < archiveHolds):
		return nil
	case b.reader != nil:
		err = b.reader.Close()
		b.reader = nil
	}
	if err == nil {
		b.reader, err = archive.OpenReader(dir)
	}
	if err != nil {
		b.reader = nil
	}
	b.failed, b.at = err, now
	return err
}

// close ends the use of the archive.
func (b *archiveBox) close() {
	b.turn <- struct{}{}
	defer b.leave()
	if b.reader != nil {
		b.reader.Close() // nothing was written to it
		b.reader = nil
	}
}

// number is a value for JSON: null where it is none.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
