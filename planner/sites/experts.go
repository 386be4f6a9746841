package sites

import "github.com/recrawl/recrawl/estimator/evidence"

// The experts of a mixture.
const (
	expertRates  = iota // the past of the page
	expertHalf          // the same, at half its weight
	expertPooled        // the mean rate of its site
	expertAll           // the clock of all pages
	expertServer        // the clock of its server
	expertSite          // the clock of its site
	expertAge           // of pages born here: their age
	expertState         // the gap between visits
)

// expertNames are shown to users.
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

// firstWeights are the weights of the experts before any outcome.
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

// plain returns the mean of the three opinions made from the page's own past.
func plain(o *evidence.Opinions) float32 {
	return (o[expertPooled] + o[expertRates] + o[expertHalf]) / 3
}
