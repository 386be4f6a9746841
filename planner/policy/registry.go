package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/planner/sites"
	"github.com/recrawl/recrawl/sitegraph"
)

// constructor makes a policy of the registry.
type constructor struct {
	make   func(Settings) planner.Policy
	origin origin
	about  string // what it visits, in one line
}

// origin is the source of a policy.
type origin uint8

const (
	originUnknown origin = iota
	published            // a published method, faithful to its source, or a plain control
	own                  // of this project
	reference            // knows the future: a line to compare with, in evaluations only
)

// policies is the registry. To add a policy, add a line; see the package comment.
var policies = map[string]constructor{
	"random":        {newRandom, published, "pages in seeded random order"},
	"breadth-first": {newBreadthFirst, published, "pages by depth from the start page"},
	"interval": {newInterval, published,
		"pages when the interval of [SAT eq. 1] is over, earliest due first"},
	"ebayes": {newEBayes, published,
		"highest probability of change, gamma-Poisson with the prior of all pages"},
	Default: {func(s Settings) planner.Policy { return newSites(s, 0) }, own,
		"samples of quiet servers, then pages by worth, the top of a site that is due before its " +
			"members, by all that was seen of them and their sites (default)"},
	"clairvoyant": {newClairvoyant, reference, "reference line: knows what changed"},

	"uniform": {newUniform, published, "oldest copy first: all pages equally often"},
	"gamma":   {newGamma, published, "highest gamma of [NICT eq. 1], intervals of [SAT eq. 1]"},
	"poisson": {newPoisson, published,
		"highest probability of change by the smoothed maximum-likelihood rate"},
	"cho-biased": {newChoBiased, published,
		"highest probability of change by the bias-reduced rate (Cho and Garcia-Molina 2003)"},
	"lln": {newLLN, published,
		"highest probability of change by the law-of-large-numbers rate (Avrachenkov et al. 2020)"},
	"sa": {newSA, published,
		"highest probability of change by the stochastic-approximation rate (Avrachenkov et " +
			"al. 2020)"},
	"hier": {newHier, published,
		"as ebayes, with priors of directories within servers within all pages"},
	"whittle": {newWhittle, published,
		"highest Whittle index: what a visit now is worth beyond one tomorrow; rates of ebayes"},
	"longevity": {newLongevity, published,
		"highest utility of a refresh, one threshold for all (Olston and Pandey 2008)"},
	"gp4c": {newGP4C, published,
		"a score found by genetic programming (Santos et al. 2015): rate squared times age, and " +
			"recent changes"},
	"ncis": {newNCIS, published, "highest crawl value with noisy change signals of feeds " +
		"and sitemaps; without them by the rate (Busa-Fekete et al. 2025)"},
	"true-rates": {newTrueRates, reference,
		"reference line: highest probability of change by the true long-run rate"},

	"freshness": {newFreshness, published,
		"at the intervals of optimal freshness (Cho and Garcia-Molina 2003), rates of poisson"},
	"lambdacrawl": {newLambdaCrawl, published,
		"at the frequencies of LambdaCrawl (Kolobov et al. 2019), rates of poisson"},
	"binary-lambdacrawl": {newBinaryLambdaCrawl, published,
		"at the frequencies of BinaryLambdaCrawl (Azar et al. 2018), rates of poisson"},
	"true-freshness": {newTrueFreshness, reference,
		"reference line: at the intervals of optimal freshness, true long-run rates"},

	"nutch": {newNutch, published,
		"when the interval is over: times 0.8 after a change, 1.4 without (Apache Nutch)"},
	"stormcrawler": {newStormCrawler, published,
		"when the interval is over: times 0.5 after a change, 1.5 without, two weeks at most " +
			"(StormCrawler)"},
	"nutch-default": {newFixed(30 * planner.Day), published,
		"30 days after the last visit, whatever was seen (Apache Nutch, default schedule)"},
	"stormcrawler-default": {newFixed(planner.Day), published,
		"a day after the last visit, whatever was seen (StormCrawler, default scheduler)"},
	"changedetection": {newFixed(3 * time.Hour), published,
		"three hours after the last visit, whatever was seen (changedetection.io)"},
	"firecrawl-daily": {newCalendar(planner.Day), published,
		"all pages at the start of each day (Firecrawl, a daily monitor)"},
	"calendar-weekly": {newCalendar(week), published,
		"all pages at the start of each week (Heritrix, Browsertrix)"},
	"calendar-monthly": {newCalendar(30 * planner.Day), published,
		"all pages at the start of each 30 days (Heritrix, Browsertrix)"},
	"norconex": {newNorconex, published,
		"when the sitemap says so; without one at a fixed interval (Norconex)"},
	"commoncrawl": {newCommonCrawl, published,
		"highest generator score: page score, days unfetched and unlinked, last outcome " +
			"(Common Crawl)"},

	"cho-greedy": {newChoGreedy, published,
		"sqrt(n) samples a server, then whole servers by their samples (Cho and Ntoulas 2002)"},
	"cho-adaptive": {newChoAdaptive, published,
		"like cho-greedy, sampling until a server differs from the last that the budget reaches"},
	"tan-mitra": {newTanMitra, published,
		"samples of clusters of like pages, then whole clusters by their samples (Tan and " +
			"Mitra 2010)"},

	"a": {newBySite("a"), published,
		"directory tops first; members only of sites whose top changed [LINK 4.1]"},
	"b": {newBySite("b"), published,
		"as a, with sites by links inside directories, direct members [LINK 4.2]"},
	"b-closure": {newBySite("b-closure"), published,
		"as b, with all members reached inside the directory"},
	"c": {newBySite("c"), published,
		"as b; a site is checked only if the top of an upper site changed [LINK 4.3]"},
	"c-closure": {newBySite("c-closure"), published, "as c, on the sites of b-closure"},
	"c-then-b":  {newBySite("c-then-b"), published, "c, and then what b would add [LINK 7]"},
	"c-then-b-closure": {newBySite("c-then-b-closure"), published,
		"c-closure, and then what b-closure would add"},

	"prefix": {newBySite("prefix"), own,
		"as a, with sites by path prefixes that hold enough pages"},
	"shape": {newBySite("shape"), own,
		"as a, with sites by address shape: digits folded, names starred"},
	"community": {newBySite("community"), own, "as a, with sites by communities of links"},
	"auto": {newBySite("auto"), own,
		"as a, with the division that predicts each server's past co-change best"},

	"sentinel-a": {newBySite("sentinel-a"), own,
		"sites of a, tops chosen by how well their past changes predicted their sites"},
	"sentinel-prefix": {newBySite("sentinel-prefix"), own, "the same on the sites of prefix"},
	"sentinel-shape":  {newBySite("sentinel-shape"), own, "the same on the sites of shape"},
	"sentinel-community": {newBySite("sentinel-community"), own,
		"the same on the sites of community"},
	"sentinel-auto": {newBySite("sentinel-auto"), own, "the same on the sites of auto"},

	"server-true": {newByServer(ratingTrue, ""), reference,
		"reference line: whole servers by their true change rate [LINK 6]"},
	"server-previous": {newByServer(ratingPrevious, ""), published,
		"whole servers by their change rate in the window before"},
	"server-sample": {newByServer(ratingSample, ""), published,
		"a few sampled pages a server, then whole servers by the samples' rate (Cho and " +
			"Ntoulas 2002)"},
}

