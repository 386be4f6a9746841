package captures

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// entry is the entry of a URL in a dump of a crawl database (org.apache.nutch.crawl.CrawlDatum).
type entry struct {
	url       string
	line      int64
	status    int
	due       time.Time // next fetch of a page that was fetched
	modified  time.Time // first fetch of its content; zero: not known
	interval  time.Duration
	signature string
}

// Status codes of the database.
const (
	nutchUnfetched   = 1
	nutchFetched     = 2
	nutchGone        = 3
	nutchMovedNow    = 4
	nutchMoved       = 5
	nutchNotModified = 6
	nutchDuplicate   = 7
)

// nutch reads the output of readdb -dump.
func (r *reader) nutch(ctx context.Context, in *Input) error {
	var e entry
	err := r.lines(ctx, in, func(n int64, line []byte) error {
		if url, version, ok := bytes.Cut(line, []byte("\t")); ok && nutchLine.Match(line) &&
			len(version) > 0 {
			err := r.entry(&e)
			e = entry{url: string(url), line: n}
			return err
		}
		if e.line == 0 {
			r.file.bad(n, "no address stands before it: want one, a tab and Version:", line)
			return nil
		}
		if err := e.field(line); err != nil {
			r.file.bad(n, err.Error(), line)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.entry(&e)
}

var retry = regexp.MustCompile(`^(\d+) seconds`)

// field reads a line of an entry. It ignores unknown fields.
func (e *entry) field(line []byte) (err error) {
	name, value, ok := strings.Cut(string(line), ": ")
	if !ok || line[0] == ' ' || line[0] == '\t' { // metadata
		return nil
	}
	value = strings.TrimSpace(value)
	switch name {
	case "Status":
		number, _, _ := strings.Cut(value, " ")
		if e.status, err = strconv.Atoi(number); err != nil {
			err = fmt.Errorf("the status is %.20q; want a number", number)
		}
	case "Fetch time":
		e.due, err = nutchTime(value)
	case "Modified time":
		e.modified, err = nutchTime(value)
		if e.modified.Unix() <= 0 {
			e.modified = time.Time{}
		}
	case "Retry interval":
		m := retry.FindStringSubmatch(value)
		if m == nil {
			return fmt.Errorf("the interval is %.20q; want a number of seconds", value)
		}
		seconds, bad := strconv.ParseInt(m[1], 10, 32)
		if e.interval = time.Duration(seconds) * time.Second; bad != nil {
			err = fmt.Errorf("the interval is %.20q; want fewer seconds", value)
		}
	case "Signature":
		if value != "null" {
			e.signature = value
		}
	}
	return err
}

// nutchTime reads a time printed by Java. A time zone without an offset in its name counts as UTC.
func nutchTime(text string) (time.Time, error) {
	t, err := time.Parse("Mon Jan _2 15:04:05 MST 2006", text)
	if err != nil {
		return t, fmt.Errorf("the time is %.40q; want one like Sat Jan 31 12:00:00 UTC 2026", text)
	}
	return t.UTC(), nil
}

// entry passes on the evidence of an entry: the last fetch, and the first one with the same
// content.
func (r *reader) entry(e *entry) error {
	if e.line == 0 {
		return nil
	}
	url, err := sitegraph.Canonical(e.url)
	switch {
	case err != nil:
		r.file.bad(e.line, "no whole web address", []byte(e.url))
		return nil
	case !extract.IsPage(url):
		r.file.NoPages++
		return nil
	}
	last := e.due.Add(-e.interval)
	c := Capture{URL: url}
	switch e.status {
	case nutchFetched, nutchNotModified:
		if c.Kind, c.Payload = KindFetched,
			sitegraph.PayloadDigest("nutch", e.signature); c.Payload.IsZero() {
			return r.listed(url, 0)
		}
		if first := e.modified; !first.IsZero() && first.Before(last) {
			before := c
			if err := r.capture(&before, first); err != nil {
				return err
			}
		}
	case nutchGone:
		c.Kind = KindGone
	case nutchMoved, nutchMovedNow:
		c.Kind = KindMoved
	case nutchUnfetched, nutchDuplicate:
		return r.listed(url, 0)
	default:
		r.file.NoNews++
		return nil
	}
	if e.due.IsZero() || e.interval <= 0 {
		r.file.bad(e.line, "it has no time of its fetch: want Fetch time and Retry "+
			"interval", []byte(e.url))
		return nil
	}
	return r.capture(&c, last)
}
