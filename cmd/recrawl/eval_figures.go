package main

import (
	"context"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/figures"
	"github.com/recrawl/recrawl/eval/survey"
)

// thresholds are those above 0 that were given; none: the usual ones.
func (c *EvalConfig) thresholds() []float64 {
	return slices.DeleteFunc(slices.Clone(c.Threshold), func(t float64) bool { return t == 0 })
}

// figures makes the figures of [LINK] of a corpus.
func (p *program) figures(ctx context.Context, corpus *eval.Corpus, groups survey.Groups) (*figures.Figures, error) {
	c := &p.config
	groupOf, warnings := groups.ByFile(c.Eval.Group, c.Eval.GroupBy, corpus.World.Servers)
	o := figures.Options{Weeks: c.Eval.Weeks, Thresholds: c.Eval.thresholds(), GroupOf: groupOf,
		Seed: c.Seed, Sample: c.Eval.Sample}
	bar := p.progress("sweeps", o.Sweeps())
	defer bar.End()
	o.Tick = bar.Step
	f, err := figures.New(ctx, corpus, o)
	if err != nil {
		return nil, err
	}
	f.Warnings = append(warnings, f.Warnings...)
	return f, nil
}
