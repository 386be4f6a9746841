package nodes

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The simulation runs the code of this package on several nodes in one goroutine: with wrong
// clocks, a KV whose calls fail before or after they took effect, lost, late or doubled messages,
// partitions, and killed nodes. It checks the servers: none may get two requests at once, or too
// soon.

const (
	simTTL    = 4 * time.Second
	simPause  = time.Second
	simRound  = 20 * time.Second
	simShards = 6
	simQuiet  = 75 * time.Second  // no failures from here on
	simEnd    = 900 * time.Second // everything must be well again by then
	simHosts  = 24                // servers; two share an address
	simPages  = 6                 // of each
	simPerDay = 86400 * 2
)

// sim is a world.
type sim struct {
	t       testing.TB
	seed    uint64
	rng     *rand.Rand
	now     time.Duration // true time
	queue   events
	kv      map[string]Entry
	rev     uint64
	count   int
	nodes   []*simNode
	stores  [simShards]*simStore
	faults  bool
	again   bool // the KV has lost everything
	failure string
	yield   chan struct{}
	over    chan struct{}
	current *process
	servers map[string]*simVisit // last visit, by server and by address
	used    int                  // visits of all
	twice   int
	moves   int
}

type event struct {
	at time.Duration
	n  int
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	x := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return x
}

func (s *sim) after(d time.Duration, do func()) {
	s.count++
	heap.Push(&s.queue, event{s.now + d, s.count, do})
}

func (s *sim) run(until time.Duration) {
	for len(s.queue) > 0 && s.queue[0].at <= until && s.failure == "" {
		e := heap.Pop(&s.queue).(event)
		s.now = e.at
		s.guarded(e.do)
	}
	if s.failure != "" {
		s.t.Fatal(s.failure)
	}
	s.now = until
}

// process is something that takes time: one runs at a time, in the order of events.
type process struct{ wake chan struct{} }

// begin runs a function that may sleep.
func (s *sim) begin(d time.Duration, f func()) {
	p := &process{make(chan struct{})}
	s.after(d, func() { s.resume(p) })
	go func() {
		select {
		case <-p.wake:
			s.guarded(f)
			s.yield <- struct{}{}
		case <-s.over:
		}
	}()
}

func (s *sim) resume(p *process) {
	s.current = p
	p.wake <- struct{}{}
	<-s.yield
	s.current = nil
}

// sleep lets others run for a while.
func (s *sim) sleep(d time.Duration) {
	p := s.current
	s.after(d, func() { s.resume(p) })
	s.yield <- struct{}{}
	select {
	case <-p.wake:
	case <-s.over:
		runtime.Goexit()
	}
}

type simFailure string

func (s *sim) guarded(f func()) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case simFailure:
			s.failure = string(r)
		default:
			panic(r)
		}
	}()
	f()
}

func (s *sim) fail(format string, args ...any) {
	panic(simFailure(fmt.Sprintf("seed %d at %v: %s\n(NODES_SEEDS=%d-1 go test ./cluster/nodes "+
		"-run TestSimulation)", s.seed, s.now, fmt.Sprintf(format, args...), s.seed)))
}

// simStore is the content of a shard on disk.
type simStore struct {
	known    map[string]bool // false: not visited yet
	settings map[string][]byte
	start    time.Time // account of the round
	granted  int
	used     int
	settled  bool
	openBy   *simLife      // its lock
	home     string        // node that had it open last
	portable bool          // others can get it
	since    time.Duration // when that changed
}

// price is high if pages wait for their first visit.
func (st *simStore) price() float64 {
	for _, visited := range st.known {
		if !visited {
			return 1
		}
	}
	return 0.1
}

// simVisit is one visit to a server or address.
type simVisit struct {
	begin, end time.Duration
	life       *simLife
}

// simNode is a node, which may live several times.
type simNode struct {
	sim    *sim
	name   string
	offset time.Duration
	rate   float64
	cut    bool // from the KV and all others
	life   *simLife
}

func (n *simNode) clock() time.Time {
	return time.Unix(1_800_000_000, 0).Add(n.offset + time.Duration(float64(n.sim.now)*n.rate))
}

