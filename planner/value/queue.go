package value

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// A round does not look at all pages. It scores those whose score is due: the moment at which their
// worth was expected to come near the price, or the moment at which evidence said that they may be
// worth more. And it goes on with the ranking of the round before, from which only those were taken
// that were visited. So its cost grows with visits, with what they showed, and with what is due;
// what it does for all pages is to read a summary of each block of 16.
//
// The ranking is the one that a look at all pages makes, page by page: see LookAtAll.

// scoreBlock sums up the scores of blockPages pages. As long as it holds, a round need not read the
// scores themselves where none is due.
type scoreBlock struct {
	holds bool // no score has changed since
	// Of pages with a copy:
	most  float32 // the highest worth
	least float32 // the lowest; -1 where one cannot be visited
	due   float32 // days: when the first score is due to be made anew
}

const blockPages = 16

// queue is what a round takes over from the one before.
type queue struct {
	off    bool    // each round looks at all pages
	listed bool    // the rankings have all pages that are worth floor
	anew   int     // rounds in which all pages were looked at
	floor  float32 // at most reserve
	// Pages that were taken from the rankings, or could not be visited when it was their turn.
	dropped []sitegraph.PageID
	fell    []standing         // room for work
	stale   []int32            // blocks to read, in this round
	due     []sitegraph.PageID // pages whose scores are due
}

const (
	// floorPart of reserve is down to where pages are listed, since the price moves.
	floorPart = 0.7
	// mostScored is the part of the pages that may be scored; where there are more, all are listed
	// anew.
	mostScored = 0.25
	// fewStale is the part of the blocks up to which those that are to be read lie far apart.
	fewStale = 0.1
)

// LookAtAll makes each round look at all pages, as a reference: the visits are the same.
func (v *Policy) LookAtAll() { v.queue.off = true }

func (q *queue) drop(p sitegraph.PageID) { q.dropped = append(q.dropped, p) }

// invalidate says that the score of a page has changed.
func (v *scorer) invalidate(p sitegraph.PageID) {
	if i := int(p) / blockPages; i < len(v.blocks) {
		v.blocks[i].holds = false
	}
}

func (v *scorer) invalidateAll(b *batch) {
	for _, p := range b.all() {
		v.invalidate(p)
	}
}

// pagesOf are those of a block.
func (v *scorer) pagesOf(block int) (from, to sitegraph.PageID) {
	return sitegraph.PageID(block * blockPages),
		sitegraph.PageID(min((block+1)*blockPages, len(v.scores)))
}

// summarize the scores of a block. A page without a copy has no score that is due.
func (v *scorer) summarize(block int) {
	of := scoreBlock{holds: true, least: float32(math.Inf(1)), due: float32(math.Inf(1))}
	from, to := v.pagesOf(block)
	for p := from; p < to; p++ {
		s := &v.scores[p]
		if v.Corpus.Memory(p).State != sitegraph.StateAlive {
			continue
		}
		of.most = max(of.most, s.worth)
		of.due = min(of.due, s.again)
		least := s.worth
		if !v.Corpus.Refetchable(p) {
			least = -1
		}
		of.least = min(of.least, least)
	}
	v.blocks[block] = of
}

// beginRankings begins a round, before weigh.
func (v *ranker) beginRankings() {
	v.roomForServers()
	for s := range v.rankings.of {
		of := &v.rankings.of[s]
		of.surprise, of.retention = 0, 1
		of.alive = int32(v.Corpus.Alive(sitegraph.ServerID(s)))
	}
}

// weigh scores the pages that may have come to be worth more and ranks those worth reserve, servers
// at once: all that is made and changed in it belongs to one of them.
func (v *ranker) weigh() {
	v.groups.all.sumUp()
	for s := range v.rankings.of {
		v.modelOf(sitegraph.ServerID(s))
	}
	q := &v.queue
	q.due, q.stale = q.due[:0], q.stale[:0]
	if q.off {
		q.listed = false
		for i := range v.blocks {
			v.blocks[i].holds = false
		}
	}
	for i := range v.blocks {
		if of := &v.blocks[i]; !of.holds || of.due <= v.now {
			q.stale = append(q.stale, int32(i))
		}
	}
	// What was not moved out of an image yet is read as a whole, soon or at once.
	file := v.Corpus.Graph.Scratch()
	file.Apart(float64(len(q.stale)) < fewStale*float64(len(v.blocks)) && file.Settled())
	v.rateDue()
	file.Apart(false)
	floor := v.boundLists()
	switch {
	case math.IsInf(float64(v.reserve), 1):
		v.clearLists()
	case q.listed && v.reserve > 0 && v.reserve >= q.floor &&
		float64(len(q.due)) <= mostScored*float64(len(v.scores)):
		v.takeOver(max(v.reserve/2, floor))
	default:
		v.listAll(max(floorPart*v.reserve, floor))
	}
	q.dropped = q.dropped[:0]
	v.more = slices.ContainsFunc(v.blocks, func(of scoreBlock) bool { return of.least < v.reserve })
	file.Apart(file.Settled())
	v.orderRankings() // reads a page of each server
	file.Apart(false)
}

