package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/failure"
	"github.com/recrawl/recrawl/fetch/corpus/index"
)

func (p *program) searchCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use: "search --corpus DIRECTORY WORD...",
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return failure.Usage(errors.New("no word to search for is given"),
					"recrawl search --corpus DIRECTORY WORD...")
			}
			return nil
		},
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
