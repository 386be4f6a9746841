// Package query has the queries to a corpus, and their results. The index answers, in this process
// or through a pipe in JSON.
package query

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Settings are the user's settings of a search.
type Settings struct {
	In       []string `names:"title, body, anchor" help:"look for words in these parts of a page alone: title, body, anchor (the texts of links to it); none: in all"`
	Server   string   `help:"only pages of this server, e.g. www.example.org"`
	Language string   `help:"only pages in this language, e.g. ja"`
	Changed  string   `help:"only pages whose content is of this day or later, e.g. 2026-01-31"`
	Verified string   `help:"only pages that were seen on this day or later, e.g. 2026-01-31"`
	Most     int      `default:"10" range:"[1,1000]" help:"results to show"`
	Skip     int      `range:"[0,1000]" help:"results to leave out before them"`
}

// Error is the error of an invalid query.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Hint shows a valid query.
func (e *Error) Hint() string {
	return `for example: recrawl search --corpus corpus 'river "spring flood" -boat'`
}

const day = "2006-01-02"

// Query returns the query for settings and words. Its error is an Error.
func (s *Settings) Query(words string) (*Query, error) {
	q := &Query{Words: words, In: s.In, Server: strings.ToLower(s.Server),
		Language: strings.ToLower(s.Language), Most: s.Most, Skip: s.Skip}
	for _, date := range []struct {
		name, text string
		into       *time.Time
	}{{"changed", s.Changed, &q.Changed}, {"verified", s.Verified, &q.Verified}} {
		if date.text == "" {
			continue
		}
		at, err := time.Parse(day, date.text)
		if err != nil {
			return nil, &Error{fmt.Errorf("%s: %.40q is not a day: want one like 2026-01-31",
				date.name, date.text)}
		}
		*date.into = at
	}
	return q, nil
}

// Query is a search.
type Query struct {
	// Words must all be in a page: in its title, main text or the texts of links to it. Words in
	// quotation marks must be adjacent in one of these. No result has the words after "-".
	Words    string
	In       []string  // fields to search: title, body, anchor; none: all
	Server   string    // server of the page; "": any
	Language string    // of the page, for example ja; "": any
	Changed  time.Time // the content was first seen at this time or later; zero: any
	Verified time.Time // the page was last seen at this time or later
	Most     int       // results; 0: 10
	Skip     int       // results to skip
}

const (
	// UsualResults is the default number of results.
	UsualResults = 10
	// MostResults limits results, including skipped ones.
	MostResults = 1000
)

// Hit is a result.
type Hit struct {
	ID       uint64    `json:"id"`
	URL      string    `json:"url"`
	Title    string    `json:"title"`
	Snippet  string    `json:"snippet"`
	Marks    [][2]int  `json:"marks"` // octets of the snippet that are words of the query
	Language string    `json:"language"`
	Changed  time.Time `json:"changed"`  // content first seen
	Verified time.Time `json:"verified"` // content last seen
	Score    float64   `json:"score"`
}

// Results are the results of a search.
type Results struct {
	Query   string     `json:"query"`
	Set     int        `json:"set"`
	Pages   int        `json:"pages"` // searched pages
	Total   int        `json:"total"` // pages with all words
	Terms   []TermHits `json:"terms"`
	Hits    []Hit      `json:"hits"`
	Seconds float64    `json:"seconds"`
}

// TermHits is the number of pages with a word.
type TermHits struct {
	Term  string `json:"term"`
	Pages int    `json:"pages"`
}

// ErrNoWords is returned for a query without words.
var ErrNoWords error = &Error{errors.New("there is no word to search for")}

// Text prints results for people.
func (r *Results) Text(w io.Writer) error {
	fmt.Fprintf(w, "%d of %d pages, in %.3f s\n", r.Total, r.Pages, r.Seconds)
	for i, h := range r.Hits {
		fmt.Fprintf(w, "\n%d. %s\n   %s\n", i+1, h.Title, h.URL)
		if h.Snippet != "" {
			fmt.Fprintf(w, "   %s\n", h.Snippet)
		}
		fmt.Fprintf(w, "   content of %s, verified %s; identifier %d\n",
			h.Changed.Format(day), h.Verified.Format(day), h.ID)
	}
	return nil
}