// blockPlaces are where a look at a block reads in the scratch files.
const blockPlaces = 4

// summarizeAll sums up the scores of blocks, several at once.
func (v *scorer) summarizeAll(blocks []int32) {
	const part = 256
	atOnce(len(blocks)*blockPages, func(next func() int) {
		for from := part * next(); from < len(blocks); from = part * next() {
			for _, i := range blocks[from:min(from+part, len(blocks))] {
				v.summarize(int(i))
			}
		}
	})
}

// ratedTogether is how many blocks are scored before memory is given back. What is known of their
// pages takes 150 bytes each: 10 MB, or 130 MB where no two of the blocks are neighbours. Blocks
// come in the order of the files, so that each part of a file is read once. Pages of one server lie
// all over the files: server by server, all of the files would have to be in memory.
const ratedTogether = 1 << 12

// rateDue scores the pages of the blocks that are to be read whose scores are due. It names some
// more than mostScored of them.
func (v *ranker) rateDue() {
	q := &v.queue
	most := int(mostScored*float64(len(v.scores))) + 1
	for blocks := range slices.Chunk(q.stale, ratedTogether) {
		q.due = q.due[:min(len(q.due), most)]
		named := len(q.due)
		v.nameDue(blocks)
		v.rateThose(q.due[named:])
		v.summarizeAll(blocks)
		v.Corpus.Graph.Scratch().Ease()
	}
}

// nameDue names the pages of blocks whose scores are due.
func (v *ranker) nameDue(blocks []int32) {
	q := &v.queue
	pace := scratch.Pace{Alone: true}
	for _, i := range blocks {
		from, to := v.pagesOf(int(i))
		pace.Read(v.Corpus.Graph.Scratch(), blockPlaces)
		for p := from; p < to; p++ {
			if v.scores[p].again <= v.now && v.Corpus.Refetchable(p) {
				q.due = append(q.due, p)
			}
		}
	}
}

