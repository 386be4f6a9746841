package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/bus"
	"github.com/recrawl/recrawl/cmd/cluster/nodes"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/replicate"
)

// A shard travels as a copy of its store and the log of the commits since. Once there is another
// node, the shard's node makes both, and a new copy when the log has grown long.
//
// To move a shard, its new node gets both while the old one works on. Then the old node closes its
// store and gives the shard away; the rest of the log is short. After a death the new node gets
// both in the same way.

const (
	// baseKey begins the key of the copy of a shard's store in the KV; the number of the shard
	// follows.
	baseKey = "base."
	// copyEnd ends the name of the directory of a copy, after the name of the store.
	copyEnd = ".copy"
	// leastLog is the size of a log, in bytes, that leads to a new copy, or half of the copy if
	// that is more. So each committed byte is sent at most three times.
	leastLog = 16 << 20
	// mostParts bounds the parts of a log: each is requested in a message of its own.
	mostParts = 2000
	// copyAgain is the pause before a failed copy is tried again.
	copyAgain = 10 * time.Second
	// gaps is how often a shard looks for a newer copy if the log does not follow the copy that it
	// saw.
	gaps = 5
)

// copied is the entry of a shard's copy.
type copied struct {
	replicate.Base
	Epoch uint64 `json:"epoch"` // epoch in which it was made
}

// travel has what a session knows of the copies of all shards.
type travel struct {
	mu       sync.Mutex
	portable map[int]bool // shards with copies
	coming   map[int]*fetching
	tidy     map[int]bool // shards whose store here may be useless, or soon will be
	news     bool         // others should know at once
	others   atomic.Bool  // there are other nodes
}

// fetching is a shard that comes here.
type fetching struct {
	busy, ready bool
	next        time.Time
}

func newTravel(shards int) *travel {
	t := &travel{portable: map[int]bool{}, coming: map[int]*fetching{}, tidy: map[int]bool{}}
	for n := range shards {
		t.tidy[n] = true
	}
	return t
}

// Portable reports whether a shard has a copy and this node did not fail to get it.
func (s *session) Portable(shard int) bool {
	if sh := s.shard(shard); sh != nil && sh.stranded.Load() && s.Work(shard) != nodes.Closed {
		return false
	}
	s.travel.mu.Lock()
	defer s.travel.mu.Unlock()
	return s.travel.portable[shard]
}

// Opened reports whether the store of a shard is or was open here.
func (s *session) Opened(shard int) bool {
	sh := s.shard(shard)
	return sh != nil && sh.opened.Load()
}

// Homed takes in that all nodes know where the store of a shard is.
func (s *session) Homed(shard int) {
	if sh := s.shard(shard); sh != nil {
		sh.once.Do(func() { close(sh.homed) })
	}
}

// portable counts the shards of this node that others can get.
func (s *session) portable() (n int) {
	for shard := range s.move.Held() {
		if s.Portable(shard) {
			n++
		}
	}
	return n
}

