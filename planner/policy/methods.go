package policy

// method is a way to use a partition of servers into sites [LINK 4].
type method struct {
	by        string // partition of sitegraph; auto: the one that suits each server
	gated     bool   // C: a site is checked only if the top of an upper site changed
	rest      bool   // C then B: afterwards the sites that were not checked
	sentinels bool   // the pages' past chooses the tops
	atOnce    bool   // in a stream, a changed top promotes within the round
}

// auto is the partition chosen for each server by its past.
const auto = "auto"

// learns reports whether the sites depend on the pages' past.
func (m method) learns() bool { return m.by == auto || m.sentinels }

var methods = map[string]method{
	"a":                {by: "a"},
	"b":                {by: "b"},
	"b-closure":        {by: "b-closure"},
	"c":                {by: "c", gated: true},
	"c-closure":        {by: "c-closure", gated: true},
	"c-then-b":         {by: "b", gated: true, rest: true},
	"c-then-b-closure": {by: "b-closure", gated: true, rest: true},

	"prefix":    {by: "prefix", atOnce: true},
	"shape":     {by: "shape", atOnce: true},
	"community": {by: "community", atOnce: true},
	"auto":      {by: auto, atOnce: true},

	"sentinel-a":         {by: "a", sentinels: true, atOnce: true},
	"sentinel-prefix":    {by: "prefix", sentinels: true, atOnce: true},
	"sentinel-shape":     {by: "shape", sentinels: true, atOnce: true},
	"sentinel-community": {by: "community", sentinels: true, atOnce: true},
	"sentinel-auto":      {by: auto, sentinels: true, atOnce: true},
}
