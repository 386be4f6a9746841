package index

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	engine "github.com/blevesearch/bleve_index_api"

	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/satstore/machine"
)

const (
	// saturation (k1) and fullness (b) of BM25 have their usual values (Robertson, Zaragoza 2009,
	// 3.2).
	saturation, fullness = 1.2, 0.75
)

// view is an open set.
type view struct {
	set    *Set
	units  []*unit
	states []*state
	living int
	mean   [len(fields)]float64 // octets of a page
	users  sync.WaitGroup
}

// match is a page with all words.
type match struct {
	unit  int
	place uint32
	score float64
	tf    []float64 // weighted frequency of each word
}

// search answers a query from one view.
func (v *view) search(ctx context.Context, q *query.Query) (*query.Results, error) {
	began := time.Now()
	in, err := scopeOf(q)
	if err != nil {
		return nil, err
	}
	clauses := parse(q.Words)
	var terms []string
	for _, c := range clauses {
		for _, term := range c.terms {
			if !c.not && !slices.Contains(terms, term) {
				terms = append(terms, term)
			}
		}
	}
	if len(terms) == 0 {
		return nil, query.ErrNoWords
	}
	found := make([][]match, len(v.units))
	counts := make([][]int, len(v.units))
	if err := machine.TryOnCores(len(v.units), func(i int) (err error) {
		found[i], counts[i], err = v.matches(ctx, i, clauses, terms, q, in)
		return err
	}); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	r := &query.Results{Query: q.Words, Set: v.set.Number, Pages: v.living,
		Terms: []query.TermHits{}, Hits: []query.Hit{}}
	weights := make([]float64, len(terms))
	for t, term := range terms {
		n := 0
		for i := range counts {
			n += counts[i][t]
		}
		r.Terms = append(r.Terms, query.TermHits{Term: term, Pages: n})
		weights[t] = math.Log(1 + (float64(v.living)-float64(n)+0.5)/(float64(n)+0.5))
	}
	skip := min(max(q.Skip, 0), query.MostResults)
	most := min(cmp.Or(max(q.Most, 0), query.UsualResults), query.MostResults-skip)
	best := &ranking{view: v}
	for i := range found {
		r.Total += len(found[i])
		for _, m := range found[i] {
			for t, tf := range m.tf {
				m.score += weights[t] * tf * (saturation + 1) / (tf + saturation)
			}
			best.add(m, most+skip)
		}
	}
	slices.SortFunc(best.matches, func(a, b match) int { return best.compare(&b, &a) })
	for _, m := range best.matches[min(skip, len(best.matches)):] {
		h, err := v.hit(&m, terms)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		r.Hits = append(r.Hits, h)
	}
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

// matches returns the pages of a unit that match a query, and how many pages have each word.
func (v *view) matches(ctx context.Context, i int, clauses []clause, terms []string, q *query.Query,
	in scope) (found []match, counts []int, err error) {
	u, s := v.units[i], v.states[i]
	counts = make([]int, len(terms))
	var have []joined
	for t, term := range terms {
		here, err := v.frequencies(ctx, u, s, term, in)
		if err != nil {
			return nil, nil, err
		}
		counts[t] = len(here)
		if have = join(have, here, t); len(have) == 0 {
			have = nil // the other words are still counted
		}
	}
	for _, c := range clauses {
		if !c.not && !c.phrase || len(have) == 0 {
			continue
		}
		with, err := u.having(ctx, &c, have, in)
		if err != nil {
			return nil, nil, err
		}
		have = slices.DeleteFunc(have, func(j joined) bool { return with[j.document] == c.not })
	}
	for _, j := range have {
		if place := u.Order[j.document]; u.wanted(place, s, q) {
			found = append(found, match{unit: i, place: place, tf: j.tf})
		}
	}
	return found, counts, ctx.Err()
}

// posting is a document of the engine with a word, and the weighted frequency of the word.
type posting struct {
	document  uint32
	frequency float64
}

// joined is a document with all words so far.
type joined struct {
	document uint32
	tf       []float64
}

// join keeps the documents that also have another word. Both lists are ascending; the first word
// starts the list.
func join(have []joined, here []posting, word int) (both []joined) {
	if word == 0 {
		both = make([]joined, len(here))
		for i, p := range here {
			both[i] = joined{p.document, []float64{p.frequency}}
		}
		return both
	}
	both = have[:0]
	for _, j := range have {
		for len(here) > 0 && here[0].document < j.document {
			here = here[1:]
		}
		if len(here) > 0 && here[0].document == j.document {
			both = append(both, joined{j.document, append(j.tf, here[0].frequency)})
		}
	}
	return both
}

// wanted reports whether the filters of a query accept a page.
func (u *unit) wanted(place uint32, s *state, q *query.Query) bool {
	return (q.Server == "" || u.Servers[u.Server[place]] == q.Server) &&
		(q.Language == "" || u.Languages[u.Language[place]] == q.Language) &&
		(q.Changed.IsZero() || s.Changed[place] >= q.Changed.Unix()) &&
		(q.Verified.IsZero() || s.Verified[place] >= q.Verified.Unix())
}

// frequencies returns the weighted frequencies of a word in the pages of a unit that have it,
// ascending (BM25F: lengths count in each field).
func (v *view) frequencies(ctx context.Context, u *unit, s *state, term string, in scope) (
	all []posting, err error) {
	for f := range fields {
		if !in[f] {
			continue
		}
		var here []posting
		if err := u.postings(ctx, term, f, func(document uint64, frequency int) {
			place := u.Order[document]
			if s.deleted(place) {
				return
			}
			length := 1 - fullness
			if v.mean[f] > 0 {
				length += fullness * float64(u.Lengths[f][place]) / v.mean[f]
			}
			here = append(here, posting{uint32(document),
				fields[f].weight * float64(frequency) / length})
		}); err != nil {
			return nil, err
		}
		all = added(all, here)
	}
	return all, nil
}

// added merges two ascending lists of documents, with the sums of their frequencies.
func added(a, b []posting) []posting {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	all := make([]posting, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].document < b[0].document:
			all, a = append(all, a[0]), a[1:]
		case a[0].document > b[0].document:
			all, b = append(all, b[0]), b[1:]
		default:
			all = append(all, posting{a[0].document, a[0].frequency + b[0].frequency})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// having returns which of some documents have a phrase, or all words of a clause.
func (u *unit) having(ctx context.Context, c *clause, some []joined, in scope) (
	map[uint32]bool, error) {
	with, among := map[uint32]bool{}, make(map[uint32]bool, len(some))
	for _, j := range some {
		among[j.document] = true
	}
	for f := range fields {
		if !in[f] {
			continue
		}
		places := map[uint32][]uint64{} // ends of the words so far
		for t, term := range c.terms {
			next := map[uint32][]uint64{}
			r, err := u.reader.TermFieldReader(ctx, []byte(term), fields[f].name, true, false,
				c.phrase)
			if err != nil {
				return nil, err
			}
			for {
				d, err := r.Next(nil)
				if err != nil {
					return nil, errors.Join(err, r.Close())
				}
				if d == nil {
					break
				}
				document := uint32(d.ID.Value())
				if !among[document] || t > 0 && places[document] == nil {
					continue
				}
				next[document] = followed(places[document], d.Vectors, t == 0 || !c.phrase)
			}
			if err := r.Close(); err != nil {
				return nil, err
			}
			places = next
		}
		for document, ends := range places {
			if ends != nil {
				with[document] = true
			}
		}
	}
	return with, nil
}

// followed returns the positions that follow one of those before, or nil.
func followed(before []uint64, at []*engine.TermFieldVector, any bool) (ends []uint64) {
	if len(at) == 0 {
		return []uint64{0} // positions do not matter
	}
	for _, v := range at {
		if any || slices.Contains(before, v.Pos-1) {
			ends = append(ends, v.Pos)
		}
	}
	return ends
}

// ranking keeps the best matches, the worst of them first.
type ranking struct {
	view    *view
	matches []match
}

func (r *ranking) Len() int           { return len(r.matches) }
func (r *ranking) Less(i, j int) bool { return r.compare(&r.matches[i], &r.matches[j]) < 0 }
func (r *ranking) Swap(i, j int)      { r.matches[i], r.matches[j] = r.matches[j], r.matches[i] }
func (r *ranking) Push(m any)         { r.matches = append(r.matches, m.(match)) }
func (r *ranking) Pop() any {
	last := r.matches[len(r.matches)-1]
	r.matches = r.matches[:len(r.matches)-1]
	return last
}

// compare orders by score, and equal scores by values that do not depend on units.
func (r *ranking) compare(a, b *match) int {
	return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(r.tie(b), r.tie(a)))
}

func (r *ranking) tie(m *match) uint64 { return r.view.units[m.unit].Tie[m.place] }

func (r *ranking) add(m match, most int) {
	if len(r.matches) < most {
		heap.Push(r, m)
	} else if len(r.matches) > 0 && r.compare(&m, &r.matches[0]) > 0 {
		r.matches[0] = m
		heap.Fix(r, 0)
	}
}

func (v *view) hit(m *match, terms []string) (h query.Hit, err error) {
	u := v.units[m.unit]
	h = query.Hit{ID: u.IDs[m.place], Language: u.Languages[u.Language[m.place]],
		Changed:  time.Unix(v.states[m.unit].Changed[m.place], 0).UTC(),
		Verified: time.Unix(v.states[m.unit].Verified[m.place], 0).UTC(), Score: m.score}
	body := ""
	h.URL, h.Title, body, err = u.stored(m.place)
	h.Snippet, h.Marks = snippet(body, terms)
	return h, err
}

// openView opens the units of a set. It reuses open units, unless the directory has other ones now
// because the corpus was rebuilt.
func openView(index string, s *Set, open map[int]*unit) (v *view, err error) {
	v = &view{set: s, units: make([]*unit, len(s.Units)), states: make([]*state, len(s.Units))}
	var opened []*unit
	defer func() {
		if err != nil {
			for _, u := range opened {
				u.close()
			}
		}
	}()
	var octets [len(fields)]float64
	for i, of := range s.Units {
		u := open[of.Number]
		if u == nil || !u.isThere() {
			if u, err = openUnit(index, of.Number); err != nil {
				return nil, err
			}
			opened = append(opened, u)
		}
		st := new(state)
		if err := readGob(filepath.Join(u.dir, stateName(of.State)), st); err != nil {
			return nil, err
		}
		if len(st.Verified) != len(u.IDs) || len(st.Changed) != len(u.IDs) ||
			len(st.Deleted) != (len(u.IDs)+63)/64 {
			return nil, fmt.Errorf("unit %s has %d pages, and its state %d",
				u.dir, len(u.IDs), len(st.Verified))
		}
		v.units[i], v.states[i] = u, st
		for place := range u.IDs {
			if st.deleted(uint32(place)) {
				continue
			}
			v.living++
			for f := range fields {
				octets[f] += float64(u.Lengths[f][place])
			}
		}
	}
	for f := range fields {
		v.mean[f] = octets[f] / float64(max(v.living, 1))
	}
	return v, nil
}
