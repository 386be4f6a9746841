package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/bus"
	"github.com/recrawl/recrawl/cmd/cluster/nodes"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/replicate"
	"github.com/recrawl/recrawl/sitegraph"
)

// Web makes the visits for a shard.
type Web interface {
	crawl.Fetcher
	crawl.Locator
	crawl.Permitter
	crawl.Keeper
}

// ShardParts are the parts of a shard.
type ShardParts struct {
	Planner *planner.Planner
	Store   *satstore.Store
	Web     Web
	Loop    crawl.Options // the other options of the loop, without Between
	// Between, if not nil, is called like the loop's, with the store to write to.
	Between func(*replicate.Store) error
	Journal func([]crawl.Event) error // takes visits that are durable; an error closes the shard
	Close   func() error              // closes all of them
}

// NodeOptions are the options of a node. All but Note and Tell are required.
type NodeOptions struct {
	Name    string
	Version string
	Bus     *bus.Bus
	Cluster nodes.Cluster
	TTL     time.Duration // of its lease
	Pause   time.Duration // least time between two visits to an address
	Round   time.Duration
	Adopt   []string // servers that links of other servers may make known
	Dir     string   // of the stores of this node
	// Open makes the parts of a shard from the store in a directory, which may not be there yet.
	// satstore.ErrInUse: another process has it open still.
	Open func(dir string) (*ShardParts, error)
	Able func() error                     // why this machine makes no visits; nil: it does
	Note func(format string, args ...any) // receives messages; may be nil
	Tell func(nodes.Sight)                // receives the state of the node; may be nil
}

// Node is one of several nodes that share a crawl.
//
// It joins the others, takes shards over, runs a loop for each, and brings messages to them.
// Package nodes has the agreements between nodes, and package bus their messages.
//
// # Terms
//
//	session  from joining until the lease is over; then a new one begins
//	parts    the store, planner and fetcher of a shard, which the program makes
//
// # Guarantees
//
//  1. No visit begins without a lease. When it ends, visits under way are cut off, and all stores
//     are closed before the node joins again.
//  2. A shard that cannot be opened stays with its node, which says why and tries again. Only its
//     servers wait.
//  3. When the context ends, shards are given away in good order: their loops commit, their stores
//     are closed, and others may take them at once.
//  4. Links of others are acknowledged when they are in the store.
//  5. Once there is another node, each commit of a shard goes to its log first, which other nodes
//     can read (satstore/replicate). If a store has no copy that other nodes can get, no other node
//     works on its shard.
type Node struct {
	NodeOptions
	started time.Time
	opening chan struct{} // bounds the number of stores that are opened at a time
	getting chan struct{} // the same for stores of shards that are to move here
	offset  atomic.Int64  // nanoseconds by which the clock is corrected
	visits  atomic.Int64
	ledger  sync.Mutex // makes claims of this node one after the other

	mu     sync.Mutex
	shards map[int]*shard
	using  map[int]*sync.Mutex // locks of the directories of shards
}

const (
	step = 250 * time.Millisecond
	// opensAtOnce bounds the stores that are opened at a time, as each reads its records.
	opensAtOnce = 2
	// leaves bounds the wait of a node that ends until its shards are given away.
	leaves = 30 * time.Second
	// patient is how much of leaves the node goes on working, until others have copies of its
	// stores. So they need not fetch copies while nobody works on the shards.
	patient = 20 * time.Second
)

// Check refuses what does not work with several nodes.
func (o *NodeOptions) Check(all []budget.Limit) error {
	if !bus.Name(o.Name) {
		return fmt.Errorf("--name %q: want letters, digits, - and _", o.Name)
	}
	for _, l := range all {
		if l.Unit != budget.InFetches || l.Per != budget.Day {
			return fmt.Errorf("--budget %s: nodes share a budget of fetches a day alone", l)
		}
	}
	return nil
}