func init() {
	for _, name := range Variants() {
		part := WithoutPart(name)
		policies[name] = constructor{func(s Settings) planner.Policy {
			if part == "lag" {
				s.Lag = 0
			}
			off, _ := sites.ParsePart(part)
			return newSites(s, off)
		}, own, Default + " without one part (" + part + "), to evaluate that part"}
	}
	for _, name := range ForObjectives() {
		policies[name] = constructor{func(s Settings) planner.Policy {
			s.Objective, _ = ObjectiveOf(name)
			return newSites(s, 0)
		}, own, Default + " by the objective " + name[strings.LastIndexByte(name, '-')+1:]}
	}
	for _, m := range []string{"a", "b", "b-closure", "c", "c-closure"} {
		policies["server-true+"+m] = constructor{newByServer(ratingTrue, m), reference,
			"reference line: server-true, with " + m + " inside each server"}
		policies["server-sample+"+m] = constructor{newByServer(ratingSample, m), published,
			"server-sample, with " + m + " inside each server"}
		policies["server-previous+"+m] = constructor{newByServer(ratingPrevious, m), published,
			"server-previous, with " + m + " inside each server"}
	}
}

// Default is the policy of run without the option --policy.
const Default = "sites"

// variantOf is the prefix of the names of Variants, variantFor of those of ForObjectives.
const (
	variantOf  = Default + "-without-"
	variantFor = Default + "-for-"
)

// ForObjectives returns the names of the default policy with each objective but its own.
func ForObjectives() (names []string) {
	for _, name := range preferences.Objectives[1:] {
		names = append(names, variantFor+name)
	}
	return names
}

// ObjectiveOf returns the objective of a policy of ForObjectives; false for any other.
func ObjectiveOf(policy string) (preferences.Objective, bool) {
	name, isFor := strings.CutPrefix(policy, variantFor)
	o, err := preferences.ParseObjective(name)
	return o, isFor && err == nil
}

// ofSearch names settings of a search that the default policy can also lack like a part: the
// weights of pages, which evaluations then do not set, and the lag.
var ofSearch = []string{"weights", "lag"}

// Variants returns the names of the default policy without one part, for each part.
func Variants() (names []string) {
	for _, part := range slices.Concat(sites.PartNames, ofSearch) {
		names = append(names, variantOf+part)
	}
	return names
}

// WithoutPart returns the part that one of Variants lacks; "" for any other policy.
func WithoutPart(policy string) string {
	if slices.Contains(Variants(), policy) {
		return policy[len(variantOf):]
	}
	return ""
}

