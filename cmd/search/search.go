// Package search has the commands corpus and search of the program recrawl-search, which need a
// search engine and a dictionary. The program also answers the searches of a dashboard, which asks
// over a pipe.
package search

import (
	"context"
	"os"
	"strings"

	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/fetch/corpus/index"
	"github.com/recrawl/recrawl/fetch/corpus/query"
)

// Part is the part of recrawl-search.
var Part = &core.Part{Name: "search",
	Works: core.Works{
		"search": search, "corpus-build": buildCorpus, "corpus-show": showCorpus,
		"corpus-check": checkCorpus, "corpus-remove": removeCorpus, "corpus-weigh": weighCorpus,
	},
	Searcher: func(dir string) (query.Searcher, error) { return index.OpenSearcher(dir) },
	Processes: map[string]func([]string) error{query.Argument: func(args []string) error {
		return query.Answer(os.Stdin, os.Stdout, func() (query.Searcher, error) {
			return index.OpenSearcher(strings.Join(args, " "))
		})
	}},
}

func search(ctx context.Context, p *core.Program, args []string) (err error) {
	if p.Config().Corpus == "" {
		return errNoCorpus
	}
	q, err := p.Config().Search.Query(strings.Join(args, " "))
	if err != nil {
		return err
	}
	s, err := index.OpenSearcher(p.Config().Corpus)
	if err != nil {
		return err
	}
	defer core.Closing(s, &err)
	r, err := s.Search(ctx, q)
	if err != nil {
		return err
	}
	return p.PrintText(r)
}
