package corpus

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/sitegraph"
)

// said is the evidence of an answer about its page.
type said int

const (
	saysNothing said = iota
	saysSame         // unchanged
	saysContent      // this content
	saysGone
)

// says returns the evidence of an index line, if documents of these forms count as pages.
func says(c *archive.Capture, documents extract.Forms) said {
	switch c.Status {
	case "200", "203":
		kind := c.MIME
		if kind == archive.Revisit {
			kind = c.Type
		}
		if c.MIME == archive.Revisit && kind == "" || extract.IsHTML(kind) ||
			documents.Has(extract.FormOf(kind, "", nil)) && !extract.IsPartOfPage(kind) {
			return saysContent
		}
		return saysGone
	case "304":
		return saysSame
	case "", "408", "425", "429", "206":
		return saysNothing
	}
	if c.Status[0] == '1' || c.Status[0] == '5' {
		return saysNothing
	}
	return saysGone
}

// link is a link of a page, with its first text there.
type link struct{ To, Text string }

// content is what was read of a capture.
type content struct {
	facts filter.SelectionFacts
	draft *Document // without InLinks
	links []link    // each URL once, ascending
	none  bool      // the capture is no page
}

// mostBody limits the octets of a body that are read: a few coded octets may decode to gigabytes.
const mostBody = 8 << 20

// read reads a capture of a page.
func (o *Options) read(ctx context.Context, url string, p *row) (*content, error) {
	answer, err := o.Archive.Answer(p.Last.line(url))
	if err != nil {
		return nil, err
	}
	contentType := answer.Get("Content-Type")
	isHTML := extract.IsHTML(contentType)
	form := extract.FormOf(contentType, "", nil)
	if !isHTML && (!o.Documents.Has(form) || extract.IsPartOfPage(contentType)) {
		return &content{none: true}, nil
	}
	most := int64(mostBody)
	if form.IsFile() {
		most = archive.MostBody // a part of a file cannot be read
	}
	body, err := answer.Text(most)
	if err != nil && len(body) == 0 {
		return nil, err
	}
	var dated *time.Time
	if !isHTML {
		shown, err := o.Show(ctx, url, contentType, body)
		if err != nil {
			return nil, err
		}
		if shown.Document == nil || shown.Unread != "" {
			return &content{none: true}, nil
		}
		if !shown.Document.Date.IsZero() {
			dated = &shown.Document.Date
		}
		body, contentType = shown.Page, shown.Type
	}
	page := extract.HTML(body, contentType, url, extract.Options{
		RobotsTags: values(answer, "X-Robots-Tag"), LinkLines: values(answer, "Link"), Body: true,
		Missing: true})
	main := page.Body.MainText()
	shown := &filter.Page{URL: url, Title: page.Body.Title.Text, Text: main,
		Language:        page.Body.Language,
		ContentLanguage: answer.Get("Content-Language"), Links: page.Links}
	all := visible(page.Body)
	if len(main) < fewShown {
		shown.Text = all
	}
	shown.Text = strings.ToValidUTF8(shown.Text[:min(len(shown.Text), filter.MostText)], "")
	ruling, err := o.Filters.Judge(ctx, shown)
	if err != nil {
		return nil, err
	}
	c := &content{facts: filter.SelectionFacts{
		URL: url, NoIndex: page.NoIndex || page.NoArchive, Missing: page.Missing,
		Filter: ruling.Filter, Why: ruling.Why,
		Text: len(main), Words: words(main), Digest: sitegraph.DigestOf([]byte(main)).String(),
		SimHash: extract.SimHash([]byte(main)),
		Other:   page.Canonical != "", Language: filter.LanguageOf(shown).Code,
		Blog: filter.IsBlog(url, all, page.Links),
	}}
	pageType := ""
	if c.facts.Blog {
		pageType = "blog"
	}
	c.draft = NewDocument(DocumentSource{URL: url, Charset: page.Charset,
		Language: c.facts.Language, PageType: pageType,
		Time: p.Changed, Dated: dated, Body: page.Body})
	c.links = linksOf(page.Links, page.Body.Anchors)
	return c, nil
}

// fewShown is the least main text for filters, in octets; with less they judge all visible text, as
// in package extract.
const fewShown = 100

// visible returns all text of a page.
func visible(b *extract.Body) string {
	var all strings.Builder
	for i := range b.Passages {
		all.WriteString(b.Passages[i].Text)
		all.WriteByte(' ')
	}
	return all.String()
}

func words(text string) (n int) {
	inside := false
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			n++ // counts like a word
			inside = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !inside {
				n++
			}
			inside = true
		default:
			inside = false
		}
	}
	return n
}

func values(a *archive.Answer, name string) (all []string) {
	for _, f := range a.Header {
		if strings.EqualFold(f.Name, name) {
			all = append(all, f.Value)
		}
	}
	return all
}

// mostLinkText limits the text of a link, in octets.
const mostLinkText = 200

// linksOf gives each link the text of its first anchor.
func linksOf(links []string, anchors []extract.Anchor) []link {
	texts := make(map[string]string, len(links))
	for _, a := range anchors {
		if texts[a.URL] == "" {
			texts[a.URL] = strings.ToValidUTF8(a.Text[:min(len(a.Text), mostLinkText)], "")
		}
	}
	all := make([]link, 0, len(links))
	for _, to := range links {
		all = append(all, link{to, texts[to]})
	}
	slices.SortFunc(all, func(a, b link) int { return strings.Compare(a.To, b.To) })
	return all
}

func encodeLinks(links []link) ([]byte, error) { return json.Marshal(links) }
