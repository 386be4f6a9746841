package sitegraph

import (
	"fmt"
	"math"
	"time"
)

// State is whether a page is known, alive, gone, redirected or excluded.
type State uint8

const (
	StateUnknown  State = iota
	StateNew            // known by a link, never fetched
	StateAlive          // it has a copy
	StateGone           // the server says it does not exist
	StateMoved          // it redirects to another page
	StateExcluded       // it may not, or shall not, be fetched
	StateSource         // no page: a feed or sitemap, see SourceKind
)

var stateNames = [...]string{"unknown", "new", "alive", "gone", "moved", "excluded", "source"}

func (s State) String() string { return enumName(stateNames[:], int(s)) }

// History is what visits saw of the changes of one page: the sufficient statistics of [SAT eq. 1].
// Times are unix seconds, spans are seconds. 32 bits hold them until the year 2106.
type History struct {
	Epoch       uint32 // time of the first copy (T0)
	Last        uint32 // time of the last visit with a comparison (T0 + T)
	LastChange  uint32 // time of the last visit that saw a change; 0: none yet
	Stable      uint32 // U: sum of the access intervals without a seen change
	MinInterval uint32 // tc_min: shortest interval with a seen change; 0: none yet
	Visits      uint32 // visits with a comparison, including the first
	Changes     uint32 // m: changes seen (reading R1; versions are Changes + 1)

	// The last 32 weeks, for co-change with other pages: bit k is the week (unix time / 7 days) k
	// before that of Last.
	WeeksSeen    uint32 // a visit compared the page with its copy
	WeeksChanged uint32 // a visit saw a change
}

// Week returns the number of t's week for WeeksSeen and WeeksChanged.
func Week(t uint32) uint32 { return t / (7 * 24 * 60 * 60) }

// WeeksBefore returns WeeksSeen and WeeksChanged with bit k for the week k before the given one,
// which must not be earlier than that of Last. So the weeks of several pages are aligned.
func (h *History) WeeksBefore(week uint32) (seen, changed uint32) {
	later := week - Week(h.Last)
	return h.WeeksSeen << later, h.WeeksChanged << later
}

// Elapsed returns T: the time from the first to the last visit.
func (h History) Elapsed() time.Duration { return time.Duration(h.Last-h.Epoch) * time.Second }

// Age returns the time since the last visit; 0 if now is earlier.
func (h History) Age(now time.Time) time.Duration {
	if age := now.Unix() - int64(h.Last); age > 0 {
		return time.Duration(age) * time.Second
	}
	return 0
}

// LastVisit returns the time of the last visit that saw the content; zero if there was none.
func (h History) LastVisit() time.Time {
	if h.Visits == 0 {
		return time.Time{}
	}
	return time.Unix(int64(h.Last), 0).UTC()
}

// Start returns a history with its first visit.
func Start(t time.Time) History {
	return History{Epoch: uint32(t.Unix()), Last: uint32(t.Unix()), Visits: 1}
}

// See adds a visit at t, and whether it saw a change. If the page's own header gives a modification
// time inside the interval, the interval with the change ends there and the rest counts as stable
// ([SAT] footnote 2). The zero time is no modification time. A visit that is not after the last one
// adds nothing.
//
// With many changes between two visits, modification times make a rate too low if its likelihood
// assumes intervals between visits. It then takes 1-exp(-rate*t) as the probability that a visit at
// t sees a change, but no visit is made exactly at the last change.
func (h *History) See(t time.Time, changed bool, lastModified time.Time) {
	now := uint32(t.Unix())
	if now <= h.Last {
		return
	}
	interval := now - h.Last
	passed := Week(now) - Week(h.Last)
	h.WeeksSeen = h.WeeksSeen<<passed | 1 // a shift by 32 or more leaves 0
	h.WeeksChanged <<= passed
	if changed {
		h.WeeksChanged |= 1
		if m := lastModified.Unix(); !lastModified.IsZero() && m > int64(h.Last) &&
			m <= int64(now) {
			interval = uint32(m) - h.Last
			h.Stable += now - uint32(m)
		}
		if h.MinInterval == 0 || interval < h.MinInterval {
			h.MinInterval = interval
		}
		h.Changes++
		h.LastChange = now
	} else {
		h.Stable += interval
	}
	h.Visits++
	h.Last = now
}

// Record is what is remembered of a page between visits: [SAT table 1]. The zero value is an
// unknown page.
type Record struct {
	Page    PageID
	URL     string
	Referer string // address of the page that first linked here; "" for a start page
	State   State
	Status  int   // of the last answer
	Errors  uint8 // failures in a row since the last proper answer
	// Misses counts answers in a row that it is gone, moved or forbidden; for a page that left:
	// since it left.
	Misses       uint8
	Missed       Outcome // of these, while the page has not left; OutcomeUnknown: unknown
	Hops         uint8   // redirects between a link and this page
	NoIndex      bool    // the copy asks not to be indexed
	More         bool    // the copy has more links than one visit may bring
	ByRobots     bool    // robots.txt forbids it: the reason why it left, or may leave
	ByFilter     bool    // a filter of the user rejects it: the reason why it left
	Refuses      bool    // the server refused a conditional request (412): ask unconditionally
	ETag         string  // of the copy
	LastModified time.Time
	Digests      Digests // of the copy
	Size         int64   // bytes of the copy
	History      History
	Tried        time.Time     // last visit, with any outcome
	Interval     time.Duration // last estimate of the time between changes; 0: none
	Due          time.Time     // next visit; decides the slot in the store
	Reason       string        // reason of Due
}

