package value

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// A server looks rebuilt to a page where its visits since the page's last one, rebuiltLooks at
// least, leave rebuiltMass changes to expect of each page, and these came at once: several times
// what an equal span before saw, or most of them within a week. That is a new template, as a rule,
// behind 30 to 90 % of the changed bytes of real histories.
const (
	rebuiltMass   = 0.5
	rebuiltLooks  = 5
	rebuiltFactor = 3
	rebuiltWithin = 7 // days
	rebuiltPart   = 0.6
)

func (v *predictor) rebuilt(p sitegraph.PageID, row *Row) bool {
	mass, past := row[fServerMass], row[fServerPast]
	if row[fServerVisits] < rebuiltLooks || mass < rebuiltMass {
		return false
	}
	if past >= 0 && mass > rebuiltFactor*past {
		return true
	}
	server := &v.groups.servers[v.Corpus.Graph.Server(p)]
	return row[fAge] >= 2*rebuiltWithin &&
		server.peak(v.groups.day(v.groups.pages[p].last), rebuiltWithin,
			row[fServerRate]) >= rebuiltPart*mass
}

// reason tells which evidence is behind the probability of a page with this row.
// planner.Contributions tell more.
func (v *predictor) reason(p sitegraph.PageID, row *Row) planner.Reason {
	age := float64(row[fAge])
	switch {
	case v.rebuilt(p, row):
		return planner.Because(
			"its server looks rebuilt: %.0f visits since its own, %.3g days ago, make %.2g "+
				"changes of a page likely",
			float64(row[fServerVisits]),
			age,
			float64(row[fServerMass]),
		)
	case row[fShapeVisits] >= 2 && row[fShapeShare] >= 0.25 &&
		row[fShapeShare] > 1.5*row[fOwnExpected]:
		return planner.Because(
			"of %.0f visits to addresses like its own since its last, %.3g days ago, a share of "+
				"%.2f saw a change",
			float64(row[fShapeVisits]),
			age,
			float64(row[fShapeShare]),
		)
	case row[fDirectoryVisits] >= 2 && row[fDirectoryShare] >= 0.25 &&
		row[fDirectoryShare] > 1.5*row[fOwnExpected]:
		format := "of %.0f visits to its directory since its last, %.3g days ago, a share of " +
			"%.2f saw a change"
		if v.groups.directoryOf(p) != v.groups.pages[p].directory {
			format = "of %.0f visits to pages that changed when it did since its last, %.3g days " +
				"ago, a share of %.2f saw a change"
		}
		return planner.Because(
			format,
			float64(row[fDirectoryVisits]),
			age,
			float64(row[fDirectoryShare]),
		)
	}
	of := &v.groups.pages[p]
	showed := v.effects(p, of.last)
	if byName := v.byName(p, of.told); byName >= max(surprising, showed.total()) {
		found := of.told.counts()
		return because(
			"of %.0f visits to pages with a word of its name since its last, %.0f saw a change, "+
				"where %g were expected",
			found,
		)
	}
	if found, ok := showed.reason(); ok {
		return found
	}
	if row[fOwnVisits] >= 1 {
		return planner.Because(
			"%.2g changes of its own expected since its last visit, %.3g days ago; pages like "+
				"it: %.2g",
			float64(row[fOwnExpected]),
			age,
			float64(row[fShapeMass]),
		)
	}
	return planner.Because(
		"%.2g changes expected of addresses like its own since its only visit, %.3g days ago",
		float64(row[fShapeMass]),
		age,
	)
}

// surprising is a factor of the odds for what a server and an address shape showed that is worth
// saying.
const surprising = 2

// reason tells what visits found beyond what was expected; false: not enough to say so.
func (b effects) reason() (planner.Reason, bool) {
	server, both := b.factors()
	if both < surprising {
		return planner.Reason{}, false
	}
	found, format := b.server,
		"of %.0f visits to its server since its last, %.0f saw a change, where %g were expected"
	if ofShape := b.shapeBeyondServer(server); ofShape.ratio(shapePrior) > server {
		found, format = ofShape,
			"of %.0f visits to addresses like its own since its last, %.0f saw a change, where "+
				"%g were expected"
	}
	return because(format, found), true
}

// because tells of visits, of those that saw a change, and how many were expected to.
func because(format string, found counts) planner.Reason {
	return planner.Because(
		format,
		float64(found.visits),
		float64(found.changed),
		math.Round(100*float64(found.expected))/100,
	)
}

