package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/satstore/journal"
)

// source opens what is to be told from.
func (t *tuning) source(ctx context.Context, paths []string) (tune.Source, error) {
	c := &t.config
	given := 0
	for _, is := range []bool{len(paths) > 0, c.Data != "", c.Tune.Journal != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, errTuneSources
	}
	if len(paths) > 0 {
		t.result.Source = "histories"
		return t.histories(ctx, paths)
	}
	if c.Tune.Check {
		return nil, usageError{errors.New("--check needs histories: a store and a journal do not tell what comes"), "leave --check out, or name histories"}
	}
	t.result.Base, t.result.History = tune.InformedWeeks, tune.InformedWeeks
	t.result.Weeks = min(t.result.Weeks, windowWeeks-tune.InformedWeeks)
	read, name := t.stored, c.Data
	t.result.Source = "store"
	if c.Tune.Journal != "" {
		t.result.Source = "journal"
		read, name = t.journaled, c.Tune.Journal
	}
	pages, err := read(name)
	if err != nil {
		return nil, err
	}
	model, err := tune.LearnVisits(pages)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", name, err), "let recrawl run visit its pages again, or take histories"}
	}
	if n := model.Added(); n > 0 {
		t.doubt("%s not among the pages: a start page that never changes stands for each", report.Plural(n, "start page"))
	}
	t.doubt("a planner that has known its pages for %d weeks is predicted; no page is born or dies in what is drawn", tune.InformedWeeks)
	return model, nil
}

func (t *tuning) doubt(format string, args ...any) {
	t.result.Warnings = append(t.result.Warnings, fmt.Sprintf(format, args...))
}

func (t *tuning) histories(ctx context.Context, paths []string) (tune.Source, error) {
	var err error
	if t.servers, err = t.readHistories(ctx, paths); err != nil {
		return nil, err
	}
	if t.config.Tune.unfit != "" {
		t.result.Warnings = append(t.result.Warnings, t.config.Tune.unfit)
	}
	model, err := tune.Learn(t.servers, t.result.Base)
	if err != nil {
		return nil, usageError{err, "choose a later --base"}
	}
	if len(t.servers) < 5 {
		t.doubt("%s: resampling so few says little of the spread", report.Plural(len(t.servers), "server"))
	}
	return model, nil
}

// stored reads the pages of a data directory. Its policy is not asked.
func (t *tuning) stored(data string) ([]tune.Visited, error) {
	pages, damage, err := recorded.InStore(data)
	for _, d := range damage {
		t.doubt("%v", d.Error())
	}
	return pages, err
}

// journaled reads the pages of a journal.
func (t *tuning) journaled(dir string) ([]tune.Visited, error) {
	pages, torn, err := recorded.InJournal(dir)
	if errors.Is(err, journal.ErrNone) {
		return nil, usageError{err, "run keeps it in its data directory, in the folder journal"}
	}
	if torn > 0 {
		t.doubt("%s of the journal cannot be read; a crash may have torn them", report.Plural(torn, "line"))
	}
	return pages, err
}
