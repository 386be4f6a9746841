package value

import (
	"math"
	"math/bits"
	"strings"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/estimator/perceptron"
	"github.com/recrawl/recrawl/sitegraph"
)

// The features of a page, by place in a row. Learnt parameters name them; to add one, add it
// here and to FeatureNames, and learn anew.
const (
	fAge = iota
	fOwnVisits
	fOwnExpected
	fOwnQuiet
	fOwnLast
	fOwnRecent
	fKnown
	fOwnFactor
	fExpected
	fShapeMass
	fShapeShare
	fShapeVisits
	fShapeRecent
	fShapeRate
	fShapeSize
	fShapePast
	fShapeGone
	fDirectoryMass
	fDirectoryShare
	fDirectoryVisits
	fDirectoryRate
	fDirectorySize
	fSectionMass
	fSectionShare
	fSectionVisits
	fSectionGone
	fServerMass
	fServerShare
	fServerVisits
	fServerRecent
	fServerRate
	fServerSize
	fServerPast
	fServerGone
	fAllShare
	fAllVisits
	fDepth
	fLinks
	fSegments
	fDigits
	fName
	fIndex
	fQuery
	fVersion
	fPooled
	fRates
	fHalfRates
	fWeekend
	Features
)

// Row is the features of a page, in the order of FeatureNames, and beside them what models are not
// asked by.
type Row = [Features + beside]float32

const (
	// promise is the place in a row of how many times as large the odds of a change are if the page
	// is one of the fast ones; see rateBelief.
	promise = Features + iota
	// meanRate is the place of the mean of the prior of the pooled rate; see simple.
	meanRate
	beside = iota // places after the features
)

// FeatureNames are for people.
var FeatureNames = [Features]string{
	fAge:             "days since its last visit",
	fOwnVisits:       "visits that compared it",
	fOwnExpected:     "its own rate",
	fOwnQuiet:        "days since it was seen to change",
	fOwnLast:         "what its last visit saw",
	fOwnRecent:       "its last weeks",
	fKnown:           "days it is known",
	fOwnFactor:       "its own changes beside those of its address shape",
	fExpected:        "changes expected of it and of its address shape",
	fShapeMass:       "change of its address shape since then",
	fShapeShare:      "share changed of its address shape since then",
	fShapeVisits:     "visits to its address shape since then",
	fShapeRecent:     "share changed of its address shape lately",
	fShapeRate:       "long-run rate of its address shape",
	fShapeSize:       "pages of its address shape",
	fShapePast:       "its address shape in an earlier span of this length",
	fShapeGone:       "share gone of its address shape lately",
	fDirectoryMass:   "change of its directory since then",
	fDirectoryShare:  "share changed of its directory since then",
	fDirectoryVisits: "visits to its directory since then",
	fDirectoryRate:   "long-run rate of its directory",
	fDirectorySize:   "pages of its directory",
	fSectionMass:     "change of its section since then",
	fSectionShare:    "share changed of its section since then",
	fSectionVisits:   "visits to its section since then",
	fSectionGone:     "share gone of its section lately",
	fServerMass:      "change of its server since then",
	fServerShare:     "share changed of its server since then",
	fServerVisits:    "visits to its server since then",
	fServerRecent:    "share changed of its server lately",
	fServerRate:      "long-run rate of its server",
	fServerSize:      "pages of its server",
	fServerPast:      "its server in an earlier span of this length",
	fServerGone:      "share gone of its server lately",
	fAllShare:        "share changed of all servers since then",
	fAllVisits:       "visits to all servers since then",
	fDepth:           "links from the start page",
	fLinks:           "links on it",
	fSegments:        "segments of its path",
	fDigits:          "digits in its path",
	fName:            "length of its name",
	fIndex:           "index page",
	fQuery:           "parameters in its address",
	fVersion:         "version, API or archive in its path",
	fPooled:          "changes expected by its pooled rate",
	fRates:           "log odds of a change by its own past",
	fHalfRates:       "log odds of a change by its own past, trusted half",
	fWeekend:         "share of weekends since its last visit",
}

