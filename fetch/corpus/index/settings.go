package index

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Settings are those of a search that the user makes.
type Settings struct {
	In       []string `names:"title, body, anchor" help:"look for words in these parts of a page alone: title, body, anchor (the texts of links to it); none: in all"`
	Server   string   `help:"only pages of this server, as www.example.org"`
	Language string   `help:"only pages in this language, as ja"`
	Changed  string   `help:"only pages whose content is of this day or later, as 2026-01-31"`
	Verified string   `help:"only pages that were seen on this day or later, as 2026-01-31"`
	Most     int      `default:"10" range:"[1,1000]" help:"results to show"`
	Skip     int      `range:"[0,1000]" help:"results to leave out before them"`
}

// QueryError is the error of a query that cannot be asked.
type QueryError struct{ error }

func (e *QueryError) Unwrap() error { return e.error }

// Hint says what a query looks like.
func (e *QueryError) Hint() string {
	return `for example: recrawl search --corpus corpus 'river "spring flood" -boat'`
}

const day = "2006-01-02"

// Query is what the settings and words ask for. Its error is a QueryError.
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
			return nil, &QueryError{fmt.Errorf("%s: %.40q is no day: want one as 2026-01-31",
				date.name, date.text)}
		}
		*date.into = at
	}
	return q, nil
}

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
