package crawl

import (
	"encoding/binary"
	"fmt"

	"github.com/recrawl/recrawl/sitegraph"
)

// The store keeps the pages promoted in a round as lists among its settings, one for each commit
// that promoted any. A list has the number of pages, then the pages in order, each as the
// difference from the one before. An empty list ends them, since lists of earlier rounds may
// follow.

func promotedSetting(i int) string { return fmt.Sprint("promoted/", i) }

// saveList stores a list of promoted pages, durable with the next commit.
func (q *dueQueue) saveList(pages []sitegraph.PageID) {
	list := binary.AppendUvarint(nil, uint64(len(pages)))
	last := sitegraph.PageID(0)
	for _, p := range pages {
		list = binary.AppendUvarint(list, uint64(p-last))
		last = p
	}
	q.save(q.lists, list)
	q.lists++
	q.save(q.lists, []byte{0})
}

func (q *dueQueue) save(i int, list []byte) {
	if q.err == nil {
		q.err = q.store.SaveSetting(promotedSetting(i), list)
	}
}

// dropLists forgets the lists once all promoted pages were put back.
func (q *dueQueue) dropLists() {
	if q.lists > 0 {
		q.lists = 0
		q.save(0, []byte{0})
	}
}

// recall hands out the pages first that were promoted in an unfinished round.
func (q *dueQueue) recall() {
	for {
		list, ok, err := q.store.Setting(promotedSetting(q.lists))
		if q.err = err; err != nil || !ok {
			return
		}
		n, size := binary.Uvarint(list)
		if n == 0 {
			return
		}
		q.lists++
		page := uint64(0)
		for list = list[max(size, 0):]; n > 0 && len(list) > 0; n-- {
			next, size := binary.Uvarint(list)
			if page += next; size <= 0 || page >= uint64(q.pages.Count()) {
				break // lost in a damaged store
			}
			if p := sitegraph.PageID(page); q.pages.Memory(p).State == sitegraph.StateAlive {
				q.near.Put(p, 1)
			}
			list = list[size:]
		}
	}
}