// Inputs are how nets see the features: most on two scales, since what a small number tells and
// what a large one tells lie far apart.
func Inputs() (all []perceptron.Input) {
	for f, forms := range featureForms {
		for _, form := range forms {
			all = append(all, perceptron.Input{Feature: uint8(f), Form: form})
		}
	}
	return all
}

var (
	asCount = []perceptron.Form{perceptron.Count}
	asMass  = []perceptron.Form{perceptron.Count, perceptron.Rate}
	asPast  = []perceptron.Form{perceptron.Count, perceptron.Rate, perceptron.Missing}
	asShare = []perceptron.Form{perceptron.Plain, perceptron.Odds}
	asMark  = []perceptron.Form{perceptron.Plain}
)

var featureForms = [Features][]perceptron.Form{
	fAge:             asCount,
	fOwnVisits:       asCount,
	fOwnExpected:     asMass,
	fOwnQuiet:        asCount,
	fOwnLast:         {perceptron.Plain, perceptron.Missing},
	fOwnRecent:       asShare,
	fKnown:           asCount,
	fOwnFactor:       asCount,
	fExpected:        asMass,
	fShapeMass:       asMass,
	fShapeShare:      asShare,
	fShapeVisits:     asCount,
	fShapeRecent:     asShare,
	fShapeRate:       asMass,
	fShapeSize:       asCount,
	fShapePast:       asPast,
	fShapeGone:       asShare,
	fDirectoryMass:   asMass,
	fDirectoryShare:  asShare,
	fDirectoryVisits: asCount,
	fDirectoryRate:   asMass,
	fDirectorySize:   asCount,
	fSectionMass:     asMass,
	fSectionShare:    asShare,
	fSectionVisits:   asCount,
	fSectionGone:     asShare,
	fServerMass:      asMass,
	fServerShare:     asShare,
	fServerVisits:    asCount,
	fServerRecent:    asShare,
	fServerRate:      asMass,
	fServerSize:      asCount,
	fServerPast:      asPast,
	fServerGone:      asShare,
	fAllShare:        asShare,
	fAllVisits:       asCount,
	fDepth:           asCount,
	fLinks:           asCount,
	fSegments:        asCount,
	fDigits:          asMark,
	fName:            asCount,
	fIndex:           asMark,
	fQuery:           asMark,
	fVersion:         asMark,
	fPooled:          asMass,
	fRates:           asMark,
	fHalfRates:       asMark,
	fWeekend:         asMark,
}

// lately is the span of recent shares, in days.
const lately = 3

// row fills a row with the features of a page at a moment in days.
func (k *groupIndex) row(p sitegraph.PageID, now float32, row *Row) {
	k.rowOfGroups(p, now, row)
	k.rowOfPage(p, now, row)
}

// alike reports whether two pages have the same rowOfGroups: they are in the same groups, and were
// last visited at once.
func (k *groupIndex) alike(p, q sitegraph.PageID) bool {
	a, b := &k.pages[p], &k.pages[q]
	return a.membership == b.membership && a.part == b.part && a.last == b.last
}

// rowOfGroups fills in what visits to the groups of a page tell.
func (k *groupIndex) rowOfGroups(p sitegraph.PageID, now float32, row *Row) {
	of := k.groupsOf(p)
	r := k.rates(of)
	last := min(k.day(k.pages[p].last), now) // it is later where the clock was ahead
	age := now - last

	inAll := k.all.since(last, now, r.all)
	inServer := of.server.since(last, now, r.server)
	inSection := of.section.since(last, now, r.section)
	inDirectory := of.directory.since(last, now, r.directory)
	inShape := of.shape.since(last, now, r.shape)

	row[fAge] = age
	allShare := inAll.share(min(r.all*age, 1))
	serverShare := inServer.share(min(allShare, 1))
	sectionShare := inSection.share(serverShare)
	row[fShapeMass] = inShape.mass
	row[fShapeShare] = inShape.share(sectionShare)
	row[fShapeVisits] = inShape.visits
	row[fShapeRecent] = of.shape.recent(now, r.shape)
	row[fShapeRate] = r.shape
	row[fShapeSize] = float32(of.shape.pages)
	row[fShapePast] = of.shape.before(last, now, age, inShape.mass, r.shape)
	row[fDirectoryMass] = inDirectory.mass
	row[fDirectoryShare] = inDirectory.share(sectionShare)
	row[fDirectoryVisits] = inDirectory.visits
	row[fDirectoryRate] = r.directory
	row[fDirectorySize] = float32(of.directory.pages)
	row[fSectionMass] = inSection.mass
	row[fSectionShare] = sectionShare
	row[fSectionVisits] = inSection.visits
	row[fServerMass] = inServer.mass
	row[fServerShare] = serverShare
	row[fServerVisits] = inServer.visits
	row[fServerRecent] = of.server.recent(now, r.server)
	row[fServerRate] = r.server
	row[fServerSize] = float32(of.server.pages)
	row[fServerPast] = of.server.before(last, now, age, inServer.mass, r.server)
	row[fServerGone], row[fSectionGone], row[fShapeGone] = of.gone()
	row[fAllShare] = allShare
	row[fAllVisits] = inAll.visits
	row[fWeekend] = weekendShare(now-age, now)
	row[meanRate] = of.directory.pooledRate(of.server.pooledRate(k.all.pooledRate(defaultRate)))
}

