package frontier

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore"
)

// model is a second, very simple implementation of the guarantees.
type model struct {
	items map[[3]string]*modelItem // by crawl, key, address
	rests map[[2]string]*modelQueue
	delay int64
}

type modelItem struct {
	date, lease, created int64 // seconds; milliseconds; seconds
	metadata             string
}

type modelQueue struct {
	delay, blocked, last int64
	limit                int
}

func newModel() *model {
	return &model{items: map[[3]string]*modelItem{}, rests: map[[2]string]*modelQueue{}, delay: 1}
}

func (m *model) put(it Item, now time.Time) Status {
	k := [3]string{it.Crawl, it.Key, it.URL}
	old := m.items[k]
	if old != nil && !it.Known {
		return Skipped
	}
	n := &modelItem{date: now.Unix(), created: now.Unix(), metadata: string(it.Metadata)}
	if old != nil {
		n.created = old.created
	}
	if it.Known {
		n.date = 0
		if !it.Date.IsZero() {
			n.date = it.Date.Unix()
		}
	}
	m.items[k] = n
	if q := [2]string{it.Crawl, it.Key}; m.rests[q] == nil {
		m.rests[q] = &modelQueue{delay: -1}
	}
	return Stored
}

// gives checks an answer against the guarantees, and takes it in.
func (m *model) gives(t *testing.T, given []Item, r Request, now time.Time) {
	t.Helper()
	at := now.UnixMilli()
	counts := map[[2]string][]Item{}
	for _, it := range given {
		counts[[2]string{it.Crawl, it.Key}] = append(counts[[2]string{it.Crawl, it.Key}], it)
	}
	may := m.may(r, at)
	want := 0
	for _, n := range may {
		if n > 0 {
			want++
		}
	}
	if want = min(want, r.Queues); len(counts) != want {
		t.Fatalf("%+v gave of %d queues, want %d: %v", r, len(counts), want, given)
	}
	for q, items := range counts {
		if len(items) != min(may[q], r.PerQueue) {
			t.Fatalf("%+v gave %d of %v, want %d", r, len(items), q, min(may[q], r.PerQueue))
		}
		m.rests[q].last = at
		last := int64(0)
		for _, it := range items {
			i := m.items[[3]string{q[0], q[1], it.URL}]
			if i == nil || i.date == 0 || i.date > now.Unix() || i.lease > at ||
				i.metadata != string(it.Metadata) ||
				it.Created.Unix() != i.created {
				t.Fatalf("%+v gave %+v, known as %+v", r, it, i)
			}
			if i.date < last {
				t.Fatalf("%+v: not by date: %v", r, items)
			}
			last, i.lease = i.date, at+r.Lease.Milliseconds()
		}
		for k, i := range m.items { // no address that is due earlier was left out
			if k[0] == q[0] && k[1] == q[1] && i.date > 0 && i.date < last && i.lease <= at {
				t.Fatalf("%s was left out", k)
			}
		}
	}
}

// may returns how many addresses each queue may give.
func (m *model) may(r Request, at int64) map[[2]string]int {
	may, transit, done := map[[2]string]int{}, map[[2]string]int{}, map[[2]string]int{}
	for k, i := range m.items {
		q := [2]string{k[0], k[1]}
		switch {
		case i.date == 0:
			done[q]++
		case i.lease > at:
			transit[q]++
		case i.date*1000 <= at/1000*1000:
			may[q]++
		}
	}
	for q, s := range m.rests {
		delay := s.delay
		if delay < 0 {
			delay = m.delay
		}
		if !r.AnyCrawl && q[0] != r.Crawl || r.Key != "" && q[1] != r.Key ||
			at < (s.blocked+1)*1000 && s.blocked > 0 ||
			s.last > 0 && at < s.last+delay*1000 || s.limit > 0 && done[q] >= s.limit ||
			transit[q] >= r.PerQueue {
			may[q] = 0
		}
	}
	return may
}

func (m *model) delete(crawl, key string, before int64) (n int) {
	for k, i := range m.items {
		if k[0] == crawl && (key == "" || k[1] == key) && i.created < before {
			delete(m.items, k)
			n++
		}
	}
	left := map[[2]string]bool{}
	for k := range m.items {
		left[[2]string{k[0], k[1]}] = true
	}
	for q := range m.rests {
		if q[0] == crawl && (key == "" || q[1] == key) && !left[q] {
			delete(m.rests, q)
		}
	}
	return n
}

// TestAgreesWithModel makes the same operations on a frontier and on the model. They agree, also
// over restarts and over crashes that lose all that was not synced.
func TestAgreesWithModel(t *testing.T) {
	t.Parallel()
	seeds := uint64(6)
	if os.Getenv("RECRAWL_LONG") != "" {
		seeds = 100
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { agree(t, seed, 250) })
	}
}

