package cycle

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// NotAsked begins the reason in the record of a page that the user's settings refused at its last
// visit.
const NotAsked = "not asked: "

// deny takes back a visit that the user's settings refuse: it used no budget, and says nothing
// about the page, which keeps its state. The record says why.
func (l *Loop) deny(v planner.Visit, r *Request, o *sitegraph.Observation) error {
	l.postpone(&v, r, *o)
	isNew, first := l.Planner.SetAside(v, o.Denied)
	if !isNew {
		return nil
	}
	if err := l.sure(); err != nil {
		return err
	}
	r.Record.Reason = NotAsked + o.Denied.String()
	if err := l.Store.Save(&r.Record); err != nil {
		return l.storeError(err, "save record of %s", r.Record.URL)
	}
	if err := l.Planner.Corpus.SaveDenied(l.Store.SaveSetting); err != nil {
		return l.storeError(err, "save which pages settings refuse")
	}
	if first && l.Denied != nil {
		l.Denied(o.Denied)
	}
	return l.saved()
}

// recallDenied begins the list of what settings refuse. In a store of a program that took a refusal
// for a fact about the page, such pages are put in line again. It looks at their records once.
func (l *Loop) recallDenied() error {
	corpus := l.Planner.Corpus
	known, err := corpus.LoadDenied(l.Store.Setting)
	if err != nil {
		return l.storeError(err, "begin")
	}
	if known && len(corpus.Denied()) == 0 {
		return nil
	}
	corpus.ForgetDenied()
	if !known {
		if err := l.undeny(); err != nil {
			return err
		}
	}
	if err := corpus.SaveDenied(l.Store.SaveSetting); err != nil {
		return l.storeError(err, "save which pages settings refuse")
	}
	return nil
}

// undeny puts the pages in line again that left, or are doubted, though no server was asked.
func (l *Loop) undeny() error {
	var r sitegraph.Record
	for page := range sitegraph.PageID(l.graph.Pages()) {
		if !l.Planner.Corpus.PerhapsDenied(page) {
			continue
		}
		if err := l.Store.Load(page, &r); err != nil {
			return l.storeError(err, "load record of %s", l.graph.URL(page))
		}
		again := l.undoubt
		switch {
		case r.Status != 0:
			continue
		case r.State == sitegraph.StateExcluded:
			again = func(page sitegraph.PageID) error { return l.foundAgain(page, nil) }
		case r.Missed != sitegraph.OutcomeExcluded:
			continue
		}
		if err := l.sure(); err != nil {
			return err
		}
		if err := again(page); err != nil {
			return err
		}
	}
	return nil
}
