package planner

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Denied is how many pages the user's settings refuse for one reason.
type Denied struct {
	sitegraph.Denial
	Pages int
}

// denials are the pages that the user's settings refuse. They keep their state, and are set aside:
// not visited by this process for a day. Then a name may lead to another address.
type denials struct {
	aside, counted pageSet
	pages          []sitegraph.PageID // set aside, for release
	since          time.Time          // the first of them was set aside in the round that began then
	tally          []Denied
}

// mostDenied bounds the reasons that are told apart: others of a kind count together, under "".
const mostDenied = 8

// asideFor is for how long a page is set aside.
const asideFor = Day

// pageSet is a set of pages: a bit each.
type pageSet []uint64

func (s pageSet) has(p sitegraph.PageID) bool {
	return int(p>>6) < len(s) && s[p>>6]&(1<<(p&63)) != 0
}

func (s pageSet) remove(p sitegraph.PageID) {
	if s.has(p) {
		s[p>>6] &^= 1 << (p & 63)
	}
}

// add reports whether the page was not in the set.
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

// Aside reports whether the user's settings refuse a page, as far as this process tried it lately.
func (c *Pages) Aside(p sitegraph.PageID) bool { return c.denied.aside.has(p) }

// Denied lists why pages were refused in this process, or in the last one (LoadDenied).
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

// SetAside takes back a visit that the user's settings refuse. The budget is free again, and the
// page keeps its state. It reports whether the page was not refused before in this process, and
// whether no page was for that reason.
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

// release lets pages be tried again that were set aside a day ago.
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

// SaveDenied hands to save what Denied lists.
func (c *Pages) SaveDenied(save func(name string, value []byte) error) error {
	value, err := json.Marshal(append([]Denied{}, c.denied.tally...))
	if err != nil {
		return err
	}
	return save(deniedSetting, value)
}

// LoadDenied takes in what SaveDenied saved; ok is false if it never did.
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

// ForgetDenied begins the list of Denied anew, as a process does.
func (c *Pages) ForgetDenied() { c.denied.tally = nil }
