package core

import (
	"context"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/papers"
)

// CorpusAt crawls recorded servers as they are at the base, for a command.
func (p *Program) CorpusAt(ctx context.Context, command string, servers []*history.Server, base int,
	o eval.Options) (*eval.Dataset, error) {
	o.Base, o.Change = time.Duration(base)*week, p.config.ChangeBy()
	corpus, err := eval.NewDataset(ctx, servers, o)
	switch {
	case err == nil:
		for _, s := range servers {
			p.Warn(eval.EnteredAt(s, base))
		}
		return corpus, nil
	case ctx.Err() != nil:
		return nil, err
	case len(servers) == 1:
		if better := eval.CheckEntry(servers[0], base); better != nil {
			return nil, better
		}
	}
	return nil, UsageError(err,
		"the top page of a history, if it has one, must exist at the base; "+"recrawl "+command+
			" --help explains the base")
}

// NoLinks refuses histories without any link.
func NoLinks(base int) error {
	return UsageError(fmt.Errorf("%w, week %d", eval.ErrNoLinks, base),
		`pages are those within 11 links of the start page: take histories whose lines have "links", or another --base`)
}

// evalCorpus warns about servers with incomplete histories, and refuses histories that are all
// incomplete.
func (p *Program) evalCorpus(ctx context.Context, servers []*history.Server) (
	*eval.Dataset, error) {
	c := &p.config.Eval
	corpus, err := p.CorpusAt(ctx, "eval", servers, c.Base, eval.Options{History: c.History,
		Programs: p.programs(ctx, false)})
	if err != nil {
		return nil, err
	}
	doubts, err := corpus.Doubts()
	if err != nil {
		return nil, NoLinks(c.Base)
	}
	p.Warn(append(doubts, c.Unfit)...)
	return corpus, nil
}

// figures makes the figures of [LINK] for a corpus.
func (p *Program) figures(ctx context.Context, corpus *eval.Dataset, groups papers.Groups) (
	*papers.Figures, error) {
	c := &p.config
	groupOf, warnings := groups.ByFile(c.Eval.Group, c.Eval.GroupBy, corpus.World.Servers)
	o := papers.FiguresOptions{Weeks: c.Eval.Weeks, Thresholds: c.Eval.Thresholds(),
		GroupOf: groupOf, Seed: c.Seed, Sample: c.Eval.Sample}
	bar := p.Progress("sweeps", o.Sweeps())
	defer bar.End()
	o.Tick = bar.Step
	f, err := papers.NewFigures(ctx, corpus, o)
	if err != nil {
		return nil, err
	}
	f.Warnings = append(warnings, f.Warnings...)
	return f, nil
}
