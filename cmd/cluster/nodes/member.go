package nodes

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// beats is how many beats a lease has: two may be lost.
const beats = 4

// ErrOver says that others took this session for dead: a new one must begin.
var ErrOver = errors.New("the session of this node is over")

// NodeState is what a node says of itself with each beat.
type NodeState struct {
	Name    string        `json:"name"`
	Session string        `json:"session"`
	Started int64         `json:"started"`           // unix seconds
	Clock   int64         `json:"clock"`             // its own, unix milliseconds
	TTLms   int64         `json:"ttl_ms"`            // of its lease
	Offset  float64       `json:"offset"`            // by which it corrects its clock, seconds
	Leaving bool          `json:"leaving,omitempty"` // it gives its shards away
	Dead    bool          `json:"dead,omitempty"`    // written by another node
	Version string        `json:"version,omitempty"`
	Trouble string        `json:"trouble,omitempty"` // why it makes no visits
	Shards  []ShardReport `json:"shards,omitempty"`
	Ready   []int         `json:"ready,omitempty"` // shards of others whose stores it has a copy of
	// shards of which nobody knows who has the store, and of which it has one: the epoch of that
	Stores map[int]uint64 `json:"stores,omitempty"`
}

// ShardReport is how a shard is getting on.
type ShardReport struct {
	Shard   int     `json:"shard"`
	State   string  `json:"state"`           // opening, running, closing or failed
	Error   string  `json:"error,omitempty"` // why it failed
	Pages   int     `json:"pages"`           // known
	Waiting int     `json:"waiting"`         // new ones in line
	Visits  int     `json:"visits"`          // of this tenure
	Sending int     `json:"sending"`         // links that other shards have not taken in yet
	Dropped int     `json:"dropped"`         // links that found no room in the outbox
	Price   float64 `json:"price"`           // worth of the last visit that fits the budget
	Used    int     `json:"used"`            // of the round
	Granted int     `json:"granted"`         // in the round; -1: no bound
	Delay   float64 `json:"delay"`           // seconds from taking the shard to its first round
}

const (
	// longestError bounds what a node tells of an error; with a path or an address it is shorter.
	longestError = 500
	// mostErrors bounds all errors that a node tells of. NATS takes messages of 1 MiB: 4,096 shards
	// take 200 bytes each beside that, and the rest is for those whose errors are left out.
	mostErrors = 32 << 10
	// leftOut stands for an error that has no room.
	leftOut = "see its log"
)

// bound keeps a state below the size of a message, however many shards fail.
func (s *NodeState) bound() {
	s.Trouble = cut(s.Trouble)
	s.Shards = slices.Clone(s.Shards)
	left := mostErrors
	for i := range s.Shards {
		r := &s.Shards[i]
		r.Price, r.Delay = rounded(r.Price), rounded(r.Delay)
		if r.Error == "" {
			continue
		}
		r.Error = cut(r.Error)
		if left -= len(Encode(r.Error)); left < 0 {
			r.Error = leftOut
		}
	}
}

// rounded is a number with six digits.
func rounded(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64) // of its own text
	return x
}

// cut bounds an error.
func cut(text string) string {
	if len(text) <= longestError {
		return text
	}
	return strings.ToValidUTF8(text[:longestError], "") + "..."
}

// sighting is a revision of an entry, and when it was first seen, by the clock of who saw it.
type sighting struct {
	revision uint64
	since    time.Time
}

// sinceSeen notes the revision of an entry, and returns how long ago that revision was first seen.
func sinceSeen(m map[string]sighting, key string, revision uint64, now time.Time) time.Duration {
	s, ok := m[key]
	if !ok || s.revision != revision {
		s = sighting{revision, now}
		m[key] = s
	}
	return now.Sub(s.since)
}

