package budget

import "time"

// Grant hands out fetches round by round. A round gets the daily budget times its length. Fractions
// of a fetch carry over to the next round; unused whole fetches do not. So no day gets more than
// PerDay fetches, rounded up by the carry.
type Grant struct {
	PerDay float64 // fetches per 24 h; Unlimited: no bound
	Carry  float64 // fraction of a fetch not yet handed out, in [0, 1)
}

// Of returns the whole fetches of a round of this length.
func (b *Grant) Of(length time.Duration) int {
	if b.PerDay == Unlimited {
		return Unlimited
	}
	entitled := b.PerDay*length.Hours()/24 + b.Carry
	// 24 hourly shares of a whole budget must sum to it in spite of rounding: giving half a
	// millionth of a fetch early is better than a fetch late.
	whole := int(entitled + 5e-7)
	b.Carry = max(entitled-float64(whole), 0)
	return whole
}

// Unlimited as a budget sets no bound.
const Unlimited = -1
