package planner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/planner/calendar"
	"github.com/recrawl/recrawl/sitegraph"
)

// A rest is the counterpart of a greatest age: it says when pages are not visited, whatever the
// policy thinks of them. A page rests for so long after each visit, and while its calendar is
// closed. A round makes a visit only if the page rests at no time of the round, so that no visit
// comes too early however late in the round it begins; rounds must be shorter than what a calendar
// is open.

// RestRule is a rest of all pages whose address begins with a prefix. A prefix that ends in "$" is
// one address.
type RestRule struct {
	Prefix string // canonical
	// MinAge is the least time between two visits; 0: none. Hours are when visits may be made; nil:
	// always. First visits heed the hours alone.
	MinAge time.Duration
	Hours  *calendar.Calendar
}

// Rests finds the rest of an address: that of the longest prefix. A nil one has none.
type Rests struct {
	of      map[string]RestRule
	lengths []int // of prefixes, longest first
}

// NewRests returns nil where there are no rules. Of two rules with one prefix the later counts.
func NewRests(rules []RestRule) *Rests {
	if len(rules) == 0 {
		return nil
	}
	r := &Rests{of: make(map[string]RestRule, len(rules))}
	for _, rule := range rules {
		r.of[rule.Prefix] = rule
		if !strings.HasSuffix(rule.Prefix, "$") {
			r.lengths = append(r.lengths, len(rule.Prefix))
		}
	}
	slices.Sort(r.lengths)
	r.lengths = slices.Compact(r.lengths)
	slices.Reverse(r.lengths)
	return r
}

// find returns the rule of an address; false: there is none.
func (r *Rests) find(url string) (RestRule, bool) {
	if rule, ok := r.of[url+"$"]; ok {
		return rule, true
	}
	for _, n := range r.lengths {
		if n <= len(url) {
			if rule, ok := r.of[url[:n]]; ok {
				return rule, true
			}
		}
	}
	return RestRule{}, false
}

// restsNow reports whether a page is not to be visited in this round, though it may be in a later
// one, and why.
func (p *Planner) restsNow(page sitegraph.PageID) (rests bool, why string) {
	if p.options.Rests == nil {
		return false, ""
	}
	rule, ok := p.options.Rests.find(p.Corpus.Graph.URL(page))
	if !ok {
		return false, ""
	}
	round, m := p.Corpus.round, p.Corpus.Memory(page)
	start := round.Start.Add(time.Nanosecond) // rounds of the loop begin one earlier, see Round
	if until := time.Unix(int64(m.Tried), 0).Add(rule.MinAge); m.Tried > 0 && rule.MinAge > 0 && until.After(start) {
		return true, fmt.Sprintf("it was visited at %s, and is not to be again within %v",
			time.Unix(int64(m.Tried), 0).UTC().Format(time.DateTime), rule.MinAge)
	}
	if !rule.Hours.Open(start, round.End) {
		return true, fmt.Sprintf("its hours are %v: it is not visited before %s", rule.Hours,
			rule.Hours.Next(start).UTC().Format(time.DateTime))
	}
	return false, ""
}

// rested is restsNow without the reason.
func (p *Planner) rested(page sitegraph.PageID) bool {
	if p.options.Rests == nil {
		return false
	}
	rests, _ := p.restsNow(page)
	return rests
}
