package preferences

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// WeightRule sets how much a changed page is worth to the user, for all pages whose address begins
// with a prefix. A prefix that ends in "$" is one address; "*" is every address.
type WeightRule struct {
	Prefix string
	Weight float64
}

// mostWeight keeps products of weights and values, and sums of them over all pages, within the
// range of numbers.
const mostWeight = 1e9

var errWeight = errors.New(
	"want ADDRESS=WEIGHT, such as https://example.com/news/=3; 0 is never, * every address, " +
		"$ at the end this page alone",
)

// ParseWeight parses "https://example.com/news/=3".
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
		return WeightRule{}, fmt.Errorf("%q is not the beginning of a URL: %w",
			address, errWeight)
	}
	if exact {
		canonical += "$"
	}
	return WeightRule{canonical, weight}, nil
}

// ParseWeights parses several rules; nil if there are none.
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

// Weights finds the weight of a URL: the weight of its longest prefix, or rest, multiplied by its
// weight in the list.
type Weights struct {
	listed *Listed // nil: none
	rules  byPrefix[float64]
	rest   float64 // of all others
	most   float64 // of all these
}

// NewWeights returns the weights by rules; nil without rules. Of two rules with one prefix the
// later counts.
func NewWeights(rules []WeightRule) *Weights {
	if len(rules) == 0 {
		return nil
	}
	w := &Weights{rest: 1}
	for _, r := range rules {
		if r.Prefix == "*" {
			w.rest = r.Weight
		} else {
			w.rules.set(r.Prefix, r.Weight)
		}
	}
	w.most = w.rest
	for _, x := range w.rules.of {
		w.most = max(w.most, x)
	}
	return w
}

// Times returns the weights multiplied by listed ones. w may be nil (no rules), and so may l (no
// list).
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

// Most returns the largest weight that a page may have.
func (w *Weights) Most() float64 { return w.most }

// ruled returns the weight by the rules alone.
func (w *Weights) ruled(url string) float64 {
	if x, ok := w.rules.find(url); ok {
		return x
	}
	return w.rest
}