// simLife is a process.
type simLife struct {
	*simNode
	member    *Member
	shards    *Shards
	ledger    *Ledger
	addresses *Addresses
	open      map[int]*simShard
	ready     map[int]bool // shards of others being copied; true: complete
	dead      bool
}

type simShard struct {
	life   *simLife
	tenure Tenure
	work   Worked
	outbox *Outbox
	flying int
	opened bool
	homed  bool
}

var errSim = errors.New("no answer")

// call is one call to the KV: it may take time, fail, and take effect or not, now or later.
func (l *simLife) call(write func() error) error {
	s := l.sim
	if l.dead {
		return errSim
	}
	if l.cut {
		s.sleep(2 * time.Second)
		return errSim
	}
	s.sleep(time.Duration(1+s.rng.IntN(5)) * time.Millisecond)
	if !s.faults || s.rng.IntN(25) > 0 {
		return write()
	}
	kind := s.rng.IntN(4)
	switch kind {
	case 0:
		write() // its answer is lost
	case 1:
		s.after(time.Duration(s.rng.IntN(6000))*time.Millisecond, func() { write() })
	}
	s.sleep(time.Duration(s.rng.IntN(3000)) * time.Millisecond)
	if kind == 2 { // it is only slow
		return write()
	}
	return errSim
}

func (l *simLife) Get(_ context.Context, key string) (e Entry, ok bool, err error) {
	err = l.call(func() error { e, ok = l.sim.kv[key]; return nil })
	if err != nil {
		return Entry{}, false, err
	}
	return e, ok, err
}

func (l *simLife) Set(_ context.Context, key string, value []byte, revision uint64) (
	rev uint64, err error) {
	value = slices.Clone(value)
	err = l.call(func() error {
		if l.sim.kv[key].Revision != revision {
			return ErrConflict
		}
		l.sim.rev++
		rev = l.sim.rev
		l.sim.kv[key] = Entry{key, value, rev}
		return nil
	})
	return rev, err
}

func (l *simLife) Remove(_ context.Context, key string, revision uint64) error {
	return l.call(func() error {
		if l.sim.kv[key].Revision != revision {
			return ErrConflict
		}
		delete(l.sim.kv, key)
		return nil
	})
}

func (l *simLife) List(_ context.Context, prefix string) (list []Entry, err error) {
	err = l.call(func() error {
		for _, k := range slices.Sorted(maps.Keys(l.sim.kv)) {
			if strings.HasPrefix(k, prefix) {
				list = append(list, l.sim.kv[k])
			}
		}
		return nil
	})
	return list, err
}

// boot begins a life of a node.
func (n *simNode) boot() {
	s := n.sim
	if n.life != nil && !n.life.dead {
		return
	}
	life := &simLife{simNode: n, open: map[int]*simShard{}, ready: map[int]bool{}}
	n.life = life
	session := strconv.FormatUint(s.rng.Uint64(), 36)
	life.member = &Member{KV: life, Name: n.name, Session: session, TTL: simTTL, Now: life.clock}
	life.shards = &Shards{Member: life.member, Host: life, Count: simShards, Again: s.again}
	life.ledger = &Ledger{KV: life, Shards: simShards, PerDay: simPerDay}
	life.addresses = &Addresses{KV: life, Name: n.name, Session: session, Pause: simPause,
		Now: life.clock, Holds: life.member.Holds,
		Gone: func(ctx context.Context, node, session string) (bool, error) {
			return Gone(ctx, life, node, session)
		},
		Want: life.want}
	s.begin(0, life.step)
}

// want asks another node for an address, if the message arrives.
func (l *simLife) want(node, address string) {
	l.sim.deliver(l, func(to *simLife) {
		if to.name == node {
			to.addresses.Wanted(address)
		}
	})
}

func (n *simNode) kill() {
	for _, sh := range n.life.open {
		if st := n.sim.stores[sh.tenure.Shard]; st.openBy == n.life {
			st.openBy = nil
		}
	}
	n.life.dead = true
	for _, v := range n.sim.servers {
		if v.life == n.life && v.end > n.sim.now {
			v.end = n.sim.now // visits in flight end with it
		}
	}
}

