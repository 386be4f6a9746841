package frontier

import (
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/dchest/siphash"
)

// Store keeps a frontier, and may be used concurrently.
type Store interface {
	// Change makes all changes of fill visible at once. Fills run one at a time and see all changes
	// before them. Changes become durable in the order of their fills, and this one once wait
	// returns nil.
	Change(fill func(set func(key, value []byte), remove func(key []byte))) (wait func() error,
		err error)
	// Get calls see with the value under a key. The value is valid until see returns.
	Get(key []byte, see func(value []byte)) (bool, error)
	// GetAll calls see with the values under keys 0 to n-1, which ascend. It leaves out keys
	// without a value.
	GetAll(n int, key func(i int) []byte, see func(i int, value []byte)) error
	// Scan calls see with all keys of a prefix in order, until it returns an error.
	Scan(prefix byte, see func(key, value []byte) error) error
}

// batch is a change of the store under construction.
type batch struct {
	set    func(key, value []byte)
	remove func(key []byte)
}

// Options of a frontier.
type Options struct {
	// Seed is the key of the ids of a new frontier: 16 random bytes. An old one keeps its own.
	Seed [16]byte
	// Delay is the pause of queues without a delay of their own, for a new frontier. 0 means 1 s,
	// as in the reference implementation.
	Delay time.Duration
	// Judge ranks addresses whose outcomes the crawler reports; nil: all addresses come by date.
	Judge Judge
}

// mostSlots is the largest number of addresses that the numbers of slots allow.
const mostSlots = 1<<32 - 2

// Frontier is an open frontier.
type Frontier struct {
	store Store
	judge Judge // nil: none

	mu     sync.Mutex // guards all fields below
	key    [2]uint64  // key of the ids
	active bool
	delay  int64 // seconds; the delay of queues without one of their own
	table  table
	queues map[uint32]*queue // queues by number
	number uint32            // number of the newest queue
	crawls []*crawl
	turn   int         // position among the crawls, for requests of any crawl
	leases line[int64] // by end; some entries are over

}

// Open reads a frontier from its store, or begins one.
func Open(store Store, o Options, now time.Time) (*Frontier, error) {
	f := &Frontier{store: store, judge: o.Judge, active: true,
		delay: int64(max(o.Delay, 0) / time.Second), queues: map[uint32]*queue{}}
	if o.Delay == 0 {
		f.delay = 1
	}
	var bad error
	known, err := store.Get([]byte{settingsKey}, func(b []byte) { bad = f.parseSettings(b) })
	if err := errors.Join(err, bad); err != nil {
		return nil, err
	}
	if !known {
		f.key = [2]uint64{binary.LittleEndian.Uint64(o.Seed[:]),
			binary.LittleEndian.Uint64(o.Seed[8:])}
		return f, f.changeNow(func(b *batch) error { f.saveSettings(b); return nil })
	}
	return f, f.load(now)
}

var errSettings = errors.New("the settings of the frontier are damaged: restore the directory " +
	"from a copy")

func (f *Frontier) appendSettings(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, f.key[0])
	b = binary.LittleEndian.AppendUint64(b, f.key[1])
	active := byte(0)
	if f.active {
		active = 1
	}
	b = append(b, active)
	return binary.LittleEndian.AppendUint64(b, uint64(f.delay))
}

func (f *Frontier) saveSettings(b *batch) { b.set([]byte{settingsKey}, f.appendSettings(nil)) }

