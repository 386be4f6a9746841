package evidence

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// Proven compares how many events of a kind prove to have happened with how many were expected: by
// a gamma posterior of their ratio, for all servers together and for each, whose prior is that of
// all (partial pooling).
//
// An event changes most pages of a server at once, as when it is rebuilt. What makes it likely is
// that a page has changed of which nobody expected it. Looks at other pages then prove it, beyond
// what they find by chance: a quiet page may well have changed by itself.
type Proven struct {
	Seen Pooled // events that were expected are counted, and those seen are added up
}

const (
	// provenPrior is how many expected events the prior ratio of 1 counts for. The ratio of all
	// servers counts for provenServerPrior of them at each server.
	provenPrior       = 1.5
	provenServerPrior = 2
	// mostChance bounds what is believed of a quiet page: one that is sure to change tells nothing.
	mostChance = 0.9
)

// Expect counts how likely it was that there had been an event at a server, when somebody looked.
func (v *Proven) Expect(s sitegraph.ServerID, expected float32) {
	v.Seen.Add(s, 0, expected, math.MaxFloat32)
}

// Look takes in one of so many looks that prove an event: whether a page had changed that had done
// so by itself with some chance.
func (v *Proven) Look(s sitegraph.ServerID, changed bool, chance float32, looks int) {
	chance = min(chance, mostChance)
	seen := -chance
	if changed {
		seen++
	}
	seen /= (1 - chance) * float32(looks)
	for _, of := range v.Seen.Both(s) {
		of.Sum = max(of.Sum+seen, 0)
	}
}

// Ratio returns how many times as many events prove true at a server as are expected.
func (v *Proven) Ratio(s sitegraph.ServerID) float32 {
	return v.Seen.Of(s, provenServerPrior, 1, provenPrior)
}

// All returns the ratio of all servers.
func (v *Proven) All() float32 { return v.Seen.All.Toward(1, provenPrior) }
