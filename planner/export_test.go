package planner

// Internals for tests that are made with policies, which import this package.

const (
	SourceSoonest      = sourceSoonest
	SourceLatest       = sourceLatest
	UnproductiveVisits = unproductiveVisits
	FirstOfGroup       = firstOfGroup
	FarOff             = farOff
)

// Pending reports whether a visit waits for room that visits under way may leave.
func (c *Caps) Pending() bool { return c != nil && c.pending != nil }
