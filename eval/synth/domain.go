package synth

// Domain is a kind of organisation, after the second-level domains of [LINK table 1].
type Domain uint8

const (
	DomainUnknown Domain = iota
	AC                   // universities: few large servers
	CO                   // companies: two servers in three, most of them small
	ED                   // schools
	GR                   // groups
	NE                   // network services
	OR                   // organisations
	domains
)

var domainNames = [domains]string{"unknown", "AC", "CO", "ED", "GR", "NE", "OR"}

func (d Domain) String() string {
	if d < domains {
		return domainNames[d]
	}
	return domainNames[DomainUnknown]
}

// Periods are the periods of [LINK tables 2 and 3], in weekly snapshots: N snapshots are N-1
// comparisons.
var Periods = [4]int{2, 4, 12, 24}

// paperServers and paperPages are [LINK table 1].
var (
	paperServers = [domains]float64{AC: 90, CO: 11183, ED: 463, GR: 1060, NE: 2377, OR: 2440}
	paperPages   = [domains]float64{AC: 36526, CO: 681657, ED: 86193, GR: 100863, NE: 347744,
		OR: 399626}
)

// paperUpdated is [LINK table 2] in percent; the total is under DomainUnknown.
var paperUpdated = [domains][4]float64{
	DomainUnknown: {3.6, 7.7, 14.5, 21.0},
	AC:            {1.9, 6.1, 12.3, 18.1},
	CO:            {4.5, 9.4, 16.8, 22.8},
	ED:            {1.6, 8.8, 14.3, 17.7},
	GR:            {2.9, 5.4, 11.3, 19.7},
	NE:            {4.2, 7.6, 14.8, 23.0},
	OR:            {2.1, 5.5, 11.5, 17.4},
}

// paperTops is [LINK table 3] in percent, rows in the order of TopRows.
var paperTops = [4][4]float64{
	{63, 76, 84, 88},
	{5, 9, 16, 22},
	{4, 8, 15, 21},
	{20, 35, 52, 66},
}

// mix describes how the pages of a domain change.
type mix struct {
	fast   float64 // share of pages, with tops, that change in a week with a probability of 0.3 to 1
	medium float64 // likewise with 0.08 to 0.3 changes a week
	slow   float64 // edits a week of all other pages, per page
}

// mixes were fitted to the rows of [LINK table 2], by least squares and then on webs of 24 seeds,
// because the hubs of sections change with their pages. No stationary process can follow ED from 2
// to 4 weeks (1.6 to 8.8 %): its curve is not concave.
var mixes = [domains]mix{
	AC: {0.005, 0.065, 0.0047},
	CO: {0.020, 0.078, 0.0054},
	ED: {0.008, 0.105, 0.0030},
	GR: {0.016, 0.009, 0.0076},
	NE: {0.029, 0.016, 0.0084},
	OR: {0.007, 0.053, 0.0048},
}