// step runs several times a second.
func (l *simLife) step() {
	if l.dead || l.life != l {
		return
	}
	ctx := context.Background()
	var state NodeState
	for n, here := range l.ready {
		if here {
			state.Ready = append(state.Ready, n)
		}
	}
	slices.Sort(state.Ready)
	state.Stores = map[int]uint64{}
	for n := range simShards {
		if epoch, ok := l.Has(n); ok {
			state.Stores[n] = epoch
		}
	}
	err := l.member.Beat(ctx, state, false)
	if l.member.Holds(l.clock()) {
		if err == nil {
			err = l.member.Look(ctx)
		}
		if err == nil {
			err = l.shards.Step(ctx)
		}
		l.fetch()
		l.addresses.Sweep(ctx, 4, false)
	}
	if l.dead {
		return
	}
	began := !l.member.began.IsZero()
	if errors.Is(err, ErrOver) || began && !l.member.Holds(l.clock()) {
		l.kill() // as when the session ends: everything is closed
		l.sim.after(time.Second, l.simNode.boot)
		return
	}
	l.sim.begin(300*time.Millisecond, l.step)
}

func (l *simLife) Open(t Tenure) {
	s := l.sim
	s.moves++
	sh := &simShard{life: l, tenure: t, work: Opening}
	l.open[t.Shard] = sh
	var open func()
	open = func() {
		if l.dead || sh.work != Opening {
			return
		}
		if !l.member.Holds(l.clock()) { // as if its session were over, unless a late beat arrives
			s.after(200*time.Millisecond, open)
			return
		}
		st := s.stores[t.Shard]
		if other := st.openBy; other != nil && other != l && other.member.Holds(other.clock()) {
			s.fail("shard %d is open at %s, and %s opens it", t.Shard, other.name, l.name)
		} else if other != nil && other != l { // it closes its stores, and has the lock until then
			s.after(200*time.Millisecond, open)
			return
		}
		alone := !st.portable
		if alone && t.Home != "" && t.Home != l.name { // it seemed to be portable
			s.after(200*time.Millisecond, open)
			return
		}
		if alone && st.home != "" && st.home != l.name {
			s.fail("the store of shard %d is at %s alone, and %s opens it",
				t.Shard, st.home, l.name)
		}
		st.openBy, sh.opened = l, true
		anew := s.faults && st.portable && st.home == l.name &&
			(t.Home == l.name || sh.homed) && s.rng.IntN(3) == 0
		if alone && t.Home != l.name && !sh.homed {
			s.after(50*time.Millisecond, open)
			return
		}
		if anew { // its log lost what the store has: it begins anew, and the copy is useless
			st.portable, st.since = false, s.now
		}
		st.home = l.name
		sh.work = Running
		sh.outbox, _ = NewOutbox(t.Shard, simShards, func(name string) ([]byte, bool, error) {
			v, ok := st.settings[name]
			return v, ok, nil
		})
		s.begin(simPause, sh.loop) // KeepDistance
	}
	s.after(time.Duration(s.rng.IntN(2000))*time.Millisecond, open)
}

func (l *simLife) Close(shard int) {
	if sh := l.open[shard]; sh.work == Opening {
		sh.work = Closed
		if st := l.sim.stores[shard]; st.openBy == l {
			st.openBy = nil
		}
	} else {
		sh.work = Closing
	}
}

// Portable changes a moment later at a node, and becomes false even later.
func (l *simLife) Portable(shard int) bool {
	st := l.sim.stores[shard]
	if st.portable {
		return l.sim.now > st.since+300*time.Millisecond
	}
	return st.home != "" && st.home != l.name && l.sim.faults && l.sim.now < st.since+simTTL*3/2
}

func (l *simLife) Opened(shard int) bool { sh := l.open[shard]; return sh != nil && sh.opened }
func (l *simLife) Has(shard int) (uint64, bool) {
	return 0, l.sim.stores[shard].home == l.name
}
func (l *simLife) Homed(shard int) { l.open[shard].homed = true }

