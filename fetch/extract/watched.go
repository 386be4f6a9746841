package extract

import (
	"bytes"
	"strings"

	"github.com/recrawl/recrawl/fetch/extract/rules"
	"github.com/recrawl/recrawl/sitegraph"
)

// MostWatched bounds each text of Watched, in octets: what is behind that is not watched.
const MostWatched = 256 << 10

// Watched is what rules leave of a page.
type Watched struct {
	Title     string
	Texts     []string // by rule of the options, a line for each block of text; valid UTF-8
	Challenge bool     // the page asks whether a person sees it, in place of its matter
}

func (s *scanner) watched(page []byte, of []*rules.Rule) *Watched {
	title := s.title.in(s.text)
	w := &Watched{Title: cut(title), Challenge: isChallenge(page, title, s.text)}
	for _, r := range of {
		if r.WatchesJSON() && !r.Watches() {
			w.add(nil) // its paths name nothing here
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
	return &sitegraph.Watched{Title: w.Title, Texts: w.Texts, Challenge: w.Challenge}
}

// IsPlain reports whether a Content-Type is that of plain text that can be watched line by line.
func IsPlain(contentType string) bool {
	switch MediaType(contentType) {
	case "text/plain", "text/markdown", "text/x-markdown", "text/csv", "text/tab-separated-values":
		return true
	}
	return false
}

// Plain reads plain text that is watched: lines as they are. Selectors find nothing in it.
func Plain(body []byte, contentType string, o Options) (p Page) {
	text, name := toUTF8(body, contentType)
	p = o.plainPage(body, bytes.Join(bytes.Fields(text), []byte(" ")))
	p.Charset = name
	for _, r := range o.Watched {
		if r.Watches() || r.WatchesJSON() {
			p.Watched.add(nil)
			continue
		}
		p.Watched.add(r.Lines(text, nil))
	}
	return p
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
