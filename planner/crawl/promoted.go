package crawl

import (
	"encoding/binary"
	"fmt"

	"github.com/recrawl/recrawl/sitegraph"
)

// The store keeps the pages promoted in a round as lists among its settings, one for each commit
// that promoted any: the number of pages, and the pages in order, each as the difference from the
// one before. An empty list follows the last one, since lists of earlier rounds may lie behind it.

func promotedSetting(i int) string { return fmt.Sprint("promoted/", i) }

// saveList keeps pages that were promoted. It is durable with the next commit.
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

// dropLists forgets what was promoted, when all of it was put back.
func (q *dueQueue) dropLists() {
	if q.lists > 0 {
		q.lists = 0
		q.save(0, []byte{0})
	}
}

// recall lets pages be handed out first that were promoted in a round that did not end.
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
				break // lost in a damage
			}
			if p := sitegraph.PageID(page); q.pages.Memory(p).State == sitegraph.StateAlive {
				q.near.Put(p, 1)
			}
			list = list[size:]
		}
	}
}
