package index

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// mostWords bounds the words of a query.
const mostWords = 32

// Query is what is asked for.
type Query struct {
	// Words must all be in a page: in its title, main text or the texts of links to it. Those
	// between quotation marks stand one after the other in one of these; with "-" before them none
	// has them.
	Words    string
	In       []string  // of Fields, where words are looked for; none: in all
	Server   string    // that the page is of; "": any
	Language string    // of the page, as ja; "": any
	Changed  time.Time // the content was first seen then or later; zero: whenever
	Verified time.Time // the page was last seen then or later
	Most     int       // results; 0: 10
	Skip     int       // results before them
}

const (
	usualResults = 10
	// MostResults bounds results, with those that are skipped.
	MostResults = 1000
)

// Fields are the parts of a page that are searched: its title, its main text, and the texts of
// links to it.
var Fields = []string{fields[titleField].name, fields[bodyField].name, fields[anchorField].name}

// scope says in which fields words are looked for.
type scope [len(fields)]bool

func (q *Query) scope() (in scope, err error) {
	for f := range in {
		in[f] = len(q.In) == 0 || slices.Contains(q.In, fields[f].name)
	}
	for _, name := range q.In {
		if !slices.Contains(Fields, name) {
			return in, &QueryError{fmt.Errorf("%.40q is no part of a page: want some of %s",
				name, strings.Join(Fields, ", "))}
		}
	}
	return in, nil
}

// clause is a part of a query.
type clause struct {
	terms  []string
	phrase bool
	not    bool
}

// parse reads the words of a query. Words of one part that the dictionary divides need not stand
// together.
func parse(text string) (clauses []clause) {
	words := 0
	add := func(part string, phrase, not bool) {
		c := clause{phrase: phrase, not: not}
		for _, w := range Words(part) {
			if words++; words > mostWords {
				break
			}
			c.terms = append(c.terms, w.Term)
		}
		if len(c.terms) > 0 {
			c.phrase = c.phrase && len(c.terms) > 1
			clauses = append(clauses, c)
		}
	}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		rest, not := strings.CutPrefix(text, "-")
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			part, behind, _ := strings.Cut(quoted, `"`)
			add(part, true, not)
			text = behind
			continue
		}
		end := strings.IndexAny(rest, " \t\r\n\"\u3000")
		if end < 0 {
			end = len(rest)
		}
		add(rest[:end], false, not)
		text = strings.TrimPrefix(rest[end:], "\u3000")
	}
	return clauses
}
