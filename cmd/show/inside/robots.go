package inside

import (
	"fmt"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/robots"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Robots is a robots.txt line by line, as a crawler reads it, with its verdict on one address.
type Robots struct {
	Agent string `json:"agent"` // product token, in small letters
	// Group is the group of rules for the crawler: the token, "*", or "" without a group.
	Group    string       `json:"group"`
	Delay    float64      `json:"delay_s"` // of Crawl-delay; 0: none
	Sitemaps []string     `json:"sitemaps"`
	Lines    []RobotsLine `json:"lines"` // without empty lines
	Unread   int          `json:"unread_octets"`
	URL      string       `json:"url"` // the judged address; "": none
	Allowed  bool         `json:"allowed"`
	Line     int          `json:"line"` // the deciding line; 0: none
}

// RobotsLine is a line that is not empty.
type RobotsLine struct {
	Number int    `json:"line"`
	Text   string `json:"text"`
	Kind   string `json:"kind"`
	Counts bool   `json:"counts"` // for the crawler
}

// ReadRobots reads a robots.txt for the crawler with a product token. target is the path and query
// of url; with an empty url nothing is judged.
func ReadRobots(body []byte, agent, url, target string) *Robots {
	e := robots.Explain(body, agent)
	r := &Robots{Agent: strings.ToLower(agent), Group: e.Group,
		Sitemaps: append([]string{}, e.Rules.Sitemaps()...),
		Lines:    []RobotsLine{}, Unread: e.Unread, URL: url}
	if delay, ok := e.Rules.Delay(); ok {
		r.Delay = delay.Seconds()
	}
	for _, l := range e.Lines {
		if text := strings.TrimSpace(l.Text); text != "" {
			r.Lines = append(r.Lines,
				RobotsLine{Number: l.Number, Text: strings.ToValidUTF8(text, "\ufffd"),
					Kind: string(l.Kind), Counts: l.Counts})
		}
	}
	if url == "" {
		return r
	}
	allowed, by := e.Decide(target)
	if r.Allowed = allowed; by != nil {
		r.Line = by.Number
	}
	return r
}

// Finding says whether the address may be requested, and which line decides.
func (r *Robots) Finding() string {
	group := "No group is for " + r.Agent + ": everything is allowed."
	switch {
	case r.Group == "*":
		group = "The rules for * hold: no group names " + r.Agent + "."
	case r.Group != "":
		group = "The rules for " + r.Agent + " hold, and no others."
	}
	if r.URL == "" {
		return group
	}
	verdict := "may not visit "
	if r.Allowed {
		verdict = "may visit "
	}
	by := ": no line forbids it. "
	if r.Line > 0 {
		by = fmt.Sprintf(": line %d decides. ", r.Line)
	}
	return r.Agent + " " + verdict + r.URL + by + group
}

// Tables returns the lines for people.
func (r *Robots) Tables() []report.Table {
	facts := report.Table{Title: "robots.txt for " + r.Agent}
	if r.Delay > 0 {
		facts.Rows = append(facts.Rows,
			[]string{"pause it asks for",
				words.Duration(time.Duration(r.Delay * float64(time.Second)))})
	}
	for _, address := range r.Sitemaps {
		facts.Rows = append(facts.Rows, []string{"sitemap", address})
	}
	if r.Unread > 0 {
		facts.Note = fmt.Sprintf("%s behind the first %d are not read.",
			words.Plural(r.Unread, "octet"), robots.MaxBytes)
	}
	lines := report.Table{Title: "Lines", Header: []string{"line", "", "text", "is"}}
	for _, l := range r.Lines {
		counts, is := "", l.Kind
		switch {
		case l.Number == r.Line:
			counts = "decides"
		case l.Counts:
			counts = "counts"
		case l.Kind == string(robots.LineBlank):
			is = ""
		}
		lines.Rows = append(lines.Rows, []string{fmt.Sprint(l.Number), counts, l.Text, is})
	}
	if len(facts.Rows) == 0 && facts.Note == "" {
		return []report.Table{lines}
	}
	return []report.Table{facts, lines}
}
