package filter

import (
	"context"
	"strings"
)

const (
	// MostText limits the text of a page, in octets: about 20 pages of a book.
	MostText = 64 << 10
	// MostLinks limits its links.
	MostLinks = 10_000
)

// Page is the input of filters. Commands get it as a line of JSON.
type Page struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	// Text is the main text, or all visible text if that is short, with a blank between words.
	Text            string   `json:"text"`
	Language        string   `json:"lang"`             // <html lang>, or ""
	ContentLanguage string   `json:"content_language"` // the header field, or ""
	Links           []string `json:"links"`            // canonical URLs, each once
}

// Verdict is the answer of a filter. Commands write it as a line of JSON.
type Verdict struct {
	Reject bool    `json:"reject"`
	Score  float64 `json:"score"` // in the scale of the filter
	Why    string  `json:"why"`   // for people
}

// Filter judges pages. It may be called concurrently. An error means that it could not judge.
type Filter interface {
	Judge(ctx context.Context, p *Page) (Verdict, error)
}

// named is a filter of a set.
type named struct {
	Filter
	name, kind string
	prefix     string // of the URLs that it judges
	follow     bool   // follow links of rejected pages
}

// Ruling is the result of a set.
type Ruling struct {
	Filter string // the filter that rejects; "": none
	Why    string
	Follow bool // its links are still followed
	Unsure bool // a filter could not judge
}

// Judgement is the result of one filter of a set.
type Judgement struct {
	Filter string `json:"filter"`
	Kind   string `json:"kind"`
	Verdict
	Error string `json:"error"` // why it could not judge; "": it did
}

// Judge asks the filters in order until one rejects the page. The error is that of ctx. A nil set
// rejects nothing.
func (s *Set) Judge(ctx context.Context, p *Page) (r Ruling, err error) {
	err = s.each(ctx, p, func(n *named, v Verdict, failed error) bool {
		if failed != nil {
			r.Unsure = true
			s.reportFailure(n, failed)
		} else if v.Reject {
			r.Filter, r.Why, r.Follow = n.name, v.Why, n.follow
		}
		return r.Filter == ""
	})
	return r, err
}

// All asks all filters. The error is that of ctx.
func (s *Set) All(ctx context.Context, p *Page) (all []Judgement, err error) {
	all = []Judgement{}
	err = s.each(ctx, p, func(n *named, v Verdict, failed error) bool {
		j := Judgement{Filter: n.name, Kind: n.kind, Verdict: v}
		if failed != nil {
			j.Error = failed.Error()
		}
		all = append(all, j)
		return true
	})
	return all, err
}

// each asks the filters for a page, as long as yield returns true.
func (s *Set) each(ctx context.Context, p *Page, yield func(*named, Verdict, error) bool) error {
	if s == nil {
		return nil
	}
	for i := range s.filters {
		n := &s.filters[i]
		if !strings.HasPrefix(p.URL, n.prefix) {
			continue
		}
		v, err := n.Judge(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v.Why = printable(v.Why)
		if !yield(n, v, err) {
			return nil
		}
	}
	return nil
}

// mostWhy limits a reason, in octets.
const mostWhy = 300

// printable returns foreign text on one line.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	if len(text) > mostWhy {
		text = text[:mostWhy] + "..."
	}
	return strings.ToValidUTF8(text, "")
}
