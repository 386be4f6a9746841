package preferences

import (
	"time"
)

// A rest is the counterpart of a greatest age: it sets when pages are not visited, whatever the
// policy thinks of them. A page rests for some time after each visit, and while its calendar is
// closed. A round makes a visit only if the page rests at no time of the round, so that no visit
// comes too early however late in the round it begins. Rounds must be shorter than the open times
// of a calendar.

// RestRule is a rest of all pages whose address begins with a prefix. A prefix that ends in "$" is
// one address.
type RestRule struct {
	Prefix string // canonical
	// MinAge is the least time between two visits; 0: none. Hours are when visits may be made; nil:
	// always. First visits only obey Hours.
	MinAge time.Duration
	Hours  *Calendar
}

// Rests finds the rest of an address: that of the longest prefix.
type Rests struct{ rules byPrefix[RestRule] }

// NewRests returns the rests by rules; nil without rules. Of two rules with one prefix the later
// counts.
func NewRests(rules []RestRule) *Rests {
	if len(rules) == 0 {
		return nil
	}
	r := &Rests{}
	for _, rule := range rules {
		r.rules.set(rule.Prefix, rule)
	}
	return r
}

// Of returns the rule of a canonical address; false: there is none.
func (r *Rests) Of(url string) (RestRule, bool) { return r.rules.find(url) }
