package policy

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// toured is a method at work in one server after the other, in a stream. The tops of a server's
// sites come first, then the members of sites whose top changed. If the outcome of a top comes when
// later servers are already at work, its members still come before the next server. When all
// servers are finished, the rest of the planning round goes to the oldest copies. The next round
// begins another round through the servers.
//
// Members wait if their top changed after their last visit. Histories have these times, so a round
// finds again what the one before did not reach.
type toured struct {
	sites  *bySite
	opened map[sitegraph.ServerID]bool // in this round through the servers
}

func newTour(s Settings, d *division) *toured {
	t := &toured{sites: bySiteOn(s, d, allServers)}
	t.sites.atOnce = true
	return t
}

// restart begins a round through the servers.
func (t *toured) restart() {
	t.opened = map[sitegraph.ServerID]bool{}
	t.sites.tops.Reset()
	t.sites.lower.Reset()
	t.sites.members.Reset()
	clear(t.sites.reached)
}

// begin begins a planning round.
func (t *toured) begin() {
	t.sites.oldest.Reset()
	t.sites.members.Reset()
	for s := range sitegraph.ServerID(t.sites.Pages.Graph.Servers()) {
		if t.opened[s] {
			t.sites.addWaiting(s, false)
		}
	}
	t.sites.byAge(t.sites.members.Waiting())
}

// open continues with a server: its tops, and members that wait because one of these changed.
func (t *toured) open(s sitegraph.ServerID) {
	t.opened[s] = true
	t.sites.only = s
	t.sites.startTops()
	t.sites.promoteAgain(true)
	t.sites.byAge(t.sites.tops.Waiting()) // sites come in order of discovery
}

func (t *toured) next() (planner.Visit, bool) {
	p, ok := t.sites.popTop(&t.sites.tops)
	if ok {
		return planner.Unranked(p, t.sites.whyTop(p)), true
	}
	return t.sites.nextMember()
}

// observe learns from an outcome. If samples come from a server that is not open yet, the histories
// of its tops keep their outcomes.
func (t *toured) observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	if t.opened[t.sites.Pages.Graph.Server(p)] {
		t.sites.Observe(p, verdict)
		return
	}
	t.sites.note(p, verdict)
}
