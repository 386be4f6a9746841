package seen

import (
	"errors"
	"time"
)

// Verdict is what is known of an address when it is offered.
type Verdict uint8

const (
	VerdictUnknown Verdict = iota
	// VerdictRepeat: it was offered before; the cache has it.
	VerdictRepeat
	// VerdictDoubted: the filter has it. In exact mode the set confirms that later. In approximate
	// mode it counts as a repeat.
	VerdictDoubted
	// VerdictWaiting: the set will be asked.
	VerdictWaiting
)

// PipelineOptions are the parts and callbacks of a Pipeline.
type PipelineOptions struct {
	Cache  Cache
	Filter Filter // of keys that left the cache; nil: none
	Set    *Set
	// Approximate never confirms positives of the filter [SBFL 4.3]: a false positive loses its
	// page.
	Approximate bool
	// WaitBytes and DoubtBytes bound the addresses that wait for the set, counting entryBytes for
	// each beside its text; default 16 MiB and 4 MiB. The set is asked when they are full.
	WaitBytes, DoubtBytes int
	// New is called for each new address once, in the order of arrival within a settled batch. The
	// text is valid until it returns.
	New func(url string) error
	// Settled is called after each batch for the set, to make the results of New durable: first the
	// pages, then the set by Set.Commit.
	Settled func() error
}

// entryBytes is the memory of a waiting address beside its text: its fingerprint, its end, an ask
// of the set and the answer.
const entryBytes = 8 + 4 + 16 + 1

// Pipeline decides which addresses of a stream are new: a cache, a filter and a set in a row [SBFL
// 4.3].
type Pipeline struct {
	o           PipelineOptions
	wait, doubt queue
	fresh       []bool
	stats       PipelineStats
}

// PipelineStats count decisions and their reasons.
type PipelineStats struct {
	Offered    uint64 `json:"offered"`
	CacheHits  uint64 `json:"cache_hits"`
	FilterHits uint64 `json:"filter_hits"` // positives, except exempt ones
	Exempt     uint64 `json:"exempt"`      // important ones that the filter had
	// Waited counts those that neither cache nor filter had.
	Waited       uint64  `json:"waited"`
	Missed       uint64  `json:"missed"`        // of Waited, those in the set (false negatives)
	Confirmed    uint64  `json:"confirmed"`     // positives of the filter that the set confirmed
	Rescued      uint64  `json:"rescued"`       // false positives of the filter that were new
	New          uint64  `json:"new"`           // passed to New, including Rescued
	WaitSeconds  float64 `json:"wait_seconds"`  // asking for waiting ones
	DoubtSeconds float64 `json:"doubt_seconds"` // confirming positives of the filter
}

const (
	defaultWaitBytes  = 16 << 20
	defaultDoubtBytes = 4 << 20
)

// NewPipeline returns a pipeline of the parts.
func NewPipeline(o PipelineOptions) *Pipeline {
	if o.WaitBytes == 0 {
		o.WaitBytes = defaultWaitBytes
	}
	if o.DoubtBytes == 0 {
		o.DoubtBytes = defaultDoubtBytes
	}
	return &Pipeline{o: o, wait: queue{most: o.WaitBytes}, doubt: queue{most: o.DoubtBytes}}
}

// Stats returns the counts so far.
func (p *Pipeline) Stats() PipelineStats { return p.stats }

// Offer judges an address with its fingerprint. The filter does not judge an important one. The
// text is copied if the set must be asked.
func (p *Pipeline) Offer(url string, key uint64, important bool) (Verdict, error) {
	p.stats.Offered++
	hit, evicted, full := p.o.Cache.Touch(key)
	if hit {
		p.stats.CacheHits++
		return VerdictRepeat, nil
	}
	verdict, q := VerdictWaiting, &p.wait
	if p.o.Filter != nil {
		if p.o.Filter.Has(key) {
			if important {
				p.stats.Exempt++
			} else {
				p.stats.FilterHits++
				verdict, q = VerdictDoubted, &p.doubt
			}
		}
		if full {
			p.o.Filter.Add(evicted)
		}
	}
	if verdict == VerdictDoubted && p.o.Approximate {
		return verdict, nil
	}
	q.add(url, key)
	if q.full() {
		return verdict, p.answer(q)
	}
	return verdict, nil
}

// Settle asks the set for all waiting addresses, the doubted ones last.
func (p *Pipeline) Settle() error {
	if err := p.answer(&p.wait); err != nil {
		return err
	}
	return p.answer(&p.doubt)
}