// Unconditional returns the record for an unconditional visit.
func (r *Record) Unconditional() *Record {
	u := *r
	u.ETag, u.LastModified = "", time.Time{}
	return &u
}

// WrongClock is how far a time must be ahead to come from a wrong clock, if visits may carry the
// end of their round as time.
const WrongClock = 24 * time.Hour

// NotAfter sets times that are more than slack after now to now: a wrong clock noted them, and the
// true times are unknown.
func (h *History) NotAfter(now time.Time, slack time.Duration) {
	at := Unix32(now)
	if int64(h.Last) <= now.Add(slack).Unix() {
		return
	}
	h.Epoch, h.Last, h.LastChange = min(h.Epoch, at), at, min(h.LastChange, at)
}

// NotAfter does the same with the times of a record.
func (r *Record) NotAfter(now time.Time, slack time.Duration) {
	r.History.NotAfter(now, slack)
	if r.Tried.Round(0).Sub(now.Round(0)) > slack { // by the stored precision
		r.Tried = now.Add(-time.Second) // a visit now is later
	}
}

// MaxErrors bounds Record.Errors. A page with so many failures in a row is visited rarely.
const MaxErrors = 250

// Apply applies an observation to the record and returns its verdict. Applying it again, or
// applying an older one, changes nothing and returns VerdictUnknown. ChangeBy decides what counts
// as a change, or the rule that the digests name. Last-Modified is kept for the next condition, and
// dates no change (History.See).
func (r *Record) Apply(o Observation, by ChangeBy) Verdict {
	if !r.Tried.IsZero() && o.Time.Unix() <= r.Tried.Unix() { // whole seconds, like stores
		return VerdictUnknown
	}
	r.Tried = o.Time
	r.Status = o.Status
	if r.State == StateAlive && !o.CopyMain.IsZero() {
		r.Digests.Main = o.CopyMain
	}
	if r.State == StateSource {
		return r.applySource(o)
	}
	switch o.Outcome {
	case OutcomeFetched:
		return r.applyContent(o, by)
	case OutcomeNotModified:
		// a 304 for a page without a copy: ask in full next time
		if r.State != StateAlive {
			r.ETag, r.LastModified = "", time.Time{}
			return r.fail()
		}
		r.found()
		r.Refuses = false
		r.History.See(o.Time, false, time.Time{})
		return VerdictUnchanged
	case OutcomeGone:
		return r.leave(StateGone)
	case OutcomeRedirected:
		return r.leave(StateMoved)
	case OutcomeExcluded:
		verdict := r.leave(StateExcluded)
		r.ByRobots, r.ByFilter = o.ByRobots, o.Filter != ""
		return verdict
	case OutcomeFailed:
		if o.Status == 412 {
			r.refused()
		}
		return r.fail()
	}
	panic(fmt.Sprintf("sitegraph: observation of %q with outcome %v", o.URL, o.Outcome))
}

func (r *Record) applyContent(o Observation, by ChangeBy) Verdict {
	verdict := VerdictFirst
	if r.State == StateAlive {
		switch r.Digests.Compare(o.Digests, by) {
		case Same:
			verdict = VerdictUnchanged
		case Different:
			verdict = VerdictChanged
		default:
			verdict = VerdictBaseline
		}
		if verdict == VerdictBaseline {
			r.History.Rebase(o.Time)
		} else {
			r.History.See(o.Time, verdict == VerdictChanged, time.Time{}) // see Apply
		}
	} else {
		r.History = Start(o.Time)
	}
	r.State = StateAlive
	r.found()
	r.NoIndex = o.NoIndex
	r.validate(&o)
	r.Digests.replaceBy(o.Digests, verdict)
	r.Size = o.Size
	return verdict
}

// found ends the failures and misses.
func (r *Record) found() {
	r.Errors, r.Misses, r.Missed, r.ByRobots, r.ByFilter = 0, 0, OutcomeUnknown, false, false
}

// conditionAgain is the number of visits after which a page whose server refused a conditional
// request gets one again. That costs a failure if the server still refuses it. Without it a single
// refusal would cost full copies for ever.
const conditionAgain = 64

// refused drops the condition that the server answered with 412.
func (r *Record) refused() { r.ETag, r.LastModified, r.Refuses = "", time.Time{}, true }

// validate takes the condition of the next visit from a copy.
func (r *Record) validate(o *Observation) {
	r.ETag, r.LastModified = o.ETag, o.LastModified
	if r.Refuses && r.History.Visits%conditionAgain != 0 {
		r.ETag, r.LastModified = "", time.Time{}
	}
}

func (r *Record) leave(s State) Verdict {
	if !r.State.Left() {
		r.Misses = 0
	}
	r.Misses = min(r.Misses+1, MaxErrors)
	r.State = s
	r.Errors, r.Missed, r.ByRobots, r.ByFilter = 0, OutcomeUnknown, false, false
	r.ETag, r.LastModified = "", time.Time{}
	return VerdictLeft
}

func (r *Record) fail() Verdict {
	if r.Errors < MaxErrors {
		r.Errors++
	}
	return VerdictUnknown
}

// Unix32 returns a time in unix seconds, as in histories: 0 for the zero time, and the nearest
// possible value for times before 1970 or after 2106.
func Unix32(t time.Time) uint32 {
	if t.IsZero() {
		return 0
	}
	return uint32(min(max(t.Unix(), 0), math.MaxUint32))
}
