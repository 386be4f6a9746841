package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
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
		read, name = t.journal, c.Tune.Journal
	}
	pages, err := read()
	if err != nil {
		return nil, err
	}
	visits, err := tune.LearnVisits(pages)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", name, err), "let recrawl run visit its pages again, or take histories"}
	}
	if n := visits.Added(); n > 0 {
		t.doubt("%s not among the pages: a start page that never changes stands for each", report.Plural(n, "start page"))
	}
	t.doubt("a planner that has known its pages for %d weeks is predicted; no page is born or dies in what is drawn", tune.InformedWeeks)
	return visits, nil
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
func (t *tuning) stored() (pages []tune.Visited, err error) {
	store, err := satstore.Open(t.config.Data, satstore.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer store.Close() // nothing was written
	graph := sitegraph.NewGraph()
	err = store.Restore(graph, func(r *sitegraph.Record) {
		if r.State == sitegraph.StateAlive {
			pages = append(pages, tune.Visited{URL: graph.URL(r.Page), History: r.History})
		}
	})
	if err != nil {
		return nil, err
	}
	for _, d := range store.Damage() {
		t.doubt("%v", d.Error())
	}
	for i := range pages {
		id, _ := graph.Lookup(pages[i].URL)
		for _, to := range graph.Links(id) {
			pages[i].Links = append(pages[i].Links, graph.URL(to))
		}
	}
	return pages, nil
}

// journal folds visits into what they told of each page; a page that left is forgotten. The journal
// does not tell feeds and sitemaps from pages: a run that visits them has them among its pages here.
func (t *tuning) journal() ([]tune.Visited, error) {
	histories := map[string]*sitegraph.History{}
	var order []string
	torn, err := journal.Read(t.config.Tune.Journal, func(e *journal.Entry) {
		h := histories[e.URL]
		if h == nil {
			h = &sitegraph.History{}
			histories[e.URL] = h
			order = append(order, e.URL)
		}
		switch e.Verdict {
		case sitegraph.VerdictFirst.String():
			*h = sitegraph.Start(e.Time)
		case sitegraph.VerdictChanged.String(), sitegraph.VerdictUnchanged.String():
			if h.Visits == 0 { // the journal begins later than the visits
				*h = sitegraph.Start(e.Time)
				return
			}
			h.See(e.Time, e.Verdict == sitegraph.VerdictChanged.String(), e.Time)
		case sitegraph.VerdictLeft.String():
			*h = sitegraph.History{}
		}
	})
	if errors.Is(err, journal.ErrNone) {
		return nil, usageError{err, "run keeps it in its data directory, in the folder journal"}
	}
	if err != nil {
		return nil, err
	}
	if torn > 0 {
		t.doubt("%s of the journal cannot be read; a crash may have torn them", report.Plural(torn, "line"))
	}
	var pages []tune.Visited
	for _, url := range order {
		pages = append(pages, tune.Visited{URL: url, History: *histories[url]})
	}
	return pages, nil
}
