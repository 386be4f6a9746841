package evidence

import (
	"maps"
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// Proven compares how many events of a kind happened with how many were expected. Their ratio has a
// gamma posterior, for all servers together and for each, whose prior is that of all (partial
// pooling).
//
// An event changes most pages of a server at once, for example a rebuild. An unexpected change of a
// page makes one likely. Two looks at other pages then prove it, if they find more changes than
// chance would: a quiet page may have changed by itself. Two changes count as an event, one as a
// quarter of one.
type Proven struct {
	Seen Pooled // Count: expected events; Sum: events seen
	open map[sitegraph.ServerID]looks
}

// looks are the looks that prove an event at a server. chance and spread are the mean and the
// variance of changed if there was no event.
type looks struct{ count, changed, chance, spread float32 }

const (
	// ProvingLooks is how many looks prove or disprove an event.
	ProvingLooks = 2
	// provenPrior is the weight of the prior ratio of 1, in expected events. The ratio of all
	// servers weighs provenServerPrior at each server.
	provenPrior       = 1.5
	provenServerPrior = 2
	// mostChance bounds the chance of a quiet page: one that surely changes proves nothing.
	mostChance = 0.9
)

// Begin forgets finished looks, so that the next two count again. Others stay open: a round may
// have room for one look only.
func (v *Proven) Begin() {
	maps.DeleteFunc(v.open, func(_ sitegraph.ServerID, of looks) bool {
		return of.count == ProvingLooks
	})
}

// Expect counts the probability of an event at a server since the last look.
func (v *Proven) Expect(s sitegraph.ServerID, expected float32) {
	v.Seen.Add(s, 0, expected, math.MaxFloat32)
}

// Look counts a look: whether a page had changed, which it had by itself with a probability of
// chance. The first two since Begin count.
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

// Ratio returns the ratio of events seen to events expected at a server.
func (v *Proven) Ratio(s sitegraph.ServerID) float32 {
	return v.Seen.Of(s, provenServerPrior, 1, provenPrior)
}

// All returns the ratio of all servers.
func (v *Proven) All() float32 { return v.Seen.All.Toward(1, provenPrior) }