// ready returns the shards of others whose stores are here, and whether the list is new.
func (s *session) ready() (list []int, news bool) {
	t := s.travel
	t.mu.Lock()
	defer t.mu.Unlock()
	for n, f := range t.coming {
		if f.ready {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	news, t.news = t.news, false
	return list, news
}

// lookForCopies finds the shards that have copies.
func (s *session) lookForCopies() error {
	s.travel.others.Store(len(s.member.Stays(true)) > 0)
	list, err := copiesOf(s.ctx, s.Bus)
	if err != nil {
		return err
	}
	s.travel.mu.Lock()
	s.travel.portable = list
	s.travel.mu.Unlock()
	return nil
}

// copiesOf returns the shards that have copies.
func copiesOf(ctx context.Context, b *bus.Bus) (map[int]bool, error) {
	list, err := nodes.List[copied](ctx, b.Nodes, baseKey)
	if err != nil {
		return nil, err
	}
	all := map[int]bool{}
	for _, e := range list {
		if n, err := strconv.Atoi(e.Key[len(baseKey):]); err == nil {
			all[n] = true
		}
	}
	return all, nil
}

// fetchComing gets the stores of shards that are to move here, and removes those of shards that
// others work on.
func (s *session) fetchComing() {
	t, now := s.travel, time.Now()
	coming := s.move.Coming()
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := range t.coming {
		if !slices.Contains(coming, n) {
			delete(t.coming, n)
			t.tidy[n] = true
		}
	}
	for _, n := range coming {
		f := t.coming[n]
		if f == nil {
			f = &fetching{}
			t.coming[n] = f
		}
		if t.portable[n] && !f.busy && now.After(f.next) {
			f.busy = true
			go s.fetch(n, f)
		}
	}
	held := s.move.Held()
	for n := range held {
		t.tidy[n] = true // once another one works on it
	}
	for n := range t.tidy {
		owner := s.move.Tenures()[n]
		if _, here := held[n]; !here && t.coming[n] == nil && t.portable[n] &&
			owner.Owner != s.Name && owner.Home == owner.Owner && s.member.Runs(owner) {
			delete(t.tidy, n)
			go s.discard(n)
		}
	}
}

// fetch gets the store of a shard from its log and copy, and again from time to time.
func (s *session) fetch(n int, f *fetching) {
	err := s.ctx.Err()
	select {
	case s.getting <- struct{}{}:
		// without opening: a shard that nobody works on need not wait for this
		in := s.inDirectory(n)
		in.Lock()
		if s.shard(n) == nil || s.Work(n) == nodes.Closed {
			err = s.update(s.ctx, n)
		}
		in.Unlock()
		<-s.getting
	case <-s.ctx.Done():
		err = s.ctx.Err()
	}
	if err != nil && s.ctx.Err() == nil {
		s.Note("shard %d, which is to move here: %v; it is tried again in %v", n, err, copyAgain)
	}
	s.travel.mu.Lock()
	defer s.travel.mu.Unlock()
	f.busy, f.next = false, time.Now().Add(copyAgain)
	if err == nil && !f.ready {
		f.ready, s.travel.news = true, true
	}
}

// discard removes a useless store: the node of the shard has all of it.
func (s *session) discard(n int) {
	in := s.inDirectory(n)
	in.Lock()
	defer in.Unlock()
	if _, err := os.Stat(s.directory(n)); err != nil || s.shard(n) != nil &&
		s.Work(n) != nodes.Closed {
		return
	}
	b, ok, err := s.base(s.ctx, n)
	done := false
	if err == nil && ok {
		done, err = replicate.Discard(s.ctx, s.directory(n), b.Value.Base, s.remote(n))
	}
	if err != nil && s.ctx.Err() == nil {
		s.Note("remove the store of shard %d, which is at another node: %v", n, err)
	}
	if done && err == nil {
		os.Remove(s.directory(n) + epochEnd) // without a store it means nothing
	}
	if !done && err == nil { // later
		s.travel.mu.Lock()
		s.travel.tidy[n] = true
		s.travel.mu.Unlock()
	}
}

// tidyUp removes the copies that a killed process left unfinished.
func (n *Node) tidyUp() error {
	entries, err := os.ReadDir(n.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if end := filepath.Ext(e.Name()); end == copyEnd || end == replicate.Coming {
			if err := os.RemoveAll(filepath.Join(n.Dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// inDirectory returns the lock of the directory of a shard within this process.
func (n *Node) inDirectory(shard int) *sync.Mutex {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.using[shard] == nil {
		n.using[shard] = &sync.Mutex{}
	}
	return n.using[shard]
}

// remote returns the log and copies of a shard.
func (n *Node) remote(shard int) *bus.Shard { return n.Bus.Shard(shard, n.Cluster.Shards) }

// base returns the current copy of a shard.
func (n *Node) base(ctx context.Context, shard int) (nodes.Listed[copied], bool, error) {
	return nodes.Read[copied](ctx, n.Bus.Nodes, baseKey+strconv.Itoa(shard))
}

// update brings the store of a shard in its directory up to date with copy and log.
func (s *session) update(ctx context.Context, shard int) error {
	b, ok, err := s.base(ctx, shard)
	if err != nil || !ok {
		return err
	}
	u, err := replicate.Update(ctx, s.directory(shard), b.Value.Base, s.remote(shard))
	s.told(shard, u)
	if err == nil && u.Anew {
		err = errors.New("its log lost what a store had, and the node that has the shard has not " +
			"gone on yet")
	}
	return err
}

// told reports the fate of a store that others went on without.
func (s *session) told(shard int, u replicate.Updated) {
	if u.Aside {
		s.Note("shard %d: the store in %s has visits that its log lost, and another node went on "+
			"without them; it is now in %s, and this node goes on as the other one did",
			shard, s.directory(shard), s.directory(shard)+replicate.Aside)
	}
}

// copies makes the copies of a shard's store.
type copies struct {
	base   replicate.Base
	number int // of the next copy
	due    bool
	next   time.Time
	stop   context.CancelFunc // of the copy under way; nil: none
	done   chan error
	made   replicate.Base
}

// open opens the store of a shard as its last node left it. old is a copy that must be removed
// (settle). satstore.ErrInUse: another process still has it open.
func (sh *shard) open(ctx context.Context) (old *nodes.Listed[copied], err error) {
	n := sh.tenure.Shard
	sh.opened.Store(false)
	in := sh.inDirectory(n)
	in.Lock()
	defer in.Unlock()
	dir := sh.directory(n)
	sh.copies = copies{number: sh.copies.number}
	if err := os.RemoveAll(dir + copyEnd); err != nil {
		return nil, err
	}
	resume, old, err := sh.bring(ctx, dir)
	sh.stranded.Store(err != nil && !errors.Is(err, satstore.ErrInUse))
	if err != nil {
		return nil, err
	}
	if sh.parts, err = sh.NodeOptions.Open(dir); err != nil {
		return nil, err
	}
	if err := sh.keepEpoch(); err != nil {
		return nil, errors.Join(err, sh.parts.Close())
	}
	// it outlives ctx: what visits saw is committed at the end
	sh.store = replicate.New(sh.session.ctx, sh.parts.Store)
	sh.store.Waiting = func(why error) {
		sh.set(func(r *nodes.ShardReport) {
			if r.Error = ""; why != nil {
				r.Error = "waiting for its log: " + why.Error()
			}
		})
	}
	if sh.settled = resume != nil; sh.settled {
		resume()
	}
	sh.opened.Store(true)
	return old, nil
}

// dropOldCopy waits until all nodes know that the store of the shard is here, and drops the old
// copy. From then on no other node can go on with the shard until there is a new copy.
func (sh *shard) dropOldCopy(ctx context.Context, old *nodes.Listed[copied]) error {
	if sh.settled {
		return nil
	}
	if sh.tenure.Home != sh.Name {
		select {
		case <-sh.homed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if old == nil {
		return nil
	}
	if err := sh.Bus.Nodes.Remove(ctx, old.Key, old.Revision); err != nil {
		return fmt.Errorf("drop the old copy of a store: %w", err)
	}
	return nil
}

// bring brings the store in a directory up to date. Its log goes on (resume), or begins anew and
// replaces an old copy, if any.
func (sh *shard) bring(ctx context.Context, dir string) (
	resume func(), old *nodes.Listed[copied], err error) {
	n := sh.tenure.Shard
	remote := sh.remote(n)
	for tries := range gaps {
		b, ok, err := sh.base(ctx, n)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			return nil, nil, sh.alone(ctx, dir)
		}
		mark, err := replicate.Take(ctx, remote)
		if err != nil {
			return nil, nil, err
		}
		u, err := replicate.Update(ctx, dir, b.Value.Base, remote)
		sh.told(n, u)
		switch {
		case errors.Is(err, replicate.ErrGap) && tries < gaps-1: // there is a newer copy
			continue
		case err != nil:
			return nil, nil, err
		case u.Anew:
			if _, err := sh.elsewhere(ctx); err != nil {
				return nil, nil, fmt.Errorf("its log lost what it had: %w", err)
			}
			sh.Note("shard %d: its log lost what its store has; a new one begins", n)
			return nil, &b, nil
		}
		sh.copies.base = b.Value.Base
		return func() { sh.store.Resume(remote, mark, u) }, nil, nil
	}
	return nil, nil, fmt.Errorf("shard %d: %w", n, replicate.ErrGap)
}

// alone returns an error if a store without a copy is not in its directory.
func (sh *shard) alone(ctx context.Context, dir string) error {
	t, err := sh.elsewhere(ctx)
	if err != nil || t.Home == "" {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, directory.FormatName)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("its store was in %s of node %s, and is not there: put it back, or %s",
			dir, sh.Name, abandon(sh.tenure.Shard))
	}
	return nil
}

// elsewhere returns the owner of the shard. It fails if another node has the latest store.
func (sh *shard) elsewhere(ctx context.Context) (nodes.Tenure, error) {
	t, err := nodes.TenureOf(ctx, sh.Bus.Nodes, sh.tenure.Shard)
	if err == nil && t.Home != "" && t.Home != sh.Name {
		err = errors.New(onlyAt(t))
	}
	return t, err
}

// onlyAt names the only node that has the store of a shard.
func onlyAt(t nodes.Tenure) string {
	return fmt.Sprintf("its store is at node %s alone: start that node, or %s",
		t.Home, abandon(t.Shard))
}

func abandon(shard int) string {
	return fmt.Sprintf("give the store up with recrawl node abandon %d", shard)
}

// carry makes sure that other nodes can go on with the shard. Everything is committed.
func (sh *shard) carry(ctx context.Context) error {
	c := &sh.copies
	if c.stop != nil {
		select {
		case err := <-c.done:
			if c.stop(); err != nil && ctx.Err() == nil {
				sh.Note("copy of shard %d: %v; it is tried again in %v",
					sh.tenure.Shard, err, copyAgain)
				c.due, c.next = true, time.Now().Add(copyAgain)
			} else if err == nil {
				c.base = c.made
			}
			c.stop = nil
		default:
			return nil
		}
	}
	if !sh.store.Shipping() {
		if !sh.travel.others.Load() {
			return nil
		}
		if err := sh.store.Begin(sh.remote(sh.tenure.Shard)); err != nil {
			return err
		}
		c.due = true
	}
	sent := sh.store.Sent().Since(c.base.Sent) // also parts from before this node had the shard
	if !c.due && sent.Bytes <= max(leastLog, c.base.Bytes/2) && sent.Parts <= mostParts ||
		time.Now().Before(c.next) {
		return nil
	}
	c.due = false
	to := sh.directory(sh.tenure.Shard) + copyEnd
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	b, err := sh.store.Base(to)
	if err != nil {
		if sh.store.Commit() != nil { // the store itself has failed
			return err
		}
		sh.Note("copy of shard %d: %v; it is tried again in %v", sh.tenure.Shard, err, copyAgain)
		c.due, c.next = true, time.Now().Add(copyAgain)
		return nil
	}
	b.Name = bus.CopyName(sh.tenure.Shard, sh.tenure.Epoch, c.number)
	c.number++
	ctx, c.stop = context.WithCancel(ctx)
	c.done = make(chan error, 1)
	go func() {
		made, err := sh.keep(ctx, to, b)
		c.made = made
		c.done <- errors.Join(err, os.RemoveAll(to))
	}()
	return nil
}

// keep stores a copy of the store, and lets the log begin with it.
func (sh *shard) keep(ctx context.Context, dir string, b replicate.Base) (replicate.Base, error) {
	n := sh.tenure.Shard
	remote := sh.remote(n)
	b, err := replicate.Keep(ctx, remote, dir, b)
	if err != nil {
		return b, err
	}
	for {
		have, _, err := sh.base(ctx, n)
		if err != nil {
			return b, err
		}
		if have.Value.Epoch > sh.tenure.Epoch {
			return b, replicate.ErrTaken
		}
		_, err = sh.Bus.Nodes.Set(ctx, baseKey+strconv.Itoa(n),
			nodes.Encode(copied{b, sh.tenure.Epoch}), have.Revision)
		if err == nil {
			break
		} else if !errors.Is(err, nodes.ErrConflict) {
			return b, err
		}
	}
	// A failure from here on costs only space, which the next copy frees.
	if err := errors.Join(remote.Drop(ctx, b.After()), remote.Clear(ctx, sh.tenure.Epoch, b.Name),
		remote.Sweep(ctx, bus.TornTime)); err != nil && ctx.Err() == nil {
		sh.Note("log and older copies of shard %d, or what is left of some: %v", n, err)
	}
	return b, nil
}

// end ends the copy under way.
func (c *copies) end() {
	if c.stop != nil {
		c.stop()
		<-c.done
		c.stop = nil
	}
}
