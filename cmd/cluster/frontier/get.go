package frontier

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"
)

// Request asks for addresses.
type Request struct {
	Crawl    string // "": DefaultCrawl
	AnyCrawl bool   // asks all crawls in turns, and ignores Crawl
	Key      string // this queue only; "": all
	Queues   int    // the largest number of queues; 0: no limit
	PerQueue int    // the largest number of addresses of a queue; 0: no limit
	// the duration of their leases; 0: 30 s, as in the reference implementation
	Lease time.Duration
}

// mostGiven bounds the addresses of one answer. The next answers have the rest.
const mostGiven = 20_000

const usualLease = 30 * time.Second

// Get hands out addresses that may be fetched now. Their leases are durable when it returns.
func (f *Frontier) Get(r Request, now time.Time) ([]Item, error) {
	if r.Queues <= 0 {
		r.Queues = math.MaxInt
	}
	if r.PerQueue <= 0 {
		r.PerQueue = math.MaxInt
	}
	if r.Lease <= 0 {
		r.Lease = usualLease
	}
	at := now.UnixMilli()
	var given []storeKey
	wait, err := f.change(func(b *batch) error {
		if !f.active {
			return nil
		}
		f.expire(at)
		g := giving{f: f, b: b, r: &r, now: at, until: at + r.Lease.Milliseconds()}
		g.run()
		given = g.keys
		return nil
	})
	if err != nil || len(given) == 0 {
		return nil, err
	}
	durable := make(chan error, 1)
	go func() { durable <- wait() }() // reads the addresses meanwhile
	items, err := f.read(given)
	return items, errors.Join(err, <-durable)
}

// giving is the work of one Get.
type giving struct {
	f          *Frontier
	b          *batch
	r          *Request
	now, until int64
	queues     int
	keys       []storeKey // of the given items
}

func (g *giving) over() bool { return g.queues >= g.r.Queues || len(g.keys) >= mostGiven }

func (g *giving) run() {
	f := g.f
	if g.r.Key != "" {
		if q := f.find(g.r.Crawl, g.r.Key); q != nil {
			g.serve(q)
			f.place(q, g.now)
		}
		return
	}
	if !g.r.AnyCrawl {
		if c := f.crawl(CrawlName(g.r.Crawl), false); c != nil {
			g.of(c)
		}
		return
	}
	for range len(f.crawls) {
		if g.over() {
			return
		}
		f.turn = (f.turn + 1) % len(f.crawls)
		g.of(f.crawls[f.turn])
	}
}

// of serves each ready queue of a crawl once.
func (g *giving) of(c *crawl) {
	g.f.wake(c, g.now)
	for range c.ready.len() {
		if g.over() {
			return
		}
		q := g.f.queues[c.ready.pop()]
		if q == nil || q.place != ready {
			continue // the queue was deleted
		}
		q.place = idle
		if g.transit(q) { // the queue may have room for another request
			q.place = ready
			c.ready.push(q.number)
			continue
		}
		g.serve(q)
		g.f.place(q, g.now)
	}
}

// transit reports whether a queue has as many addresses in transit as the request allows.
func (g *giving) transit(q *queue) bool { return q.transit >= g.r.PerQueue }

// serve hands out addresses of a queue, if the queue may give any.
func (g *giving) serve(q *queue) {
	f := g.f
	if q.full() || f.rests(q) > g.now || g.transit(q) {
		return
	}
	before := len(g.keys)
	for n := 0; n < g.r.PerQueue && len(g.keys) < mostGiven; n++ {
		next, ok := f.next(q, g.now)
		if !ok {
			break
		}
		g.give(next)
	}
	if len(g.keys) == before {
		return
	}
	g.queues++
	q.last = g.now
	f.save(q, g.b)
}

func (g *giving) give(n uint32) {
	g.f.lease(n, g.until)
	s := g.f.table.at(n)
	key := s.key(leasePrefix)
	g.b.set(key[:], binary.LittleEndian.AppendUint64(nil, uint64(g.until)))
	g.keys = append(g.keys, s.key(itemPrefix))
}

// read reads items, and leaves out those that were deleted meanwhile.
func (f *Frontier) read(keys []storeKey) ([]Item, error) {
	order := make([]int, len(keys)) // ascending
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(keys[a][:], keys[b][:]) })
	items := make([]Item, len(keys))
	var bad error
	err := f.store.GetAll(len(keys), func(i int) []byte {
		return keys[order[i]][:]
	}, func(i int, value []byte) {
		s, err := parseItem(value)
		bad = errors.Join(bad, err)
		items[order[i]] = s.item()
	})
	if err := errors.Join(err, bad); err != nil {
		return nil, err
	}
	there := items[:0]
	for i, it := range items {
		if queue, _, _ := parseKey(keys[i][:]); it.URL != "" && f.name(&it, queue) {
			there = append(there, it)
		}
	}
	return there, nil
}

// item reads what is stored under a key. It returns false if nothing is, or if the queue was
// deleted meanwhile.
func (f *Frontier) item(key storeKey) (it Item, ok bool, err error) {
	var bad error
	found, err := f.store.Get(key[:], func(value []byte) {
		var s stored
		if s, bad = parseItem(value); bad == nil {
			it = s.item()
		}
	})
	if err := errors.Join(err, bad); err != nil || !found {
		return it, false, err
	}
	queue, _, _ := parseKey(key[:])
	return it, f.name(&it, queue), nil
}

// name fills in crawl and key of an item.
func (f *Frontier) name(it *Item, queue uint32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := f.queues[queue]
	if q == nil {
		return false
	}
	it.Crawl, it.Key = q.crawl.name, q.key
	return true
}

// item returns a copy of a stored item.
func (s *stored) item() Item {
	return Item{
		URL:      string(s.url),
		Known:    true,
		Date:     fromSeconds(s.date),
		Created:  fromSeconds(s.created),
		Metadata: append([]byte(nil), s.metadata...),
	}
}
