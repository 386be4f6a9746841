package nodes

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"
)

// asked is the entry of an IP address in the KV: the node that may send requests to it.
type asked struct {
	Node    string `json:"node"`
	Session string `json:"session"`
	Wanted  bool   `json:"wanted,omitempty"` // by another node
	Free    bool   `json:"free,omitempty"`   // anybody may have it, after Rest
	RestMS  int64  `json:"rest_ms,omitempty"`
}

const (
	// holds is how long a node uses an address before it reads its entry again.
	holds = time.Minute
	// idle is how long a node keeps an address without visits that no other node wants.
	idle = 2 * time.Minute
	// looks is how often a node searches for idle addresses, and reads doubtful entries.
	looks = 2 * time.Second
	// doubts is how long a write to the KV without an answer may still take effect.
	doubts = time.Minute
	// askAgain is how often a node asks for an address of another node.
	askAgain = 2 * time.Second
	// askSoon is its first wait: a node that no longer visits the address, because its shard has
	// moved, gives it back at once.
	askSoon = askAgain / 4
)

// Addresses lets the shards of all nodes take turns at addresses with servers of several shards.
type Addresses struct {
	KV      KV
	Name    string
	Session string
	Pause   time.Duration        // least time between two visits to an address
	Now     func() time.Time     // with a monotonic reading, if there is one
	Holds   func(time.Time) bool // reports whether the lease of this node holds
	// Gone reports whether a session is over.
	Gone func(ctx context.Context, node, session string) (bool, error)
	// Want tells a node that this one wants an address, if possible: then that one calls Wanted.
	Want    func(node, address string)
	mu      sync.Mutex
	ours    map[string]*address
	due     []string            // of held, the addresses that others want
	turn    time.Time           // last time that the search for idle addresses was complete
	seen    map[string]sighting // entries of others
	orphans map[string]orphan   // since when the session of the holder is known to be over
}

// orphan is an address whose session is over.
type orphan struct {
	session string
	since   time.Time // since when that is known
}

// address is one that this node has, or is about to get.
type address struct {
	revision  uint64
	since     time.Time
	used      time.Time // end of its last visit
	notBefore time.Time // earliest next visit
	wanted    bool      // by another node
	busy      bool      // a visit is in flight, or a call to the KV
	doubt     time.Time // time of a write without an answer that may still take effect; zero: none
}

// keep returns how long the address is kept without visits.
func (h *address) keep() time.Duration {
	if !h.doubt.IsZero() {
		return looks
	}
	return idle
}

func keyOf(a string) string { return hex.EncodeToString([]byte(a)) }

