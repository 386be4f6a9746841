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

// Page looks at a page by its address. With whole it adds the site and the estimates, which look at
// other pages and take up to some seconds. It is ErrUnknown if the page is unknown.
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

// ahead returns the next visits: of the dry run, or those that the loop has chosen on the server of
// the page. at is the time at which the loop may visit the page.
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

// compare adds site and estimates. They rest on the server of the page, and on a sample of other
// servers from the last survey.
func (d *Desk) compare(ctx context.Context, p *Page, now time.Time) error {
	server := sitegraph.ServerName(p.record.URL)
	c, err := d.copyOf(ctx, server, copyMost, p.record.Page)
	if err != nil {
		return err
	}
	survey := d.survey.Load()
	id, ok := c.graph.Lookup(p.record.URL)
	if !ok { // the page became known after the copy was made
		return fmt.Errorf("%s is %w", p.record.URL, ErrUnknown)
	}
	// The copy is shared, so changes are made to a clone.
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

// PageVisits returns the visits to a page from the journal, the newest first.
func (d *Desk) PageVisits(ctx context.Context, address string, limit int) (*journal.Found, error) {
	url, err := sitegraph.Canonical(strings.TrimSpace(address))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return d.Journal(ctx, journal.Query{URL: url, Limit: limit})
}

// Journal searches the journal. Without a journal it finds nothing.
func (d *Desk) Journal(ctx context.Context, q journal.Query) (*journal.Found, error) {
	found, err := journal.Search(ctx, filepath.Join(d.o.Data, "journal"), q)
	if errors.Is(err, journal.ErrNone) || errors.Is(err, fs.ErrNotExist) {
		return &journal.Found{Entries: []journal.Entry{}}, nil
	}
	return found, err
}

// ErrNoArchive is the error of questions for copies without an archive.
var ErrNoArchive = errors.New("there is no archive: run keeps what it fetches with --archive")

// archiveBox has the archive as it was a moment ago.
type archiveBox struct {
	turn   chan struct{} // of size 1, full while a request uses the archive, which may take seconds
	reader *archive.Reader
	failed error     // why there is no reader
	at     time.Time // the reader has everything that was written before
}

const (
	// archiveHolds is the least time between two openings of an archive, failureHolds the same
	// after an opening that failed.
	archiveHolds = 30 * time.Second
	failureHolds = 3 * time.Second
)

// Diff compares the last two archived versions of a page, by one of archive.DifferenceKinds. It is
// ErrNoArchive without an archive, and archive.ErrNoPage if there are not two versions.
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

// open opens the archive again if the reader may lack captures up to a moment, but only once in
// archiveHolds. b.at says how new the reader is.
func (b *archiveBox) open(dir string, upTo time.Time) (err error) {
	now := time.Now() // before it is read: later writes may be missing
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

// number returns a value for JSON: null for NaN.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
