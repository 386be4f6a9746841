package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Tenure is the entry of a shard: its holder.
type Tenure struct {
	Shard   int    `json:"shard"`
	Owner   string `json:"owner,omitempty"` // "": nobody
	Session string `json:"session,omitempty"`
	Epoch   uint64 `json:"epoch"`
	Next    string `json:"next,omitempty"` // next holder; "": the preferred node
	// Home is the node that has its store, or had it last; "": there is none yet, or nobody knows.
	Home string `json:"home,omitempty"`
	// Empty means that it begins without that store: somebody ordered it.
	Empty bool `json:"empty,omitempty"`
}

// Worked is the state of a host's work on a shard.
type Worked int

// States of a shard at a host.
const (
	Closed  Worked = iota // its store is not open; nothing of it is in flight
	Opening               // or it waits for its turn to open
	Running
	Closing
)

// Host works on shards. Open and Close return at once; Work returns the state.
type Host interface {
	Open(Tenure)
	Close(shard int)
	Work(shard int) Worked
	// Portable reports whether this node can get the store of a shard from a copy, and others could
	// get it from this one. Otherwise it stays where the store is.
	Portable(shard int) bool
	// Opened reports whether the store of a shard is or was open here. Homed says that all know
	// this now, perhaps more than once: until then a store that is not portable stays empty.
	Opened(shard int) bool
	Homed(shard int)
	// Has returns the epoch in which this node last worked on a shard, if it has a store of it.
	Has(shard int) (epoch uint64, ok bool)
}

// Shards takes over shards and gives them away, one step at a time.
type Shards struct {
	Member *Member
	Host   Host
	Count  int
	// Leaving gives away all shards. Hasty does so also to nodes without copies of their stores.
	Leaving, Hasty bool
	// Again means that there were stores, and their holders were lost. Then a shard begins at a
	// node that has one.
	Again bool

	revisions []uint64
	tenures   []Tenure
	held      map[int]Tenure // shards of this session, by its own writes
	giving    map[int]string // shards being given away, and to whom
	coming    []int          // shards of others that are to move here
}

// givesAtOnce limits the shards of a node that move at a time: the others work meanwhile. Shards
// that never had a store do not count.
const givesAtOnce = 2

// Held returns the shards of this session.
func (s *Shards) Held() map[int]Tenure { return s.held }

// Tenures returns all shards as last seen.
func (s *Shards) Tenures() []Tenure { return s.tenures }

// Coming returns the shards of others that are to move here.
func (s *Shards) Coming() []int { return s.coming }

// Read reads the holders of shards.
func (s *Shards) Read(ctx context.Context) error {
	list, err := Tenures(ctx, s.Member.KV)
	if err != nil {
		return err
	}
	if s.held == nil {
		s.held, s.giving = map[int]Tenure{}, map[int]string{}
		s.revisions, s.tenures = make([]uint64, s.Count), make([]Tenure, s.Count)
		for i := range s.tenures {
			s.tenures[i].Shard = i
		}
	}
	for _, e := range list {
		n, err := strconv.Atoi(strings.TrimPrefix(e.Key, shardKey))
		if err != nil || n < 0 || n >= s.Count {
			return fmt.Errorf("there is an entry %s in a cluster of %d shards", e.Key, s.Count)
		}
		// own writes are kept if the list is late
		if e.Revision > s.revisions[n] {
			s.revisions[n], s.tenures[n] = e.Revision, e.Value
		}
	}
	return nil
}

