package schedule

import "fmt"

// Task is what a policy knows of a waiting server.
type Task struct {
	Since    Tick // when its wait began
	Deadline Tick // D [HIER eq. 5]
	Interval Tick // I
	Mean     Tick // e, mean
}

// Policy orders the servers that wait for a connection [HIER 3.2].
type Policy uint8

// The five policies of [HIER 3.2].
const (
	EDF  Policy = iota // earliest deadline first: smallest D
	FCFS               // first come, first served
	FREQ               // smallest interval I first
	RM                 // largest utilisation e/I first; textbooks call FREQ rate-monotonic
	SJF                // shortest job: smallest mean e first
)

// Policies has all policies, in the order of the paper.
var Policies = []Policy{EDF, FCFS, FREQ, RM, SJF}

// Name returns the policy's name, as in [HIER 3.2].
func (p Policy) Name() string { return [...]string{"edf", "fcfs", "freq", "rm", "sjf"}[p] }

// Key returns the rank of a server when its wait begins: the smallest key is served first. It does
// not change during the wait, unless the server gets a new interval.
func (p Policy) Key(t Task) int64 {
	switch p {
	case FCFS:
		return int64(t.Since)
	case FREQ:
		return int64(t.Interval)
	case SJF:
		return int64(t.Mean)
	case RM: // the utilisation, which may be above 1
		if t.Interval < 1 {
			return 0
		}
		return -int64(float64(t.Mean) / float64(t.Interval) * float64(WholeShare))
	}
	return int64(t.Deadline)
}

// PolicyNamed returns the policy with a name.
func PolicyNamed(name string) (Policy, error) {
	for _, p := range Policies {
		if p.Name() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("policy %q: want edf, fcfs, freq, rm or sjf", name)
}

// PoliciesNamed returns several policies; the error is that of the first unknown one.
func PoliciesNamed(names []string) ([]Policy, error) {
	all := make([]Policy, len(names))
	for i, name := range names {
		var err error
		if all[i], err = PolicyNamed(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ranking orders servers by keys: a heap of four children a node, which knows the place of each
// server. Equal keys are ordered by the servers' numbers.
type ranking struct {
	order []ranked
}

type ranked struct {
	key int64
	id  ID
}

func (a ranked) before(b ranked) bool { return a.key < b.key || a.key == b.key && a.id < b.id }

// push adds a server. at has the place of each server in its heap.
func (w *ranking) push(at []int32, r ranked) {
	w.order = append(w.order, r)
	w.up(at, len(w.order)-1)
}

// pop removes the first server.
func (w *ranking) pop(at []int32) ID {
	first := w.order[0].id
	w.remove(at, 0)
	return first
}

func (w *ranking) remove(at []int32, i int) {
	last := len(w.order) - 1
	at[w.order[i].id] = -1
	if i != last {
		w.order[i] = w.order[last]
		at[w.order[i].id] = int32(i)
	}
	w.order = w.order[:last]
	if i != last {
		w.fix(at, i)
	}
}

// fix moves a server to its place after its key changed.
func (w *ranking) fix(at []int32, i int) {
	if !w.up(at, i) {
		w.down(at, i)
	}
}

func (w *ranking) up(at []int32, i int) (moved bool) {
	r := w.order[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !r.before(w.order[parent]) {
			break
		}
		w.order[i] = w.order[parent]
		at[w.order[i].id] = int32(i)
		i, moved = parent, true
	}
	w.order[i] = r
	at[r.id] = int32(i)
	return moved
}

func (w *ranking) down(at []int32, i int) {
	r := w.order[i]
	for {
		least := 4*i + 1
		if least >= len(w.order) {
			break
		}
		for child := least + 1; child < min(4*i+5, len(w.order)); child++ {
			if w.order[child].before(w.order[least]) {
				least = child
			}
		}
		if !w.order[least].before(r) {
			break
		}
		w.order[i] = w.order[least]
		at[w.order[i].id] = int32(i)
		i = least
	}
	w.order[i] = r
	at[r.id] = int32(i)
}

// Switch switches with hysteresis, so that its effects do not flap. It is on after a load of On or
// more for Hold ticks, and off after one of Off or less for as long.
type Switch struct {
	On, Off float64
	Hold    Tick

	on    bool
	since Tick // since when the load contradicts the state; counts if armed
	armed bool
}

// Update applies a load, and returns whether the switch is on, and whether that is new.
func (s *Switch) Update(load float64, now Tick) (on, changed bool) {
	if otherwise := !s.on && load >= s.On || s.on && load <= s.Off; !otherwise {
		s.armed = false
		return s.on, false
	}
	if !s.armed {
		s.armed, s.since = true, now
	}
	if now-s.since < s.Hold {
		return s.on, false
	}
	s.on, s.armed = !s.on, false
	return s.on, true
}

// IsOn reports whether the switch is on.
func (s *Switch) IsOn() bool { return s.on }

// Regime chooses the policy by the connections and the need: EDF if they suffice, SJF if they do
// not [HIER 3.3]. It starts with EDF.
type Regime struct{ scarce Switch }

// NewRegime returns one that changes the policy when the need is above all connections, or below
// four fifths of them, for hold ticks.
func NewRegime(hold Tick) *Regime { return &Regime{Switch{On: 1, Off: 0.8, Hold: hold}} }

// Policy returns the policy for a need and connections, and whether it changed.
func (r *Regime) Policy(need Share, connections int, now Tick) (p Policy, changed bool) {
	scarce, changed := r.scarce.Update(need.Connections()/float64(max(connections, 1)), now)
	if scarce {
		return SJF, changed
	}
	return EDF, changed
}
