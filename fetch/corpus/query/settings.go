// Package query is what is asked of a corpus, and what is found: the index answers, in this process
// or in another one, which hands both on as JSON.
package query

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Settings are those of a search that the user makes.
type Settings struct {
	In       []string `names:"title, body, anchor" help:"look for words in these parts of a page alone: title, body, anchor (the texts of links to it); none: in all"`
	Server   string   `help:"only pages of this server, e.g. www.example.org"`
	Language string   `help:"only pages in this language, e.g. ja"`
	Changed  string   `help:"only pages whose content is of this day or later, e.g. 2026-01-31"`
	Verified string   `help:"only pages that were seen on this day or later, e.g. 2026-01-31"`
	Most     int      `default:"10" range:"[1,1000]" help:"results to show"`
	Skip     int      `range:"[0,1000]" help:"results to leave out before them"`
}

// Error is the error of a query that cannot be asked.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Hint says what a query looks like.
func (e *Error) Hint() string {
	return `for example: recrawl search --corpus corpus 'river "spring flood" -boat'`
}

const day = "2006-01-02"

// Query is what the settings and words ask for. Its error is an Error.
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

// Query is what is asked for.
type Query struct {
	// Words must all be in a page: in its title, main text or the texts of links to it. Those
	// between quotation marks stand one after the other in one of these; with "-" before them none
	// has them.
	Words    string
	In       []string  // title, body, anchor: where words are looked for; none: in all
	Server   string    // that the page is of; "": any
	Language string    // of the page, as ja; "": any
	Changed  time.Time // the content was first seen then or later; zero: whenever
	Verified time.Time // the page was last seen then or later
	Most     int       // results; 0: 10
	Skip     int       // results before them
}

const (
	// UsualResults are those of a query that does not say how many.
	UsualResults = 10
	// MostResults bounds results, with those that are skipped.
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
	Changed  time.Time `json:"changed"`  // its content was first seen
	Verified time.Time `json:"verified"` // and last
	Score    float64   `json:"score"`
}

// Results are what a search found.
type Results struct {
	Query   string     `json:"query"`
	Set     int        `json:"set"`
	Pages   int        `json:"pages"` // that are searched
	Total   int        `json:"total"` // that have all words
	Terms   []TermHits `json:"terms"`
	Hits    []Hit      `json:"hits"`
	Seconds float64    `json:"seconds"`
}

// TermHits is how many pages have a word.
type TermHits struct {
	Term  string `json:"term"`
	Pages int    `json:"pages"`
}

// ErrNoWords says that nothing can be searched for.
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
