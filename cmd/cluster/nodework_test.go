package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/bus"
	"github.com/recrawl/recrawl/cmd/cluster/nodes"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/fetch/fetchtest"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

func TestMain(m *testing.M) {
	startsEvery = 500 * time.Millisecond
	fetchtest.MoreAtOnce(3)
	m.Run()
}

const (
	testHosts  = 12
	testPages  = 4
	testShards = 4
	testPause  = 60 * time.Millisecond
)

// web is the web that all nodes visit. Two of its hosts share an address. It notes requests that
// come too soon.
type web struct {
	mu     sync.Mutex
	asked  map[string]int       // visits, by page
	by     map[string]string    // the node that visited a host last
	busy   map[string]bool      // by address
	ended  map[string]time.Time // of the last visit, by address
	wrongs []string
}

func newWeb() *web {
	return &web{asked: map[string]int{}, by: map[string]string{}, busy: map[string]bool{},
		ended: map[string]time.Time{}}
}

func page(host, n int) string { return fmt.Sprintf("http://h%d.example/%d", host, n) }

func addressOf(url string) string {
	var host int
	fmt.Sscanf(url, "http://h%d.example/", &host)
	return fmt.Sprintf("192.0.2.%d", host%(testHosts/2))
}

// visitor makes visits for a node.
type visitor struct {
	*web
	node string
}

func (v visitor) Locate(_ context.Context, url string) string { return addressOf(url) }
func (v visitor) Permits(string) (bool, bool)                 { return true, true }
func (v visitor) Recall(string, func(string) ([]byte, bool, error)) error {
	return nil
}
func (v visitor) Keep(func(string, []byte) error) error { return nil }

func (v visitor) Fetch(ctx context.Context, r crawl.Request) (o sitegraph.Observation, err error) {
	url, address := r.Record.URL, addressOf(r.Record.URL)
	v.mu.Lock()
	if v.busy[address] || time.Since(v.ended[address]) < testPause-time.Millisecond {
		v.wrongs = append(v.wrongs, fmt.Sprintf("%s asks %s %v after the last visit, busy %v",
			v.node, url, time.Since(v.ended[address]), v.busy[address]))
	}
	v.busy[address] = true
	v.mu.Unlock()
	err = crawl.WallClock{}.SleepUntil(ctx, time.Now().Add(5*time.Millisecond))
	v.mu.Lock()
	defer v.mu.Unlock()
	v.busy[address], v.ended[address] = false, time.Now()
	if err != nil {
		return o, err
	}
	v.asked[url]++
	v.by[sitegraph.ServerName(url)] = v.node
	var host, n int
	fmt.Sscanf(url, "http://h%d.example/%d", &host, &n)
	o = sitegraph.Observation{Time: time.Now(), Outcome: sitegraph.OutcomeFetched, Status: 200,
		LinksKnown: true,
		Digests:    sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte(url))}}
	for i := range testPages {
		o.Links = append(o.Links, page(host, i))
	}
	for i := range testHosts { // to all others
		o.Links = append(o.Links, page(i, 0))
	}
	return o, nil
}

// whole reports whether all pages were visited.
func (w *web) whole() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked) == testHosts*testPages
}

// parts opens the parts of a shard in a test.
func (w *web) parts(node string) func(dir string) (*ShardParts, error) {
	return func(dir string) (*ShardParts, error) {
		store, err := satstore.Open(dir, satstore.Options{})
		if err != nil {
			return nil, err
		}
		pages := planner.NewPages(sitegraph.NewGraph())
		if err := store.Restore(pages.Graph, pages.Remember); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		return &ShardParts{Planner: planner.New(pages, nil, planner.LiveOptions()), Store: store,
			Web: visitor{w, node}, Close: store.Close,
			Journal: func([]crawl.Event) error { return nil },
			Loop: crawl.Options{Workers: 4, Discover: true, Forecast: true, Pause: testPause,
				CommitAfter: 100 * time.Millisecond}}, nil
	}
}

