package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/evals"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/eval/tidy"
	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
)

func (p *Program) tuneCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "tune (HISTORY... | --data DIRECTORY | --journal DIRECTORY)",
		Args: cobra.ArbitraryArgs,
	}, p.tune)
}

func (p *Program) tune(ctx context.Context, paths []string) error {
	c := &p.config
	if err := findPrograms(nil, c.Policy); err != nil {
		return err
	}
	if err := p.Outputs(c.Tune.HTML); err != nil {
		return err
	}
	listed, err := p.listed()
	if err != nil {
		return err
	}
	if c.Delay > tune.LongestDelay {
		return UsageError(fmt.Errorf("--delay %v: want at most %v", c.Delay, tune.LongestDelay),
			"tune counts visits by day, and with a longer delay there are days without any")
	}
	tables, err := p.Tables(tidy.ForTune...)
	if err != nil {
		return err
	}
	defer tables.Discard()
	known, histories, err := p.evidence(ctx, paths)
	if errors.Is(err, satstore.ErrInUse) {
		return WorkError(err, "a run that works on it writes a journal: recrawl tune --journal "+
			filepath.Join(c.Data, "journal"), ExitFailed)
	}
	if err != nil {
		return err
	}
	target, _ := tune.ParseTarget(c.Tune.Target) // checked before
	r := tune.Request{Budgets: c.Tune.Paces(), Target: target, Delay: c.Delay,
		Progress: func(what string, steps int) tune.Bar { return p.Progress(what, steps) }}
	if c.Tune.Check {
		r.Check = histories
	}
	if visits, ok := known.Source.(*tune.Visits); ok { // of a run, whose settings are used
		c.KnownPages = visits.Pages()
		r.InForce = max(c.PerDay(), 0)
	}
	predicted, err := tune.Predict(ctx, known, tune.Options{
		Policy: c.Policy, Base: c.Tune.Base, Weeks: c.Tune.Weeks, History: c.Tune.History,
		New: c.New, Sample: c.Sample, Gone: c.Gone,
		Objective: c.VisitsFor(), Listed: listed, Lag: c.SearchLag, Change: c.ChangeBy(),
		Futures: c.Tune.Futures, Seed: c.Seed, AtOnce: c.Tune.AtOnce,
	}, r)
	if err != nil {
		return err
	}
	if err := p.Commit(tables, tidy.WriteTune(tables, predicted)); err != nil {
		return err
	}
	p.Warn(predicted.Warnings...)
	return p.Publish(predicted, evals.Tune{Prediction: predicted}.Page(), c.Tune.HTML)
}

// evidence reads the basis of a prediction; histories are nil for a store or a journal.
func (p *Program) evidence(ctx context.Context, paths []string) (
	e tune.Evidence, histories []*history.Server, err error) {
	c := &p.config
	switch {
	case !oneOf(len(paths) > 0, c.Data != "", c.Tune.Journal != ""):
		return e, nil, UsageError(errors.New("tune wants one source: histories, --data or "+
			"--journal"),
			"recrawl tune histories/, or recrawl tune --data DIRECTORY, or recrawl tune "+
				"--journal DIRECTORY/journal")
	case len(paths) > 0:
		if histories, err = p.ReadHistories(ctx, paths); err != nil {
			return e, nil, err
		}
		if e.Source, err = tune.Learn(histories, c.Tune.Base); err != nil {
			return e, nil, UsageError(err, "choose a later --base")
		}
		if e.Name = "histories"; c.Tune.Unfit != "" {
			e.Doubts = []string{c.Tune.Unfit}
		}
		return e, histories, nil
	case c.Tune.Check:
		return e, nil, UsageError(errors.New("--check needs histories: a store and a journal "+
			"do not tell what comes"),
			"leave --check out, or name histories")
	}
	var pages []tune.Visited
	stages := p.stages(ctx)
	defer stages.End()
	if c.Tune.Journal != "" {
		e.Name = "journal"
		pages, e.Doubts, err = recorded.InJournal(c.Tune.Journal, stages.Tell)
	} else {
		e.Name = "store"
		pages, e.Doubts, err = recorded.InStore(c.Data, stages.Tell)
	}
	if err != nil {
		return e, nil, noJournal(err)
	}
	if e.Source, err = tune.LearnVisits(pages); err != nil {
		return e, nil, UsageError(fmt.Errorf("%s: %w", cmp.Or(c.Tune.Journal, c.Data), err),
			"let recrawl run visit its pages again, or take histories")
	}
	return e, nil, nil
}

// oneOf reports whether exactly one is given.
func oneOf(given ...bool) bool {
	first := slices.Index(given, true)
	return first >= 0 && !slices.Contains(given[first+1:], true)
}

// noJournal returns an error that says where else a journal may be.
func noJournal(err error) error {
	if errors.Is(err, journal.ErrNone) {
		return UsageError(err, "run keeps it in its data directory, in the folder journal")
	}
	return err
}
