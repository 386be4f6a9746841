package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// errNoCorpus is the error of a search without a corpus.
var errNoCorpus = errors.New("there is no corpus to search: --corpus names the one of recrawl " +
	"corpus build")

// mostHits bounds the results of an answer.
const mostHits = 100

// find searches the corpus for a request, which has the form of the page.
func (s *Server) find(ctx context.Context, r *http.Request) (*query.Results, error) {
	if s.o.Corpus == nil {
		return nil, errNoCorpus
	}
	most, err := whole(r, "n", 10, 1, mostHits)
	skip, failed := whole(r, "skip", 0, 0, query.MostResults)
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	settings := query.Settings{In: r.Form["in"], Server: r.FormValue("server"),
		Language: r.FormValue("language"), Changed: r.FormValue("changed"),
		Verified: r.FormValue("verified"), Most: most, Skip: skip}
	q, err := settings.Query(r.FormValue("q"))
	if err != nil {
		return nil, err
	}
	return s.o.Corpus.Search(ctx, q)
}

// searchPage is the content of the page.
type searchPage struct {
	Raw             url.Values
	Hits            []shownHit
	From, To, Found int
	Before, After   string
}

// shownHit is a result, with its snippet cut at the words of the query.
type shownHit struct {
	query.Hit
	Pieces []shownPiece
}

func (s *Server) search(r *http.Request) (*content, error) {
	p := searchPage{Raw: r.URL.Query()}
	c := &content{name: "search", Title: "Search", Data: &p}
	if p.Raw.Get("q") == "" {
		if s.o.Corpus == nil {
			return nil, errNoCorpus
		}
		return c, nil
	}
	found, err := s.find(r.Context(), r)
	if err != nil {
		return nil, err
	}
	skip, _ := whole(r, "skip", 0, 0, query.MostResults) // find has read it
	n, _ := whole(r, "n", 10, 1, mostHits)
	for _, h := range found.Hits {
		p.Hits = append(p.Hits, shownHit{h, marked(h.Snippet, h.Marks)})
	}
	p.From, p.To, p.Found = min(skip+1, found.Total), skip+len(found.Hits), found.Total
	if skip > 0 {
		p.Before = p.at(max(skip-n, 0))
	}
	if p.To < found.Total && p.To+n <= query.MostResults {
		p.After = p.at(p.To)
	}
	c.Finding = fmt.Sprintf("%s of %s pages have it.",
		words.Grouped(int64(found.Total)), words.Grouped(int64(found.Pages)))
	return c, nil
}

// at returns the address of the results after the first skip.
func (p *searchPage) at(skip int) string {
	next := url.Values{}
	for name, values := range p.Raw {
		next[name] = values
	}
	next.Set("skip", strconv.Itoa(skip))
	return "/search?" + next.Encode()
}

// marked cuts a text into marked and other pieces.
func marked(text string, marks [][2]int) (pieces []shownPiece) {
	at := 0
	for _, m := range marks {
		if m[0] < at || m[1] > len(text) {
			continue // of a word that matches several at once
		}
		if m[0] > at {
			pieces = append(pieces, shownPiece{Text: text[at:m[0]]})
		}
		pieces = append(pieces, shownPiece{"mark", text[m[0]:m[1]]})
		at = m[1]
	}
	return append(pieces, shownPiece{Text: text[at:]})
}
