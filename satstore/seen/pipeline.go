package seen

import (
	"errors"
	"time"
)

// Verdict is what is known of an address at the moment it is offered.
type Verdict uint8

const (
	VerdictUnknown Verdict = iota
	// VerdictRepeat: it was offered before; the cache has it.
	VerdictRepeat
	// VerdictDoubted: the filter has it. In exact mode the set confirms that later; in approximate
	// mode it is a repeat.
	VerdictDoubted
	// VerdictWaiting: the set will be asked.
	VerdictWaiting
)

// PipelineOptions are the parts of a Pipeline and what it calls.
type PipelineOptions struct {
	Cache  Cache
	Filter Filter // of what left the cache; nil: there is none
	Set    *Set
	// Approximate never confirms what the filter has [SBFL 4.3]: a false positive loses its page.
	Approximate bool
	// WaitBytes and DoubtBytes bound the addresses that wait for the set, with entryBytes for each
	// beside its text; default 16 MiB and 4 MiB. The set is asked when they are used up.
	WaitBytes, DoubtBytes int
	// New is called for each new address once, in the order in which those that were settled
	// together came. The text is good until it returns.
	New func(url string) error
	// Settled is called after each asking of the set, so that what New was given is made durable:
	// first with whoever keeps the pages, then by Set.Commit.
	Settled func() error
}

// entryBytes is what an address that waits takes beside its text: its fingerprint, its end, an ask
// of the set and its answer.
const entryBytes = 8 + 4 + 16 + 1

// Pipeline decides which addresses of a stream are new: a cache, a filter and a set in a row [SBFL
// 4.3].
type Pipeline struct {
	o           PipelineOptions
	wait, doubt queue
	fresh       []bool
	stats       PipelineStats
}

// PipelineStats count what was decided and how.
type PipelineStats struct {
	Offered    uint64 `json:"offered"`
	CacheHits  uint64 `json:"cache_hits"`
	FilterHits uint64 `json:"filter_hits"` // positives, exempt ones left out
	Exempt     uint64 `json:"exempt"`      // important ones that the filter had
	// asked for because neither cache nor filter had them
	Waited       uint64  `json:"waited"`
	Missed       uint64  `json:"missed"`        // of those: known to the set (false negatives)
	Confirmed    uint64  `json:"confirmed"`     // of the filter's positives, by the set
	Rescued      uint64  `json:"rescued"`       // false positives of the filter that were new
	New          uint64  `json:"new"`           // handed out, rescued ones included
	WaitSeconds  float64 `json:"wait_seconds"`  // asking for those that waited
	DoubtSeconds float64 `json:"doubt_seconds"` // confirming the filter's positives
}

const (
	defaultWaitBytes  = 16 << 20
	defaultDoubtBytes = 4 << 20
)

// NewPipeline joins the parts.
func NewPipeline(o PipelineOptions) *Pipeline {
	if o.WaitBytes == 0 {
		o.WaitBytes = defaultWaitBytes
	}
	if o.DoubtBytes == 0 {
		o.DoubtBytes = defaultDoubtBytes
	}
	return &Pipeline{o: o, wait: queue{most: o.WaitBytes}, doubt: queue{most: o.DoubtBytes}}
}

// Stats tells what was decided so far.
func (p *Pipeline) Stats() PipelineStats { return p.stats }

// Offer looks at an address with its fingerprint. An important one is not judged by the filter. The
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

// Settle asks the set for all that wait: those that are doubted last.
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

// Bytes is what cache, filter and queues take; the set tells its own.
func (p *Pipeline) Bytes() int {
	n := p.o.Cache.Bytes() + p.wait.bytes() + p.doubt.bytes() + cap(p.fresh)
	if p.o.Filter != nil {
		n += p.o.Filter.Bytes()
	}
	return n
}

// queue keeps addresses in the order of their arrival, all text in one piece.
type queue struct {
	keys []uint64
	ends []uint32
	text []byte
	most int
}

func (q *queue) add(url string, key uint64) {
	if q.text == nil { // once: what is bounded does not grow by doubling
		entries := q.most / (entryBytes + shortestMean)
		q.keys, q.ends = make([]uint64, 0, entries), make([]uint32, 0, entries)
		q.text = make([]byte, 0, max(q.most-entries*entryBytes, 2*longestText))
	}
	q.keys = append(q.keys, key)
	q.text = append(q.text, url...)
	q.ends = append(q.ends, uint32(len(q.text)))
}

const (
	// shortestMean is the mean length of an address below which a queue is settled before all its
	// room for text is used. Those of the Web have about 70 bytes [SBFL 1].
	shortestMean = 40
	// longestText is that of an address; a longer one makes a queue grow once.
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

// Sizes are those of the parts of a pipeline.
type Sizes struct {
	CacheEntries          int    `json:"cache_entries"`
	FilterCounters        uint64 `json:"filter_counters"`
	BufferKeys            int    `json:"buffer_keys"`
	WaitBytes, DoubtBytes int    `json:"-"`
}

// LeastMemory is the smallest budget that SizesFor divides.
const LeastMemory = 4 << 20

var errLittleMemory = errors.New("less memory than a pipeline needs")

// SizesFor divides so many bytes among the parts: of 16 parts two for the cache (Ways), two for the
// filter, two for the buffer of the set, six for those that wait and two for those that are
// doubted; two are for what a commit and a merge need. Without a filter its part, and that of the
// doubted ones, is for those that wait.
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

// powerBelow is the largest power of two that is not above n.
func powerBelow(n int) int {
	p := 1
	for 2*p <= n {
		p *= 2
	}
	return p
}
