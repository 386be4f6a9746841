package sites

// Parts are a set of parts of the policy that are switched off, to measure what each is worth.
type Parts uint32

const (
	Tops    Parts = 1 << iota // what the top of a site showed counts for its members
	Samples                   // visits to quiet pages of servers not looked at for long
	Young                     // pages born here go by their age
	States                    // states that return
	Clocks                    // clocks of site, server and all pages
	Effects                   // what visits to server, site and top found counts at once
	Hours                     // hours of the day
	Claims                    // what feeds and sitemaps claim
)

// PartNames has the names of the parts, in the order of their bits.
var PartNames = []string{"tops", "samples", "young", "states", "clocks", "effects", "hours",
	"claims"}

// ParsePart returns the part with a name; false: there is none.
func ParsePart(name string) (Parts, bool) {
	for i, n := range PartNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}
