package sites

import "github.com/recrawl/recrawl/sitegraph"

// clock turns unix seconds into days since an origin near the present, as float32 keeps them: in
// steps of 0.7 seconds at first, 2.6 after half a year and 5 after a year. Days since 1970 would
// come in steps of three minutes, in which a page can change several times.
type clock struct {
	origin int64 // unix seconds; 0: not known yet
}

const (
	secondsPerDay = 24 * 60 * 60
	// originBefore is how long before the present the origin lies: day 0, which stands for never,
	// is longer ago than anything waits for.
	originBefore = 112 * secondsPerDay
	// originStep keeps the weekday, and the turns of new pages, what they are by days since 1970.
	originStep = 14 * secondsPerDay
)

// anchor sets the origin before a moment, unless there is one. 0 tells nothing.
func (c *clock) anchor(unix uint32) {
	if c.origin == 0 && unix > 0 {
		before := int64(unix) - originBefore
		c.origin = before - (before%originStep+originStep)%originStep
	}
}

// day of a moment, in days since the origin; 0 for never.
func (c *clock) day(unix uint32) float32 {
	if unix == 0 {
		return 0
	}
	return float32(float64(int64(unix)-c.origin) / secondsPerDay)
}

// inDays converts a span of seconds.
func inDays(seconds uint32) float32 { return float32(float64(seconds) / secondsPerDay) }

// anchorNewest sets the origin by the last visits that are known.
func (g *groups) anchorNewest() {
	newest := uint32(0)
	for p := range sitegraph.PageID(g.corpus.Pages()) {
		newest = max(newest, g.corpus.Memory(p).Tried, g.corpus.Memory(p).LastInformative())
	}
	g.anchor(newest)
}
