package evidence

import (
	"maps"
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// Proven compares how many events of a kind prove to have happened with how many were expected: by
// a gamma posterior of their ratio, for all servers together and for each, whose prior is that of
// all (partial pooling).
//
// An event changes most pages of a server at once, as when it is rebuilt. A page that changed
// against expectation makes one likely. Two looks at other pages then prove it, beyond what they
// find by chance: a quiet page may well have changed by itself. Both changed is an event, one of
// them counts as a quarter of one.
type Proven struct {
	Seen Pooled // events that were expected are counted, and those seen are added up
	open map[sitegraph.ServerID]looks
}

// looks are those that are to prove an event at a server. chance and spread are the mean and the
// variance of changed where there was none.
type looks struct{ count, changed, chance, spread float32 }

const (
	// ProvingLooks is how many looks prove an event or disprove it.
	ProvingLooks = 2
	// provenPrior is how many expected events the prior ratio of 1 counts for. The ratio of all
	// servers counts for provenServerPrior of them at each server.
	provenPrior       = 1.5
	provenServerPrior = 2
	// mostChance bounds what is believed of a quiet page: one that is sure to change tells nothing.
	mostChance = 0.9
)

// Begin forgets the looks that have told, so that the next two tell again. Others stay open: a
// round may have room for one look alone.
func (v *Proven) Begin() {
	maps.DeleteFunc(v.open, func(_ sitegraph.ServerID, of looks) bool {
		return of.count == ProvingLooks
	})
}

// Expect counts how likely it was that there had been an event at a server, when somebody looked.
func (v *Proven) Expect(s sitegraph.ServerID, expected float32) {
	v.Seen.Add(s, 0, expected, math.MaxFloat32)
}

// Look takes in a look that is to prove an event: whether a page had changed that had done so by
// itself with a probability of chance. The first two since Begin tell.
func (v *Proven) Look(s sitegraph.ServerID, changed bool, chance float32) {
	if v.open == nil {
		v.open = map[sitegraph.ServerID]looks{}
	}
	of := v.open[s]
	if of.count == ProvingLooks {
		return
	}
	of.count++
	if changed {
		of.changed++
	}
	chance = min(chance, mostChance)
	of.chance += chance
	of.spread += chance * (1 - chance)
	v.open[s] = of
	if of.count == ProvingLooks {
		const all = ProvingLooks * ProvingLooks
		byChance := (of.chance*of.chance + of.spread) / all // the mean of the square
		seen := (of.changed*of.changed/all - byChance) / (1 - byChance)
		for _, of := range v.Seen.Both(s) {
			of.Sum = max(of.Sum+seen, 0)
		}
	}
}

// Ratio returns how many times as many events prove true at a server as are expected.
func (v *Proven) Ratio(s sitegraph.ServerID) float32 {
	return v.Seen.Of(s, provenServerPrior, 1, provenPrior)
}

// All returns the ratio of all servers.
func (v *Proven) All() float32 { return v.Seen.All.Toward(1, provenPrior) }