// rowOfPage fills in the rest: what is known of the page itself, beside its groups.
func (k *groupIndex) rowOfPage(p sitegraph.PageID, now float32, row *Row) {
	h := &k.corpus.Memory(p).History
	shapeRate := row[fShapeRate]
	looks, watched := max(int(h.Visits)-1, 0), inDays(h.Last-h.Epoch)
	row[fOwnVisits] = float32(looks)
	row[fOwnExpected] = ownRate(h, shapeRate) * row[fAge]
	row[fOwnQuiet] = 999
	if h.LastChange > 0 {
		row[fOwnQuiet] = now - k.day(h.LastChange)
	}
	row[fOwnLast] = -1
	if h.Visits > 1 {
		row[fOwnLast] = 0
		if h.LastChange == h.Last {
			row[fOwnLast] = 1
		}
	}
	row[fOwnRecent] = (float32(bits.OnesCount32(h.WeeksChanged&0xfff)) +
		0.1) / (float32(bits.OnesCount32(h.WeeksSeen&0xfff)) + 1)
	row[fKnown] = now - k.day(h.Epoch)
	// A visit sees one of several changes: pages that change from visit to visit would seem slower
	// than they are.
	rate := estimator.BiasReduced(int(h.Changes), looks, float64(watched))
	row[fOwnFactor] = factor(float32(rate)*watched, watched*shapeRate)
	expect(row)
	k.simple(h, k.times.passed(k.corpus.Graph.Server(p), now-row[fAge], now), row)

	row[fDepth] = k.depth(p)
	row[fLinks] = float32(len(k.corpus.Graph.Links(p)))
	k.pages[p].traits.fill(row)
}

// ownRate is the changes a day of a page, pulled toward the rate of its like.
func ownRate(h *sitegraph.History, rate float32) float32 {
	const days = 30
	return (float32(h.Changes) + days*rate) / (inDays(h.Last-h.Epoch) + days)
}

// expect fills in what follows from two others: a page's own factor, and the change of its shape.
func expect(row *Row) { row[fExpected] = row[fOwnFactor] * row[fShapeMass] }

// factor is how many times as often a page changes as was to be expected of its like: the mean of a
// gamma distribution of shape 1/2 and mean 1, after so many changes where so many were expected (a
// random effect).
func factor(changes, expected float32) float32 {
	const shape = 0.5 // pages of one shape differ much
	return (changes + shape) / (expected + shape)
}

// depth is in links from the start page, one more than any where none lead.
func (k *groupIndex) depth(p sitegraph.PageID) float32 {
	if d := k.corpus.Graph.Depth(p); d > 0 {
		return float32(d)
	}
	return sitegraph.MaxDepth + 1
}

// recent is the share of visits in the last days that saw a change, pulled toward the rate.
func (e *evidence) recent(now, rate float32) float32 {
	s := e.since(now-lately, now, rate)
	return s.share(min(rate*lately, 1))
}

// before is the change mass of a span as long as age, which ended at a moment; since is that from
// then to now.
func (e *evidence) before(end, now, age, since, rate float32) float32 {
	if len(e.spans) == 0 || e.start >= end {
		return -1
	}
	return e.since(max(end-age, e.start), now, rate).mass - since
}

