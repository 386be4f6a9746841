package view

import (
	"context"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/satstore/journal"
)

// kept returns a desk with an archive and a journal. The archive has two versions of each page: one
// of an hour before the change, and one of the change.
func kept(t *testing.T, changes map[string]time.Time) *Desk {
	t.Helper()
	o := Options{Data: t.TempDir(), Archive: t.TempDir(), Rules: &Rules{}}
	a, err := archive.Open(o.Archive, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.Open(filepath.Join(o.Data, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	for url, at := range changes {
		for i, text := range []string{"the old word", "the new word"} {
			when := at.Add(time.Duration(i-1) * time.Hour)
			x := fetch.Exchange{URL: url, Address: netip.MustParseAddr("127.0.0.1"), Began: when,
				Ended: when, Status: 200, Request: []byte("GET / HTTP/1.1\r\n\r\n"),
				Response: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+
					"Content-Length: %d\r\n\r\n%s", len(text), text)}
			if err := a.Put(&archive.Visit{URL: url, Time: when},
				[]fetch.Exchange{x}); err != nil {
				t.Fatal(err)
			}
		}
		note(t, log, url, at)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	d := New(o)
	t.Cleanup(d.Close)
	return d
}

func note(t *testing.T, log *journal.Journal, url string, at time.Time) {
	t.Helper()
	if err := log.Append(journal.Entry{URL: url, Time: at, Verdict: "changed"}); err != nil {
		t.Fatal(err)
	}
}

func changesOf(t *testing.T, d *Desk) map[string]Change {
	t.Helper()
	c, err := d.Changes(t.Context(), "", "", MostChanges)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]Change{}
	for _, x := range c.Changes {
		of[x.URL] = x
	}
	return of
}

// TestChangesNewerThanArchive: the archive is opened at most once in archiveHolds, whatever the
// number of changes. Until then the words that it lacks are pending, and no result is kept for
// them.
func TestChangesNewerThanArchive(t *testing.T) {
	t.Parallel()
	const old, young, missed = "http://a.example/", "http://b.example/", "http://c.example/"
	now := time.Now()
	d := kept(t, map[string]time.Time{old: now.Add(-time.Hour)})
	if c := changesOf(t, d)[old]; c.Pending || c.Words == nil || c.Words.Added != 1 {
		t.Fatalf("the change is %+v", c)
	}
	opened := d.archive.reader
	log, err := journal.Open(filepath.Join(d.o.Data, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	note(t, log, young, time.Now())
	note(t, log, missed, now.Add(-2*settles))
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		of := changesOf(t, d)
		if c := of[young]; !c.Pending || c.Without != withoutTime {
			t.Errorf("the new change is %+v", c)
		}
		if c := of[missed]; c.Pending || !strings.Contains(c.Without, "no two copies") {
			t.Errorf("the change without copies is %+v", c)
		}
	}
	if d.archive.reader != opened || len(d.compared.words) != 2 {
		t.Errorf("opened again: %v; %d are kept", d.archive.reader != opened,
			len(d.compared.words))
	}
	// Half a minute later the archive is opened again, and its copy may be written yet.
	d.archive.at = d.archive.at.Add(-archiveHolds)
	if c := changesOf(t, d)[young]; d.archive.reader == opened || !c.Pending ||
		len(d.compared.words) != 2 {
		t.Errorf("the new change is %+v; %d are kept", c, len(d.compared.words))
	}
}

// TestChangesSlow: a page whose documents take too long to read is compared once. The words of
// other pages are found all the same.
func TestChangesSlow(t *testing.T) {
	t.Parallel()
	const slow, behind = "http://a.example/", "http://b.example/"
	now := time.Now()
	d := kept(t, map[string]time.Time{slow: now.Add(-time.Hour), behind: now.Add(-2 * time.Hour)})
	shown := 0
	d.o.Show = func(ctx context.Context, url, kind string, body []byte) (extract.Shown, error) {
		if url == slow {
			shown++
			<-ctx.Done()
			return extract.Shown{}, ctx.Err()
		}
		return extract.Shown{Page: body, Type: kind}, nil
	}
	changesOf(t, d)
	of := changesOf(t, d)
	if c := of[slow]; c.Pending || c.Without != withoutEnd || shown != 1 {
		t.Errorf("the slow one is %+v, compared %d times", c, shown)
	}
	if c := of[behind]; c.Words == nil {
		t.Errorf("the one behind it is %+v", c)
	}
}

// TestChangesBusy: while other questions compare, the changes come in time, without words.
func TestChangesBusy(t *testing.T) {
	t.Parallel()
	const page = "http://a.example/"
	d := kept(t, map[string]time.Time{page: time.Now().Add(-time.Hour)})
	d.archive.turn <- struct{}{}
	began := time.Now()
	c := changesOf(t, d)[page]
	if took := time.Since(began); !c.Pending || took > 4*compareIn {
		t.Errorf("after %v the change is %+v", took, c)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := d.Diff(ctx, page, "text"); err == nil {
		t.Error("two compare at a time")
	}
	d.archive.leave()
	if c := changesOf(t, d)[page]; c.Words == nil {
		t.Errorf("afterwards the change is %+v", c)
	}
}

// TestChangesFinding: the finding of a list agrees with its beginning and its end.
func TestChangesFinding(t *testing.T) {
	t.Parallel()
	now := time.Now()
	one := []Change{{Time: now.Add(-3 * time.Hour)}}
	for _, c := range []struct {
		changes           []Change
		after, next, want string
	}{
		{nil, "", "", "No visit has seen a change yet."},
		{nil, "", "x", "None of the last visits saw a change."},
		{nil, "x", "y", "None of the last visits saw a change."},
		{nil, "x", "", "No earlier visit saw a change."},
		{one, "", "", "The last change was seen 3 hours ago."},
		{one, "x", "", "These changes were seen 3 hours ago, and before that."},
	} {
		list := Changes{Changes: c.changes, Next: c.next}
		if got := list.finding(c.after, now); got != c.want {
			t.Errorf("%d changes after %q, next %q: %q, want %q", len(c.changes), c.after, c.next,
				got, c.want)
		}
	}
}
