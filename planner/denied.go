package planner

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Denied counts the pages that the user's settings refuse for one reason.
type Denied struct {
	sitegraph.Denial
	Pages int
}

// denials holds the pages that the user's settings refuse. They keep their state, and this process
// puts them aside for a day. Then a name may lead to another address.
type denials struct {
	aside, counted pageSet
	pages          []sitegraph.PageID // put aside, for release
	since          time.Time          // start of the round in which the first of them was put aside
	tally          []Denied
}

// mostDenied bounds the separate reasons. Other reasons of a kind count together, under "".
const mostDenied = 8

// asideFor is how long a page is put aside.
const asideFor = Day

// pageSet is a set of pages: one bit each.
type pageSet []uint64

func (s pageSet) has(p sitegraph.PageID) bool {
	return int(p>>6) < len(s) && s[p>>6]&(1<<(p&63)) != 0
}

func (s pageSet) remove(p sitegraph.PageID) {
	if s.has(p) {
		s[p>>6] &^= 1 << (p & 63)
	}
}

// add adds a page, and reports whether it was new.
func (s *pageSet) add(p sitegraph.PageID) bool {
	if s.has(p) {
		return false
	}
	if missing := int(p>>6) + 1 - len(*s); missing > 0 {
		*s = append(*s, make(pageSet, missing)...)
	}
	(*s)[p>>6] |= 1 << (p & 63)
	return true
}

// Aside reports whether the user's settings refused a page when this process last tried it.
func (c *Pages) Aside(p sitegraph.PageID) bool { return c.denied.aside.has(p) }

// Denied returns why pages were refused in this process, or in the last one (LoadDenied).
func (c *Pages) Denied() []Denied { return c.denied.tally }

// count counts a page, and reports whether its reason is new.
func (r *denials) count(why sitegraph.Denial) (first bool) {
	of := func(why sitegraph.Denial) *Denied {
		i := slices.IndexFunc(r.tally, func(t Denied) bool { return t.Denial == why })
		if i < 0 {
			return nil
		}
		return &r.tally[i]
	}
	t := of(why)
	if t == nil && len(r.tally) >= mostDenied {
		why.What = ""
		t = of(why)
	}
	if t == nil {
		r.tally = append(r.tally, Denied{Denial: why, Pages: 1})
		return true
	}
	t.Pages++
	return false
}

// SetAside takes back a visit that the user's settings refuse. Its budget is free again, and the
// page keeps its state. isNew is set for the first refusal of the page in this process, and first
// for the first page with this reason.
func (p *Planner) SetAside(v Visit, why sitegraph.Denial) (isNew, first bool) {
	r := &p.Pages.denied
	if len(r.pages) == 0 {
		r.since = p.Pages.round.Start
	}
	if r.aside.add(v.Page) {
		r.pages = append(r.pages, v.Page)
	}
	if isNew = r.counted.add(v.Page); isNew {
		first = r.count(why)
	}
	p.Return(v)
	return isNew, first
}

// release lets pages be tried again that were put aside a day ago.
func (p *Planner) release(now time.Time) {
	r := &p.Pages.denied
	if len(r.pages) == 0 || now.Sub(r.since) < asideFor {
		return
	}
	pages := r.pages
	r.aside, r.pages = nil, nil
	for _, page := range pages {
		if m := p.Pages.Memory(page); m.State == sitegraph.StateNew {
			m.queued = false
			p.frontier.add(page)
		}
	}
}

const deniedSetting = "denied"

// SaveDenied passes the counts of Denied to save.
func (c *Pages) SaveDenied(save func(name string, value []byte) error) error {
	value, err := json.Marshal(append([]Denied{}, c.denied.tally...))
	if err != nil {
		return err
	}
	return save(deniedSetting, value)
}

// LoadDenied reads what SaveDenied saved; ok is false if it never did.
func (c *Pages) LoadDenied(setting func(name string) ([]byte, bool, error)) (ok bool, err error) {
	value, ok, err := setting(deniedSetting)
	if err == nil && ok {
		err = json.Unmarshal(value, &c.denied.tally)
	}
	if err != nil {
		return ok, fmt.Errorf("read the refused pages: %w", err)
	}
	return ok, nil
}

// ForgetDenied clears the counts of Denied.
func (c *Pages) ForgetDenied() { c.denied.tally = nil }
