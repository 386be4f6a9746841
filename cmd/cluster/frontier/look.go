package frontier

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Stats are counts of a crawl or a queue.
type Stats struct {
	Active       int // addresses that are not done
	Transit      int // of these, those that are leased
	Done         int
	Queues       int
	ActiveQueues int // queues with active addresses
}

// Stats returns the counts of a queue; with an empty key, of a crawl.
func (f *Frontier) Stats(crawl, key string, now time.Time) Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expire(now.UnixMilli())
	var s Stats
	for _, q := range f.chosen(crawl, key) {
		s.Queues++
		s.Active += q.active
		s.Transit += q.transit
		s.Done += q.done
		if q.active > 0 {
			s.ActiveQueues++
		}
	}
	return s
}

// chosen returns the queue of a key; with an empty key, all queues of a crawl.
func (f *Frontier) chosen(crawl, key string) []*queue {
	if key != "" {
		if q := f.find(crawl, key); q != nil {
			return []*queue{q}
		}
		return nil
	}
	c := f.crawl(CrawlName(crawl), false)
	if c == nil {
		return nil
	}
	all := make([]*queue, 0, len(c.queues))
	for _, q := range c.queues {
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b *queue) int { return int(a.number) - int(b.number) })
	return all
}

// Crawls returns the names of all crawls that have queues.
func (f *Frontier) Crawls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for _, c := range f.crawls {
		names = append(names, c.name)
	}
	return names
}

// Queues returns at most size keys of queues of a crawl, from number start on, and the number of
// all. Without inactive it leaves out queues that are blocked or have no active addresses.
func (f *Frontier) Queues(crawl string, inactive bool, start, size int, now time.Time) (
	keys []string, total int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range f.chosen(crawl, "") {
		if !inactive && (q.active == 0 || q.blocked > 0 && q.blocked >= now.Unix()) {
			continue
		}
		if total >= start && len(keys) < size {
			keys = append(keys, q.key)
		}
		total++
	}
	return keys, total
}

// Look returns what is stored of an address, and false if the address is unknown.
func (f *Frontier) Look(crawl, key, url string) (Item, bool, error) {
	it := Item{Crawl: crawl, Key: key, URL: url}
	if !it.complete() {
		return it, false, nil
	}
	i, _ := f.identify(it.Crawl, it.Key, it.URL, nil)
	f.mu.Lock()
	n, ok := f.table.find(i)
	var at storeKey
	if ok {
		at = f.table.at(n).key(itemPrefix)
	}
	f.mu.Unlock()
	if !ok {
		return it, false, nil
	}
	return f.item(at)
}

// Filter chooses addresses.
type Filter struct {
	Crawl      string
	Key        string // "": all queues of the crawl
	Part       string // of the address; "": any
	IgnoreCase bool   // of Part
}

func (r *Filter) fits(url string) bool {
	if r.IgnoreCase {
		url = strings.ToLower(url)
	}
	return strings.Contains(url, r.Part)
}

// List calls see with at most size addresses that a filter chooses, in a fixed order, from number
// start on. Other calls go on meanwhile.
func (f *Frontier) List(r Filter, start, size int, see func(it Item) error) error {
	r.lower()
	n := 0
	for _, key := range f.keys(&r) {
		if size == 0 {
			return nil
		}
		if r.Part == "" && n < start {
			n++
			continue
		}
		it, ok, err := f.item(key)
		if err != nil {
			return err
		}
		if !ok || !r.fits(it.URL) {
			continue
		}
		if n++; n > start {
			size--
			if err := see(it); err != nil {
				return err
			}
		}
	}
	return nil
}

// Count counts the addresses that a filter chooses.
func (f *Frontier) Count(r Filter) (int, error) {
	if r.Part == "" {
		s := f.Stats(r.Crawl, r.Key, time.Unix(0, 0))
		return s.Active + s.Done, nil
	}
	n := 0
	err := f.List(r, 0, math.MaxInt, func(Item) error { n++; return nil })
	return n, err
}

func (r *Filter) lower() {
	if r.IgnoreCase {
		r.Part = strings.ToLower(r.Part)
	}
}

// keys returns the keys of the items of a filter's queues, in the order of their slots.
func (f *Frontier) keys(r *Filter) []storeKey {
	f.mu.Lock()
	defer f.mu.Unlock()
	want := map[uint32]bool{}
	for _, q := range f.chosen(r.Crawl, r.Key) {
		want[q.number] = true
	}
	var keys []storeKey
	if len(want) > 0 {
		f.table.each(0, func(_ uint32, s *slot) bool {
			if want[s.queue] {
				keys = append(keys, s.key(itemPrefix))
			}
			return true
		})
	}
	return keys
}
