package schedule

import (
	"fmt"
	"slices"
)

// ID is the number of a server in its scheduler, from 0 on.
type ID int32

// State is the state of a server [HIER 2.4].
type State uint8

const (
	StateUnknown State = iota
	StateOff           // it wants no visit
	StateWaiting       // for a connection
	StateDownloading
	StateIdle // until its next visit may begin
)

// Pools is the number of pools of connections in a scheduler.
const Pools = 4

// Missed counts periods without the start of a download, by cause.
type Missed struct {
	ToPool       int64 `json:"to_pool"`       // it waited for a connection
	ToServer     int64 `json:"to_server"`     // its own download lasted beyond the period
	ToPoliteness int64 `json:"to_politeness"` // its pause did: I < I_min + e
}

// Total returns their sum.
func (m Missed) Total() int64 { return m.ToPool + m.ToServer + m.ToPoliteness }

// Server describes a server to a scheduler.
type Server struct {
	Load  Rate  // L: the sum of the rates of its pages
	Least Tick  // I_min, 0 or more
	Times Times // of its downloads
	Pool  int   // the pool of its connections
}

// server is 88 bytes; with its entries in heaps one takes 124.
type server struct {
	load     Rate
	interval Tick // I; 0: none
	least    Tick
	since    Tick // when its wait began
	began    Tick // start of the download
	border   Tick // end of its period, while it waits and downloads
	mean     Tick
	max      Tick
	done     uint32
	count    uint32
	state    State
	pool     uint8
	lost     uint32
}

// Scheduler gives servers connections [HIER 2.4]. One goroutine uses it.
type Scheduler struct {
	policy  Policy
	servers []server
	at      []int32 // places in the heaps: a server waits or is idle
	pools   [Pools]pool
	idle    ranking // by when they wake
	missed  Missed
	share   Share // of all servers
}

type pool struct {
	ranking         // of those that wait for a connection
	connections int // 0: no bound
	busy        int
}

// New returns a scheduler without servers, whose pools have no bounds.
func New(p Policy) *Scheduler { return &Scheduler{policy: p} }

// SetConnections bounds the downloads at a time of a pool; 0: no bound. Downloads under way go on.
func (s *Scheduler) SetConnections(pool, connections int) {
	s.pools[pool].connections = connections
}

// Policy returns the policy in use.
func (s *Scheduler) Policy() Policy { return s.policy }

// SetPolicy sets the policy for all servers, including waiting ones: O(n).
func (s *Scheduler) SetPolicy(p Policy) {
	s.policy = p
	for i := range s.pools {
		w := &s.pools[i].ranking
		for j := range w.order {
			w.order[j].key = s.key(&s.servers[w.order[j].id])
		}
		for j := len(w.order) - 1; j >= 0; j-- {
			w.down(s.at, j)
		}
	}
}

// Add adds a server. It waits for a connection from now on, or is off if it wants no visits.
func (s *Scheduler) Add(now Tick, of Server) ID {
	id := ID(len(s.servers))
	s.servers = append(s.servers, server{
		load: of.Load, least: of.Least, mean: of.Times.Mean, max: of.Times.Max,
		count:    of.Times.Count,
		interval: AccessInterval(of.Load, of.Least), state: StateOff, pool: uint8(of.Pool),
	})
	s.at = append(s.at, -1)
	v := &s.servers[id]
	s.share += ShareOf(v.mean, v.interval)
	if v.interval > 0 {
		s.wait(id, v, now)
	}
	return id
}

// Len returns the number of servers.
func (s *Scheduler) Len() int { return len(s.servers) }

func (s *Scheduler) key(v *server) int64 {
	return s.policy.Key(Task{Since: v.since, Deadline: v.border - v.mean, Interval: v.interval,
		Mean: v.mean})
}

