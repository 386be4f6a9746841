package main

import (
	"context"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
)

// corpusAt crawls recorded servers as they stood at the base, for a command.
func (p *program) corpusAt(ctx context.Context, command string, servers []*history.Server, base int, o eval.Options) (*eval.Corpus, error) {
	o.Base, o.Change = time.Duration(base)*week, p.config.changeBy()
	corpus, err := eval.NewCorpus(ctx, servers, o)
	switch {
	case err == nil || ctx.Err() != nil:
		return corpus, err
	case len(servers) == 1:
		if better := eval.CheckEntry(servers[0], base); better != nil {
			return nil, better
		}
	}
	return nil, usageError{err, "a history must have its top page, and hold it at the base; recrawl " + command + " --help explains the base"}
}

// noLinks refuses histories of which none tells which page links to which.
func noLinks(base int) error {
	return usageError{fmt.Errorf("%w, week %d", eval.ErrNoLinks, base),
		`pages are those within 11 links of the start page: take histories whose lines have "links", or another --base`}
}

// evalCorpus says on standard error which servers tell less than the others, and refuses those of
// which all tell too little.
func (p *program) evalCorpus(ctx context.Context, servers []*history.Server) (*eval.Corpus, error) {
	c := &p.config.Eval
	corpus, err := p.corpusAt(ctx, "eval", servers, c.Base, eval.Options{History: c.History})
	if err != nil {
		return nil, err
	}
	doubts, err := corpus.Doubts()
	if err != nil {
		return nil, noLinks(c.Base)
	}
	p.warn(append(doubts, c.unfit)...)
	return corpus, nil
}
