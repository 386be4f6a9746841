package value

import "strings"

// Without is a kind of evidence that value is denied, to measure what it is worth. Estimates of
// groups are made as ever, so that one of a small group is still pulled toward that of a larger
// one that is denied; but the denied one itself is not seen.
type Without uint8

const (
	WithoutNothing   Without = iota
	WithoutOwn               // what visits to the page itself saw, but when the last one was
	WithoutShape             // visits to pages of its address shape
	WithoutDirectory         // visits to its directory
	WithoutSection           // visits to its section
	WithoutServer            // visits to its server
	WithoutAll               // visits to all servers
	WithoutAddress           // what its address looks like
	WithoutLinks             // its depth, and how many links it has
	// what its server and its address shape showed beyond what was expected
	WithoutEffects
	WithoutImmediate   // what this round saw: outcomes count from the next round on
	WithoutExploration // probes
	WithoutNew         // what changes that bring new pages are worth beyond others
	WithoutFirstVisits // which addresses like those of new pages held one
	WithoutInPlace     // what is learnt from the visits made here
	WithoutParts       // which pages of a shape change together, whatever their addresses
	WithoutNames       // visits to pages whose names have the same longest word
	// which pages are worth more by a list, as results show them: it has no rules beside
	WithoutWeights
	WithoutLag // how long after a visit what it found is of use
	// What feeds and sitemaps claim of pages; those that they name are found as ever.
	WithoutClaims
	withouts
)

// withoutNames are those of the variants, behind "value-".
var withoutNames = [withouts]string{
	WithoutOwn:         "own",
	WithoutShape:       "shape",
	WithoutDirectory:   "directory",
	WithoutSection:     "section",
	WithoutServer:      "server",
	WithoutAll:         "all",
	WithoutAddress:     "address",
	WithoutLinks:       "links",
	WithoutEffects:     "effects",
	WithoutImmediate:   "immediate",
	WithoutExploration: "exploration",
	WithoutNew:         "new",
	WithoutFirstVisits: "first-visits",
	WithoutInPlace:     "in-place",
	WithoutParts:       "parts",
	WithoutNames:       "names",
	WithoutWeights:     "weights",
	WithoutLag:         "lag",
	WithoutClaims:      "claims",
}

// variantOf is value without a kind of evidence.
const variantOf = "value-"

// Ablations names the variants of a policy, each named by it and the evidence that it does
// without ("value-own"), for evaluations of what that evidence is worth.
func Ablations() []string {
	var names []string
	for w := WithoutOwn; w < withouts; w++ {
		names = append(names, variantOf+withoutNames[w])
	}
	return names
}

// WithoutOf is what a policy of Ablations does without; WithoutNothing for any other.
func WithoutOf(policy string) Without {
	if name, ok := strings.CutPrefix(policy, variantOf); ok {
		for w := WithoutOwn; w < withouts; w++ {
			if withoutNames[w] == name {
				return w
			}
		}
	}
	return WithoutNothing
}

// FromSources reports whether a kind of evidence comes from feeds and sitemaps, which histories do
// not have.
func (w Without) FromSources() bool { return w == WithoutClaims }

// StreamsOnly reports whether a kind of evidence plays no part in sweeps.
func (w Without) StreamsOnly() bool {
	return w == WithoutNew || w == WithoutFirstVisits || w == WithoutInPlace || w == WithoutParts ||
		w == WithoutNames || w.OfSearch()
}

// OfSearch reports whether it is what a search tells of pages: their weights in a list, and the
// lag. Nothing is denied where none is given.
func (w Without) OfSearch() bool { return w == WithoutWeights || w == WithoutLag }

// Masks reports whether a kind of evidence is a part of rows. The others are a matter of what is
// done.
func (w Without) Masks() bool { return w != WithoutNothing && w < WithoutEffects }

// What is usual: medians of the 42,657 base pages of the histories that the parameters which come
// with the program were learnt from.
var usualAddress = addressTraits{segments: 5, name: 21, digits: 8} // 3 % of the path

const (
	usualDepth = 5
	usualLinks = 12
)

// Mask makes a row say of the denied kind what it says where nothing is known: of the page
// itself, that it was visited once; of a group, that it has no other page and was never looked
// at, so that it says what the next larger one does. Rows masked so are like others that the
// parameters were learnt from. Plain estimators of the page's own rate keep the prior of its
// groups, as ever. It masks nothing for those that are a matter of what is done.
func (w Without) Mask(row *Row) {
	switch w {
	case WithoutOwn:
		row[fOwnVisits] = 0
		row[fOwnExpected] = row[fShapeRate] * row[fAge]
		row[fOwnQuiet] = 999
		row[fOwnLast] = -1
		row[fOwnRecent] = 0.1
		row[fOwnFactor] = 1
		row[fKnown] = row[fAge]
		row[fPooled] = expectedChanges(0, 0, row[fDirectoryRate], row[fAge])
		row[fRates] = logOddsExpected(row[fPooled])
		row[fHalfRates], row[promise] = row[fRates], 1
		expect(row)
	case WithoutShape:
		// The page's own rate is pulled toward that of its shape by 30 days' worth.
		row[fOwnExpected] += 30 * (row[fServerRate] - row[fShapeRate]) / (max(row[fKnown]-row[fAge],
			0) + 30) * row[fAge]
		row[fOwnFactor] = 1 // its changes alone do not tell what was to be expected
		row[fShapeMass] = row[fServerRate] * row[fAge]
		row[fShapeShare] = row[fSectionShare]
		row[fShapeVisits] = 0
		row[fShapeRecent] = min(row[fServerRate]*lately, 1)
		row[fShapeRate] = row[fServerRate]
		row[fShapeSize] = 1
		row[fShapePast] = -1
		row[fShapeGone] = row[fSectionGone]
		expect(row)
	case WithoutDirectory:
		row[fDirectoryMass] = row[fServerRate] * row[fAge]
		row[fDirectoryShare] = row[fSectionShare]
		row[fDirectoryVisits] = 0
		row[fDirectoryRate] = row[fServerRate]
		row[fDirectorySize] = 1
	case WithoutSection:
		row[fSectionMass] = row[fServerRate] * row[fAge]
		row[fSectionShare] = row[fServerShare]
		row[fSectionVisits] = 0
		row[fSectionGone] = row[fServerGone]
	case WithoutServer:
		row[fServerMass] = defaultRate * row[fAge]
		row[fServerShare] = row[fAllShare]
		row[fServerVisits] = 0
		row[fServerRecent] = min(defaultRate*lately, 1)
		row[fServerRate] = defaultRate
		row[fServerSize] = 1
		row[fServerPast] = -1
		row[fServerGone] = 0
	case WithoutAll:
		row[fAllShare] = min(defaultRate*row[fAge], 1)
		row[fAllVisits] = 0
	case WithoutAddress:
		usualAddress.fill(row)
	case WithoutLinks:
		row[fDepth], row[fLinks] = usualDepth, usualLinks
	}
}
