package frontier

import (
	"math"
	"slices"
	"time"
)

// deletedAtOnce bounds one change of the store. A crash between two changes leaves a deletion half
// done, which nobody was yet told is done.
const deletedAtOnce = 50_000

// DeleteQueue removes a queue with its addresses and settings. It returns the number of addresses.
func (f *Frontier) DeleteQueue(crawl, key string) (int, error) {
	if key == "" {
		return 0, nil
	}
	return f.delete(crawl, key, math.MaxUint32)
}

// DeleteCrawl removes all queues of a crawl, and returns the number of their addresses.
func (f *Frontier) DeleteCrawl(crawl string) (int, error) {
	return f.delete(crawl, "", math.MaxUint32)
}

// Purge removes the addresses of a queue that were created before a moment; with an empty key, of
// all queues of the crawl. It also removes the queues that are then empty.
func (f *Frontier) Purge(crawl, key string, before time.Time) (int, error) {
	return f.delete(crawl, key, seconds(before))
}

func (f *Frontier) delete(crawl, key string, before uint32) (deleted int, err error) {
	for from, more := uint32(0), true; more; {
		n := 0
		err := f.changeNow(func(b *batch) error {
			n, from, more = f.deleteSome(f.chosen(crawl, key), before, from, b)
			return nil
		})
		if deleted += n; err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}

// deleteSome deletes addresses from a slot on, and returns the slot at which to go on.
func (f *Frontier) deleteSome(queues []*queue, before, from uint32, b *batch) (
	deleted int, next uint32, more bool) {
	want := map[uint32]*queue{}
	for _, q := range queues {
		want[q.number] = q
	}
	if len(want) == 0 {
		return 0, 0, false
	}
	f.table.each(from, func(n uint32, s *slot) bool {
		q := want[s.queue]
		if q == nil || before != math.MaxUint32 && s.created >= before {
			return true
		}
		if deleted == deletedAtOnce {
			next, more = n, true
			return false
		}
		deleted++
		b.removeKey(s.key(itemPrefix))
		if s.lease != 0 {
			f.unlease(s)
			b.removeKey(s.key(leasePrefix))
		}
		if s.date == 0 {
			q.done--
		} else {
			q.active--
		}
		f.table.remove(n)
		return true
	})
	for _, q := range queues {
		if q.active+q.done == 0 {
			f.drop(q, b)
		} else {
			f.place(q, 0) // the queue may be below its limit now; the next Get wakes it
		}
	}
	return deleted, next, more
}

// drop removes an empty queue, and its crawl with the last one.
func (f *Frontier) drop(q *queue, b *batch) {
	b.remove(queueKey(q.number))
	delete(f.queues, q.number)
	delete(q.crawl.queues, q.key)
	if len(q.crawl.queues) == 0 {
		f.crawls = slices.DeleteFunc(f.crawls, func(c *crawl) bool { return c == q.crawl })
		if f.judge != nil {
			f.judge.Forget(q.crawl.name)
		}
	}
}
