package filter

import (
	"context"
	"strings"
)

const (
	// MostText bounds the text of a page, in octets: about 20 pages of a book.
	MostText = 64 << 10
	// MostLinks bounds its links.
	MostLinks = 10_000
)

// Page is what filters are told of a page. As JSON it is the line that commands get.
type Page struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	// Text is the main text, or all visible text where there is little of that, with a blank
	// between words.
	Text            string   `json:"text"`
	Language        string   `json:"lang"`             // <html lang>; "": there is none
	ContentLanguage string   `json:"content_language"` // the header field; "": there is none
	Links           []string `json:"links"`            // canonical addresses, each once
}

// Verdict is what a filter says of a page. As JSON it is the line that commands answer.
type Verdict struct {
	Reject bool    `json:"reject"`
	Score  float64 `json:"score"` // its scale is the filter's own
	Why    string  `json:"why"`   // for people
}

// Filter judges pages. It may be called by many goroutines. An error says that it could not judge.
type Filter interface {
	Judge(ctx context.Context, p *Page) (Verdict, error)
}

// named is a filter of a set.
type named struct {
	Filter
	name, kind string
	prefix     string // of the addresses that it judges
	follow     bool   // links of pages that it rejects
}

// Ruling is what a set says of a page.
type Ruling struct {
	Filter string // that rejects it; "": none does
	Why    string
	Follow bool // its links are followed all the same
	Unsure bool // a filter could not judge
}

// Judgement is what a filter of a set says of a page.
type Judgement struct {
	Filter string `json:"filter"`
	Kind   string `json:"kind"`
	Verdict
	Error string `json:"error"` // why it could not judge; "": it could
}

// Judge asks the filters in their order, until one rejects the page. The error is that of ctx. A
// nil set rejects nothing.
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

// each asks the filters that a page is judged by, as long as yield returns true.
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

// mostWhy bounds what is said of a page, in octets.
const mostWhy = 300

// printable is a text of others on one line.
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
