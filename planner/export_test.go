package planner

// What the tests of this package see that are made with policies, which import it.

const (
	SourceSoonest      = sourceSoonest
	SourceLatest       = sourceLatest
	UnproductiveVisits = unproductiveVisits
	FirstOfGroup       = firstOfGroup
	FarOff             = farOff
)

// Pending reports whether a visit waits for room that visits under way may leave.
func (c *Caps) Pending() bool { return c != nil && c.pending != nil }
