package planner

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// WeightRule says how much a changed page is worth to the user, for all pages whose address
// begins with a prefix. A prefix that ends in "$" is one address; "*" is every address.
type WeightRule struct {
	Prefix string
	Weight float64
}

// mostWeight keeps products of weights and values, and sums of them over all pages, far from
// the ends of the numbers.
const mostWeight = 1e9

var errWeight = errors.New(
	"want ADDRESS=WEIGHT, as https://example.com/news/=3; 0 is never, * every address, $ at the end this page alone",
)

// ParseWeight reads "https://example.com/news/=3".
func ParseWeight(text string) (WeightRule, error) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return WeightRule{}, errWeight
	}
	weight, err := strconv.ParseFloat(strings.TrimSpace(text[at+1:]), 64)
	if err != nil || !(weight >= 0 && weight <= mostWeight) {
		return WeightRule{}, errWeight
	}
	prefix := strings.TrimSpace(text[:at])
	if prefix == "*" {
		return WeightRule{prefix, weight}, nil
	}
	address, exact := strings.CutSuffix(prefix, "$")
	canonical, err := sitegraph.Canonical(address)
	if err != nil {
		return WeightRule{}, fmt.Errorf("%q is not the beginning of a web address: %w", address, errWeight)
	}
	if exact {
		canonical += "$"
	}
	return WeightRule{canonical, weight}, nil
}

// ParseWeights reads several rules; nil where there are none.
func ParseWeights(texts []string) (*Weights, error) {
	rules := make([]WeightRule, len(texts))
	for i, text := range texts {
		var err error
		if rules[i], err = ParseWeight(text); err != nil {
			return nil, err
		}
	}
	return NewWeights(rules), nil
}

// Weights finds the weight of an address: that of the longest prefix, 1 where none fits, times the
// listed one.
type Weights struct {
	listed  *Listed            // nil: none
	of      map[string]float64 // by prefix; exact ones end in "$"
	lengths []int              // of prefixes, longest first
	rest    float64            // of all others
	most    float64            // of all these
}

// NewWeights returns nil where there are no rules. Of two rules with one prefix the later counts.
func NewWeights(rules []WeightRule) *Weights {
	if len(rules) == 0 {
		return nil
	}
	w := &Weights{of: make(map[string]float64, len(rules)), rest: 1}
	for _, r := range rules {
		if r.Prefix == "*" {
			w.rest = r.Weight
			continue
		}
		w.of[r.Prefix] = r.Weight
		if !strings.HasSuffix(r.Prefix, "$") {
			w.lengths = append(w.lengths, len(r.Prefix))
		}
	}
	w.most = w.rest
	for _, x := range w.of {
		w.most = max(w.most, x)
	}
	slices.Sort(w.lengths)
	w.lengths = slices.Compact(w.lengths)
	slices.Reverse(w.lengths)
	return w
}

// Times returns the weights multiplied by listed ones. w may be nil, where there are no rules, and
// l, where nothing is listed.
func (w *Weights) Times(l *Listed) *Weights {
	if l == nil {
		return w
	}
	times := Weights{rest: 1, most: 1}
	if w != nil {
		times = *w
	}
	times.listed, times.most = l, times.most*max(l.most, LeastListed)
	return &times
}

// Of returns the weight of a canonical address. It costs a look-up for each length of prefix.
func (w *Weights) Of(url string) float64 {
	if w.listed != nil {
		return w.ruled(url) * max(w.listed.Of(url), LeastListed)
	}
	return w.ruled(url)
}

// ruled is the weight by the rules alone.
func (w *Weights) ruled(url string) float64 {
	if x, ok := w.of[url+"$"]; ok {
		return x
	}
	for _, n := range w.lengths {
		if n <= len(url) {
			if x, ok := w.of[url[:n]]; ok {
				return x
			}
		}
	}
	return w.rest
}

// SetWeights sets the user's weights; nil: 1 for all pages. Call it before the first round.
func (c *Corpus) SetWeights(w *Weights) {
	c.weights, c.weight, c.weightSum = w, nil, 0
	c.weigh()
}

// weigh finds the weights of pages that are new since the last call.
func (c *Corpus) weigh() {
	if c.weights == nil {
		return
	}
	for p := len(c.weight); p < len(c.pages); p++ {
		w := c.weights.Of(c.Graph.URL(sitegraph.PageID(p)))
		c.weight = append(c.weight, w)
		c.weightSum += w
	}
}

// Weight is how much a change of a page is worth to the user: 1 unless a rule says otherwise, 0
// for a page that is never to be fetched. Where there are rules it takes 8 bytes a page.
func (c *Corpus) Weight(p sitegraph.PageID) float64 {
	if c.weights == nil {
		return 1
	}
	return c.weight[p]
}

// Weighted reports whether there are rules, so that pages may have different weights.
func (c *Corpus) Weighted() bool { return c.weights != nil }

// heaviest is the largest weight that a page may have.
func (c *Corpus) heaviest() float64 {
	if c.weights == nil {
		return 1
	}
	return c.weights.most
}

// MeanWeight is that of all pages.
func (c *Corpus) MeanWeight() float64 {
	if c.weights == nil || len(c.weight) == 0 {
		return 1
	}
	return c.weightSum / float64(len(c.weight))
}
