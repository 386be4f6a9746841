package view

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Changes are those that visits saw, the newest first.
type Changes struct {
	Finding string   `json:"finding"`
	Changes []Change `json:"changes"`
	Next    string   `json:"next"` // for Desk.Changes; "": these are all
	// Without says why no change has words; "": Change.Without says so of each.
	Without string `json:"without"`
}

// Change is a page that a visit found changed.
type Change struct {
	Time   time.Time `json:"t"`
	URL    string    `json:"url"`
	Server string    `json:"server"`
	Title  string    `json:"title"` // of a document, as a PDF; "": it has none
	// Words are those that differ in the visible text, with some beside them; null: Without says
	// why there are none.
	Words   *watch.Difference `json:"words"`
	Without string            `json:"without"`
}

const (
	// MostChanges bounds the changes of one answer, and compareIn the time in which their words are
	// looked for: a page is there soon, and further words come when it is asked for again.
	MostChanges = 100
	compareIn   = 1500 * time.Millisecond
	keptWords   = 500
	changesRead = 64 << 20 // octets of the journal
)

// Why a change is shown without its words.
const (
	withoutArchive = "Which words differ is not known: run keeps no copies without --archive."
	withoutTime    = "its words are being looked for"
	withoutWords   = "the visible text is the same, and its source differs"
)

// compared are the words of changes that were looked for.
type compared struct {
	mu    sync.Mutex
	words map[changeKey]Change
}

type changeKey struct {
	url string
	at  int64 // unix nanoseconds
}

// Changes lists changes of a server, "" for all, from the newest one on or from where another
// answer ended. Its error is of a wrong after, or of the journal.
func (d *Desk) Changes(ctx context.Context, server, after string, most int) (*Changes, error) {
	found, err := d.Journal(ctx, journal.Query{Verdict: sitegraph.VerdictChanged.String(),
		Server: server, After: after, Limit: min(max(most, 1), MostChanges),
		MostBytes: changesRead})
	if err != nil {
		return nil, err
	}
	c := &Changes{Changes: []Change{}, Next: found.Next}
	if d.o.Archive == "" {
		c.Without = withoutArchive
	}
	ctx, cancel := context.WithTimeout(ctx, compareIn)
	defer cancel()
	for i := range found.Entries {
		c.Changes = append(c.Changes, d.changeOf(ctx, &found.Entries[i]))
	}
	c.Finding = c.finding(time.Now())
	return c, nil
}

// changeOf looks for the words of a change.
func (d *Desk) changeOf(ctx context.Context, e *journal.Entry) Change {
	c := Change{Time: e.Time.UTC(), URL: e.URL, Server: sitegraph.ServerName(e.URL)}
	if d.o.Archive == "" {
		return c
	}
	key := changeKey{e.URL, e.Time.UnixNano()}
	d.compared.mu.Lock()
	defer d.compared.mu.Unlock()
	if known, ok := d.compared.words[key]; ok {
		return known
	}
	r, err := d.diffAt(ctx, e)
	switch {
	case ctx.Err() != nil:
		c.Without = withoutTime
		return c // it is asked for again
	case errors.Is(err, archive.ErrNoPage):
		c.Without = "the archive has no two copies of it"
	case err != nil:
		c.Without = "its copies cannot be compared: " + err.Error()
	case r.Removed+r.Added == 0:
		c.Without = withoutWords
	default:
		words := watch.Shorten(r)
		c.Words, c.Title = &words, r.New.Title
	}
	if d.compared.words == nil || len(d.compared.words) >= keptWords {
		d.compared.words = map[changeKey]Change{}
	}
	d.compared.words[key] = c
	return c
}

// diffAt compares the copy that a visit kept with the one before it.
func (d *Desk) diffAt(ctx context.Context, e *journal.Entry) (*archive.Difference, error) {
	b := &d.archive
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := b.open(d.o.Archive, e.Time); err != nil {
		return nil, err
	}
	r, err := archive.Compare(ctx, b.reader, e.URL, nil, "text", e.Time, d.o.Show)
	if err != nil {
		return nil, err
	}
	took := time.Duration(e.ElapsedMillis)*time.Millisecond + 2*time.Second
	if e.Time.Sub(r.New.Time).Abs() > took || !r.Old.Time.Before(r.New.Time) {
		return nil, archive.ErrNoPage // the copy is of another visit
	}
	return r, nil
}

func (c *Changes) finding(now time.Time) string {
	if len(c.Changes) == 0 {
		return "No visit has seen a change yet."
	}
	hour, servers := 0, map[string]bool{}
	for _, x := range c.Changes {
		if now.Sub(x.Time) < time.Hour {
			hour++
			servers[x.Server] = true
		}
	}
	last := "The last change was seen " + words.Span(now.Sub(c.Changes[0].Time)) + " ago"
	switch {
	case hour == 0:
		return last + "."
	case hour == len(c.Changes) && c.Next != "":
		return last + ", and many more in the last hour."
	}
	return fmt.Sprintf("%s; the last hour has %s of %s.", last, words.Plural(hour, "change"),
		words.Plural(len(servers), "server"))
}