// Member is this node among the others. Only the exported fields below are set by who makes it.
type Member struct {
	KV KV
	// Name is that of no other process: this one has the lock of its data directory. So a session
	// of that name, which an earlier process left, is over at once.
	Name    string
	Session string // unlike that of any other life
	TTL     time.Duration
	Now     func() time.Time // with a monotonic reading, where there is one

	revision uint64
	tried    time.Time // of the last beat
	looked   time.Time // first
	seen     map[string]sighting
	mu       sync.Mutex // of began: it is written by one goroutine, and read by many
	began    time.Time  // of the last beat that was answered
	live     map[string]NodeState
	entries  map[string]nodeEntry
	offsets  map[string]time.Duration
}

// nodeEntry is what a node said last, or others of it.
type nodeEntry struct {
	session  string
	dead     bool
	revision uint64
}

// Beat tells the others that this node lives, if it is time. ErrOver: they took it for dead.
func (m *Member) Beat(ctx context.Context, state NodeState, urgent bool) error {
	now := m.Now()
	if !urgent && !m.tried.IsZero() && now.Sub(m.tried) < m.TTL/beats {
		return nil
	}
	m.tried = now
	state.Name, state.Session, state.Clock = m.Name, m.Session, now.UnixMilli()
	state.TTLms, state.Offset = m.TTL.Milliseconds(), m.Offset().Seconds()
	state.bound()
	revision, err := m.KV.Set(ctx, nodePrefix+m.Name, Encode(state), m.revision)
	if errors.Is(err, ErrConflict) {
		revision, err = m.resolveBeat(ctx, state)
	}
	if err != nil {
		m.tried = time.Time{} // again, as soon as possible
		return err
	}
	m.revision = revision
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began = now
	return nil
}

// Leave takes this node out: its shards need not wait for its lease to end.
func (m *Member) Leave(ctx context.Context) error {
	return m.KV.Remove(ctx, nodePrefix+m.Name, m.revision)
}

// resolveBeat finds what became of a beat that met another entry than expected: an own one, whose
// answer was lost, one of a life before this, or the verdict of another node.
func (m *Member) resolveBeat(ctx context.Context, state NodeState) (uint64, error) {
	e, ok, err := Read[NodeState](ctx, m.KV, nodePrefix+m.Name)
	if err != nil {
		return 0, err
	}
	s := e.Value
	mine := s.Session == m.Session
	switch {
	case ok && mine && !s.Dead: // the answer was lost
	case !m.began.IsZero() || mine:
		return 0, ErrOver // taken for dead, or somebody else has the name
	}
	return m.KV.Set(ctx, nodePrefix+m.Name, Encode(state), e.Revision)
}

// Until is when the lease ends by which this node works, on its own clock.
func (m *Member) Until() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.began.Add(m.TTL - m.TTL/5)
}

// Holds reports whether the lease holds. A machine that slept, or whose clock was set forward, has
// lost it, as far as it can know.
func (m *Member) Holds(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	most := m.TTL - m.TTL/5
	return !m.began.IsZero() && now.Sub(m.began) < most && now.Round(0).Sub(m.began.Round(0)) < most
}

// Joined reports whether this session has, or had, a lease.
func (m *Member) Joined() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.began.IsZero()
}

