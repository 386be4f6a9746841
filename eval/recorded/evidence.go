package recorded

import (
	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// InStore reads the evidence about pages with a copy from the store of a planner. Damaged parts are
// left out and reported as doubts.
func InStore(data string, tell directory.Func) (pages []tune.Visited, doubts []string, err error) {
	store, err := satstore.Open(data, satstore.Options{ReadOnly: true, Progress: tell})
	if err != nil {
		return nil, nil, err
	}
	defer store.Close() // nothing was written
	graph := sitegraph.NewGraph()
	err = store.Restore(graph, func(r *sitegraph.Record) {
		if r.State == sitegraph.StateAlive {
			pages = append(pages, tune.Visited{URL: graph.URL(r.Page), History: r.History})
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range pages {
		id, _ := graph.Lookup(pages[i].URL)
		for _, to := range graph.Links(id) {
			pages[i].Links = append(pages[i].Links, graph.URL(to))
		}
	}
	return pages, doubtsOf(store), nil
}

// doubtsOf returns a doubt for each damage of a store.
func doubtsOf(store *satstore.Store) (doubts []string) {
	for _, d := range store.Damage() {
		doubts = append(doubts, d.Error())
	}
	return doubts
}

// doubtsOfTorn returns a doubt about unreadable lines of a journal, or nil.
func doubtsOfTorn(lines int) []string {
	if lines == 0 {
		return nil
	}
	return []string{words.Plural(lines, "line") + " of the journal cannot be read; a crash may " +
		"have torn them"}
}

// InJournal collects the evidence about each page from the visits of a journal; a page that left is
// dropped. Unreadable lines are reported as doubts. The error is journal.ErrNone without a journal.
func InJournal(dir string, tell directory.Func) (pages []tune.Visited, doubts []string, err error) {
	histories := map[string]*sitegraph.History{}
	var order []string
	torn, err := journal.Read(dir, tell, func(e *journal.Entry) {
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
			if h.Visits == 0 { // the journal starts later than the visits
				*h = sitegraph.Start(e.Time)
				return
			}
			h.See(e.Time, e.Verdict == sitegraph.VerdictChanged.String(), e.Time)
		case sitegraph.VerdictBaseline.String():
			h.Rebase(e.Time)
		case sitegraph.VerdictLeft.String():
			*h = sitegraph.History{}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for _, url := range order {
		pages = append(pages, tune.Visited{URL: url, History: *histories[url]})
	}
	return pages, doubtsOfTorn(torn), nil
}