func (f *Frontier) parseSettings(b []byte) error {
	if len(b) != 25 || b[16] > 1 || int64(binary.LittleEndian.Uint64(b[17:])) < 0 {
		return errSettings
	}
	f.key = [2]uint64{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
	f.active = b[16] == 1
	f.delay = int64(binary.LittleEndian.Uint64(b[17:]))
	return nil
}

// load fills the memory from the store.
func (f *Frontier) load(now time.Time) error {
	err := f.store.Scan(queuePrefix, func(key, value []byte) error {
		if len(key) != 5 {
			return errQueue
		}
		q := &queue{number: binary.BigEndian.Uint32(key[1:])}
		name, err := parseQueue(value, q)
		if err != nil {
			return err
		}
		f.enter(q, f.crawl(name, true))
		return nil
	})
	if err != nil {
		return err
	}
	err = f.store.Scan(itemPrefix, func(key, value []byte) error {
		it, err := parseItem(value)
		if err != nil {
			return err
		}
		number, i, ok := parseKey(key)
		q := f.queues[number]
		if q == nil || !ok {
			return errItem
		}
		n := f.table.add(i)
		s := f.table.at(n)
		s.queue, s.date, s.created = number, it.date, it.created
		if f.judge != nil && len(it.evidence) > 0 {
			s.page = f.judge.Remember(q.crawl.name, string(it.url), it.evidence)
		}
		if s.date == 0 {
			q.done++
		} else {
			q.active++
			f.enqueue(q, s.date, n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var over [][]byte
	err = f.store.Scan(leasePrefix, func(key, value []byte) error {
		_, i, ok := parseKey(key)
		if !ok || len(value) != 8 {
			return errItem
		}
		until := int64(binary.LittleEndian.Uint64(value))
		if n, ok := f.table.find(i); ok && until > now.UnixMilli() {
			f.lease(n, until)
		} else {
			over = append(over, append([]byte(nil), key...))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, q := range f.queues {
		f.place(q, now.UnixMilli())
	}
	return f.changeNow(func(b *batch) error {
		for _, key := range over {
			b.remove(key)
		}
		return nil
	})
}

// crawl returns a crawl. If there is none, it makes one or returns nil.
func (f *Frontier) crawl(name string, make bool) *crawl {
	for _, c := range f.crawls {
		if c.name == name {
			return c
		}
	}
	if !make {
		return nil
	}
	c := &crawl{name: name, queues: map[string]*queue{}}
	f.crawls = append(f.crawls, c)
	return c
}

// find returns a queue, or nil if there is none.
func (f *Frontier) find(crawl, key string) *queue {
	if c := f.crawl(CrawlName(crawl), false); c != nil {
		return c.queues[key]
	}
	return nil
}

func (f *Frontier) enter(q *queue, c *crawl) {
	q.crawl = c
	c.queues[q.key] = q
	f.queues[q.number] = q
	f.number = max(f.number, q.number)
}

// queueOf returns the queue of an item, new if need be.
func (f *Frontier) queueOf(it *Item, b *batch) *queue {
	c := f.crawl(it.Crawl, true)
	q := c.queues[it.Key]
	if q == nil {
		q = &queue{number: f.number + 1, key: it.Key, delay: noDelay}
		f.enter(q, c)
		f.save(q, b)
	}
	return q
}

func queueKey(number uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{queuePrefix}, number)
}

func (b *batch) removeKey(k storeKey) { b.remove(k[:]) }

func (f *Frontier) save(q *queue, b *batch) { b.set(queueKey(q.number), appendQueue(nil, q)) }

func (f *Frontier) identify(crawl, key, url string, scratch []byte) (id, []byte) {
	scratch = appendString(scratch[:0], crawl)
	scratch = appendString(scratch, key)
	scratch = append(scratch, url...)
	lo, hi := siphash.Hash128(f.key[0], f.key[1], scratch)
	var i id
	binary.LittleEndian.PutUint64(i[:], lo)
	binary.LittleEndian.PutUint64(i[8:], hi)
	return i, scratch
}

// lease leases an address until a moment.
func (f *Frontier) lease(n uint32, until int64) {
	s := f.table.at(n)
	q := f.queues[s.queue]
	if s.lease == 0 {
		q.transit++
	}
	s.lease = until
	f.leases.push(timed[int64]{until, n})
}

// unlease ends a lease.
func (f *Frontier) unlease(s *slot) {
	if s.lease != 0 {
		s.lease = 0
		f.queues[s.queue].transit--
	}
}

// expire ends the leases that have run out, so that their addresses wait again.
func (f *Frontier) expire(now int64) {
	if len(f.leases) > 2*f.table.live+64 {
		f.leases.sift(func(t timed[int64]) bool { return f.table.at(t.what).lease == t.at })
	}
	for len(f.leases) > 0 && f.leases[0].at <= now {
		t := f.leases.pop()
		s := f.table.at(t.what)
		if s.queue == 0 || s.lease != t.at {
			continue
		}
		f.unlease(s)
		if q := f.queues[s.queue]; s.date != 0 {
			f.enqueue(q, s.date, t.what)
			f.place(q, now)
		}
	}
}

// change runs fill under the lock. Its changes of the memory and of the batch are one change.
func (f *Frontier) change(fill func(b *batch) error) (wait func() error, err error) {
	var bad error
	wait, err = f.store.Change(func(set func(key, value []byte), remove func(key []byte)) {
		f.mu.Lock()
		defer f.mu.Unlock()
		bad = fill(&batch{set, remove})
	})
	return wait, errors.Join(bad, err)
}

// changeNow runs change and waits until it is durable.
func (f *Frontier) changeNow(fill func(b *batch) error) error {
	wait, err := f.change(fill)
	if err != nil {
		return err
	}
	return wait()
}
