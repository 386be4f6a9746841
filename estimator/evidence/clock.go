package evidence

// Clock converts unix seconds to days since a recent origin, as float32: in steps of 0.7 seconds at
// first, 2.6 after half a year and 5 after a year. Days since 1970 would come in steps of three
// minutes, in which a page can change several times.
type Clock struct {
	origin int64 // unix seconds; 0: not set
}

const (
	// originBefore is the distance of the origin from the present. Day 0, which means never, is
	// then longer ago than any wait.
	originBefore = 112 * secondsPerDay
	// originStep keeps weekdays and 14-day cycles as they are in days since 1970.
	originStep = 14 * secondsPerDay
)

// Anchor sets the origin before a time, unless it is set. 0 is ignored.
func (c *Clock) Anchor(unix uint32) {
	if c.origin == 0 && unix > 0 {
		before := int64(unix) - originBefore
		c.origin = before - (before%originStep+originStep)%originStep
	}
}

// Day returns a time in days since the origin; 0 for never.
func (c *Clock) Day(unix uint32) float32 {
	if unix == 0 {
		return 0
	}
	return float32(float64(int64(unix)-c.origin) / secondsPerDay)
}
