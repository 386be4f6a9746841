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

// Changes are the changes that visits saw, the newest first.
type Changes struct {
	Finding string   `json:"finding"`
	Changes []Change `json:"changes"`
	Next    string   `json:"next"` // for Desk.Changes; "": the list is complete
	// Without says why no change has words. If it is "", Change.Without says so for each change.
	Without string `json:"without"`
}

// Change is a page that a visit found changed.
type Change struct {
	Time   time.Time `json:"t"`
	URL    string    `json:"url"`
	Server string    `json:"server"`
	Title  string    `json:"title"` // of a document, for example a PDF; "": none
	// Words are the words of the visible text that differ, with some of their neighbours; null:
	// Without says why there are none.
	Words   *watch.Difference `json:"words"`
	Without string            `json:"without"`
	// Pending reports whether a later question may get its words.
	Pending bool `json:"pending"`
}

const (
	// MostChanges bounds the changes of one answer. After compareIn an answer begins no further
	// comparison and ends the one under way. So a page is there soon, and later questions get the
	// missing words.
	MostChanges = 100
	compareIn   = 1500 * time.Millisecond
	keptWords   = 500
	changesRead = 64 << 20 // bytes of the journal
	// settles is the time after a visit in which its copy may still reach the archive.
	settles = 3 * time.Minute
)

// Reasons for which a change is shown without its words.
const (
	withoutArchive = "The words that differ are not known, because run keeps copies only with --archive."
	withoutTime    = "its words are not ready yet"
	withoutEnd     = "its copies take too long to compare here: its page compares them"
	withoutWords   = "the visible text is the same, and its source differs"
)

// compared has the words of the changes that were compared.
type compared struct {
	mu    sync.Mutex
	words map[changeKey]Change
}

type changeKey struct {
	url string
	at  int64 // unix nanoseconds
}

// Changes lists changes of a server, or of all servers for "". It begins with the newest change, or
// after the last change of another answer (after). It fails if after is malformed or the journal
// cannot be read.
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
	until, cancel := context.WithTimeout(ctx, compareIn)
	defer cancel()
	for i := range found.Entries {
		c.Changes = append(c.Changes, d.changeOf(ctx, until, &found.Entries[i]))
	}
	c.Finding = c.finding(after, time.Now())
	return c, nil
}

// changeOf looks for the words of a change if its turn comes before until ends.
func (d *Desk) changeOf(ctx, until context.Context, e *journal.Entry) Change {
	c := Change{Time: e.Time.UTC(), URL: e.URL, Server: sitegraph.ServerName(e.URL)}
	if d.o.Archive == "" {
		return c
	}
	key := changeKey{e.URL, e.Time.UnixNano()}
	if known, ok := d.compared.find(key); ok {
		return known
	}
	c.Pending, c.Without = true, withoutTime
	b := &d.archive
	if b.enter(until) != nil {
		return c
	}
	defer b.leave()
	if known, ok := d.compared.find(key); ok { // another question compared it meanwhile
		return known
	}
	err := b.open(d.o.Archive, e.Time.Add(settles))
	if err == nil && !b.at.After(e.Time) {
		return c // the archive was opened before the visit
	}
	var r *archive.Difference
	if err == nil {
		// The comparison has its own time limit, so that each answer finds the words of one more
		// change.
		alone, cancel := context.WithTimeout(ctx, compareIn)
		defer cancel()
		if r, err = d.diffAt(alone, e); err != nil && alone.Err() != nil {
			err = alone.Err()
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return c // the client is gone
	case errors.Is(err, context.DeadlineExceeded):
		c.Without = withoutEnd
	case err != nil && !b.at.After(e.Time.Add(settles)):
		return c // the copy may not be written yet
	case errors.Is(err, archive.ErrNoPage):
		c.Without = "the archive has no two copies of it"
	case b.failed != nil:
		c.Without = "the archive cannot be opened: " + err.Error()
		return c // a later question tries again
	case err != nil:
		c.Without = "its copies cannot be compared: " + err.Error()
	case r.Removed+r.Added == 0:
		c.Without = withoutWords
	default:
		shown := watch.Shorten(r)
		c.Words, c.Title, c.Without = &shown, r.New.Title, ""
	}
	c.Pending = false
	d.compared.keep(key, c)
	return c
}

func (k *compared) find(key changeKey) (Change, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.words[key]
	return c, ok
}

func (k *compared) keep(key changeKey, c Change) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.words == nil || len(k.words) >= keptWords {
		k.words = map[changeKey]Change{}
	}
	k.words[key] = c
}

// diffAt compares the copy of a visit with the copy before it, in the open archive.
func (d *Desk) diffAt(ctx context.Context, e *journal.Entry) (*archive.Difference, error) {
	r, err := archive.Compare(ctx, d.archive.reader, e.URL, nil, "text", e.Time, d.o.Show)
	if err != nil {
		return nil, err
	}
	took := time.Duration(e.ElapsedMillis)*time.Millisecond + 2*time.Second
	if e.Time.Sub(r.New.Time).Abs() > took || !r.Old.Time.Before(r.New.Time) {
		return nil, archive.ErrNoPage // the copy belongs to another visit
	}
	return r, nil
}

// finding sums up the changes of an answer that began after the change after.
func (c *Changes) finding(after string, now time.Time) string {
	switch {
	case len(c.Changes) > 0 && after != "":
		return "These changes were seen " + words.Span(now.Sub(c.Changes[0].Time)) +
			" ago, and before that."
	case len(c.Changes) > 0:
	case after != "" && c.Next == "":
		return "No earlier visit saw a change."
	case after != "" || c.Next != "":
		return "None of the last visits saw a change."
	default:
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
