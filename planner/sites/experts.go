package sites

import "github.com/recrawl/recrawl/estimator/evidence"

// The experts of a mixture.
const (
	expertRates  = iota // its own past
	expertHalf          // the same, trusted half
	expertPooled        // by the mean rate of its site
	expertAll           // by the clock of all pages
	expertServer        // of its server
	expertSite          // of its site
	expertAge           // of pages born here, by their age
	expertState         // by the gap between visits
)

// expertNames are for people.
var expertNames = [evidence.Experts]string{
	expertRates:  "its own past",
	expertHalf:   "its own past, trusted half",
	expertPooled: "the rate of its site and its own",
	expertAll:    "the clock of all pages",
	expertServer: "the clock of its server",
	expertSite:   "the clock of its site",
	expertAge:    "its age since it was born",
	expertState:  "states that return",
}

// firstWeights are believed before any outcome.
var firstWeights = evidence.Weights{
	expertRates:  0.15,
	expertHalf:   0.15,
	expertPooled: 0.1,
	expertAll:    0.1,
	expertServer: 0.15,
	expertSite:   0.2,
	expertAge:    0.1,
	expertState:  0.15,
}

// plain is the mean of what the page's own past says.
func plain(o *evidence.Opinions) float32 {
	return (o[expertPooled] + o[expertRates] + o[expertHalf]) / 3
}