func agree(t *testing.T, seed uint64, steps int) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	disk := vfs.NewCrashableMem()
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	var store *satstore.Queues
	var f *Frontier
	open := func() {
		var err error
		store, err = satstore.OpenQueues("dir", disk)
		must(err)
		f, err = Open(store, Options{Seed: [16]byte{1}}, now)
		must(err)
	}
	open()
	m := newModel()
	one := func(of ...string) string { return of[rnd.IntN(len(of))] }
	for range steps {
		now = now.Add(time.Duration(rnd.IntN(1500)) * time.Millisecond)
		crawl, key := one("DEFAULT", "other"), one("a", "b", "c", "d")
		switch rnd.IntN(20) {
		default:
			var items []Item
			for range 1 + rnd.IntN(8) {
				it := Item{Crawl: crawl, Key: one("a", "b", "c", "d"),
					URL:   fmt.Sprint("http://x/", rnd.IntN(20)),
					Known: rnd.IntN(3) > 0, Metadata: []byte(one("", "x", "yy"))}
				if it.Known && rnd.IntN(4) > 0 {
					it.Date = now.Add(time.Duration(rnd.IntN(20)-10) * time.Second)
				}
				items = append(items, it)
			}
			statuses, wait, err := f.Put(items, now)
			must(err)
			must(wait())
			for i, it := range items {
				if want := m.put(it, now); statuses[i] != want {
					t.Fatalf("put %+v: %d, want %d", it, statuses[i], want)
				}
			}
		case 0, 1, 2, 3, 4, 5:
			r := Request{Crawl: crawl, Queues: 1 + rnd.IntN(5), PerQueue: 1 + rnd.IntN(4),
				Lease: time.Duration(1+rnd.IntN(9)) * time.Second}
			if rnd.IntN(4) == 0 {
				r.Key = key
			} else {
				r.AnyCrawl = rnd.IntN(3) == 0
			}
			given, err := f.Get(r, now)
			must(err)
			m.gives(t, given, r, now)
		case 6:
			until := now.Add(time.Duration(rnd.IntN(9)-1) * time.Second)
			must(f.BlockUntil(crawl, key, until, now))
			if q := m.rests[[2]string{crawl, key}]; q != nil {
				q.blocked = until.Unix()
			}
		case 7:
			delay := rnd.IntN(4)
			must(f.SetDelay(crawl, key, time.Duration(delay)*time.Second, now))
			if q := m.rests[[2]string{crawl, key}]; q != nil {
				q.delay = int64(delay)
			}
		case 8:
			must(f.SetDelay("", "", 2*time.Second, now))
			m.delay = 2
		case 9:
			limit := rnd.IntN(12)
			must(f.SetLimit(crawl, key, uint32(limit), now))
			if q := m.rests[[2]string{crawl, key}]; q != nil {
				q.limit = limit
			}
		case 10:
			if rnd.IntN(3) > 0 {
				continue
			}
			n, err := f.DeleteQueue(crawl, key)
			must(err)
			if want := m.delete(crawl, key, 1<<40); n != want {
				t.Fatalf("deleted %d, want %d", n, want)
			}
		case 11:
			before := now.Add(-time.Minute)
			key = one("", key)
			n, err := f.Purge(crawl, key, before)
			must(err)
			if want := m.delete(crawl, key, before.Unix()); n != want {
				t.Fatalf("purged %d, want %d", n, want)
			}
		case 12:
			must(store.Close())
			open()
		case 13: // a crash loses what is not synced; all that was acknowledged is synced
			crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rnd.IntN(2) * 50,
				RNG: rnd})
			must(store.Close())
			disk = crashed
			open()
		}
		m.compare(t, f, now)
	}
	must(store.Close())
}

func (m *model) compare(t *testing.T, f *Frontier, now time.Time) {
	t.Helper()
	for _, crawl := range []string{"DEFAULT", "other"} {
		var want Stats
		queues := map[string]bool{}
		active := map[string]bool{}
		for k, i := range m.items {
			if k[0] != crawl {
				continue
			}
			queues[k[1]] = true
			if i.date == 0 {
				want.Done++
				continue
			}
			want.Active++
			active[k[1]] = true
			if i.lease > now.UnixMilli() {
				want.Transit++
			}
		}
		want.Queues, want.ActiveQueues = len(queues), len(active)
		if got := f.Stats(crawl, "", now); got != want {
			t.Fatalf("crawl %s has %+v, want %+v", crawl, got, want)
		}
		n, err := f.Count(Filter{Crawl: crawl, Part: "x"})
		if err != nil || n != want.Active+want.Done {
			t.Fatalf("crawl %s lists %d, want %d: %v", crawl, n, want.Active+want.Done, err)
		}
	}
}

// FuzzStored: damaged values of the store are refused, and no bytes make the frontier panic.
func FuzzStored(f *testing.F) {
	f.Add([]byte("12345678\x03url\x01emeta"))
	f.Add(appendQueue(nil, &queue{key: "k", crawl: &crawl{name: "c"}, delay: -1, limit: 7,
		last: 1 << 40}))
	f.Add([]byte("http://u:p@[2001:db8::1]:80/x?y"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if host := HostOf(string(b)); strings.ContainsAny(host, "/?&#") ||
			!strings.Contains(string(b), host) {
			t.Fatalf("%q has the host %q", b, host)
		}
		if s, err := parseItem(b); err == nil {
			it := s.item()
			again := appendItem(nil, &it, s.evidence)
			setHead(again, s.created, s.date)
			if back, err := parseItem(again); err != nil || string(back.url) != it.URL ||
				string(back.metadata) != string(it.Metadata) ||
				string(back.evidence) != string(s.evidence) {
				t.Fatalf("%q becomes %q: %v", b, again, err)
			}
		}
		q := &queue{}
		name, err := parseQueue(b, q)
		if err != nil {
			if !errors.Is(err, errQueue) {
				t.Fatal(err)
			}
			return
		}
		q.crawl = &crawl{name: name}
		back := &queue{}
		if n, err := parseQueue(appendQueue(nil, q), back); err != nil || n != name ||
			back.key != q.key || back.limit != q.limit {
			t.Fatalf("%+v becomes %+v: %v", q, back, err)
		}
	})
}