// testNode is a running node.
type testNode struct {
	dir  string // of its stores
	bus  *bus.Bus
	stop context.CancelFunc
	done chan error
}

func begin(t *testing.T, w *web, name string, s bus.Settings, starts ...string) *testNode {
	t.Helper()
	dir := t.TempDir()
	for _, left := range []string{"0099.new", "0099.copy"} { // by a process that was killed
		if err := os.MkdirAll(filepath.Join(dir, left, "sat"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return beginIn(t, w, name, dir, s, starts...)
}

// beginIn is begin with a directory that may have stores.
func beginIn(t *testing.T, w *web, name, dir string, s bus.Settings, starts ...string) *testNode {
	t.Helper()
	b, err := bus.Open(t.Context(), s, name, t.TempDir(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	n := &testNode{dir, b, stop, make(chan error, 1)}
	o := NodeOptions{Name: name, Bus: b, Cluster: nodes.Cluster{Shards: testShards,
		PerDay: nodes.Unlimited}, TTL: 2 * time.Second, Pause: testPause,
		Round: time.Hour, Adopt: []string{"*.example"}, Dir: dir, Open: w.parts(name),
		Able: func() error { return nil }, Note: t.Logf}
	go func() { n.done <- RunNode(ctx, starts, o) }()
	t.Cleanup(func() { n.end(t); b.Close() })
	return n
}

func (n *testNode) end(t *testing.T) {
	t.Helper()
	if n.stop(); n.done != nil {
		if err := <-n.done; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("the node ended with %v", err)
		}
		n.done = nil
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 2400 {
		if is() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("it never happened that %s", what)
}

func (w *web) polite(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.wrongs {
		t.Error(s)
	}
}

// visits returns the number of visits to all pages.
func (w *web) visits() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, times := range w.asked {
		n += times
	}
	return n
}

func pagesAt(t *testing.T, b *bus.Bus) (pages int) {
	t.Helper()
	s, err := LookAtNode(t.Context(), b, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.List {
		pages += r.Pages
	}
	return pages
}

func shardsAt(t *testing.T, b *bus.Bus) map[string]int {
	t.Helper()
	s, err := LookAtNode(t.Context(), b, "test")
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for _, r := range s.List {
		if r.State == "running" {
			at[r.Node]++
		}
	}
	return at
}

// TestNodes: two nodes visit a web together, by links from one start page. One is cut off, the
// other takes its shards, and no page is lost. Then a new node comes, and shards move to it in good
// order.
func TestNodes(t *testing.T) {
	t.Parallel()
	w := newWeb()
	s := bus.Settings{Cluster: "test", Listen: "127.0.0.1:0"}
	a := begin(t, w, "a", s)
	s.NATS = "nats://" + a.bus.Address()
	b := begin(t, w, "b", s, page(3, 0))
	eventually(t, "all pages are visited", w.whole)
	eventually(t, "each has two shards", func() bool {
		at := shardsAt(t, a.bus)
		return at["a"] == 2 && at["b"] == 2
	})
	w.polite(t)
	for _, left := range []string{"0099.new", "0099.copy"} {
		if _, err := os.Stat(filepath.Join(a.dir, left)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was left by an earlier process: %v", left, err)
		}
	}
	eventually(t, "each store is where others can get it", func() bool {
		list, err := nodes.List[copied](t.Context(), a.bus.Nodes, baseKey)
		return err == nil && len(list) == testShards
	})
	before := w.visits()
	b.bus.Close() // no beats or messages; its own lease ends, too
	began := time.Now()
	eventually(t, "a has all shards", func() bool { return shardsAt(t, a.bus)["a"] == testShards })
	t.Logf("a had all shards after %v", time.Since(began))
	// it learns later that a shard runs
	eventually(t, "a knows all pages", func() bool {
		return pagesAt(t, a.bus) == testHosts*testPages
	})
	// one visit for each host may have been under way
	if again := w.visits() - before; again > testHosts {
		t.Errorf("%d pages were visited again after the loss of a node", again)
	}
	hints := 0
	eventually(t, "a hint is taken", func() bool {
		n, err := HintShards(t.Context(), a.bus, []string{page(1, 0), "http://new.example/",
			page(3, 1)})
		hints = n
		return err == nil
	})
	if hints != 3 {
		t.Errorf("%d hints were taken", hints)
	}
	eventually(t, "it is visited", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.asked["http://new.example/"] > 0
	})
	c := begin(t, w, "c", s)
	eventually(t, "c has its part", func() bool { return shardsAt(t, a.bus)["c"] == 2 })
	eventually(t, "a has the stores of its own shards alone", func() bool {
		list, err := filepath.Glob(filepath.Join(a.dir, "*", "FORMAT"))
		return err == nil && len(list) == 2
	})
	c.end(t)
	eventually(t, "c gave its shards back", func() bool {
		return shardsAt(t, a.bus)["a"] == testShards
	})
	eventually(t, "the state is told", func() bool {
		status, err := LookAtNode(t.Context(), a.bus, "test")
		if err != nil {
			t.Fatal(err)
		}
		text := present.NodesFinding(status)
		return strings.HasPrefix(text, "1 node with 4 shards: ") &&
			strings.Contains(text, "b is dead") && len(present.NodesTables(status)) == 3
	})
	w.polite(t)
}

// TestFailedShard: a shard that cannot be opened holds up no other and reports why. A shard that
// fails once, for example because NATS does not answer for a moment, runs soon after.
func TestFailedShard(t *testing.T) {
	t.Parallel()
	w := newWeb()
	b, err := bus.Open(t.Context(), bus.Settings{Cluster: "test", Listen: "127.0.0.1:0"}, "a",
		t.TempDir(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	open, once := w.parts("a"), sync.Once{}
	o := NodeOptions{Name: "a", Bus: b, Cluster: nodes.Cluster{Shards: 2, PerDay: nodes.Unlimited},
		TTL: 2 * time.Second, Round: time.Hour, Dir: t.TempDir(),
		Able: func() error { return nil }, Open: func(dir string) (*ShardParts, error) {
			if strings.HasSuffix(dir, "0001") {
				return nil, errors.New("the disk is broken")
			}
			err := error(nil)
			if once.Do(func() { err = errors.New("no answer") }); err != nil {
				return nil, err
			}
			return open(dir)
		}}
	var soon atomic.Bool
	o.Note = func(format string, args ...any) {
		note := fmt.Sprintf(format, args...)
		if strings.Contains(note, "no answer; it is opened again in "+retrySoon.String()) {
			soon.Store(true)
		}
	}
	go func() { done <- RunNode(ctx, nil, o) }()
	eventually(t, "one runs and one says why it does not", func() bool {
		s, err := LookAtNode(t.Context(), b, "test")
		return err == nil && len(s.List) == 2 && s.List[0].State == "running" &&
			s.List[1].State == "failed" &&
			strings.Contains(present.NodesFinding(s), "shard 1: the disk is broken")
	})
	if !soon.Load() {
		t.Errorf("the first one was not to be opened again in %v", retrySoon)
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	eventually(t, "it has left", func() bool {
		list, err := b.Nodes.List(t.Context(), "node.")
		return err == nil && len(list) == 0
	})
	o.Cluster.Shards = 3
	if err := RunNode(t.Context(), nil, o); !errors.Is(err, nodes.ErrShards) {
		t.Errorf("another number of shards: %v", err)
	}
}

// TestAbandon: a shard whose store is gone does not begin without one until a person orders that. A
// shard whose only store is at another node waits for that node.
func TestAbandon(t *testing.T) {
	t.Parallel()
	w, dir := newWeb(), t.TempDir()
	b, err := bus.Open(t.Context(), bus.Settings{Cluster: "test", Listen: "127.0.0.1:0"}, "a",
		t.TempDir(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	life := func(name, dir string, during func()) {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			done <- RunNode(ctx, nil, NodeOptions{Name: name, Bus: b,
				Cluster: nodes.Cluster{Shards: 2,
					PerDay: nodes.Unlimited}, TTL: 2 * time.Second, Round: time.Hour,
				Dir:  dir,
				Able: func() error { return nil }, Open: w.parts(name)})
		}()
		during()
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	status := func(what string, is func(list []nodes.ShardStatus) bool) {
		t.Helper()
		eventually(t, what, func() bool {
			s, err := LookAtNode(t.Context(), b, "test")
			return err == nil && len(s.List) == 2 && is(s.List)
		})
	}
	both := func(list []nodes.ShardStatus) bool {
		return list[0].State == "running" && list[1].State == "running"
	}
	life("a", dir, func() { status("both run", both) })
	other := t.TempDir()
	life("b", other, func() {
		status("both wait for their node", func(list []nodes.ShardStatus) bool {
			return list[0].Node == "" && strings.Contains(list[0].Error, "at node a alone") &&
				strings.Contains(list[1].Error, "recrawl node abandon 1")
		})
		if left, err := filepath.Glob(filepath.Join(other, "0*")); err != nil || len(left) > 0 {
			t.Errorf("b has %v, %v", left, err)
		}
	})
	if err := os.RemoveAll(filepath.Join(dir, "0001")); err != nil {
		t.Fatal(err)
	}
	life("a", dir, func() {
		status("one says that its store is gone", func(list []nodes.ShardStatus) bool {
			return list[0].State == "running" && list[1].State == "failed" &&
				strings.Contains(list[1].Error,
					"is not there: put it back, or give the store up with recrawl node abandon 1")
		})
		if err := AbandonShards(t.Context(), b, []string{"0"}); !errors.Is(err, ErrRuns) {
			t.Errorf("a store in use was given up: %v", err)
		}
		if err := AbandonShards(t.Context(), b, []string{"2"}); err == nil {
			t.Error("there is no shard 2")
		}
		if err := AbandonShards(t.Context(), b, []string{"1"}); err != nil {
			t.Error(err)
		}
	})
	life("a", dir, func() { status("both run again", both) })
}

// parted lets two nodes share the shards, and stops them before they give any away. All data of
// NATS, with all copies, are lost. It returns the directories and the node of each shard.
func parted(t *testing.T, w *web, s bus.Settings) (dirA, dirB string, of map[int]string) {
	t.Helper()
	a := begin(t, w, "a", s)
	s.NATS = "nats://" + a.bus.Address()
	b := begin(t, w, "b", s, page(3, 0))
	eventually(t, "all pages are visited", w.whole)
	eventually(t, "each has its shards and their stores", func() bool {
		of = map[int]string{}
		status, err := LookAtNode(t.Context(), a.bus, "test")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range status.List {
			if r.State == "running" {
				of[r.Shard] = r.Node
			}
		}
		stores := 0
		for _, n := range []*testNode{a, b} {
			list, _ := filepath.Glob(filepath.Join(n.dir, "*", "FORMAT"))
			stores += len(list)
		}
		return shardsAt(t, a.bus)["b"] == 2 && len(of) == testShards && stores == testShards
	})
	eventually(t, "their pages are known", func() bool {
		return pagesAt(t, a.bus) == testHosts*testPages
	})
	lose(t, a, b)
	return a.dir, b.dir, of
}

// lose ends nodes and removes all data of NATS.
func lose(t *testing.T, all ...*testNode) {
	t.Helper()
	for _, n := range slices.Backward(all) {
		n.bus.Close()
	}
	for _, n := range all {
		n.end(t)
	}
}

// each reports whether a condition holds for each shard.
func each(t *testing.T, b *bus.Bus, is func(r nodes.ShardStatus) bool) bool {
	t.Helper()
	status, err := LookAtNode(t.Context(), b, "test")
	return err == nil && len(status.List) == testShards &&
		!slices.ContainsFunc(status.List, func(r nodes.ShardStatus) bool { return !is(r) })
}

func runs(r nodes.ShardStatus) bool { return r.State == "running" }

// TestLostAgreement: when NATS has lost its data, a shard waits for the node that has its store.
func TestLostAgreement(t *testing.T) {
	t.Parallel()
	w := newWeb()
	s := bus.Settings{Cluster: "test", Listen: "127.0.0.1:0"}
	dirA, dirB, of := parted(t, w, s)
	a := beginIn(t, w, "a", dirA, s)
	eventually(t, "a works on its own shards, and the others wait", func() bool {
		return each(t, a.bus, func(r nodes.ShardStatus) bool {
			if of[r.Shard] == "a" {
				return runs(r)
			}
			return r.State == "free" &&
				strings.Contains(r.Error, "no node that is here has its store")
		})
	})
	s.NATS = "nats://" + a.bus.Address()
	beginIn(t, w, "b", dirB, s)
	eventually(t, "all run, and no page is lost", func() bool {
		return each(t, a.bus, runs) && pagesAt(t, a.bus) == testHosts*testPages
	})
	w.polite(t)
}

// TestLostAgreementAndNode: if that node does not come back, a shard begins without a store once a
// person orders that. A node that knows another cluster is refused.
func TestLostAgreementAndNode(t *testing.T) {
	t.Parallel()
	w := newWeb()
	s := bus.Settings{Cluster: "test", Listen: "127.0.0.1:0"}
	dirA, dirB, _ := parted(t, w, s)
	c := begin(t, w, "c", s) // it knows nothing, and is first
	eventually(t, "c has begun", func() bool {
		status, err := LookAtNode(t.Context(), c.bus, "test")
		return err == nil && status.Free == 0
	})
	o := NodeOptions{Name: "b", Bus: c.bus, Cluster: nodes.Cluster{Shards: testShards,
		PerDay: nodes.Unlimited}, Dir: dirB}
	if err := RunNode(t.Context(), nil, o); !errors.Is(err, nodes.ErrMark) ||
		!strings.Contains(err.Error(), filepath.Join(dirB, markName)) {
		t.Errorf("a node with stores of another cluster: %v", err)
	}
	lose(t, c)

	a := beginIn(t, w, "a", dirA, s)
	eventually(t, "those of b wait", func() bool {
		return each(t, a.bus, func(r nodes.ShardStatus) bool { return runs(r) || r.Error != "" }) &&
			!each(t, a.bus, runs)
	})
	var given []string
	each(t, a.bus, func(r nodes.ShardStatus) bool {
		if !runs(r) {
			given = append(given, fmt.Sprint(r.Shard))
		}
		return true
	})
	if err := AbandonShards(t.Context(), a.bus, given); err != nil {
		t.Fatal(err)
	}
	eventually(t, "they begin without a store", func() bool { return each(t, a.bus, runs) })
	w.polite(t)
}

func TestCheck(t *testing.T) {
	day := budget.Limit{Amount: 5, Unit: budget.InFetches, Per: budget.Day}
	hour := budget.Limit{Amount: 5, Unit: budget.InFetches, Per: time.Hour}
	if err := (&NodeOptions{Name: "a-1"}).Check([]budget.Limit{day}); err != nil {
		t.Error(err)
	}
	if err := (&NodeOptions{Name: "a.b"}).Check(nil); err == nil {
		t.Error("a name with a dot")
	}
	if err := (&NodeOptions{Name: "a"}).Check([]budget.Limit{day, hour}); err == nil {
		t.Error("a budget of an hour")
	}
}