// Step reads the holders of shards, and takes and gives those that are to move. Without a lease it
// changes nothing.
func (s *Shards) Step(ctx context.Context) error {
	if err := s.Read(ctx); err != nil {
		return err
	}
	if !s.Member.Settled() {
		return nil
	}
	names := s.Member.Stays(s.Leaving)
	places := Place(s.Count, names)
	s.coming = s.coming[:0]
	for n := range s.Count {
		if !s.Member.Holds(s.Member.Now()) {
			return nil
		}
		if err := s.step(ctx, n, places[n], names); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shards) step(ctx context.Context, n int, to string, names []string) error {
	t, me := s.tenures[n], s.Member
	if t.Home == "" && !t.Empty {
		to, t.Next = s.keeper(n, to, names), ""
	}
	if held, mine := s.held[n]; mine {
		// the answer to a give was lost
		if _, begun := s.giving[n]; begun && (t.Owner == "" || t.Epoch > held.Epoch) {
			s.gave(n)
			return nil
		}
		if t.Owner != me.Name || t.Session != me.Session { // impossible while the session lives
			return fmt.Errorf("shard %d is at node %s by its entry: %w", n, t.Owner, ErrOver)
		}
		if s.Host.Opened(n) {
			if t.Home != me.Name {
				t.Home, t.Empty = me.Name, false
				return s.write(ctx, n, t, s.Host.Homed)
			}
			s.Host.Homed(n) // the answer was lost
		}
		return s.give(ctx, n, to, names)
	}
	if t.Owner == me.Name && t.Session == me.Session { // the answer to a take was lost
		s.begin(n)
		return nil
	}
	if t.Owner != "" && !me.Over(t.Owner, t.Session, s.revisions[n]) {
		if to == me.Name && !s.Leaving {
			s.coming = append(s.coming, n)
		}
		return nil
	}
	if t.Home != "" && !s.Host.Portable(n) { // at its store
		if t.Home != me.Name || s.Leaving {
			return nil
		}
		return s.claim(ctx, n)
	}
	if t.Owner == "" && t.Next != "" && t.Next != me.Name && !s.Leaving {
		if slices.Contains(names, t.Next) {
			return nil
		}
	}
	if s.Leaving || to != me.Name && t.Next != me.Name {
		return nil
	}
	return s.claim(ctx, n)
}

// keeper returns the node that is to begin a shard whose holder nobody knows: among the nodes with
// a store of it the last holder, or the preferred one. "": no present node has one.
func (s *Shards) keeper(n int, to string, names []string) string {
	if s.Again && !s.Member.heard() {
		return ""
	}
	best, last := "", uint64(0)
	for _, name := range names {
		epoch, ok := s.Member.Offers(name, n)
		if name == s.Member.Name {
			epoch, ok = s.Host.Has(n)
		}
		if ok && (best == "" || epoch > last || epoch == last && name == to) {
			best, last = name, epoch
		}
	}
	if best == "" && !s.Again {
		return to
	}
	return best
}

// claim takes a shard over.
func (s *Shards) claim(ctx context.Context, n int) error {
	t, me := s.tenures[n], s.Member
	epoch := t.Epoch
	if t.Home == "" {
		had, _ := s.Host.Has(n)
		epoch = max(epoch, had)
	}
	return s.write(ctx, n, Tenure{Shard: n, Owner: me.Name, Session: me.Session, Epoch: epoch + 1,
		Home: t.Home, Empty: t.Empty}, s.begin)
}

// begin works on a shard that is this node's by its entry.
func (s *Shards) begin(n int) {
	s.held[n] = s.tenures[n]
	s.Host.Open(s.tenures[n])
}

// give gives away a shard that is preferred elsewhere, once its store is closed.
func (s *Shards) give(ctx context.Context, n int, to string, names []string) error {
	home := s.tenures[n].Home
	stranded := home != "" && home != s.Member.Name &&
		(s.giving[n] == home || !s.Host.Portable(n))
	if stranded && slices.Contains(names, home) { // it seemed to be portable when this node took it
		to = home
	}
	if to == s.Member.Name {
		// the other one has gone meanwhile
		if _, begun := s.giving[n]; begun && s.Host.Work(n) == Closed {
			// A write that gives the shard away may still be on its way: this one ends it.
			t := s.tenures[n]
			t.Epoch++
			return s.write(ctx, n, t, func(n int) {
				delete(s.giving, n)
				s.begin(n)
			})
		}
		return nil
	}
	if to == "" && !s.Leaving {
		return nil
	}
	if _, begun := s.giving[n]; !begun {
		if home != "" && len(s.giving) >= givesAtOnce && !s.Leaving {
			return nil
		}
		// it is worked on here until then
		if !s.Hasty && to != "" && home != "" && to != home &&
			!(s.Host.Portable(n) && s.Member.Ready(to, n)) {
			return nil
		}
		s.giving[n] = to
		s.Host.Close(n)
	}
	if s.Host.Work(n) != Closed {
		return nil
	}
	t := s.tenures[n]
	return s.write(ctx, n,
		Tenure{Shard: n, Epoch: t.Epoch, Next: to, Home: t.Home, Empty: t.Empty}, s.gave)
}

func (s *Shards) gave(n int) {
	delete(s.giving, n)
	delete(s.held, n)
}

// write replaces the entry of a shard. If the answer is lost, the next Read finds the result.
func (s *Shards) write(ctx context.Context, n int, t Tenure, then func(int)) error {
	revision, err := s.Member.KV.Set(ctx, shardKey+strconv.Itoa(n), Encode(t), s.revisions[n])
	if errors.Is(err, ErrConflict) {
		return s.reread(ctx, n)
	}
	if err != nil {
		return err
	}
	s.revisions[n], s.tenures[n] = revision, t
	then(n)
	return nil
}

// reread gets the entry of a shard that differs from the list.
func (s *Shards) reread(ctx context.Context, n int) error {
	e, ok, err := Read[Tenure](ctx, s.Member.KV, shardKey+strconv.Itoa(n))
	if err != nil || !ok || e.Revision <= s.revisions[n] { // it may also be late
		return err
	}
	s.revisions[n], s.tenures[n] = e.Revision, e.Value
	return nil
}

// Abandon lets a shard begin without the store that it had: with the store in the directory of the
// node that takes it, or with none.
func Abandon(ctx context.Context, kv KV, shard int) error {
	for {
		key := shardKey + strconv.Itoa(shard)
		e, _, err := Read[Tenure](ctx, kv, key)
		t := e.Value
		if err != nil || t.Empty {
			return err
		}
		t.Shard, t.Home, t.Empty = shard, "", true
		if _, err := kv.Set(ctx, key, Encode(t), e.Revision); !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// TenureOf returns the holder of a shard; the zero Tenure: nobody ever had it.
func TenureOf(ctx context.Context, kv KV, shard int) (Tenure, error) {
	e, _, err := Read[Tenure](ctx, kv, shardKey+strconv.Itoa(shard))
	return e.Value, err
}