// wait makes a server wait from now on. Periods since the end of its last one are lost.
func (s *Scheduler) wait(id ID, v *server, now Tick) {
	switch {
	case v.interval == 0: // Until gave only the time to wake
		v.border = now
	case v.border == 0: // its first wait
		v.border = border(now, v.interval)
	case now < v.border+v.interval:
		v.border += v.interval
	default:
		missed := (now - v.border) / v.interval
		v.border += (missed + 1) * v.interval
		s.lose(v, &s.missed.ToPoliteness, missed)
	}
	v.since, v.state = now, StateWaiting
	s.pools[v.pool].push(s.at, ranked{s.key(v), id})
}

func (s *Scheduler) lose(v *server, to *int64, periods Tick) {
	*to += int64(periods)
	v.lost += uint32(periods)
}

// Wake makes the servers wait whose pause is over at now, which must not decrease.
func (s *Scheduler) Wake(now Tick) {
	for len(s.idle.order) > 0 && s.idle.order[0].key <= int64(now) {
		id := s.idle.pop(s.at)
		s.wait(id, &s.servers[id], now)
	}
}

// First returns the server that would be next in a pool, with or without a free connection; false:
// none waits.
func (s *Scheduler) First(pool int) (ID, bool) {
	w := &s.pools[pool].ranking
	if len(w.order) == 0 {
		return 0, false
	}
	return w.order[0].id, true
}

// Next gives a connection of a pool to the server that the policy puts first, which then downloads;
// false: none is free, or none waits. Call Wake for the same time before.
func (s *Scheduler) Next(pool int, now Tick) (ID, bool) {
	p := &s.pools[pool]
	if len(p.order) == 0 || p.connections > 0 && p.busy >= p.connections {
		return 0, false
	}
	id := p.pop(s.at)
	p.busy++
	v := &s.servers[id]
	v.state, v.began = StateDownloading, now
	if now >= v.border && v.interval > 0 {
		missed := (now-v.border)/v.interval + 1
		v.border += missed * v.interval
		s.lose(v, &s.missed.ToPool, missed)
	}
	return id, true
}

// Done ends the download of a server at now. It stays idle for Q [HIER eq. 6].
func (s *Scheduler) Done(id ID, now Tick) {
	v := s.land(id)
	v.done++
	if over := now - v.border; over > 0 {
		missed := (over + v.interval - 1) / v.interval
		to := &s.missed.ToPool
		if took := now - v.began; v.since+took > v.border || took > v.interval {
			to = &s.missed.ToServer
		}
		v.border += missed * v.interval
		s.lose(v, to, missed)
	}
	v.state = StateIdle
	s.idle.push(s.at, ranked{int64(now + Pause(now, v.interval, v.least)), id})
}

func (s *Scheduler) land(id ID) *server {
	v := &s.servers[id]
	if v.state != StateDownloading {
		panic(fmt.Sprintf("schedule: a download of server %d ends that did not begin: state %d",
			id, v.state))
	}
	s.pools[v.pool].busy--
	return v
}

// Land ends the download of a server without a pause. It is off until Until or Reschedule.
func (s *Scheduler) Land(id ID) { s.land(id).state = StateOff }

// Until makes a server without a download idle until a given time, for example one that politeness
// names, and then wait in the given pool. interval decides its deadline; 0: at once.
func (s *Scheduler) Until(id ID, pool int, at, interval, now Tick) {
	v := &s.servers[id]
	if v.state == StateDownloading {
		return
	}
	if v.state == StateWaiting && at <= now && int(v.pool) == pool && v.interval == interval {
		return // as before
	}
	since := v.since
	waited := v.state == StateWaiting && at <= now
	s.Off(id)
	s.setInterval(v, interval)
	v.pool = uint8(pool)
	if at > now {
		v.border = at // start of its period
		v.state = StateIdle
		s.idle.push(s.at, ranked{int64(at), id})
		return
	}
	if !waited {
		since = now
	}
	v.border = since
	s.wait(id, v, since)
}

// setInterval updates the need of all servers together.
func (s *Scheduler) setInterval(v *server, interval Tick) {
	s.share -= ShareOf(v.mean, v.interval)
	v.interval = interval
	s.share += ShareOf(v.mean, v.interval)
}

