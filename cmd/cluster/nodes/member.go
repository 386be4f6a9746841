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

// beats is the number of beats in a lease: two may be lost.
const beats = 4

// ErrOver is returned if others consider this session dead: a new one must begin.
var ErrOver = errors.New("the session of this node is over")

// NodeState is the report of a node with each beat.
type NodeState struct {
	Name    string        `json:"name"`
	Session string        `json:"session"`
	Started int64         `json:"started"`           // unix seconds
	Clock   int64         `json:"clock"`             // its own clock, unix milliseconds
	TTLms   int64         `json:"ttl_ms"`            // of its lease
	Offset  float64       `json:"offset"`            // correction of its clock, seconds
	Leaving bool          `json:"leaving,omitempty"` // it gives its shards away
	Dead    bool          `json:"dead,omitempty"`    // written by another node
	Version string        `json:"version,omitempty"`
	Trouble string        `json:"trouble,omitempty"` // why it makes no visits
	Shards  []ShardReport `json:"shards,omitempty"`
	Ready   []int         `json:"ready,omitempty"` // shards of others whose stores it has copies of
	// epochs of its stores of shards whose holder nobody knows
	Stores map[int]uint64 `json:"stores,omitempty"`
}

// ShardReport is the state of a shard.
type ShardReport struct {
	Shard   int     `json:"shard"`
	State   string  `json:"state"`           // opening, running, closing or failed
	Error   string  `json:"error,omitempty"` // why it failed
	Pages   int     `json:"pages"`           // known
	Waiting int     `json:"waiting"`         // new ones in the queue
	Visits  int     `json:"visits"`          // of this tenure
	Sending int     `json:"sending"`         // links that other shards do not have yet
	Dropped int     `json:"dropped"`         // links without room in the outbox
	Price   float64 `json:"price"`           // worth of the last visit that fits the budget
	Used    int     `json:"used"`            // of the round
	Granted int     `json:"granted"`         // in the round; -1: no limit
	Delay   float64 `json:"delay"`           // seconds from taking the shard to its first round
}

const (
	// longestError limits the text of an error in a report; a path or URL fits.
	longestError = 500
	// mostErrors limits all errors in a report. NATS takes messages of 1 MiB: 4,096 shards take 200
	// bytes each, and the rest is for errors.
	mostErrors = 32 << 10
	// leftOut replaces an error without room.
	leftOut = "see its log"
)

// bound keeps a state below the size of a message, for any number of failing shards.
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

// rounded returns a number with six digits.
func rounded(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64) // of its own text
	return x
}

// cut limits the text of an error.
func cut(text string) string {
	if len(text) <= longestError {
		return text
	}
	return strings.ToValidUTF8(text[:longestError], "") + "..."
}

// sighting is a revision of an entry, and when it was first seen, by the observer's clock.
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

// Member is this node among the others. Its maker sets only the exported fields.
type Member struct {
	KV KV
	// Name is unique: this process has the lock of its data directory. So a session of that name
	// from an earlier process is over at once.
	Name    string
	Session string // unlike that of any other life
	TTL     time.Duration
	Now     func() time.Time // with a monotonic reading, if there is one

	revision uint64
	tried    time.Time // of the last beat
	looked   time.Time // first
	seen     map[string]sighting
	mu       sync.Mutex // of began: it is written by one goroutine, and read by many
	began    time.Time  // of the last answered beat
	live     map[string]NodeState
	entries  map[string]nodeEntry
	offsets  map[string]time.Duration
}

// nodeEntry is the last report of a node, by itself or others.
type nodeEntry struct {
	session  string
	dead     bool
	revision uint64
}

// Beat reports that this node lives, if it is time. ErrOver means that the others consider it dead.
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

// Leave removes this node: its shards need not wait for the end of its lease.
func (m *Member) Leave(ctx context.Context) error {
	return m.KV.Remove(ctx, nodePrefix+m.Name, m.revision)
}

// resolveBeat explains a beat that met an unexpected entry: an own one whose answer was lost, one
// of an earlier life, or the verdict of another node.
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
		return 0, ErrOver // considered dead, or somebody else has the name
	}
	return m.KV.Set(ctx, nodePrefix+m.Name, Encode(state), e.Revision)
}

// Until returns when the lease of this node ends, on its own clock.
func (m *Member) Until() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.began.Add(m.TTL - m.TTL/5)
}

// Holds reports whether the lease still holds at now. It returns false after 4/5 of the TTL, by the
// monotonic clock or by the wall clock. So it returns false if the machine slept or its clock was
// set forward by that time.
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

// Look finds the living nodes, and ends the sessions of those without beats.
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
			case errors.Is(err, ErrConflict): // a beat came after all
				live[s.Name] = s
			default:
				return err
			}
		default:
			live[s.Name] = s
			// a recent beat, not an old one
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

// Settled reports whether this node knows the difference between its clock and the others'.
func (m *Member) Settled() bool {
	return !m.looked.IsZero() && (len(m.live) < 2 || m.Now().Sub(m.looked) > 2*m.TTL/beats)
}

// leastOffset is the difference below which clocks count as equal: beats are seen seconds late.
const leastOffset = 5 * time.Second

// Offset returns the correction of this node's clock: the lower median of all clocks. With three
// nodes one may be wrong.
func (m *Member) Offset() time.Duration {
	all := append(slices.Collect(maps.Values(m.offsets)), 0)
	slices.Sort(all)
	if by := all[(len(all)-1)/2]; by.Abs() >= leastOffset {
		return by
	}
	return 0
}

// Over reports whether a session is over that wrote an entry with a revision. A list of nodes older
// than the entry does not have newer sessions, which are not over because of that.
func (m *Member) Over(name, session string, revision uint64) bool {
	e, ok := m.entries[name]
	switch {
	case !ok: // it left, and gave everything away; or the list is old
		return sinceSeen(m.seen, "no "+nodePrefix+name, revision, m.Now()) >= m.TTL
	case e.session == session:
		return e.dead
	}
	return e.revision > revision
}

// Gone reports whether a session is over.
func Gone(ctx context.Context, kv KV, name, session string) (bool, error) {
	e, ok, err := Read[NodeState](ctx, kv, nodePrefix+name)
	if err != nil || !ok {
		return err == nil, err
	}
	s := e.Value
	return s.Dead || s.Session != session, nil
}

// Ready reports whether a living node has reported a copy of the store of a shard.
func (m *Member) Ready(name string, shard int) bool {
	return slices.Contains(m.live[name].Ready, shard)
}

// Offers returns the epoch of a living node's reported store of a shard.
func (m *Member) Offers(name string, shard int) (epoch uint64, ok bool) {
	epoch, ok = m.live[name].Stores[shard]
	return epoch, ok
}

// heard reports whether every living node has reported since this one looked.
func (m *Member) heard() bool { return !m.looked.IsZero() && m.Now().Sub(m.looked) > m.TTL }

// Runs reports whether the holder of a shard lives, and has reported that it works on it.
func (m *Member) Runs(t Tenure) bool {
	s, ok := m.live[t.Owner]
	return ok && s.Session == t.Session && slices.ContainsFunc(s.Shards, func(r ShardReport) bool {
		return r.Shard == t.Shard && r.State == "running"
	})
}

// Stays returns the nodes that may have shards, sorted.
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
