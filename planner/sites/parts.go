package sites

// Parts is a set of parts of the policy that are switched off to measure their worth.
type Parts uint32

const (
	Tops    Parts = 1 << iota // outcomes of a site's top count for its members
	Samples                   // visits to quiet pages of servers without recent visits
	Young                     // the age of pages born during the crawl
	States                    // states that return
	Clocks                    // clocks of site, server and all pages
	Effects                   // outcomes of server, site and top count at once
	Hours                     // hours of the day
	Claims                    // what feeds and sitemaps claim
)

// PartNames has the names of the parts, in the order of their bits.
var PartNames = []string{"tops", "samples", "young", "states", "clocks", "effects", "hours",
	"claims"}

// ParsePart returns the part with a name; false if there is none.
func ParsePart(name string) (Parts, bool) {
	for i, n := range PartNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}
