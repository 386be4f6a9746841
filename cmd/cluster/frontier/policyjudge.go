package frontier

import (
	"crypto/md5"
	"fmt"
	"strings"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// roundTime is how often the policy looks at all pages anew.
const roundTime = time.Hour

// mostLinks bounds the links that are taken from a page.
const mostLinks = 2000

// PolicyJudge ranks addresses by a policy.
//
// It takes the reports of a crawler as observations. Among due addresses, those of pages that have
// changed more probably come first.
//
// Each crawl has a graph of its own, with its judged pages and the links between them. The rounds
// of the policy are hours.
//
// # Guarantees
//
//  1. The policy that judges is the one that `recrawl run` executes and `recrawl eval` measures.
//  2. The record of a page (sitegraph.Record) is its evidence, which the frontier keeps. After a
//     restart the policy begins with the evidence of all pages. The links, and what it learnt from
//     them, are lost.
//  3. An address that has no canonical form is not judged. Addresses of one canonical form are one
//     page.
//
// With the default policy it takes about 280 bytes of memory for a judged page. A PolicyJudge is
// used by one goroutine at a time.
type PolicyJudge struct {
	policy string
	crawls map[string]*judgedCrawl
}

// judgedCrawl is what the policy knows of a crawl.
type judgedCrawl struct {
	graph     *sitegraph.Graph
	pages     *planner.Pages
	plan      *planner.Planner
	estimator planner.Estimator
	round     planner.Round
}

// NewPolicyJudge returns a judge by the name of a policy. The policy must estimate probabilities.
func NewPolicyJudge(name string) (*PolicyJudge, error) {
	j := &PolicyJudge{policy: name, crawls: map[string]*judgedCrawl{}}
	_, err := j.make()
	return j, err
}

func (j *PolicyJudge) make() (*judgedCrawl, error) {
	c := &judgedCrawl{graph: sitegraph.NewGraph()}
	c.pages = planner.NewPages(c.graph)
	ranking, err := policy.New(j.policy, policy.Settings{Pages: c.pages, Mode: planner.Stream,
		Seed: 1})
	if err != nil {
		return nil, err
	}
	var ok bool
	if c.estimator, ok = ranking.(planner.Estimator); !ok {
		return nil, fmt.Errorf("policy %s gives no probabilities by which URLs could be "+
			"ranked: choose another, such as %s",
			j.policy, policy.Default)
	}
	options := planner.LiveOptions()
	options.Name = j.policy
	c.plan = planner.New(c.pages, ranking, options)
	return c, nil
}

// of returns a crawl, and makes it if it is new.
func (j *PolicyJudge) of(name string) *judgedCrawl {
	c := j.crawls[name]
	if c == nil {
		c, _ = j.make() // New has made such a policy before
		j.crawls[name] = c
	}
	return c
}

// Forget drops a crawl.
func (j *PolicyJudge) Forget(name string) { delete(j.crawls, name) }

// page returns the page of an address, and false if the address has no canonical form.
func (c *judgedCrawl) page(raw string) (sitegraph.PageID, bool) {
	url, err := sitegraph.Canonical(raw)
	if err != nil {
		return 0, false
	}
	if p, ok := c.graph.Lookup(url); ok {
		return p, true
	}
	var p sitegraph.PageID
	if strings.Count(url, "/") == 3 && strings.HasSuffix(url, "/") {
		p = c.graph.AddStart(url)
	} else {
		p = c.graph.Add(url)
	}
	c.pages.Remember(&sitegraph.Record{Page: p, URL: url, State: sitegraph.StateNew})
	return p, true
}

// Remember takes in evidence of an earlier process, and leaves out evidence that it cannot read.
func (j *PolicyJudge) Remember(name, url string, evidence []byte) uint32 {
	c := j.of(name)
	r, ok := decodeEvidence(evidence)
	if !ok {
		return 0
	}
	p, ok := c.page(url)
	if !ok {
		return 0
	}
	r.Page, r.URL = p, c.graph.URL(p)
	c.pages.Remember(&r)
	return uint32(p) + 1
}

// begin begins the round of a moment.
func (c *judgedCrawl) begin(now time.Time) {
	if !c.round.End.IsZero() && now.Before(c.round.End) {
		return
	}
	if !c.round.End.IsZero() {
		c.round.Number++
	}
	c.round.Start = now.Truncate(roundTime)
	c.round.End = c.round.Start.Add(roundTime)
	c.round.Budget = planner.Unlimited
	c.plan.Begin(c.round)
}

// Learn takes in what a visit saw.
func (j *PolicyJudge) Learn(
	name, url string, o *Outcome, evidence []byte, now time.Time,
) (page uint32, kept []byte) {
	c := j.of(name)
	p, ok := c.page(url)
	if !ok {
		return 0, nil
	}
	c.begin(now)
	r, known := decodeEvidence(evidence)
	if !known {
		r = sitegraph.Record{State: sitegraph.StateNew}
	}
	r.Page, r.URL = p, c.graph.URL(p)
	r.NotAfter(now, sitegraph.WrongClock)
	verdict := r.Apply(observation(r.URL, o, now), sitegraph.ChangeByBytes)
	if o.Links != nil {
		c.graph.SetLinkIDs(p, c.known(o.Links), nil)
	}
	c.plan.Observe(&r, verdict)
	return uint32(p) + 1, encodeEvidence(&r)
}

// Interval returns the estimated time between changes of a page.
func (j *PolicyJudge) Interval(name string, page uint32, now time.Time) time.Duration {
	_, interval := j.of(name).plan.Due(sitegraph.PageID(page-1), now)
	return interval
}

// known returns the judged pages among addresses.
func (c *judgedCrawl) known(urls []string) (pages []sitegraph.PageID) {
	for _, raw := range urls[:min(len(urls), mostLinks)] {
		if url, err := sitegraph.Canonical(raw); err == nil {
			if p, ok := c.graph.Lookup(url); ok {
				pages = append(pages, p)
			}
		}
	}
	return pages
}

// observation makes an observation of the report of a crawler.
func observation(url string, o *Outcome, now time.Time) sitegraph.Observation {
	at := o.Time
	if at.IsZero() || at.After(now) {
		at = now
	}
	seen := sitegraph.Observation{URL: url, Time: at, Status: o.Status, Size: o.Size,
		LastModified: o.Modified}
	switch s := o.Status; {
	case s == 304:
		seen.Outcome = sitegraph.OutcomeNotModified
	case s >= 200 && s < 300, s == 0 && o.Digest != "":
		seen.Outcome = sitegraph.OutcomeFetched
		if o.Digest != "" {
			seen.Digests.Bytes = md5.Sum([]byte(o.Digest))
		}
	case s == 404 || s == 410:
		seen.Outcome = sitegraph.OutcomeGone
	case s >= 300 && s < 400:
		seen.Outcome, seen.RedirectTo = sitegraph.OutcomeRedirected, o.Location
	default:
		seen.Outcome = sitegraph.OutcomeFailed
	}
	return seen
}

// Worth returns the probability that the page has changed, times its weight.
func (j *PolicyJudge) Worth(name string, page uint32, now time.Time) float64 {
	c := j.of(name)
	c.begin(now)
	p := sitegraph.PageID(page - 1)
	return c.estimator.Probability(p, now) * c.pages.Weight(p)
}
