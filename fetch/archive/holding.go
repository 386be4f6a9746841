package archive

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/satstore/journal"
)

// MostFailedPages limits the failed pages that are counted.
const MostFailedPages = 1_000_000

// Status describes an archive: how many pages of which kinds it has, how fresh they are, and which
// visits failed and why.
//
// A page is kept if it has a capture with a body (status 200 or 203), or one that confirms an
// earlier body (304, revisit). Its age is the time since the last such capture. robots.txt is no
// page. Requisites are counted apart. Memory grows with the failed pages, at most MostFailedPages,
// and with the captures of one key of the index.
type Status struct {
	Pages    int       `json:"pages"`    // pages with a copy
	Captures int       `json:"captures"` // captures of pages
	Files    int       `json:"files"`
	Bytes    int64     `json:"bytes"` // size of the files
	Oldest   time.Time `json:"oldest,omitzero"`
	Newest   time.Time `json:"newest,omitzero"` // time of the newest capture
	// Left are kept pages whose last capture is no copy: gone, moved, refused.
	Left  int          `json:"left"`
	Ages  []HeldByAge  `json:"ages"`
	Kinds []HeldByKind `json:"kinds"` // the largest first
	Fails []FailedPage `json:"failed"`

	Requisites HeldRequisites `json:"requisites"`
}

// HeldRequisites counts requisites: style sheets, scripts, pictures, fonts and media.
type HeldRequisites struct {
	Kept     int   `json:"kept"` // requisites with a copy
	Captures int   `json:"captures"`
	Bytes    int64 `json:"bytes"` // size of their records
	// Waiting requisites will be asked for. Unkept ones are forbidden, have no answer, or say
	// noarchive.
	Waiting int `json:"waiting"`
	Unkept  int `json:"unkept"`
}

// HeldByAge counts the pages last seen within a number of days; 0 days: earlier.
type HeldByAge struct {
	Days  int `json:"days"`
	Pages int `json:"pages"`
}

// HeldByKind counts the pages of a media type, and the octets of their records.
type HeldByKind struct {
	Type  string `json:"type"`
	Pages int    `json:"pages"`
	Bytes int64  `json:"bytes"`
}

// FailedPage is a page whose last visit failed.
type FailedPage struct {
	URL    string    `json:"url"`
	Time   time.Time `json:"t"`
	Visits int       `json:"visits"` // in a row
	Why    string    `json:"why"`
	Kept   bool      `json:"kept"` // there is an earlier copy
}

// ages are the limits of Status.Ages, in days.
var ages = []int{1, 7, 30, 365}

// StatusOf returns the status of an archive at a time. Failures come from the journal; its
// directory may be "".
func StatusOf(r *Reader, journalDir string, now time.Time) (*Status, error) {
	s := &Status{Files: len(r.Files()), Kinds: []HeldByKind{}, Fails: []FailedPage{}}
	for _, days := range append(slices.Clone(ages), 0) {
		s.Ages = append(s.Ages, HeldByAge{Days: days})
	}
	for _, f := range r.Files() {
		s.Bytes += f.Size
	}
	failed, err := failures(journalDir)
	if err != nil {
		return nil, err
	}
	c := count{Status: s, reader: r, now: now, failed: failed, kinds: map[string]*HeldByKind{}}
	if err := r.Each(c.add); err != nil {
		return nil, err
	}
	if err := c.flush(); err != nil {
		return nil, err
	}
	for _, kind := range c.kinds {
		s.Kinds = append(s.Kinds, *kind)
	}
	slices.SortFunc(s.Kinds, func(a, b HeldByKind) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Type, b.Type))
	})
	for _, f := range failed {
		s.Fails = append(s.Fails, *f)
	}
	slices.SortFunc(s.Fails, func(a, b FailedPage) int { return cmp.Compare(a.URL, b.URL) })
	return s, nil
}