// Enter permits a visit to an address: then Leave must follow. Otherwise the caller may ask again
// at until.
func (a *Addresses) Enter(ctx context.Context, to string) (ok bool, until time.Time, err error) {
	a.mu.Lock()
	now := a.Now()
	if a.ours == nil {
		a.ours, a.seen, a.orphans = map[string]*address{}, map[string]sighting{},
			map[string]orphan{}
	}
	if !a.Holds(now) {
		a.mu.Unlock()
		return false, now.Add(askAgain), nil
	}
	h := a.ours[to]
	switch {
	case h == nil:
		h = &address{}
		a.ours[to] = h
	case h.busy:
		a.mu.Unlock()
		return false, now.Add(max(a.Pause, askSoon)), nil
	case now.Before(h.notBefore):
		until = h.notBefore
		a.mu.Unlock()
		return false, until, nil
	}
	h.busy = true
	a.mu.Unlock()
	if h.revision > 0 && now.Sub(h.since) < holds && !h.wanted {
		return true, time.Time{}, nil
	}
	until, err = a.obtain(ctx, to, h)
	now = a.Now()
	if err == nil && until.IsZero() && a.Holds(now) {
		return true, time.Time{}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	h.busy = false
	if h.revision == 0 && h.doubt.IsZero() {
		delete(a.ours, to)
	}
	if until.IsZero() {
		until = now.Add(askAgain)
	}
	return false, until, err
}

// Leave ends a visit. The address is not asked again before the given time, and not within the
// pause.
func (a *Addresses) Leave(to string, notBefore time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.ours[to]
	h.busy, h.used, h.notBefore = false, a.Now(), notBefore
	if least := h.used.Add(a.Pause); h.notBefore.Before(least) {
		h.notBefore = least
	}
}

// Wanted notes that another node wants an address. That one gets it after the visit in flight and
// the pause.
func (a *Addresses) Wanted(to string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.ours[to]; h != nil && h.revision > 0 && !h.wanted {
		h.wanted = true
		a.due = append(a.due, to)
	}
}

// obtain gets an address from the KV, or checks whether others want it. until means not now.
func (a *Addresses) obtain(ctx context.Context, to string, h *address) (
	until time.Time, err error) {
	key := keyOf(to)
	mine := asked{Node: a.Name, Session: a.Session}
	e, there, err := Read[asked](ctx, a.KV, key)
	if err != nil {
		return until, fmt.Errorf("ask for address %s: %w", to, err)
	}
	s := e.Value
	now := a.Now()
	next := mine
	switch own := there && s.Session == a.Session; {
	case !there:
	case own && (s.Wanted || h.wanted) && h.revision > 0: // the others have their turn
		next = asked{Free: true}
		until = now.Add(2 * askAgain)
	case own && !s.Free && e.Revision == h.revision: // nobody wants it
		h.since = now
		return until, nil
	case own && !s.Free: // a lost answer, or a late list: the write below decides
	case s.Free:
		if wait := time.Duration(s.RestMS)*time.Millisecond - a.stood(key, e.Revision,
			now); wait > 0 {
			return now.Add(wait), nil
		}
	case !a.orphan(ctx, key, s):
		a.Want(s.Node, to)
		if s.Wanted {
			stood := a.stood(key, e.Revision, now)
			return now.Add(min(max(stood, askSoon), askAgain)), nil
		}
		s.Wanted = true
		next, until = s, now.Add(askSoon)
	default:
		// Its visits ended before its lease did. An answer may be of a moment ago, so the address
		// is asked for again.
		if wait := max(a.Pause, askAgain/2) - a.orphaned(key, s.Session, now); wait > 0 {
			return now.Add(wait), nil
		}
	}
	revision, err := a.KV.Set(ctx, key, Encode(next), e.Revision)
	if errors.Is(err, ErrConflict) {
		return now.Add(askSoon), nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		h.doubt, h.used = now, now
		return until, fmt.Errorf("ask for address %s: %w", to, err)
	}
	delete(a.seen, key)
	delete(a.orphans, key)
	h.revision, h.wanted = 0, false
	if next == mine {
		h.revision, h.since, h.doubt = revision, now, time.Time{}
	}
	return until, nil
}

// stood returns how long an entry of another node has been unchanged, as seen by this node.
func (a *Addresses) stood(key string, revision uint64, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget()
	return sinceSeen(a.seen, key, revision, now)
}

// orphaned returns how long the holder of an address has been known to be dead.
func (a *Addresses) orphaned(key, session string, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget()
	o := a.orphans[key]
	if o.session != session {
		o = orphan{session, now}
		a.orphans[key] = o
	}
	return now.Sub(o.since)
}

// orphan reports whether the session of a holder is over. Unknown means no.
func (a *Addresses) orphan(ctx context.Context, key string, s asked) bool {
	gone, err := a.Gone(ctx, s.Node, s.Session)
	if err == nil && gone {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.orphans, key)
	return false
}

// mostSeen limits the notes about addresses of others; without a note a wait begins again.
const mostSeen = 100_000

func (a *Addresses) forget() {
	if len(a.seen) > mostSeen {
		clear(a.seen)
	}
	if len(a.orphans) > mostSeen {
		clear(a.orphans)
	}
}

// Sweep gives back addresses that others want, and unused ones, at most most. all gives back all
// that are not busy, for example when the node ends.
func (a *Addresses) Sweep(ctx context.Context, most int, all bool) error {
	a.mu.Lock()
	now := a.Now()
	var back, busy []string
	for _, to := range a.due {
		if h := a.ours[to]; h == nil || !h.wanted {
			continue
		} else if h.busy || len(back) >= most {
			busy = append(busy, to)
			continue
		} else {
			h.busy = true
			back = append(back, to)
		}
	}
	a.due = busy
	if all || now.Sub(a.turn) > looks { // the search takes a while
		a.turn = now
		for to, h := range a.ours {
			if len(back) < most && !h.busy &&
				(all || now.Sub(h.used) > h.keep() && !now.Before(h.notBefore)) {
				h.busy = true
				back = append(back, to)
			}
		}
	}
	a.mu.Unlock()
	var err error
	for _, to := range back {
		a.mu.Lock()
		h := a.ours[to]
		a.mu.Unlock()
		gone := false
		if err == nil {
			gone, err = a.giveBack(ctx, to, h)
		}
		a.mu.Lock()
		switch {
		case gone && h.wanted: // the others have their turn
			h.revision, h.wanted, h.busy = 0, false, false
			if rest := a.Now().Add(2 * askAgain); h.notBefore.Before(rest) {
				h.notBefore = rest
			} else {
				h.notBefore = h.notBefore.Add(2 * askAgain)
			}
		case gone:
			delete(a.ours, to)
		default:
			h.busy, h.used = false, now // later
		}
		a.mu.Unlock()
	}
	return err
}

// giveBack makes an address free; false means that it must be tried again.
func (a *Addresses) giveBack(ctx context.Context, to string, h *address) (gone bool, err error) {
	key, revision := keyOf(to), h.revision
	if revision == 0 && h.doubt.IsZero() {
		return true, nil
	}
	for range 3 {
		if revision > 0 {
			rest := h.notBefore.Sub(a.Now())
			if rest > 0 {
				_, err = a.KV.Set(ctx, key,
					Encode(asked{Free: true, RestMS: rest.Milliseconds() + 1}), revision)
			} else {
				err = a.KV.Remove(ctx, key, revision)
			}
			if err == nil {
				return true, nil
			} else if !errors.Is(err, ErrConflict) {
				h.revision, h.doubt = 0, a.Now()
				return false, err
			}
		}
		e, there, err := Read[asked](ctx, a.KV, key) // somebody wants it, or it is in doubt
		if err != nil {
			return false, err
		}
		s := e.Value
		if !there || s.Session != a.Session || s.Free {
			h.revision = 0
			return h.doubt.IsZero() || a.Now().Sub(h.doubt) > doubts, nil
		}
		revision = e.Revision
	}
	return false, nil
}

// Held returns the number of addresses of this node.
func (a *Addresses) Held() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.ours)
}