// Names returns the names of all policies, sorted.
func Names() []string {
	names := make([]string, 0, len(policies))
	for name := range policies {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// WithWorth returns those of LiveNames that give the worth of a visit.
func WithWorth() []string {
	return slices.DeleteFunc(LiveNames(), func(name string) bool { return !GivesWorth(name) })
}

// LiveNames returns the names of the policies that can decide visits on the live web: they need not
// know the future, and lack no part.
func LiveNames() []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		return Reference(name) || WithoutPart(name) != ""
	})
}

// Info describes a policy.
type Info struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`  // published, own or reference
	About string `json:"about"` // what it visits
	// When says when to choose it for the live web; "": it is for evaluations.
	When string `json:"when,omitempty"`
}

var originNames = map[origin]string{published: "published", own: "own", reference: "reference"}

// All describes all policies, sorted by name.
func All() (all []Info) {
	for _, name := range Names() {
		of := policies[name]
		info := Info{Name: name, Kind: originNames[of.origin], About: of.about}
		for _, choice := range Choices {
			if choice.Name == name {
				info.When = choice.When
			}
		}
		all = append(all, info)
	}
	return all
}

// Published reports whether a policy is a published method, and no reference line.
func Published(name string) bool { return policies[name].origin == published }

// Reference reports whether a policy is a reference line: it knows the future, and works in
// evaluations only.
func Reference(name string) bool { return policies[name].origin == reference }

// Want returns the names to use instead of an unknown one.
func Want(unknown string) string {
	if unknown == "value" {
		return Default + ", which has taken its place"
	}
	return "one that recrawl policies lists, or a program, such as exec:./mine.py"
}

// ofProgram is the prefix of the name of a policy that is a program: the rest is its command.
const ofProgram = "exec:"

// IsProgram reports whether a policy is a program of the user, which is in no list.
func IsProgram(name string) bool { return strings.HasPrefix(name, ofProgram) }

// Command returns the command of a policy that is a program, and its arguments.
func Command(name string) []string { return strings.Fields(strings.TrimPrefix(name, ofProgram)) }

// stead decides if a program fails in a live crawl.
const stead = "ebayes"

// newProgram returns a policy that a program decides.
func newProgram(name string, s Settings) (planner.Policy, error) {
	if s.Programs == nil {
		return nil, fmt.Errorf("policy %s: a program decides in eval, run, node, plan, explain "+
			"and serve", name)
	}
	return NewProgram(ProgramOptions{ProgramHost: s.Programs, Command: Command(name),
		Pages: s.Pages,
		Mode:  s.Mode, Seed: s.Seed, PerDay: s.PerDay, Fallback: newEBayes(s), Name: stead})
}

// New returns a policy by name.
func New(name string, s Settings) (planner.Policy, error) {
	c, ok := policies[name]
	switch {
	case IsProgram(name):
		return newProgram(name, s)
	case !ok:
		return nil, fmt.Errorf("unknown policy %q: want %s", name, Want(name))
	case Reference(name) && (s.Oracle == nil || strings.HasPrefix(name, "true-") &&
		s.TrueRate == nil):
		return nil, fmt.Errorf("policy %s knows the future: it works in evaluations only", name)
	case s.Mode != planner.Sweep && s.Mode != planner.Stream:
		return nil, fmt.Errorf("policy %s: mode is neither sweep nor stream", name)
	}
	return c.make(s), nil
}

// Own reports whether a policy is the default one, with any objective, or one of Variants.
func Own(policy string) bool {
	_, isFor := ObjectiveOf(policy)
	return policy == Default || isFor || WithoutPart(policy) != ""
}

// GoesByClaims reports whether a policy uses the claims of feeds and sitemaps.
func GoesByClaims(policy string) bool {
	return policy == "norconex" || policy == "ncis" || Own(policy) &&
		WithoutPart(policy) != "claims"
}

// GivesWorth reports whether a policy has probabilities of change, and so the worth of each visit.
func GivesWorth(name string) bool {
	p, err := New(name, Settings{
		Pages:    planner.NewPages(sitegraph.NewGraph()),
		Mode:     planner.Stream,
		Oracle:   func(sitegraph.PageID) bool { return false },
		TrueRate: func(sitegraph.PageID) float64 { return 0 },
	})
	if err != nil {
		return false
	}
	switch p := p.(type) {
	case *greedy:
		switch p.scorer.(type) {
		case *commonCrawl, gp4c: // these have their own scores
			return false
		}
		return true
	case planner.Estimator, *clairvoyant:
		return true
	case *dueDriven:
		_, estimates := p.rule.(*byEstimate)
		return estimates
	}
	return false
}

// newSites returns the default policy with parts of it switched off.
func newSites(s Settings, off sites.Parts) planner.Policy {
	return sites.New(sites.Settings{Pages: s.Pages, Mode: s.Mode, Seed: s.Seed, PerDay: s.PerDay,
		GoneWorth: float32(s.GoneWorth), Objective: s.Objective,
		Lag: float32(estimator.Days(s.Lag)), Off: off})
}