// failures returns the pages whose last visit in the journal failed, by URL.
func failures(dir string) (map[string]*FailedPage, error) {
	failed := map[string]*FailedPage{}
	if dir == "" {
		return failed, nil
	}
	_, err := journal.Read(dir, nil, func(e *journal.Entry) {
		why := e.Detail
		switch {
		case e.Outcome == "fetched" || e.Outcome == "not-modified":
			switch {
			case e.NoArchive:
				why = "it says noarchive"
			case e.Filter != "":
				why = "the filter " + e.Filter + " rejects it"
			default:
				delete(failed, e.URL)
				return
			}
		case e.Outcome == "redirected" || strings.HasSuffix(e.URL, "/sitemap.xml"):
			delete(failed, e.URL) // its target counts; a guessed sitemap may be missing
			return
		case why == "":
			why = e.Outcome
		}
		f := failed[e.URL]
		if f == nil && len(failed) < MostFailedPages {
			f = &FailedPage{URL: strings.Clone(e.URL)}
			failed[f.URL] = f
		}
		if f != nil {
			f.Time, f.Why = e.Time, strings.Clone(why)
			f.Visits++
		}
	})
	if errors.Is(err, journal.ErrNone) || errors.Is(err, fs.ErrNotExist) {
		err = nil // no visit was made
	}
	return failed, err
}

// count reads an index.
type count struct {
	*Status
	reader *Reader
	now    time.Time
	failed map[string]*FailedPage
	kinds  map[string]*HeldByKind
	key    string
	pages  map[string]*page // pages of the key, by URL
}

// page summarizes the captures of a URL.
type page struct {
	seen  time.Time // when it was last seen equal to its copy; zero: never
	left  bool      // the last capture is no copy
	kind  string
	bytes int64
	// shared is the last copy, where it refers to the body of another address; else nil.
	shared *Capture

	captures       int
	oldest, newest time.Time // times of captures that count
}

func (c *count) add(x *Capture) error {
	if strings.HasSuffix(x.URL, "/robots.txt") {
		return nil
	}
	if x.Key != c.key {
		if err := c.flush(); err != nil {
			return err
		}
		c.key, c.pages = x.Key, map[string]*page{}
	}
	p := c.pages[x.URL]
	if p == nil {
		p = new(page)
		c.pages[x.URL] = p
	}
	p.captures++
	p.bytes += x.Length
	isRevisit := x.MIME == Revisit
	switch x.Status {
	case "200", "203", "304":
		if x.Status == "304" && !isRevisit {
			return nil // its original is not here
		}
		p.seen, p.left, p.shared = x.Time, false, nil
		if !isRevisit {
			p.kind = x.MIME
		} else if x.isShared() {
			p.shared = x
		}
	default:
		if isRevisit && x.Status == "" {
			p.seen, p.left = x.Time, false
			return nil
		}
		p.left = true
	}
	if p.oldest.IsZero() || x.Time.Before(p.oldest) {
		p.oldest = x.Time
	}
	if x.Time.After(p.newest) {
		p.newest = x.Time
	}
	return nil
}

// flush counts the pages of a key. A page that shares its body with another address has the type
// of the record with the body.
func (c *count) flush() error {
	for url, p := range c.pages {
		if p.shared != nil {
			kind, err := c.reader.sharedType(p.shared)
			if err != nil {
				return err
			}
			p.kind = cmp.Or(kind, p.kind)
		}
		if IsShown(url, p.kind) {
			c.Requisites.Captures += p.captures
			c.Requisites.Bytes += p.bytes
			if !p.seen.IsZero() {
				c.Requisites.Kept++
			}
			continue
		}
		c.Captures += p.captures
		if c.Oldest.IsZero() || !p.oldest.IsZero() && p.oldest.Before(c.Oldest) {
			c.Oldest = p.oldest
		}
		if p.newest.After(c.Newest) {
			c.Newest = p.newest
		}
		if p.seen.IsZero() {
			continue
		}
		c.Pages++
		if p.left {
			c.Left++
		}
		if f := c.failed[url]; f != nil {
			f.Kept = true
		}
		kind := c.kinds[p.kind]
		if kind == nil {
			kind = &HeldByKind{Type: p.kind}
			c.kinds[p.kind] = kind
		}
		kind.Pages++
		kind.Bytes += p.bytes
		i := slices.IndexFunc(ages, func(days int) bool {
			return c.now.Sub(p.seen) <= time.Duration(days)*24*time.Hour
		})
		if i < 0 {
			i = len(ages)
		}
		c.Ages[i].Pages++
	}
	c.pages = nil
	return nil
}
