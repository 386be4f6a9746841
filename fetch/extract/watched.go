package extract

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// MostWatched bounds each text of Watched, in octets: what is behind that is not watched.
const MostWatched = 256 << 10

// Watched is what rules leave of a page.
type Watched struct {
	Title     string
	Dated     time.Time // of a document, see Document.Date
	Texts     []string  // by rule of the options, a line for each block of text; valid UTF-8
	Challenge bool      // the page asks whether a person sees it, in place of its matter
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

// Observed is what an observation has of it; nil: nothing was watched.
func (w *Watched) Observed() *sitegraph.Watched {
	if w == nil {
		return nil
	}
	return &sitegraph.Watched{Title: w.Title, Dated: w.Dated, Texts: w.Texts,
		Challenge: w.Challenge}
}

// Plain reads plain text that is watched: its lines, as they are seen. Selectors find nothing in
// it.
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

// seenLines returns each line as it is seen. Its indentation stays: in YAML that has a meaning.
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

// XML reads a document of XML that is watched, such as a feed: the attributes and the text of an
// element are a line, with its name. Selectors find nothing in it.
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

// plainLines returns what a rule leaves of a text that has these lines.
func plainLines(text, lines []byte, r *Rule) []byte {
	switch {
	case r.Watches():
		return nil // its selectors are of HTML
	case r.WatchesJSON():
		return jsonIn(text, r)
	}
	return r.Lines(lines, nil)
}

// jsonIn returns what the paths of a rule choose in JSON that the server calls something else.
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
