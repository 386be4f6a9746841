package evidence

// Clock turns unix seconds into days since an origin near the present, as float32 keeps them: in
// steps of 0.7 seconds at first, 2.6 after half a year and 5 after a year. Days since 1970 would
// come in steps of three minutes, in which a page can change several times.
type Clock struct {
	origin int64 // unix seconds; 0: not known yet
}

const (
	// originBefore is how long before the present the origin lies: day 0, which stands for never,
	// is longer ago than anything waits for.
	originBefore = 112 * secondsPerDay
	// originStep keeps weekdays, and what comes each 14 days, what they are by days since 1970.
	originStep = 14 * secondsPerDay
)

// Anchor sets the origin before a moment, unless there is one. 0 tells nothing.
func (c *Clock) Anchor(unix uint32) {
	if c.origin == 0 && unix > 0 {
		before := int64(unix) - originBefore
		c.origin = before - (before%originStep+originStep)%originStep
	}
}

// Day returns a moment in days since the origin; 0 for never.
func (c *Clock) Day(unix uint32) float32 {
	if unix == 0 {
		return 0
	}
	return float32(float64(int64(unix)-c.origin) / secondsPerDay)
}
