package inside

import (
	"errors"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/feeds"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Listing is the content of a feed, a sitemap or an index of sitemaps.
type Listing struct {
	URL     string   `json:"url"`  // the base of its addresses
	Kind    string   `json:"kind"` // feed, sitemap or index
	Octets  int      `json:"octets"`
	Missing string   `json:"missing"` // why a part is missing; "": nothing is
	Entries []Entry  `json:"entries"`
	Hubs    []string `json:"hubs"`  // where changes of a feed can be subscribed to
	Topic   string   `json:"topic"` // the feed's name there
}

// Entry is the entry of one page, or of one sitemap.
type Entry struct {
	URL      string     `json:"url"`
	Modified *time.Time `json:"modified"` // null: not stated
	Every    float64    `json:"every_s"`  // time between changes; 0: not stated
}

// ReadListing reads the body of the source at url. It fails if the body is no source.
func ReadListing(body []byte, contentType, url string) (*Listing, error) {
	read, err := feeds.Read(body, contentType, url)
	if errors.Is(err, feeds.ErrNone) {
		return nil, fmt.Errorf("%s is %w", url, err)
	}
	l := &Listing{URL: url, Kind: read.Kind.String(), Octets: len(body),
		Entries: make([]Entry, len(read.Claims)),
		Hubs:    append([]string{}, read.Hubs...), Topic: read.Topic}
	if err != nil {
		l.Missing = err.Error()
	}
	for i, claim := range read.Claims {
		l.Entries[i] = Entry{URL: claim.URL, Every: claim.Every.Seconds()}
		if at := claim.Modified; !at.IsZero() {
			l.Entries[i].Modified = &at
		}
	}
	return l, nil
}

// Finding names its kind, and how much of it was read.
func (l *Listing) Finding() string {
	dated := 0
	for _, e := range l.Entries {
		if e.Modified != nil {
			dated++
		}
	}
	names, of := "It is a "+l.Kind, "page"
	if l.Kind == "index" {
		names, of = "It is an index of sitemaps", "sitemap"
	}
	said := fmt.Sprintf("%s that names %s of its own server, %d with a date.",
		names, words.Plural(len(l.Entries), of), dated)
	if len(l.Entries) == 0 {
		said += " Those of other servers do not count, and " + l.URL + " is its address."
	}
	if l.Missing != "" {
		said += " That is not all: " + l.Missing + "."
	}
	return said
}

// Tables returns the entries for people.
func (l *Listing) Tables() (tables []report.Table) {
	t := report.Table{Title: l.URL, Header: []string{"changed", "every", "address"}}
	for _, e := range l.Entries {
		changed, every := "", ""
		if e.Modified != nil {
			changed = words.UTC(*e.Modified)
		}
		if e.Every > 0 {
			every = words.Span(time.Duration(e.Every * float64(time.Second)))
		}
		t.Rows = append(t.Rows, []string{changed, every, e.URL})
	}
	if len(l.Hubs) > 0 {
		hubs := report.Table{Title: "Hubs"}
		for _, hub := range l.Hubs {
			hubs.Rows = append(hubs.Rows, []string{hub})
		}
		tables = append(tables, hubs)
	}
	return append(tables, t)
}
