package watch

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/satstore/directory"
)

// feedState is the feed of a rule.
type feedState struct {
	Entries []feedEntry `json:"entries"` // the newest first
	changed bool        // since it was saved
	written bool        // the file of the feed is up to date
}

// feedEntry is a message in a feed.
type feedEntry struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Subject string    `json:"subject"`
	Link    string    `json:"link"`
	Text    string    `json:"text"`
}

const (
	mostEntries   = 50
	mostEntryText = 4000 // octets
)

func feedSetting(rule string) string { return "watch/feed/" + rule }

// feed adds a message to its rule's feed.
func (w *Watch) feed(r *Rule, m *Message) {
	if r.Feed == "" {
		return
	}
	f := w.feeds[r.Name]
	f.Entries = slices.Insert(f.Entries, 0, feedEntry{ID: m.ID, Time: m.Time, Subject: m.Subject,
		Link: m.Groups[0].Items[0].URL, Text: m.Text(mostEntryText)})
	f.Entries = f.Entries[:min(len(f.Entries), mostEntries)]
	f.changed, f.written = true, false
}

func (w *Watch) restoreFeeds() error {
	for _, r := range w.rules {
		if r.Feed == "" {
			continue
		}
		f := new(feedState)
		if err := w.readJSON(feedSetting(r.Name), f); err != nil {
			return err
		}
		w.feeds[r.Name] = f
	}
	return nil
}

func (w *Watch) feedsChanged() bool {
	for _, f := range w.feeds {
		if f.changed {
			return true
		}
	}
	return false
}

func (w *Watch) saveFeeds(save func(name string, value []byte) error) error {
	for rule, f := range w.feeds {
		if !f.changed {
			continue
		}
		value, err := json.Marshal(f)
		if err != nil {
			return err
		}
		if err := save(feedSetting(rule), value); err != nil {
			return err
		}
		f.changed = false
	}
	return nil
}

// writeFeeds writes the files of feeds that are out of date. After an error it tries again at the
// next entry.
func (w *Watch) writeFeeds() {
	for rule, f := range w.feeds {
		if f.written {
			continue
		}
		f.written = true
		r := w.rule(rule)
		if err := directory.WriteAtomically(r.Feed, func(out io.Writer) error {
			return w.Feed(rule, out)
		}); err != nil {
			w.o.Warn(fmt.Sprintf("rule %s: feed: %v", rule, err))
		}
	}
}

// atomFeed and atomEntry are the elements of RFC 4287, 4.1.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Content atomText `xml:"content"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// Atom is a feed of changes that people read.
type Atom struct {
	ID, Title, Author string
	Related           string // URL of its subject
	Entries           []AtomEntry
}

// AtomEntry is a change in a feed.
type AtomEntry struct {
	ID, Title, Link, Text string
	Time                  time.Time
}

// Write writes the feed in the form of RFC 4287. Its time of update is that of its first entry.
func (f *Atom) Write(out io.Writer) error {
	updated := time.Unix(0, 0)
	if len(f.Entries) > 0 {
		updated = f.Entries[0].Time
	}
	a := atomFeed{
		ID: f.ID, Title: f.Title, Updated: updated.UTC().Format(time.RFC3339),
		Author: f.Author, Links: []atomLink{{"related", f.Related}},
	}
	for _, e := range f.Entries {
		a.Entries = append(a.Entries, atomEntry{
			ID: e.ID, Title: e.Title, Updated: e.Time.UTC().Format(time.RFC3339),
			Link: atomLink{"alternate", e.Link}, Content: atomText{"text", e.Text},
		})
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", " ")
	if err := encoder.Encode(&a); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

// Feed writes the Atom feed of a rule.
func (w *Watch) Feed(rule string, out io.Writer) error {
	r, f := w.rule(rule), w.feeds[rule]
	if r == nil || f == nil {
		return fmt.Errorf("rule %q has no feed", rule)
	}
	a := Atom{ID: "urn:recrawl:" + w.state.Store + ":" + nid(rule), Title: "Changes: " + rule,
		Author: "recrawl watch", Related: r.Start()}
	for _, e := range f.Entries {
		a.Entries = append(a.Entries, AtomEntry{ID: "urn:recrawl:" + e.ID, Title: e.Subject,
			Link: e.Link, Text: e.Text, Time: e.Time})
	}
	return a.Write(out)
}

// nid returns a name as a part of a URN (RFC 8141 2).
func nid(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
