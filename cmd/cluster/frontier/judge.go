package frontier

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Outcome is what a visit saw, as the crawler tells it.
type Outcome struct {
	Time     time.Time // of the visit; zero: now
	Status   int       // of HTTP; 0: no answer came
	Digest   string    // of the content, in any form, the same for the same content; "": not told
	Modified time.Time // Last-Modified; zero: not told
	Location string    // where a redirect leads
	Size     int64     // bytes of the content; 0: not told
	Links    []string  // of the page
}

// Judge learns from the outcomes of visits, and ranks addresses by them. It is called by one
// goroutine at a time.
type Judge interface {
	// Learn takes in what a visit to an address of a crawl saw. evidence is what it returned at the
	// last visit; nil: this is the first. page is a number above 0 under which it knows the
	// address from now on; 0: it cannot judge it.
	Learn(crawl, url string, o *Outcome, evidence []byte, now time.Time) (page uint32, kept []byte)
	// Interval is the estimated time between changes of a page; 0: not known.
	Interval(crawl string, page uint32, now time.Time) time.Duration
	// Remember takes in evidence from an earlier process.
	Remember(crawl, url string, evidence []byte) (page uint32)
	// Worth of a visit now. Larger is better; NaN: it cannot tell.
	Worth(crawl string, page uint32, now time.Time) float64
	// Forget drops a crawl.
	Forget(crawl string)
}

const (
	// Of so many due addresses of a queue the best are chosen. More wait until these are given.
	mostRanked = 1000
	// So long a choice holds.
	rankedFor = time.Minute
	// Of so many addresses given, one is plain where both kinds wait: new pages have this share of
	// the budget in the evaluations, too.
	plainTurn = 4

	// Where the judge says when, an address is due when half the time has passed in which it
	// changes on average, within these bounds. Then it has changed with a probability of 0.4.
	leastAgain = time.Hour
	mostAgain  = 60 * 24 * time.Hour
	usualAgain = 24 * time.Hour // where nothing is known
)

// judgeItem lets the judge learn of a visit. It returns what is to be stored as evidence, and when
// the judge wants the address again.
func (f *Frontier) judgeItem(s *slot, it *Item, key storeKey, now time.Time) (
	evidence []byte, again time.Time) {
	again = now.Add(usualAgain)
	if f.judge == nil {
		return nil, again
	}
	if s.page != 0 {
		// Without it the judge begins anew with the address.
		_, _ = f.store.Get(key[:], func(value []byte) {
			if old, err := parseItem(value); err == nil {
				evidence = slices.Clone(old.evidence)
			}
		})
	}
	if it.Outcome == nil {
		return evidence, again
	}
	crawl := f.queues[s.queue].crawl.name
	page, kept := f.judge.Learn(crawl, it.URL, it.Outcome, evidence, now)
	if page == 0 {
		return nil, again
	}
	s.page = page
	if it.Ask {
		if interval := f.judge.Interval(crawl, page, now); interval > 0 {
			again = now.Add(min(max(interval/2, leastAgain), mostAgain))
		}
	}
	return kept, again
}

// next is the slot of a queue that is to be given next.
func (f *Frontier) next(q *queue, now int64) (uint32, bool) {
	today := uint32(min(now/1000, math.MaxUint32))
	head, plainly := f.head(q, plain)
	plainly = plainly && head.at <= today
	best, judgedly := f.best(q, now, today)
	if plainly && judgedly {
		q.turn++
		plainly = q.turn%plainTurn == 0
	}
	switch {
	case plainly:
		q.due[plain].pop()
		return head.what, true
	case judgedly:
		q.chosen = q.chosen[1:]
		return best.what, true
	}
	return 0, false
}

// best is the judged address of a queue that is worth most of those due. It stays in front of
// q.chosen.
func (f *Frontier) best(q *queue, now int64, today uint32) (timed[uint32], bool) {
	if now-q.ranked >= rankedFor.Milliseconds() {
		q.chosen = nil
	}
	for again := true; ; again = false {
		for len(q.chosen) > 0 {
			if f.good(q, judged, q.chosen[0]) {
				return q.chosen[0], true
			}
			q.chosen = q.chosen[1:]
		}
		if !again || len(q.due[judged]) == 0 {
			return timed[uint32]{}, false
		}
		f.rank(q, now, today)
	}
}

// rank chooses judged addresses of a queue that are due. Ties, and what cannot be told, come by
// date.
func (f *Frontier) rank(q *queue, now int64, today uint32) {
	type rated struct {
		timed[uint32]
		worth float64
	}
	var all []rated
	for _, t := range q.due[judged] { // roughly by date, as it is a heap
		if t.at > today || !f.good(q, judged, t) {
			continue
		}
		worth := f.judge.Worth(q.crawl.name, f.table.at(t.what).page, time.UnixMilli(now))
		if math.IsNaN(worth) {
			worth = -1
		}
		if all = append(all, rated{t, worth}); len(all) == mostRanked {
			break
		}
	}
	slices.SortFunc(all, func(a, b rated) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.at, b.at),
			cmp.Compare(a.what, b.what))
	})
	q.ranked = now
	q.chosen = make([]timed[uint32], len(all))
	for i := range all {
		q.chosen[i] = all[i].timed
	}
}
