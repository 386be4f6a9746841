package schedule

import "fmt"

// Task is what a policy knows of a server that waits.
type Task struct {
	Since    Tick // when it began to wait
	Deadline Tick // D [HIER eq. 5]
	Interval Tick // I
	Mean     Tick // e, mean
}

// Policy orders the servers that wait for a connection. The set is closed: Policies has all five.
type Policy interface {
	// Name is the policy's, as in [HIER 3.2].
	Name() string
	// Key ranks a server when it begins to wait: the smallest key is served first. It must not
	// change while the server waits, unless the scheduler is told of a new interval.
	Key(t Task) int64
}

type (
	edf  struct{}
	fcfs struct{}
	freq struct{}
	rm   struct{}
	sjf  struct{}
)

// The five policies of [HIER 3.2].
var (
	EDF  Policy = edf{}  // earliest deadline first: smallest D
	FCFS Policy = fcfs{} // first come, first served
	FREQ Policy = freq{} // smallest interval I first
	RM   Policy = rm{}   // largest utilisation e/I first; textbooks call FREQ rate-monotonic
	SJF  Policy = sjf{}  // shortest job: smallest mean e first
)

// Policies are all policies, in the order of the paper.
var Policies = []Policy{EDF, FCFS, FREQ, RM, SJF}

func (edf) Name() string  { return "edf" }
func (fcfs) Name() string { return "fcfs" }
func (freq) Name() string { return "freq" }
func (rm) Name() string   { return "rm" }
func (sjf) Name() string  { return "sjf" }

func (edf) Key(t Task) int64  { return int64(t.Deadline) }
func (fcfs) Key(t Task) int64 { return int64(t.Since) }
func (freq) Key(t Task) int64 { return int64(t.Interval) }
func (sjf) Key(t Task) int64  { return int64(t.Mean) }

// Key of RM is the utilisation, negative: the largest first. It may be above 1.
func (rm) Key(t Task) int64 {
	if t.Interval < 1 {
		return 0
	}
	return -int64(float64(t.Mean) / float64(t.Interval) * float64(WholeShare))
}

// PolicyNamed finds a policy by its name.
func PolicyNamed(name string) (Policy, error) {
	for _, p := range Policies {
		if p.Name() == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("policy %q: want edf, fcfs, freq, rm or sjf", name)
}

// PoliciesNamed finds several; the error is that of the first that there is not.
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