func (v *predictor) Explain(p sitegraph.PageID, at time.Time) planner.Contributions {
	var row Row
	v.Row(p, at, &row)
	c := planner.Contributions{Rebuilt: v.rebuilt(p, &row)}
	blend := v.model(p).blend(v.Mode)
	if blend == nil {
		c.Probability = v.Probability(p, at)
		c.Start = logOdds(c.Probability)
		return c
	}
	parts := make([]float32, Features)
	start := blend.Explain(row[:], parts)
	v.weighed(p, &row, parts, &start, &c)
	c.Start = float64(start)
	for i, x := range parts {
		if x != 0 {
			c.All = append(
				c.All,
				planner.Contribution{Evidence: FeatureNames[i], Value: float64(row[i]),
					LogOdds: float64(x)},
			)
		}
	}
	if h := v.hint(p); h.LogRatio != 0 {
		c.All = append(
			c.All,
			planner.Contribution{
				Evidence: "what a " + h.Kind.String() + " of its server claims",
				Value:    h.LogRatio,
				LogOdds:  h.LogRatio,
			},
		)
	}
	sum := c.Start
	for _, x := range c.All {
		sum += x.LogOdds
	}
	evident := logodds.Probability(float32(sum))
	showed, all := v.effects(p, v.groups.pages[p].last), v.effect(p)
	ofServer, ofGroups := showed.factors()
	for _, x := range [...]struct {
		name   string
		showed counts
		factor float32
	}{
		{"changes on its server since then beyond those expected", showed.server, ofServer},
		{"changes of its address shape since then beyond those expected of it and its server",
			showed.shapeBeyondServer(ofServer), ofGroups / ofServer},
		{"changes of pages with a word of its name since then beyond those expected",
			v.groups.pages[p].told.counts(), all / ofGroups},
	} {
		if x.factor != 1 {
			adds := math.Log(float64(x.factor))
			c.All = append(
				c.All,
				planner.Contribution{
					Evidence: x.name,
					Value:    float64(x.showed.changed - x.showed.expected),
					LogOdds:  adds,
				},
			)
			sum += adds
		}
	}
	before := float64(logodds.Probability(float32(sum)))
	believed := v.believed(v.model(p).curve(v.Mode).At(evident), all)
	c.Probability = min(max(float64(believed), 1e-6), 1-1e-6)
	if adds := logOdds(c.Probability) - sum; math.Abs(adds) > 1e-3 {
		c.All = append(
			c.All,
			planner.Contribution{
				Evidence: "what came of probabilities like this one",
				Value:    before,
				LogOdds:  adds,
			},
		)
	}
	c.Sort()
	return c
}

// weighed makes of what the features add to the log odds by the model, and of the start, what they
// add by all experts, and tells what these say. A sweep goes by the model alone.
func (v *predictor) weighed(p sitegraph.PageID, row *Row, parts []float32, start *float32,
	c *planner.Contributions) {
	if v.Mode == planner.Sweep {
		return
	}
	w := v.mixture.weights(v.Corpus.Graph.Server(p))
	learnt := *start
	for _, x := range parts {
		learnt += x
	}
	o := opinionsOf(row, learnt)
	adopted := v.inPlace.forest != nil
	w.complete(&o, v.inPlace.adds(row), adopted)
	model := w[expertModel]
	if adopted { // it adds to the model
		model += w[expertInPlace]
	} else {
		w = w.withoutInPlace()
		model = w[expertModel]
	}
	counts := model * experience(row[fAge])
	*start *= counts
	for i := range parts {
		parts[i] *= counts
	}
	if adopted {
		here := make([]float32, Features)
		*start += w[expertInPlace] * v.inPlace.forest.Explain(row[:Features], here)
		for i, x := range here {
			parts[i] += w[expertInPlace] * x
		}
	}
	plain := model / 3 // see plainLogOdds
	parts[fPooled] += (plain + w[expertPooled]) * o[expertPooled]
	parts[fRates] += (plain + w[expertRates]) * o[expertRates]
	parts[fHalfRates] += (plain + w[expertHalfRates]) * o[expertHalfRates]
	for k, name := range expertNames {
		if k == expertInPlace && !adopted {
			continue
		}
		c.Experts = append(c.Experts, planner.Expert{
			Name:        name,
			Weight:      float64(w[k]),
			Probability: float64(logodds.Probability(o[k])),
		})
	}
}

func logOdds(p float64) float64 { return math.Log(p / (1 - p)) }
