package workload

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Numbers of the independent draws of a record.
const (
	drawSpread = 1 + iota // daily or slower
	drawLength            // of the interval
	drawHour              // within the last day of the interval
	drawFirst
	drawIDHigh
	drawIDLow
	drawURLRadius // of Box and Muller
	drawURLAngle
	drawHost
	drawHostSkew
	drawDigestLow
	drawDigestHigh
	drawMinute // within the last hour of the interval
	drawTag
	drawReferer
	drawFields
	drawWords        // and 40 more
	drawFilling = 64 // and all above
)

// draw is the k-th random number of record i.
func draw(i uint32, k uint64) uint64 {
	return mix(mix(uint64(i)*0x9e3779b97f4a7c15+7) + k*0xd1342543de82ef95)
}

// share maps a draw to [0, 1).
func share(x uint64) float64 { return float64(x>>11) / (1 << 53) }