// addressTraits are what an address alone tells, 4 bytes a page.
type addressTraits struct {
	segments, name uint8
	digits         uint8 // share, in 255ths
	flags          uint8
}

const (
	flagIndex = 1 << iota
	flagQuery
	flagVersion
)

// pathOf is the path of an address, and whether a query follows it.
func pathOf(url string) (path string, query bool) {
	path = url
	if i := strings.Index(path, "://"); i >= 0 {
		path = path[i+3:]
	}
	if i := strings.IndexByte(path, '/'); i >= 0 {
		path = path[i:]
	}
	path, _, query = strings.Cut(path, "?")
	return path, query
}

func traitsOf(url string) addressTraits {
	path, query := pathOf(url)
	digits := 0
	for i := range len(path) {
		if '0' <= path[i] && path[i] <= '9' {
			digits++
		}
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	l := addressTraits{segments: uint8(min(strings.Count(path, "/"), 255)),
		name:   uint8(min(len(name), 255)),
		digits: uint8(255 * digits / max(len(path), 1))}
	if name == "" || strings.HasPrefix(name, "index.") {
		l.flags |= flagIndex
	}
	if query {
		l.flags |= flagQuery
	}
	if hasWord(path) {
		l.flags |= flagVersion
	}
	return l
}

func (l addressTraits) fill(row *Row) {
	row[fSegments] = float32(l.segments)
	row[fDigits] = float32(l.digits) / 255
	row[fName] = float32(l.name)
	row[fIndex] = float32(l.flags & flagIndex)
	row[fQuery] = float32(l.flags & flagQuery)
	row[fVersion] = float32(l.flags & flagVersion)
}

// frozenWords name parts of sites that are made by programs.
var frozenWords = []string{"/api", "/javadoc", "/apidocs", "/archive", "/tag", "/category", "/v0",
	"/v1", "/v2", "/0.", "/1.", "/2.", "/3.", "/old"}

func hasWord(path string) bool {
	for _, w := range frozenWords {
		if strings.Contains(path, w) {
			return true
		}
	}
	return false
}

// simple fills in what plain estimators expect of a page since its last visit. One is a gamma
// posterior of its rate, whose prior has the rate of the page's directory for its mean, which is
// pulled toward that of its server, and that toward that of all (empirical Bayes; partial pooling).
// Priors count in changes, not in days, so that webs of any pace are treated alike. The others are
// those of rateBelief. age is that of its copy in days, by the hours at which its server changes.
func (k *groupIndex) simple(h *sitegraph.History, age float32, row *Row) {
	row[fPooled] = expectedChanges(float32(h.Changes), inDays(h.Last-h.Epoch), row[meanRate], age)
	odds, more := k.beliefs.logOdds(h, age)
	row[fRates], row[fHalfRates] = odds[trustWhole], odds[trustHalf]
	row[promise] = more
}

// pooledRate is the changes a day of the pages of a group, pulled toward that of a larger group,
// which counts as two changes.
func (e *evidence) pooledRate(parent float32) float32 {
	const changes = 2
	return (e.changes + changes) / (e.days + changes/parent)
}

// expectedChanges is x in P(changed) = 1 - exp(-x) within age, for a rate with a gamma posterior:
// a prior of shape 1/2 and a mean rate, and so many changes in so many days.
func expectedChanges(changes, days, mean, age float32) float32 {
	const shape = 0.5
	return (changes + shape) * float32(math.Log1p(float64(age/(days+shape/mean))))
}

// weekendShare is the part of a span of days, by a clock, that fell on Saturdays and Sundays (UTC),
// of its last two weeks if it is longer.
func weekendShare(from, to float32) float32 {
	const most = 14
	from = max(from, to-most)
	if !(to > from) {
		return 0
	}
	return (weekends(to) - weekends(from)) / (to - from)
}

// weekends is how many days of weekends there were from a Thursday, as 1970-01-01 and the origin of
// every clock are, to a moment.
func weekends(day float32) float32 {
	week := float32(math.Floor(float64(day) / 7))
	in := day - 7*week // days since Thursday
	return 2*week + min(max(in-2, 0), 2)
}
