package planner

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// frontier holds the pages that are known by a link and have no copy: first come, first
// served, but that those the policy doubts wait.
type frontier struct {
	corpus  *Corpus
	again   queue // pages that were doubtful in the round before: the next in line
	waiting queue
	failed  []sitegraph.PageID // to be asked for again in a later round
	// doubtful are pages that the policy does not think worth a visit in this round.
	doubtful []sitegraph.PageID
	recalled bool               // in this round there is room for these, too
	deep     []sitegraph.PageID // neither reached within MaxDepth nor listed when it was their turn
}

// begin puts pages whose visit failed back in line once their wait is over, and deep ones
// that a shorter path reaches by now. Depths must be up to date.
func (f *frontier) begin() {
	slices.Sort(f.deep)
	f.deep = slices.Compact(f.deep)
	f.deep = slices.DeleteFunc(f.deep, func(p sitegraph.PageID) bool {
		if !f.corpus.reached(p) {
			return false
		}
		f.add(p)
		return true
	})
	f.again.putBack(f.doubtful)
	f.doubtful, f.recalled = f.doubtful[:0], false
	failed := f.failed
	f.failed = f.failed[len(f.failed):]
	for _, p := range failed {
		if f.corpus.Memory(p).State == sitegraph.StateNew {
			f.add(p)
		}
	}
}

// add puts a new page in line.
func (f *frontier) add(p sitegraph.PageID) {
	if m := f.corpus.Memory(p); !m.queued {
		m.queued = true
		f.waiting.push(p)
	}
}

// doubt lets a page that was next wait for the next round, or recall.
func (f *frontier) doubt(p sitegraph.PageID) {
	f.corpus.Memory(p).queued = true
	f.doubtful = append(f.doubtful, p)
}

// recall puts the doubtful pages back in line, as the last; for the rest of the round nobody doubts.
func (f *frontier) recall() {
	f.waiting.push(f.doubtful...)
	f.doubtful, f.recalled = f.doubtful[:0], true
}

// next takes the page that has waited longest. Pages deeper than MaxDepth are not fetched
// until links bring them nearer.
func (f *frontier) next() (Visit, bool) {
	for p, ok := f.pop(); ok; p, ok = f.pop() {
		m := f.corpus.Memory(p)
		m.queued = false
		if m.State != sitegraph.StateNew {
			continue
		}
		if !f.corpus.reached(p) {
			f.deep = append(f.deep, p)
			continue
		}
		if !f.corpus.Eligible(p) {
			f.failed = append(f.failed, p)
			continue
		}
		reason := because("new page at depth %.0f", float64(f.corpus.Graph.Depth(p)))
		if f.corpus.Graph.Depth(p) == 0 {
			reason = because("new page in a feed or sitemap")
		}
		return Visit{Page: p, First: true, Probability: math.NaN(), Value: math.NaN(), Reason: reason}, true
	}
	return Visit{}, false
}

// pop takes the page that is the next in line.
func (f *frontier) pop() (sitegraph.PageID, bool) {
	if p, ok := f.again.pop(); ok {
		return p, true
	}
	return f.waiting.pop()
}

// len is the number of pages in line, those apart that are too deep.
func (f *frontier) len() int {
	return f.again.len() + f.waiting.len() + len(f.failed) + len(f.doubtful)
}
