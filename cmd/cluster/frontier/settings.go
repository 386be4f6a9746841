package frontier

import "time"

// SetDelay sets the pause of a queue; with an empty key, of all queues without one of their own. It
// does not make a queue.
func (f *Frontier) SetDelay(crawl, key string, delay time.Duration, now time.Time) error {
	seconds := int64(max(delay, 0) / time.Second)
	if key == "" {
		return f.changeNow(func(b *batch) error {
			f.delay = seconds
			f.saveSettings(b)
			for _, q := range f.queues {
				f.place(q, now.UnixMilli())
			}
			return nil
		})
	}
	return f.set(crawl, key, now, func(q *queue) { q.delay = seconds })
}

// BlockUntil keeps a queue from giving anything until a moment, inclusive. The zero time lifts the
// block.
func (f *Frontier) BlockUntil(crawl, key string, until, now time.Time) error {
	return f.set(crawl, key, now, func(q *queue) {
		q.blocked = 0
		if !until.IsZero() {
			q.blocked = min(max(until.Unix(), 0), mostBlocked)
		}
	})
}

// mostBlocked is the last moment of 32 bits, in 2106.
const mostBlocked = 1<<32 - 1

// SetLimit bounds a queue: it gives nothing once limit of its addresses are done; 0: no limit.
func (f *Frontier) SetLimit(crawl, key string, limit uint32, now time.Time) error {
	return f.set(crawl, key, now, func(q *queue) { q.limit = limit })
}

func (f *Frontier) set(crawl, key string, now time.Time, change func(q *queue)) error {
	return f.changeNow(func(b *batch) error {
		if q := f.find(crawl, key); q != nil {
			change(q)
			f.save(q, b)
			f.place(q, now.UnixMilli())
		}
		return nil
	})
}

// SetActive stops Get from giving anything, or lets it go on.
func (f *Frontier) SetActive(active bool) error {
	return f.changeNow(func(b *batch) error {
		f.active = active
		f.saveSettings(b)
		return nil
	})
}

// Active reports whether Get may give anything.
func (f *Frontier) Active() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.active
}
