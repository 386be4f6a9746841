package captures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Store is the part of a planner's store that an import needs; *satstore.Store has it.
type Store interface {
	Pages() int
	Add(r *sitegraph.Record) error
	Load(p sitegraph.PageID, r *sitegraph.Record) error
	Save(r *sitegraph.Record) error
	SaveStart(p sitegraph.PageID) error
	Setting(name string) ([]byte, bool, error)
	SaveSetting(name string, value []byte) error
	Addresses(from sitegraph.PageID, each func(p sitegraph.PageID, url []byte) error) error
	Commit() error
}

// TakeInOptions configure an import.
type TakeInOptions struct {
	Files  []*File            // that the captures are of
	Change sitegraph.ChangeBy // defines a change if captures have bodies
	Now    time.Time          // when new pages are due
	// Removed reports whether an error of Load means a removed page, which stays removed.
	Removed func(error) bool
	// Begin is called before the first change of the store; it may be nil.
	Begin    func() error
	Progress func(addresses int64) // may be nil
}

// TakenIn is the result of an import.
type TakenIn struct {
	Files     []*File `json:"files"`
	Addresses int64   `json:"addresses"` // URLs of pages in the files
	New       int64   `json:"new"`       // URLs that were unknown
	Past      int64   `json:"with_past"` // pages with a longer past
	// Left counts unknown URLs that were gone or moved at their last capture.
	Left int64 `json:"left_out"`
	Kept int64 `json:"kept"` // pages whose captures contained nothing new
	Told Told  `json:"told"`
	// Asked are the URLs with the most requests in logs.
	Asked []Asked `json:"most_asked,omitempty"`
}

// Asked counts the requests for a URL.
type Asked struct {
	URL      string `json:"url"`
	Requests uint64 `json:"requests"`
}

const (
	mostAsked = 20     // most that are listed
	perCommit = 20_000 // pages: about 10 MB of memory
)

// ReasonImported is the reason of a due page that an import added.
const ReasonImported = "imported"

// TakeIn imports all captures of the sorter into the store.
func TakeIn(ctx context.Context, s Store, sorter *Sorter, o TakeInOptions) (*TakenIn, error) {
	if err := s.Addresses(0, func(p sitegraph.PageID, url []byte) error {
		return sorter.AddKnown(url, uint32(p))
	}); err != nil {
		return nil, fmt.Errorf("read the addresses of the store: %w", err)
	}
	t := &taker{store: s, o: o, result: &TakenIn{Files: o.Files}}
	err := sorter.Each(ctx, t.importGroup)
	if err == nil || errors.Is(err, ctx.Err()) { // interrupted between pages
		err = errors.Join(err, t.commit())
	}
	return t.result, err
}

type taker struct {
	store  Store
	o      TakeInOptions
	result *TakenIn
	begun  bool
	saved  int // pages since the last commit: a page and its mark are in one transaction
}

func (t *taker) importGroup(g *Group) error {
	if len(g.Captures) == 0 {
		return nil // known, and without evidence
	}
	t.result.Addresses++
	t.asked(g)
	var err error
	listed := g.Captures[0].Kind == KindListed
	all := Resolve(g.Captures)
	if g.Known.Is {
		err = t.known(sitegraph.PageID(g.Known.Page), all)
	} else {
		err = t.unknown(g.URL, all, listed)
	}
	if err != nil {
		return fmt.Errorf("import the past of %s: %w", g.URL, err)
	}
	if t.o.Progress != nil && t.result.Addresses%1000 == 0 {
		t.o.Progress(t.result.Addresses)
	}
	if t.saved < perCommit {
		return nil
	}
	return t.commit()
}

func (t *taker) commit() error {
	if t.saved == 0 {
		return nil
	}
	t.saved = 0
	return t.store.Commit()
}

// change counts a coming change of the store. Before the first one it calls TakeInOptions.Begin.
func (t *taker) change() error {
	t.saved++
	if t.begun || t.o.Begin == nil {
		return nil
	}
	t.begun = true
	return t.o.Begin()
}

func (t *taker) known(p sitegraph.PageID, all []Capture) error {
	if len(all) == 0 {
		return nil
	}
	var r sitegraph.Record
	if err := t.store.Load(p, &r); err != nil {
		if t.o.Removed != nil && t.o.Removed(err) {
			return nil
		}
		return err
	}
	var m mark
	value, ok, err := t.store.Setting(markSetting(p))
	if err == nil && ok {
		m, err = parseMark(value)
	}
	if err != nil {
		return err
	}
	first := r.History.Visits == 0
	now, told := merge(&r, m, all, t.o.Change)
	if told.Visits == 0 {
		t.result.Kept++
		return nil
	}
	if first {
		r.Due, r.Reason = t.o.Now, ReasonImported
	}
	return cmp.Or(t.change(), t.save(t.store.Save, &r, now, told))
}

func (t *taker) unknown(url string, all []Capture, listed bool) error {
	r := sitegraph.Record{Page: sitegraph.PageID(t.store.Pages()), URL: url,
		State: sitegraph.StateNew, Due: t.o.Now, Reason: ReasonImported}
	m, told := merge(&r, mark{}, all, t.o.Change)
	if r.State != sitegraph.StateAlive && !listed {
		t.result.Left++
		return nil
	}
	t.result.New++
	if err := cmp.Or(t.change(), t.save(t.store.Add, &r, m, told)); err != nil {
		return err
	}
	return t.store.SaveStart(r.Page)
}

// save saves a page and its mark in one transaction.
func (t *taker) save(save func(*sitegraph.Record) error, r *sitegraph.Record, m mark,
	told Told) error {
	if err := save(r); err != nil || m == (mark{}) {
		return err
	}
	t.result.Past++
	t.result.Told.Add(told)
	return t.store.SaveSetting(markSetting(r.Page), m.bytes())
}

// asked keeps the URLs with the most requests.
func (t *taker) asked(g *Group) {
	if g.Requests == 0 {
		return
	}
	list := append(t.result.Asked, Asked{g.URL, g.Requests})
	slices.SortStableFunc(list, func(a, b Asked) int { return cmp.Compare(b.Requests, a.Requests) })
	t.result.Asked = list[:min(len(list), mostAsked)]
}
