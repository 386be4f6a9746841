package watch

import (
	"fmt"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// Message is a batch that is sent. Webhooks and commands get its JSON.
type Message struct {
	ID      string    `json:"id"` // the same at each delivery
	Time    time.Time `json:"time"`
	Rule    string    `json:"rule"`
	Site    string    `json:"site"`
	Subject string    `json:"subject"`
	Groups  []*Group  `json:"groups"`
	Lost    int       `json:"lost,omitempty"`   // events without room
	Sample  bool      `json:"sample,omitempty"` // a test of a target, without an event
}

// Group holds events of one kind. With Same they have the same difference or reason.
type Group struct {
	Kind       string      `json:"kind"`
	Pages      int         `json:"pages"`
	Same       bool        `json:"same,omitempty"`
	Words      string      `json:"words"` // description of the event
	Detail     string      `json:"detail,omitempty"`
	Difference *Difference `json:"difference,omitempty"`
	Items      []Item      `json:"items"` // 200 at most

	dirs string // common directory of all pages
}

// Item is a page of a group.
type Item struct {
	URL        string      `json:"url"`
	Title      string      `json:"title,omitempty"`
	Dated      time.Time   `json:"dated,omitzero"` // date in the document itself
	Time       time.Time   `json:"time"`
	Before     time.Time   `json:"before,omitzero"`
	Detail     string      `json:"detail,omitempty"`
	Difference *Difference `json:"difference,omitempty"` // of the first 20
}

const (
	mostGroups      = 50
	mostItems       = 200  // named pages of a group
	mostNames       = 1000 // and of a message
	mostDifferences = 20
	// mostNamed is the number of pages with one difference that the text of a message names.
	mostNamed = 10
)

// message makes a message of a batch.
func (w *Watch) message(key batchKey, events []*Event, now time.Time) *Message {
	s := w.stateOf(key.rule)
	groups, lost := groupsOf(events)
	m := &Message{
		ID:     fmt.Sprintf("msg_%s_%d", w.state.Store, w.state.Next),
		Time:   now.UTC(),
		Rule:   key.rule,
		Site:   key.site,
		Groups: groups,
		Lost:   s.Lost + lost,
	}
	w.state.Next++
	s.Lost = 0
	m.complete()
	return m
}

// complete writes the descriptions of groups, and the subject.
func (m *Message) complete() {
	var parts []string
	for _, g := range m.Groups {
		g.Words = g.words()
		parts = append(parts, g.Words)
	}
	m.Subject = m.Site + ": " + words.Shorten(parts, 3, ", ")
	if g := m.Groups[0]; len(m.Groups) == 1 && g.Pages == 1 && g.Kind != KindMissing {
		verb := map[string]string{KindGone: "is gone", KindBack: "is back", KindNew: "is new",
			KindAppears:    "has the text",
			KindDisappears: "has lost the text", KindFailing: "cannot be visited",
			KindWorking:  "can be visited again",
			KindNotFound: "has nothing of what is watched",
			KindFound:    "has what is watched"}[g.Kind]
		if verb == "" {
			verb = g.Kind
		}
		name := g.Items[0].Title
		if name == "" {
			name = g.Items[0].URL
		}
		m.Subject = fmt.Sprintf("%s %s", clip(name, 100), verb)
	}
}

// SampleMessage returns a message that tests a target.
func SampleMessage(now time.Time) *Message {
	d := differenceOf("The price of the sample is ten euros, and it is in stock.",
		"The price of the sample is twelve euros, and it is in stock.")
	m := &Message{
		ID: "msg_sample_" + fmt.Sprint(now.UnixNano()), Time: now.UTC(), Rule: "sample",
		Site: "example.org", Sample: true,
		Groups: []*Group{{Kind: KindChanged, Pages: 1,
			Items: []Item{{URL: "https://example.org/sample", Title: "A sample of recrawl watch",
				Time: now.UTC(), Before: now.Add(-time.Hour).UTC(), Difference: &d}}}},
	}
	m.complete()
	return m
}

// Text returns the message for people, in at most most octets.
func (m *Message) Text(most int) string {
	const end = "\n... (there is more)\n"
	var b strings.Builder
	for _, g := range m.Groups {
		if len(m.Groups) > 1 || g.Pages > 1 {
			fmt.Fprintf(&b, "%s\n", g.Words)
		}
		if g.Same {
			if g.Detail != "" {
				fmt.Fprintf(&b, "%s\n", g.Detail)
			}
			g.Difference.write(&b)
		}
		for i, item := range g.Items {
			if g.Same && i == mostNamed {
				break
			}
			item.write(&b, g)
			if b.Len() > most {
				return beginning(b.String(), most-len(end)) + end
			}
		}
		if named := min(len(g.Items), mostNamed); g.Same && g.Pages > named {
			fmt.Fprintf(&b, "... and %s more\n", words.Plural(g.Pages-named, "page"))
		} else if !g.Same && g.Pages > len(g.Items) {
			fmt.Fprintf(&b, "... and %s more\n", words.Plural(g.Pages-len(g.Items), "page"))
		}
		b.WriteByte('\n')
	}
	if m.Lost > 0 {
		fmt.Fprintf(&b, "%s more had no room and are not named\n", words.Plural(m.Lost, "event"))
	}
	fmt.Fprintf(&b, "rule %s\n", m.Rule)
	if b.Len() > most {
		return beginning(b.String(), most-len(end)) + end
	}
	return b.String()
}

func (item *Item) write(b *strings.Builder, g *Group) {
	if item.Title != "" {
		fmt.Fprintf(b, "%s\n", item.Title)
	}
	fmt.Fprintf(b, "%s\n", item.URL)
	if !g.Same {
		when := "seen at " + words.UTC(item.Time)
		if !item.Before.IsZero() &&
			(g.Kind == KindChanged || g.Kind == KindAppears || g.Kind == KindDisappears) {
			when = fmt.Sprintf("between %s and %s", words.UTC(item.Before), words.UTC(item.Time))
		}
		fmt.Fprintf(b, "%s\n", when)
		if !item.Dated.IsZero() {
			fmt.Fprintf(b, "dated %s\n", words.UTC(item.Dated))
		}
		if item.Detail != "" {
			fmt.Fprintf(b, "%s\n", item.Detail)
		}
		item.Difference.write(b)
	}
}

// write writes the difference, if there is one.
func (d *Difference) write(b *strings.Builder) {
	if d == nil {
		return
	}
	fmt.Fprintf(b, "%s removed, %d added:\n%s\n", words.Plural(d.Removed, "word"), d.Added,
		d.Text())
	if d.More > 0 {
		fmt.Fprintf(b, "... and %s more\n", words.Plural(d.More, "word"))
	}
}