// carry makes the store of a shard portable after a while, once there are other nodes.
func (sh *simShard) carry() {
	l, s, st := sh.life, sh.life.sim, sh.life.sim.stores[sh.tenure.Shard]
	if st.portable || len(l.member.Stays(true)) == 0 {
		return
	}
	s.after(time.Duration(s.rng.IntN(3000))*time.Millisecond, func() {
		if !l.dead && !l.cut && st.openBy == l && !st.portable {
			st.portable, st.since = true, s.now
		}
	})
}

// fetch gets the stores of the coming shards.
func (l *simLife) fetch() {
	coming := l.shards.Coming()
	for n := range l.ready {
		if !slices.Contains(coming, n) {
			delete(l.ready, n)
		}
	}
	for _, n := range coming {
		if _, begun := l.ready[n]; begun || !l.Portable(n) {
			continue
		}
		l.ready[n] = false
		l.sim.after(time.Duration(l.sim.rng.IntN(3000))*time.Millisecond, func() {
			if _, still := l.ready[n]; still && l.cut {
				delete(l.ready, n) // again later
			} else if still {
				l.ready[n] = true
			}
		})
	}
}

func (l *simLife) Work(shard int) Worked {
	sh := l.open[shard]
	if sh == nil {
		return Closed
	}
	if sh.work == Closing && sh.flying == 0 {
		sh.work = Closed
		l.sim.stores[shard].openBy = nil
	}
	return sh.work
}

// loop is a step of a shard's loop: messages, rounds, visits.
func (sh *simShard) loop() {
	l, s, n := sh.life, sh.life.sim, sh.tenure.Shard
	if l.dead || sh.work != Running {
		return
	}
	sh.flying++
	defer func() { sh.flying-- }()
	defer func() { s.begin(time.Duration(200+s.rng.IntN(300))*time.Millisecond, sh.loop) }()
	if !l.member.Holds(l.clock()) {
		return
	}
	sh.carry()
	st := s.stores[n]
	for _, m := range sh.outbox.Due(l.clock()) {
		s.send(l, m)
	}
	now := l.clock().Add(l.member.Offset())
	// as in cycle
	if start := now.Truncate(simRound); start.After(st.start) || st.start.Sub(start) > simRound {
		if !st.settled && !st.start.IsZero() {
			if l.ledger.Settle(context.Background(), n, sh.tenure.Epoch, st.start,
				Settled{Used: st.used, Price: st.price()}) != nil {
				return
			}
			st.settled = true
		}
		got, err := l.ledger.Claim(context.Background(), n, sh.tenure.Epoch, start, simRound)
		if err != nil {
			return
		}
		st.start, st.granted, st.used, st.settled = start, got, 0, false
	}
	if st.used >= st.granted {
		return
	}
	// Among the known pages, one on a server that this shard is not visiting.
	for _, page := range slices.Sorted(maps.Keys(st.known)) {
		if st.known[page] && s.rng.IntN(100) > 0 {
			continue
		}
		host := strings.TrimPrefix(page[:strings.LastIndex(page, "/")], "http://")
		if last := s.servers[host]; last != nil && s.now < last.end+simPause {
			continue
		}
		sh.visit(page, host)
		return
	}
}

func addressOf(host string) string {
	n, _ := strconv.Atoi(strings.TrimPrefix(host, "h"))
	return "a" + strconv.Itoa(n%(simHosts/2))
}

