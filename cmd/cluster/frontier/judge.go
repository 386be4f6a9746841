package frontier

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Outcome is what a visit saw, as the crawler reports it.
type Outcome struct {
	Time     time.Time // of the visit; zero: now
	Status   int       // of HTTP; 0: no answer came
	Digest   string    // of the content, in any form; equal for equal content; "": unknown
	Modified time.Time // Last-Modified; zero: unknown
	Location string    // the target of a redirect
	Size     int64     // bytes of the content; 0: unknown
	Links    []string  // of the page
}

// Judge learns from the outcomes of visits, and ranks addresses by what it learnt. One goroutine at
// a time calls it.
type Judge interface {
	// Learn takes in what a visit to an address of a crawl saw. evidence is what Learn returned at
	// the last visit, and nil at the first visit. page is the number, above 0, of the address for
	// the other calls; 0: the judge cannot judge it.
	Learn(crawl, url string, o *Outcome, evidence []byte, now time.Time) (page uint32, kept []byte)
	// Interval returns the estimated time between changes of a page; 0: unknown.
	Interval(crawl string, page uint32, now time.Time) time.Duration
	// Remember takes in evidence of an earlier process.
	Remember(crawl, url string, evidence []byte) (page uint32)
	// Worth returns the worth of a visit now. Larger is better; NaN: unknown.
	Worth(crawl string, page uint32, now time.Time) float64
	// Forget drops a crawl.
	Forget(crawl string)
}

const (
	// mostRanked is how many of the due addresses of a queue are chosen at a time, the best first.
	// The others wait until these are given.
	mostRanked = 1000
	// rankedFor is how long a choice holds.
	rankedFor = time.Minute
	// plainTurn: where both kinds wait, one of four given addresses is plain. Evaluations give new
	// pages the same share of the budget.
	plainTurn = 4

	// The judge makes an address due again after half the average time between its changes, within
	// these bounds. A page has changed by then with a probability of 0.4.
	leastAgain = time.Hour
	mostAgain  = 60 * 24 * time.Hour
	usualAgain = 24 * time.Hour // if the time between changes is unknown
)

// judgeItem lets the judge learn of a visit. It returns the evidence to store, and the time at
// which the judge wants the address again.
func (f *Frontier) judgeItem(s *slot, it *Item, key storeKey, now time.Time) (
	evidence []byte, again time.Time) {
	again = now.Add(usualAgain)
	if f.judge == nil {
		return nil, again
	}
	if s.page != 0 {
		// If this fails, the judge begins anew with the address.
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

// next returns the slot of a queue that is given next.
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

// best returns the due judged address of a queue that is worth most. The address stays in front of
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

// rank chooses due judged addresses of a queue. Addresses of equal or unknown worth come by date.
func (f *Frontier) rank(q *queue, now int64, today uint32) {
	type rated struct {
		timed[uint32]
		worth float64
	}
	var all []rated
	for _, t := range q.due[judged] { // roughly by date: it is a heap
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