// rateThose scores pages, server by server, several servers at once.
func (v *ranker) rateThose(pages []sitegraph.PageID) {
	g := v.Corpus.Graph
	slices.SortFunc(pages, func(a, b sitegraph.PageID) int {
		return cmp.Or(cmp.Compare(g.Server(a), g.Server(b)), cmp.Compare(a, b))
	})
	var starts []int // of servers, in pages
	for i, p := range pages {
		if i == 0 || g.Server(pages[i-1]) != g.Server(p) {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(pages))
	atOnce(len(pages), func(next func() int) {
		var due batch
		for k := next(); k+1 < len(starts); k = next() {
			for some := range slices.Chunk(pages[starts[k]:starts[k+1]], len(due.pages)) {
				due.n = copy(due.pages[:], some)
				v.rateAll(&due)
			}
		}
	})
}

// clearLists ranks no page.
func (v *ranker) clearLists() {
	v.queue.listed = false
	for s := range v.rankings.of {
		if of := v.rankings.of[s].ranked; of != &unranked {
			of.pages.All, of.fresh.All, of.low = of.pages.All[:0], of.fresh.All[:0], of.low[:0]
		}
	}
}

// listPlaces are where it reads in the scratch files.
const listPlaces = 4

// list puts a page where its worth belongs.
func (v *ranker) list(p sitegraph.PageID) {
	v.batch.pace.Read(v.Corpus.Graph.Scratch(), listPlaces)
	worth := v.worth(p)
	if worth < v.queue.floor || v.Corpus.Memory(p).State != sitegraph.StateAlive {
		return
	}
	of := v.rankings.of[v.Corpus.Graph.Server(p)].own()
	if c := v.standing(p); worth >= v.reserve {
		of.pages.All = append(of.pages.All, c)
	} else {
		of.low = append(of.low, c)
	}
}

// boundLists raises reserve where more than mostBlocks blocks have a page worth reserve. It returns
// what a page must be worth to be listed for later rounds. Where a budget is small for its pages
// nearly all of them are worth half of the price.
func (v *ranker) boundLists() (floor float32) {
	if v.mostBlocks == 0 || !(v.reserve > 0) || math.IsInf(float64(v.reserve), 1) {
		return 0
	}
	v.reserve = max(v.reserve, v.reserveOfBlocks(v.mostBlocks))
	return v.reserveOfBlocks(2 * v.mostBlocks)
}

// reserveOfBlocks is the reserve by which the pages of so many blocks are ranked, the blocks with
// the best pages: leastOf, less the tolerance for a visit that is not the best. It is 0 for all.
func (v *ranker) reserveOfBlocks(blocks int) float32 {
	return (1 - float32(v.tolerance)) * v.leastOf(blocks)
}

// listAll lists all pages that are worth floor.
func (v *ranker) listAll(floor float32) {
	v.clearLists()
	v.queue.anew++
	v.queue.listed, v.queue.floor = v.reserve > 0, floor
	for i := range v.blocks {
		if v.blocks[i].most < v.queue.floor {
			continue
		}
		from, to := v.pagesOf(i)
		for p := from; p < to; p++ {
			v.list(p)
		}
	}
	for s := range v.rankings.of {
		if of := v.rankings.of[s].ranked; of != &unranked {
			of.fit()
		}
	}
}

// takeOver goes on with the lists of the round before. Pages whose scores changed since are in them
// once more, by these scores: an entry of another score is dropped when it is its turn. Those worth
// less than floor are listed no more.
func (v *ranker) takeOver(floor float32) {
	q := &v.queue
	q.floor = max(q.floor, floor)
	for s := range v.rankings.of {
		if of := &v.rankings.of[s]; of.ranked != &unranked {
			of.takeOver(v)
		}
	}
	slices.Sort(q.dropped)
	for _, p := range slices.Compact(q.dropped) {
		v.list(p)
	}
	for _, p := range q.due {
		v.list(p)
	}
	for s := range v.rankings.of { // not at once: most lists grow a little in each round
		if of := v.rankings.of[s].ranked; cap(of.pages.All) > 2*len(of.pages.All)+64 {
			of.fit()
		}
	}
}

// takeOver puts the entries of a server where their scores belong in this round.
func (of *serverRanking) takeOver(v *ranker) {
	fell := v.queue.fell[:0]
	ranked, low := of.pages.All[:0], of.low[:0]
	for _, all := range [...][]standing{of.pages.All, of.fresh.All} {
		for _, c := range all { // ranked fills what was read already, or grows
			if c.Score >= v.reserve {
				ranked = append(ranked, c)
			} else if c.Score >= v.queue.floor {
				fell = append(fell, c)
			}
		}
	}
	for _, c := range of.low {
		if c.Score >= v.reserve {
			ranked = append(ranked, c)
		} else if c.Score >= v.queue.floor {
			low = append(low, c)
		}
	}
	of.pages.All, of.low, of.fresh.All = ranked, append(low, fell...), of.fresh.All[:0]
	v.queue.fell = fell
	if len(of.pages.All)+len(of.low) > 2*int(of.alive)+64 {
		of.compact(v)
	}
}

// compact drops entries that are good no more, and others of the same page.
func (of *serverRanking) compact(v *ranker) {
	for _, all := range [...]*[]standing{&of.pages.All, &of.low} {
		slices.SortFunc(*all, func(a, b standing) int { return cmp.Compare(a.Page, b.Page) })
		*all = slices.Clone(slices.CompactFunc(
			slices.DeleteFunc(*all, func(c standing) bool { return c.Score != v.worth(c.Page) }),
			func(a, b standing) bool { return a.Page == b.Page }))
	}
}

// fewPages are not worth another goroutine.
var fewPages = 10_000

// atOnce divides work on so many pages among goroutines, and returns when all have ended. Each
// calls next for the number of its next piece of work, from 0 on, until there are no more.
func atOnce(pages int, work func(next func() int)) {
	var given atomic.Int64
	next := func() int { return int(given.Add(1) - 1) }
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+pages/fewPages) {
		wait.Go(func() { work(next) })
	}
	wait.Wait()
}

// lowerReserve lets more pages be ranked: first those of four times as many blocks, as long as
// reserve is above half of the price, and then those worth a quarter as much, at last all.
func (v *ranker) lowerReserve() {
	half := v.reserveOf(v.price)
	for before := v.reserve; v.mostBlocks > 0 && before > half; {
		v.mostBlocks *= 4
		if v.reserve = max(half, v.reserveOfBlocks(v.mostBlocks)); v.reserve < before {
			return
		}
	}
	v.reserve /= 4
	if v.more = float64(v.reserve) > v.price/100; !v.more {
		v.reserve = 0
	}
}

// release ranks pages, too, that were held back for their low values. One that is ranked already
// may be ranked twice; it is taken once.
func (v *ranker) release() {
	reserve := v.reserve
	v.lowerReserve()
	pace := scratch.Pace{Alone: true}
	for i := range v.blocks {
		if of := &v.blocks[i]; of.holds && of.most < v.reserve {
			continue
		}
		pace.Read(v.Corpus.Graph.Scratch(), blockPlaces)
		from, to := v.pagesOf(i)
		for p := from; p < to; p++ {
			if worth := v.worth(p); v.reserve <= worth && worth < reserve && v.open(p) {
				v.add(p)
			}
		}
	}
	v.orderRankings()
}
