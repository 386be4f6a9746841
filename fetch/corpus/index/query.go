package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/fetch/corpus/query"
)

// mostWords limits the words of a query.
const mostWords = 32

// Fields are the searched parts of a page: its title, its main text, and the texts of links to it.
var Fields = []string{fields[titleField].name, fields[bodyField].name, fields[anchorField].name}

// scope is the set of fields to search.
type scope [len(fields)]bool

func scopeOf(q *query.Query) (in scope, err error) {
	for f := range in {
		in[f] = len(q.In) == 0 || slices.Contains(q.In, fields[f].name)
	}
	for _, name := range q.In {
		if !slices.Contains(Fields, name) {
			return in, &query.Error{Err: fmt.Errorf("%.40q is no part of a page: want some of %s",
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

// parse reads the words of a query. Words that the dictionary separates within one part need not be
// adjacent.
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