// Off takes a server out until Until or Reschedule names it again, unless it downloads.
func (s *Scheduler) Off(id ID) {
	v := &s.servers[id]
	switch v.state {
	case StateWaiting:
		s.pools[v.pool].remove(s.at, int(s.at[id]))
	case StateIdle:
		s.idle.remove(s.at, int(s.at[id]))
	case StateDownloading:
		return
	}
	v.state = StateOff
	s.setInterval(v, 0)
}

// Reschedule changes the interval of a page of a server; 0 means no visits. The server gets its new
// interval, deadline and pause: O(log n).
func (s *Scheduler) Reschedule(id ID, was, is Tick, now Tick) {
	v := &s.servers[id]
	v.load += RateOf(is) - RateOf(was)
	s.retime(id, v, now)
}

// SetTimes sets how long the downloads of a server take: O(log n).
func (s *Scheduler) SetTimes(id ID, t Times, now Tick) {
	v := &s.servers[id]
	s.share -= ShareOf(v.mean, v.interval)
	v.mean, v.max, v.count = t.Mean, t.Max, t.Count
	s.share += ShareOf(v.mean, v.interval)
	if v.state == StateWaiting {
		s.rank(id, v)
	}
}

func (s *Scheduler) rank(id ID, v *server) {
	w, i := &s.pools[v.pool].ranking, int(s.at[id])
	w.order[i].key = s.key(v)
	w.fix(s.at, i)
}

func (s *Scheduler) retime(id ID, v *server, now Tick) {
	s.setInterval(v, AccessInterval(v.load, v.least))
	if v.interval == 0 {
		s.Off(id)
		return
	}
	if v.state == StateOff {
		v.border = 0
		s.wait(id, v, now)
		return
	}
	v.border = border(now, v.interval)
	switch v.state {
	case StateWaiting:
		s.rank(id, v)
	case StateIdle: // the present period has had its download
		s.idle.remove(s.at, int(s.at[id]))
		s.idle.push(s.at, ranked{int64(v.border), id})
	}
}

// NextWake returns when the first idle server begins to wait; false: none is idle.
func (s *Scheduler) NextWake() (Tick, bool) {
	if len(s.idle.order) == 0 {
		return 0, false
	}
	return Tick(s.idle.order[0].key), true
}

// Times returns the download times of a server.
func (s *Scheduler) Times(id ID) Times {
	v := &s.servers[id]
	return Times{Mean: v.mean, Max: v.max, Count: v.count}
}

// Status describes a server.
type Status struct {
	State    State
	Load     Rate
	Interval Tick // I; 0: it wants no visit
	Deadline Tick // D, during its wait
	Done     int  // finished downloads
	Missed   int  // periods without a start
}

// Status returns the status of a server.
func (s *Scheduler) Status(id ID) Status {
	v := &s.servers[id]
	return Status{v.state, v.load, v.interval, v.border - v.mean, int(v.done), int(v.lost)}
}

// Waiting returns how many servers of a pool wait.
func (s *Scheduler) Waiting(pool int) int { return len(s.pools[pool].order) }

// Busy returns how many servers of a pool download.
func (s *Scheduler) Busy(pool int) int { return s.pools[pool].busy }

// Missed returns the missed periods of all servers.
func (s *Scheduler) Missed() Missed { return s.missed }

// Need returns the sum of min(e/I, 1) over all servers; rounded up it is the lower bound of the
// connections [HIER eq. 4]. With fewer, some intervals are certainly not kept.
func (s *Scheduler) Need() Share { return s.share }

// Reserve makes room for servers to be added, so that slices do not grow beyond them.
func (s *Scheduler) Reserve(servers int) {
	s.servers = slices.Grow(s.servers, servers)
	s.at = slices.Grow(s.at, servers)
	s.idle.order = slices.Grow(s.idle.order, servers)
	s.pools[0].order = slices.Grow(s.pools[0].order, servers)
}
