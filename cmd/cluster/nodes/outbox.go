package nodes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dchest/siphash"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// chunkLinks and chunkBytes limit the links of a message: far below the 1 MB of NATS.
	chunkLinks = 256
	chunkBytes = 256 << 10
	// mostChunks limits the links that wait for another shard: a million.
	mostChunks = 4096
	// inFlight limits the messages to a shard without an acknowledgement.
	inFlight = 16
	// repeatAfter is the wait before a message without an acknowledgement is sent again. It doubles
	// each time, up to repeatMost. A shard that is starting misses the first one.
	repeatAfter = 2 * time.Second
	repeatMost  = 8 * time.Second
	// sealAfter is how long links wait for others to join them.
	sealAfter = time.Second
	// recent is the number of links remembered as sent, twice: most links are on every page.
	recent = 1 << 16
	// longestLink is the length of the longest URL that becomes a page.
	longestLink = 2048
)

// Outbox keeps the links of a shard to other servers until their shards have them. It is in the
// settings of the store, and changes in the commits of the visits that found the links. Its zero
// value is not usable: see NewOutbox. The goroutine of the loop calls it.
//
// A message never changes once it was sent. So its number and sum in an acknowledgement identify
// these links, also after a store was restored from an older copy.
type Outbox struct {
	shard   int
	shards  int
	to      map[int]*queue
	recent  [2]map[uint64]struct{}
	Dropped int // links without room
}

// queue is what waits for one shard: chunks from first up to the last.
type queue struct {
	first  uint64
	chunks []*chunk
	dirty  bool
}

type chunk struct {
	links []string
	bytes int
	began time.Time
	sent  time.Time     // zero: not sent, and open for more
	again time.Duration // after sent
	fixed bool          // it was sent, perhaps by an earlier process
	dirty bool
}

// NewOutbox reads the outbox in a store.
func NewOutbox(shard, shards int, setting func(name string) ([]byte, bool, error)) (
	*Outbox, error) {
	o := &Outbox{shard: shard, shards: shards, to: map[int]*queue{}}
	for n := range shards {
		head, ok, err := setting(outName(n))
		if err != nil {
			return nil, fmt.Errorf("read the outbox for shard %d: %w", n, err)
		}
		if !ok {
			continue
		}
		q := &queue{}
		var count int
		if _, err := fmt.Sscanf(string(head), "%d %d", &q.first, &count); err != nil || count < 0 ||
			count > mostChunks {
			return nil, fmt.Errorf("the outbox for shard %d begins with %.40q", n, head)
		}
		for i := range count {
			text, _, err := setting(chunkName(n, q.first+uint64(i)))
			if err != nil {
				return nil, fmt.Errorf("read the outbox for shard %d: %w", n, err)
			}
			c := &chunk{bytes: len(text), fixed: true}
			if len(text) > 0 {
				c.links = strings.Split(string(text), "\n")
			}
			q.chunks = append(q.chunks, c)
		}
		o.to[n] = q
	}
	return o, nil
}

func outName(to int) string { return "nodes/out/" + strconv.Itoa(to) }

// chunkName returns the place of a chunk: places are reused.
func chunkName(to int, number uint64) string {
	return outName(to) + "/" + strconv.FormatUint(number%mostChunks, 10)
}

// See adds the links of a page to other servers. Those of its own shard go the same way, because a
// loop adds only links within a server.
func (o *Outbox) See(page string, links []string, now time.Time) {
	server := sitegraph.ServerName(page)
	for _, url := range links {
		if sitegraph.ServerName(url) == server || o.repeated(url) {
			continue
		}
		if c, err := sitegraph.Canonical(url); err == nil && len(c) <= longestLink &&
			sitegraph.ServerName(c) != server {
			o.add(ShardOf(c, o.shards), c, now)
		}
	}
}

// repeated reports whether a link was added lately.
func (o *Outbox) repeated(url string) bool {
	key := siphash.Hash(serverKey0, serverKey1, []byte(url))
	if _, ok := o.recent[0][key]; ok {
		return true
	}
	_, before := o.recent[1][key]
	if o.recent[0] == nil || len(o.recent[0]) >= recent {
		o.recent[1], o.recent[0] = o.recent[0], make(map[uint64]struct{}, 64)
	}
	o.recent[0][key] = struct{}{}
	return before
}

func (o *Outbox) add(to int, url string, now time.Time) {
	q := o.to[to]
	if q == nil {
		q = &queue{}
		o.to[to] = q
	}
	var last *chunk
	if n := len(q.chunks); n > 0 {
		last = q.chunks[n-1]
	}
	if last == nil || last.fixed || len(last.links) >= chunkLinks ||
		last.bytes+len(url) > chunkBytes {
		if len(q.chunks) >= mostChunks {
			o.Dropped++
			return
		}
		last = &chunk{began: now}
		q.chunks, q.dirty = append(q.chunks, last), true
	}
	last.links, last.bytes, last.dirty = append(last.links, url), last.bytes+len(url)+1, true
}

// Due returns the messages to send now, without unsaved ones: call it when everything is committed.
func (o *Outbox) Due(now time.Time) (messages []Links) {
	for to, q := range o.to {
		for i, c := range q.chunks[:min(len(q.chunks), inFlight)] {
			if c.dirty || len(c.links) == 0 {
				continue
			}
			if !c.fixed && len(c.links) < chunkLinks && now.Sub(c.began) < sealAfter ||
				!c.sent.IsZero() && now.Sub(c.sent) < c.again {
				continue
			}
			c.fixed, c.sent = true, now
			c.again = min(max(2*c.again, repeatAfter), repeatMost)
			messages = append(messages, Links{From: o.shard, To: to, Number: q.first + uint64(i),
				Links: c.links})
		}
	}
	slices.SortFunc(messages, func(a, b Links) int {
		if a.To != b.To {
			return a.To - b.To
		}
		return int(a.Number) - int(b.Number)
	})
	return messages
}

// Acknowledged drops a message that the other shard has in its store. One that is not the first
// stays until earlier ones are acknowledged.
func (o *Outbox) Acknowledged(a Ack) {
	q := o.to[a.To]
	if q == nil || a.From != o.shard || a.Number < q.first ||
		a.Number-q.first >= uint64(len(q.chunks)) {
		return
	}
	c := q.chunks[a.Number-q.first]
	if !c.fixed || sumOf(c.links) != a.Sum {
		return
	}
	c.links, c.bytes, c.dirty = nil, 0, true
	for len(q.chunks) > 0 && q.chunks[0].fixed && len(q.chunks[0].links) == 0 {
		q.chunks, q.first, q.dirty = q.chunks[1:], q.first+1, true
	}
}

// Waiting returns the number of links that other shards do not have yet.
func (o *Outbox) Waiting() (links int) {
	for _, q := range o.to {
		for _, c := range q.chunks {
			links += len(c.links)
		}
	}
	return links
}

// Save passes changes to the store, for its next commit.
func (o *Outbox) Save(save func(name string, value []byte) error) error {
	for to, q := range o.to {
		for i, c := range q.chunks {
			if !c.dirty {
				continue
			}
			if err := save(chunkName(to, q.first+uint64(i)),
				[]byte(strings.Join(c.links, "\n"))); err != nil {
				return err
			}
			c.dirty = false
		}
		if q.dirty {
			if err := save(outName(to), fmt.Appendf(nil, "%d %d",
				q.first, len(q.chunks))); err != nil {
				return err
			}
			q.dirty = false
		}
	}
	return nil
}