// Look finds out which nodes live, and ends the sessions of those that do not beat any more.
func (m *Member) Look(ctx context.Context) error {
	list, err := NodeStates(ctx, m.KV)
	if err != nil {
		return err
	}
	now := m.Now()
	if m.seen == nil {
		m.seen = map[string]sighting{}
	}
	live, entries := map[string]NodeState{}, map[string]nodeEntry{}
	offsets := maps.Clone(m.offsets) // also of those that died: their clocks count
	if offsets == nil {
		offsets = map[string]time.Duration{}
	}
	for _, e := range list {
		s := e.Value
		entries[s.Name] = nodeEntry{s.Session, s.Dead, e.Revision}
		before := m.seen[e.Key]
		stood := sinceSeen(m.seen, e.Key, e.Revision, now)
		switch {
		case s.Name == m.Name || s.Dead:
		case stood >= max(m.TTL, time.Duration(s.TTLms)*time.Millisecond):
			s.Dead, s.Shards = true, nil
			revision, err := m.KV.Set(ctx, e.Key, Encode(s), e.Revision)
			switch {
			case err == nil:
				entries[s.Name] = nodeEntry{s.Session, true, revision}
			case errors.Is(err, ErrConflict): // a beat that came after all
				live[s.Name] = s
			default:
				return err
			}
		default:
			live[s.Name] = s
			// a beat of now, not of long ago
			if before.revision != 0 && before.revision != e.Revision {
				offsets[s.Name] = time.UnixMilli(s.Clock).Sub(now.Round(0))
			}
		}
	}
	if m.Holds(now) {
		live[m.Name] = NodeState{Name: m.Name, Session: m.Session}
	}
	m.mu.Lock()
	m.live, m.entries, m.offsets = live, entries, offsets
	m.mu.Unlock()
	if m.looked.IsZero() {
		m.looked = now
	}
	return nil
}

// Settled reports whether this node knows by how much its clock differs from those of the others.
func (m *Member) Settled() bool {
	return !m.looked.IsZero() && (len(m.live) < 2 || m.Now().Sub(m.looked) > 2*m.TTL/beats)
}

// leastOffset is below what clocks are taken for equal: beats are seen seconds late.
const leastOffset = 5 * time.Second

// Offset is what the clock of this node must be corrected by: the lower median of the clocks of
// all. With three nodes one may be wrong.
func (m *Member) Offset() time.Duration {
	all := append(slices.Collect(maps.Values(m.offsets)), 0)
	slices.Sort(all)
	if by := all[(len(all)-1)/2]; by.Abs() >= leastOffset {
		return by
	}
	return 0
}

// Over reports whether a session is over that wrote an entry with a revision. A list of nodes that
// is older than the entry does not know a session that began since: it is not over for that.
func (m *Member) Over(name, session string, revision uint64) bool {
	e, ok := m.entries[name]
	switch {
	case !ok: // it left, and gave all away before; or the list is old
		return sinceSeen(m.seen, "no "+nodePrefix+name, revision, m.Now()) >= m.TTL
	case e.session == session:
		return e.dead
	}
	return e.revision > revision
}

// Gone asks whether a session is over.
func Gone(ctx context.Context, kv KV, name, session string) (bool, error) {
	e, ok, err := Read[NodeState](ctx, kv, nodePrefix+name)
	if err != nil || !ok {
		return err == nil, err
	}
	s := e.Value
	return s.Dead || s.Session != session, nil
}

// Ready reports whether a node that lives said that it has a copy of the store of a shard.
func (m *Member) Ready(name string, shard int) bool {
	return slices.Contains(m.live[name].Ready, shard)
}

// Offers returns the epoch of the store of a shard that a node which lives said to have.
func (m *Member) Offers(name string, shard int) (epoch uint64, ok bool) {
	epoch, ok = m.live[name].Stores[shard]
	return epoch, ok
}

// heard reports whether every node that lives has told something of itself since this one looked.
func (m *Member) heard() bool { return !m.looked.IsZero() && m.Now().Sub(m.looked) > m.TTL }

// Runs reports whether the node that has a shard lives, and said that it works on it.
func (m *Member) Runs(t Tenure) bool {
	s, ok := m.live[t.Owner]
	return ok && s.Session == t.Session && slices.ContainsFunc(s.Shards, func(r ShardReport) bool {
		return r.Shard == t.Shard && r.State == "running"
	})
}

// Stays returns the nodes that shards may be at, sorted.
func (m *Member) Stays(leaving bool) []string {
	var names []string
	for name, s := range m.live {
		if !s.Leaving && !(leaving && name == m.Name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