func (sh *simShard) visit(page, host string) {
	l, s, n := sh.life, sh.life.sim, sh.tenure.Shard
	address := addressOf(host)
	sh.flying++
	ok, _, err := l.addresses.Enter(context.Background(), address)
	if err != nil || !ok || l.dead {
		sh.flying--
		return
	}
	st := s.stores[n]
	st.used++
	s.used++
	lasts := time.Duration(50+s.rng.IntN(1500)) * time.Millisecond
	// The visit is cut when the lease ends.
	if left := time.Duration(float64(l.member.Until().Sub(l.clock())) / l.rate); lasts > left {
		lasts = left
	}
	begin := s.now
	for _, what := range []string{host, address} {
		if last := s.servers[what]; last != nil && begin < last.end+simPause*8/10 {
			s.fail("%s was asked by %s until %v, and by %s at %v",
				what, last.life.name, last.end, l.name, begin)
		}
		s.servers[what] = &simVisit{begin, begin + lasts, l}
	}
	s.after(lasts, func() {
		sh.flying--
		if l.dead {
			return
		}
		l.addresses.Leave(address, l.clock())
		if s.stores[n].openBy != l {
			s.fail("shard %d changed hands during a visit", n)
		}
		if st.known[page] {
			s.twice++
		}
		st.known[page] = true
		links := linksOf(page)
		for _, link := range links {
			// as in cycle
			if _, known := st.known[link]; link[:strings.LastIndex(link,
				"/")] == page[:strings.LastIndex(page, "/")] && !known {
				st.known[link] = false
			}
		}
		sh.outbox.See(page, links, l.clock())
		sh.outbox.Save(func(name string, v []byte) error { st.settings[name] = v; return nil })
	})
}

// linksOf is the web: each page links to the next one of its server and to one of another server.
func linksOf(page string) []string {
	var host, p int
	fmt.Sscanf(page, "http://h%d/%d", &host, &p)
	return []string{pageOf(host, (p+1)%simPages), pageOf((host*5+p+1)%simHosts, 0)}
}

func pageOf(host, p int) string { return fmt.Sprintf("http://h%d/%d", host, p) }

// send brings links to the holder of the shard, if they arrive, and the answer back.
func (s *sim) send(from *simLife, m Links) {
	s.deliver(from, func(to *simLife) {
		sh := to.open[m.To]
		if sh == nil || sh.work != Running || s.stores[m.To].openBy != to {
			return
		}
		l, good, err := ReadLinks(Encode(m), m.To, simShards)
		if err != nil || len(good) != len(m.Links) {
			s.fail("links %v: %v", m, err)
		}
		for _, url := range good {
			if _, known := s.stores[m.To].known[url]; !known {
				s.stores[m.To].known[url] = false
			}
		}
		s.deliver(to, func(back *simLife) {
			if sh := back.open[m.From]; sh != nil && sh.work == Running {
				sh.outbox.Acknowledged(l.Ack())
			}
		})
	})
}

// deliver brings a message to all nodes that it reaches: late, never, or twice.
func (s *sim) deliver(from *simLife, do func(*simLife)) {
	if from.cut {
		return
	}
	times := 1
	if s.faults {
		times = []int{0, 1, 1, 1, 2}[s.rng.IntN(5)]
	}
	for range times {
		s.after(time.Duration(s.rng.IntN(300))*time.Millisecond, func() {
			for _, n := range s.nodes {
				if n.life != nil && !n.life.dead && !n.cut {
					do(n.life)
				}
			}
		})
	}
}

// harm makes one failure, and schedules the next.
func (s *sim) harm() {
	if !s.faults {
		return
	}
	n := s.nodes[s.rng.IntN(len(s.nodes))]
	switch s.rng.IntN(4) {
	case 0, 1: // killed, and started again
		if !n.life.dead {
			n.kill()
			s.after(time.Duration(s.rng.IntN(9000))*time.Millisecond, n.boot)
		}
	case 2: // partitioned
		n.cut = true
		s.after(time.Duration(s.rng.IntN(12000))*time.Millisecond, func() { n.cut = false })
	case 3: // the machine starts again with another clock
		if n = s.nodes[2]; !n.life.dead {
			n.kill()
			n.offset = time.Duration(s.rng.IntN(7200)-3600) * time.Second
			s.after(time.Duration(s.rng.IntN(9000))*time.Millisecond, n.boot)
		}
	}
	s.after(time.Duration(1000+s.rng.IntN(9000))*time.Millisecond, s.harm)
}

