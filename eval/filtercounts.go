package eval

import "math"

// FilterCounts counts how labels and verdicts agree. Shares are null without counts.
type FilterCounts struct {
	Hits        int `json:"hits"`         // labelled and rejected
	FalseAlarms int `json:"false_alarms"` // rejected and not labelled
	Misses      int `json:"misses"`       // labelled and not rejected
	Passes      int `json:"passes"`       // neither

	Precision *FilterShare `json:"precision"`
	Recall    *FilterShare `json:"recall"`
}

// FilterShare is a share with its 95 % interval, all from 0 to 1.
type FilterShare struct {
	Is   float64 `json:"is"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func (c *FilterCounts) count(labelled, said bool) {
	switch {
	case labelled && said:
		c.Hits++
	case said:
		c.FalseAlarms++
	case labelled:
		c.Misses++
	default:
		c.Passes++
	}
}

// rate computes the shares.
func (c *FilterCounts) rate() {
	c.Precision, c.Recall = shareOf(c.Hits, c.Hits+c.FalseAlarms), shareOf(c.Hits, c.Hits+c.Misses)
}

// shareOf returns the share k of n with its Wilson interval, or nil if n is 0.
func shareOf(k, n int) *FilterShare {
	if n == 0 {
		return nil
	}
	const z = 1.959963984540054 // for 95 %
	share, count := float64(k)/float64(n), float64(n)
	middle := (share + z*z/(2*count)) / (1 + z*z/count)
	half := z / (1 + z*z/count) * math.Sqrt(share*(1-share)/count+z*z/(4*count*count))
	return &FilterShare{share, max(middle-half, 0), min(middle+half, 1)}
}
