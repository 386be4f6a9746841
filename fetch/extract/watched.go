package extract

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// MostWatched limits each text of Watched, in octets. The rest is not watched.
const MostWatched = 256 << 10

// Watched holds the texts that rules select in a page.
type Watched struct {
	Title     string
	Dated     time.Time // date of a document, see Document.Date
	Texts     []string  // by rule of the options, a line for each block of text; valid UTF-8
	Challenge bool      // the page checks for a human visitor instead of showing its content
}

func (s *scanner) watched(page []byte, of []*Rule) *Watched {
	title := s.title.in(s.text)
	w := &Watched{Title: cut(title), Challenge: isChallenge(page, title, s.text)}
	for _, r := range of {
		if r.WatchesJSON() && !r.Watches() {
			w.add(jsonIn(page, r))
			continue
		}
		w.add(s.counted(page, r, nil))
	}
	return w
}

func (w *Watched) add(text []byte) {
	text = text[:min(len(text), MostWatched)]
	w.Texts = append(w.Texts, strings.ToValidUTF8(strings.TrimSpace(string(text)), ""))
}

// Observed returns the texts for an observation, or nil if nothing was watched.
func (w *Watched) Observed() *sitegraph.Watched {
	if w == nil {
		return nil
	}
	return &sitegraph.Watched{Title: w.Title, Dated: w.Dated, Texts: w.Texts,
		Challenge: w.Challenge}
}

// Plain reads watched plain text, as visible lines. Selectors find nothing in it.
func Plain(body []byte, contentType string, o Options) (p Page) {
	text, name := toUTF8(body, contentType)
	p = o.plainPage(body, appendText(nil, text))
	p.Charset = name
	lines := seenLines(text)
	for _, r := range o.Watched {
		p.Watched.add(plainLines(text, lines, r))
	}
	return p
}

// seenLines returns the visible text of each line. It keeps the indentation, which has a meaning in
// YAML.
func seenLines(text []byte) []byte {
	all := make([]byte, 0, len(text))
	var line []byte
	for whole := range bytes.Lines(text) {
		words := bytes.TrimLeft(whole, " \t")
		all = append(all, whole[:len(whole)-len(words)]...)
		line = appendText(line[:0], words)
		all = append(append(all, bytes.TrimRight(line, " ")...), '\n')
	}
	return all
}

// XML reads a watched XML document, such as a feed. Each element with its name, attributes and text
// is a line. Selectors find nothing in it.
func XML(body []byte, contentType string, o Options) (p Page) {
	text, name := toUTF8(body, contentType)
	title, lines := xmlLines(text)
	p = o.plainPage(body, lines)
	p.Charset = name
	if len(o.Watched) > 0 {
		p.Watched.Title = cut(title)
	}
	for _, r := range o.Watched {
		p.Watched.add(plainLines(text, lines, r))
	}
	return p
}

// plainLines returns the part of a text with these lines that a rule selects.
func plainLines(text, lines []byte, r *Rule) []byte {
	switch {
	case r.Watches():
		return nil // its selectors are for HTML
	case r.WatchesJSON():
		return jsonIn(text, r)
	}
	return r.Lines(lines, nil)
}

// jsonIn returns what the paths of a rule select in JSON that the server gave another type.
func jsonIn(text []byte, r *Rule) []byte {
	if !json.Valid(text) {
		return nil
	}
	return countedJSON(text, r, nil)
}

// plainPage is a page of text that has no markup.
func (o *Options) plainPage(body, words []byte) (p Page) {
	p.Digests.Bytes = sitegraph.DigestOf(body)
	p.Digests.Text = sitegraph.DigestOf(words)
	p.Digests.Main = p.Digests.Text
	if o.Seen {
		p.Seen = &Seen{Text: cut(appendText(nil, words)), ContentLanguage: o.ContentLanguage}
	}
	if len(o.Watched) > 0 {
		p.Watched = &Watched{}
	}
	for _, tag := range o.RobotsTags {
		s := scanner{agent: strings.ToLower(o.Agent)}
		s.directives(tag)
		p.NoIndex = p.NoIndex || s.noIndex
	}
	return p
}