// lose drops the whole KV and all copies: every node starts again. A shard that never had a store
// would wait for an order.
func (s *sim) lose() {
	for _, st := range s.stores {
		if st.home == "" {
			s.after(5*time.Second, s.lose)
			return
		}
	}
	for _, n := range s.nodes {
		if !n.life.dead {
			n.kill()
		}
		s.after(time.Duration(s.rng.IntN(3000))*time.Millisecond, n.boot)
	}
	clear(s.kv)
	for _, st := range s.stores {
		st.portable, st.since = false, s.now
	}
	s.again = true
}

// wrong describes what is not right once everything should be well, or returns "".
func (s *sim) wrong() string {
	for i, st := range s.stores {
		if st.openBy == nil {
			return fmt.Sprintf("nobody works on shard %d", i)
		}
		if w := Place(simShards, []string{"n0", "n1", "n2"})[i]; st.openBy.name != w {
			return fmt.Sprintf("shard %d is at %s, not at %s", i, st.openBy.name, w)
		}
	}
	for p := range simPages * simHosts {
		page := pageOf(p/simPages, p%simPages)
		if visited, known := s.stores[ShardOf(page, simShards)].known[page]; !known || !visited {
			return fmt.Sprintf("page %s was lost: known %v", page, known)
		}
	}
	// A fetch is granted for each moment of true time, or of nodes whose clocks run faster.
	most := int(s.now.Seconds()*simPerDay/86400*1.02) + simShards
	if s.again { // the shares of a round may be granted twice
		most += int(simRound.Seconds() * simPerDay / 86400)
	}
	if s.used > most {
		s.failure = fmt.Sprintf("seed %d: %d visits were made, %d allowed", s.seed, s.used, most)
	}
	return s.failure
}

func simulate(t testing.TB, seed uint64) *sim {
	s := &sim{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), kv: map[string]Entry{},
		servers: map[string]*simVisit{}, faults: true,
		yield: make(chan struct{}), over: make(chan struct{})}
	defer close(s.over)
	for i := range s.stores {
		s.stores[i] = &simStore{known: map[string]bool{}, settings: map[string][]byte{}}
	}
	start := pageOf(int(seed%simHosts), 0)
	s.stores[ShardOf(start, simShards)].known[start] = false
	for i := range 3 {
		n := &simNode{sim: s, name: "n" + strconv.Itoa(i),
			offset: time.Duration(i/2*(s.rng.IntN(7200)-3600)) * time.Second,
			rate:   0.98 + 0.04*s.rng.Float64()}
		s.nodes = append(s.nodes, n)
		n.boot()
	}
	s.after(3*time.Second, s.harm)
	if seed%2 == 0 {
		s.after(time.Duration(20+s.rng.IntN(40))*time.Second, s.lose)
	}
	s.run(simQuiet)
	s.faults = false
	for s.now < simQuiet+simEnd && s.wrong() != "" {
		s.run(s.now + simRound)
	}
	if w := s.wrong(); w != "" {
		t.Fatalf("seed %d: %s; %s", s.seed, w, s.state())
	}
	return s
}

// state describes the world for a failure.
func (s *sim) state() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d visits, %d twice;", s.used, s.twice)
	for i, st := range s.stores {
		visited := 0
		for _, v := range st.known {
			if v {
				visited++
			}
		}
		if l := st.openBy; l != nil {
			fmt.Fprintf(&b, " %s (clock %+v, corrected by %v, %v, lease %v)",
				l.name, l.offset, l.member.Offset(), l.open[i].work, l.member.Holds(l.clock()))
		}
		fmt.Fprintf(&b, " shard %d: %d of %d visited, %d of %d used at %v;",
			i, visited, len(st.known), st.used, st.granted, st.start.UTC().Format(time.TimeOnly))
	}
	return b.String()
}

func TestSimulation(t *testing.T) {
	first, count := uint64(1), uint64(10)
	if text := os.Getenv("NODES_SEEDS"); text != "" { // first-count
		if _, err := fmt.Sscanf(text, "%d-%d", &first, &count); err != nil {
			t.Fatal(err)
		}
	}
	twice, moves := 0, 0
	for seed := first; seed < first+count; seed++ {
		s := simulate(t, seed)
		twice, moves = twice+s.twice, moves+s.moves
	}
	t.Logf("%d seeds: %d tenures", count, moves)
}
