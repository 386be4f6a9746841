package bench

import (
	"slices"

	"github.com/recrawl/recrawl/satstore/workload"
)

// Kind is an engine that can be measured.
type Kind struct {
	Name, About string
	// bytesPerRecord estimates the room on disk, for records of the given mean length;
	// that for two units' work is added for all kinds.
	bytesPerRecord func(mean float64) float64
	roomBytes      int64 // besides
	requests       bool  // it takes requests
	// fits reports whether it can do a workload; nil: it always can.
	fits func(w *workload.Workload) bool
	open func(dir string, p *workload.Plan, s Settings) (Engine, error)
}

// Kinds are all engines, in the order of reports. The first is the floor of all ratios.
var Kinds = []Kind{
	seqlogKind,
	runsKind,
	satBasicKind,
	satKindOfPaper,
	satNaiveKind,
	satRadixKind,
	pebbleTimeKind,
	pebbleIDKind,
	bboltKind,
}

// KindOf returns the engine of a name.
func KindOf(name string) (Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return Kinds[i], true
}

// Names are those of Kinds.
func Names() []string {
	var all []string
	for _, k := range Kinds {
		all = append(all, k.Name)
	}
	return all
}