func (p *Pipeline) answer(q *queue) error {
	if len(q.keys) == 0 {
		return nil
	}
	began := time.Now()
	if cap(p.fresh) < len(q.keys) {
		p.fresh = make([]bool, len(q.keys), max(len(q.keys), cap(q.keys)))
	}
	fresh := p.fresh[:len(q.keys)]
	if err := p.o.Set.Decide(q.keys, fresh); err != nil {
		return err
	}
	elapsed := time.Since(began).Seconds()
	isNew := uint64(0)
	for i, f := range fresh {
		if !f {
			continue
		}
		isNew++
		if p.o.New != nil {
			if err := p.o.New(q.at(i)); err != nil {
				return err
			}
		}
	}
	asked := uint64(len(fresh))
	p.stats.New += isNew
	if q == &p.doubt {
		p.stats.DoubtSeconds += elapsed
		p.stats.Rescued += isNew
		p.stats.Confirmed += asked - isNew
	} else {
		p.stats.WaitSeconds += elapsed
		p.stats.Waited += asked
		p.stats.Missed += asked - isNew
	}
	q.clear()
	if p.o.Settled != nil {
		return p.o.Settled()
	}
	return nil
}

// Bytes returns the memory of cache, filter and queues; Set.Stats has that of the set.
func (p *Pipeline) Bytes() int {
	n := p.o.Cache.Bytes() + p.wait.bytes() + p.doubt.bytes() + cap(p.fresh)
	if p.o.Filter != nil {
		n += p.o.Filter.Bytes()
	}
	return n
}

// queue has addresses in the order of arrival, with all text in one piece.
type queue struct {
	keys []uint64
	ends []uint32
	text []byte
	most int
}

func (q *queue) add(url string, key uint64) {
	if q.text == nil { // once: bounded memory does not grow by doubling
		entries := q.most / (entryBytes + shortestMean)
		q.keys, q.ends = make([]uint64, 0, entries), make([]uint32, 0, entries)
		q.text = make([]byte, 0, max(q.most-entries*entryBytes, 2*longestText))
	}
	q.keys = append(q.keys, key)
	q.text = append(q.text, url...)
	q.ends = append(q.ends, uint32(len(q.text)))
}

const (
	// shortestMean is the mean length of an address below which a queue is settled before its room
	// for text is full. Addresses of the Web have about 70 bytes [SBFL 1].
	shortestMean = 40
	// longestText is the length of an address beyond which the queue grows once.
	longestText = 2048
)

// full reports whether the next address may not fit.
func (q *queue) full() bool {
	return len(q.keys) == cap(q.keys) || cap(q.text)-len(q.text) < longestText ||
		len(q.text) > 1<<31
}

func (q *queue) at(i int) string {
	from := uint32(0)
	if i > 0 {
		from = q.ends[i-1]
	}
	return string(q.text[from:q.ends[i]])
}

func (q *queue) clear() { q.keys, q.ends, q.text = q.keys[:0], q.ends[:0], q.text[:0] }

func (q *queue) bytes() int { return 8*cap(q.keys) + 4*cap(q.ends) + cap(q.text) }

// Sizes are the sizes of a pipeline's parts.
type Sizes struct {
	CacheEntries          int    `json:"cache_entries"`
	FilterCounters        uint64 `json:"filter_counters"`
	BufferKeys            int    `json:"buffer_keys"`
	WaitBytes, DoubtBytes int    `json:"-"`
}

// LeastMemory is the smallest budget that SizesFor divides.
const LeastMemory = 4 << 20

var errLittleMemory = errors.New("less memory than a pipeline needs")

// SizesFor divides a budget of memory among the parts. Of 16 shares, waiting addresses have six.
// The cache (Ways), the filter, the buffer of the set, doubted addresses, and commits with merges
// have two each. Without a filter its shares, and those of doubted addresses, are for waiting ones.
func SizesFor(bytes int, filter bool) (Sizes, error) {
	if bytes < LeastMemory {
		return Sizes{}, errLittleMemory
	}
	part := bytes / 16
	s := Sizes{CacheEntries: 2 * part / 8, BufferKeys: powerBelow(2 * part / 16),
		WaitBytes: 6 * part}
	if filter {
		s.FilterCounters, s.DoubtBytes = min(uint64(2*part)*4, 1<<32), 2*part
	} else {
		s.WaitBytes += 4 * part
	}
	return s, nil
}

// powerBelow returns the largest power of two up to n.
func powerBelow(n int) int {
	p := 1
	for 2*p <= n {
		p *= 2
	}
	return p
}
