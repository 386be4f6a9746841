package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/fetch/corpus/index"
)

func (p *program) searchCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "search --corpus DIRECTORY WORD...",
		Args: cobra.MinimumNArgs(1),
	}, p.search)
}

func (p *program) search(ctx context.Context, args []string) (err error) {
	if p.config.Corpus == "" {
		return errNoCorpus
	}
	q, err := p.config.Search.Query(strings.Join(args, " "))
	if err != nil {
		return err
	}
	s, err := index.OpenSearcher(p.config.Corpus)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	r, err := s.Search(ctx, q)
	if err != nil {
		return err
	}
	return p.printText(r)
}