// RunNode works until the context ends. It hands start pages to all nodes.
func RunNode(ctx context.Context, starts []string, o NodeOptions) error {
	err := o.readMark()
	if err == nil {
		err = o.agree(ctx, starts)
	}
	if err != nil {
		return err
	}
	n := &Node{NodeOptions: o, started: time.Now(), opening: make(chan struct{}, opensAtOnce),
		getting: make(chan struct{}, opensAtOnce), using: map[int]*sync.Mutex{}}
	if n.Note == nil {
		n.Note = func(string, ...any) {}
	}
	if err := n.tidyUp(); err != nil {
		n.Note("remove what is left of copies: %v", err) // it takes space
	}
	for {
		err := n.session(ctx)
		switch {
		case err != nil && !errors.Is(err, nodes.ErrOver):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		n.Note("the lease was over, and all shards are closed; joining again")
	}
}

// agree learns what the nodes agreed on, and hands start pages to them. It asks until there is an
// answer, as a new cluster elects for seconds.
func (o *NodeOptions) agree(ctx context.Context, starts []string) error {
	for {
		c, err := nodes.Found(ctx, o.Bus.Nodes, o.Cluster)
		if err == nil {
			err = nodes.AddStarts(ctx, o.Bus.Nodes, starts)
		}
		switch {
		case err == nil:
			had := ""
			if o.Cluster.Again {
				had = o.Cluster.Mark
			}
			o.Cluster = c
			return o.keepMark(had)
		case errors.Is(err, nodes.ErrMark):
			return fmt.Errorf("%w: %s has another mark than the other nodes; to let them have these "+
				"stores, remove that file", err, filepath.Join(o.Dir, markName))
		case errors.Is(err, nodes.ErrShards) || errors.Is(err, nodes.ErrShared) ||
			errors.Is(err, nodes.ErrStarts):
			return err
		}
		if err := (crawl.WallClock{}).SleepUntil(ctx, time.Now().Add(step)); err != nil {
			return err
		}
	}
}

// session takes part in the cluster from joining until the lease ends. nil: the context ended.
func (n *Node) session(ctx context.Context) (err error) {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	m := &nodes.Member{KV: n.Bus.Nodes, Name: n.Name, Session: rand.Text(), TTL: n.TTL,
		Now: time.Now}
	s := &session{Node: n, ctx: work, member: m,
		addresses: &nodes.Addresses{KV: n.Bus.Addresses, Name: n.Name, Session: m.Session,
			Pause: n.Pause, Now: time.Now, Holds: m.Holds,
			Gone: func(ctx context.Context, node, session string) (bool, error) {
				return nodes.Gone(ctx, n.Bus.Nodes, node, session)
			},
			Want: func(node, address string) { n.Bus.Tell(node, []byte(address)) }}}
	n.mu.Lock()
	n.shards = map[int]*shard{}
	n.mu.Unlock()
	s.move = &nodes.Shards{Member: m, Host: s, Count: n.Cluster.Shards,
		Again: n.Cluster.Again}
	s.travel = newTravel(n.Cluster.Shards)
	listening, err := n.Bus.Hear(n.Name, func(m []byte) { s.addresses.Wanted(string(m)) })
	if err != nil {
		n.Note("%v: they wait longer for addresses", err)
	} else {
		defer listening()
	}
	go s.watch(stop)
	go s.sweep()
	defer s.closeAll()
	defer stop()
	var silent time.Time // start of the time without an answer
	for {
		leaving := ctx.Err() != nil
		err := s.step(leaving)
		switch {
		case errors.Is(err, nodes.ErrOver):
			return err
		case work.Err() != nil:
			return nodes.ErrOver
		case err == nil:
			silent = time.Time{}
		case silent.IsZero():
			silent = time.Now()
		case time.Since(silent) > n.TTL/2:
			n.Note("no answer of the others: %v", err)
			silent = time.Now().Add(n.TTL)
		}
		switch {
		case leaving && (!m.Holds(time.Now()) || len(s.move.Held()) == 0):
			if len(s.move.Held()) > 0 {
				n.Note("the others were not told that this node ends: they take its shards when " +
					"its lease is over")
				return nil
			}
			if err := errors.Join(s.addresses.Sweep(work, 1<<20, true), m.Leave(work)); err != nil {
				n.Note("the others were not told that this node ends (%v): they take its shards "+
					"when its lease is over", err)
			}
			return nil
		case leaving && s.left.IsZero():
			s.left = time.Now()
		case leaving && time.Since(s.left) > leaves:
			n.Note("%d shards were not given away within %v: others take them when the lease "+
				"is over", len(s.move.Held()), leaves)
			return nil
		}
		select {
		case <-time.After(step):
		case <-done(ctx, leaving):
		case <-work.Done():
		}
	}
}

// watch ends the work when the lease ends, even while the node waits.
func (s *session) watch(stop func()) {
	for s.ctx.Err() == nil {
		if s.member.Joined() && !s.member.Holds(time.Now()) {
			stop()
			return
		}
		time.Sleep(step / 4)
	}
}

// step does the work that is due.
func (s *session) step(leaving bool) error {
	state := nodes.NodeState{Started: s.started.Unix(), Version: s.Version, Leaving: leaving,
		Shards: s.reports(), Stores: s.stores()}
	if err := s.Able(); err != nil {
		state.Trouble = err.Error()
	}
	ready, news := s.ready()
	state.Ready = ready
	err := s.member.Beat(s.ctx, state, news || leaving != s.move.Leaving)
	s.move.Leaving, s.move.Hasty = leaving, leaving && !s.left.IsZero() &&
		time.Since(s.left) > patient
	if err == nil {
		err = s.member.Look(s.ctx)
	}
	if err == nil {
		err = s.lookForCopies()
	}
	if err == nil {
		err = s.move.Step(s.ctx)
	}
	if err == nil {
		s.fetchComing()
	}
	s.offset.Store(int64(s.member.Offset()))
	if s.Tell != nil {
		s.Tell(s.sight(&state))
	}
	return err
}

// sight returns the state of the node.
func (s *session) sight(state *nodes.NodeState) nodes.Sight {
	return nodes.Sight{Lease: time.Until(s.member.Until()), Ahead: -s.member.Offset(),
		Others: len(s.member.Stays(true)), Trouble: state.Trouble,
		Shards: state.Shards, Portable: s.portable(), Coming: len(s.move.Coming()),
		Visits: s.visits.Load(), Addresses: s.addresses.Held()}
}

// sweep gives addresses to others while the session lasts. It may wait for answers longer than
// beats may.
func (s *session) sweep() {
	for s.ctx.Err() == nil {
		s.addresses.Sweep(s.ctx, 1000, false) // what fails is tried again
		crawl.WallClock{}.SleepUntil(s.ctx, time.Now().Add(step))
	}
}

// done returns the end of a context, or nil if it is already over.
func done(ctx context.Context, already bool) <-chan struct{} {
	if already {
		return nil
	}
	return ctx.Done()
}

// session has what shards share until the lease ends.
type session struct {
	*Node
	ctx       context.Context // until the lease is over
	member    *nodes.Member
	addresses *nodes.Addresses
	move      *nodes.Shards
	travel    *travel
	left      time.Time
}

// directory returns the directory of the store of a shard.
func (s *session) directory(shard int) string {
	return filepath.Join(s.Dir, fmt.Sprintf("%04d", shard))
}

// now returns the time by the clock of all nodes.
func (n *Node) now() time.Time {
	return crawl.WallClock{}.Now().Add(time.Duration(n.offset.Load()))
}

// clock is the time by which loops plan, that of most nodes.
type clock struct{ n *Node }

func (c clock) Now() time.Time { return c.n.now() }

func (c clock) SleepUntil(ctx context.Context, t time.Time) error {
	return crawl.WallClock{}.SleepUntil(ctx, t.Add(-time.Duration(c.n.offset.Load())))
}

// adopts reports whether links of other servers may make a server known.
func (n *Node) adopts(server string) bool { return nodes.Adopts(n.Adopt, server) }

// mine returns the addresses that belong to a shard.
func (n *Node) mine(shard int, urls []string) (mine []string) {
	for _, url := range urls {
		if c, err := sitegraph.Canonical(url); err == nil &&
			nodes.ShardOf(c, n.Cluster.Shards) == shard {
			mine = append(mine, c)
		}
	}
	return mine
}
