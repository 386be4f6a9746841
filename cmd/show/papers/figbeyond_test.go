package papers

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/figures"
)

// What is said of the own policies is said of the numbers.
func TestOutcome(t *testing.T) {
	b := figures.Beyond{Rival: "c", Servers: make([]figures.ServerRow, figures.LeastServers)}
	for _, policy := range figures.SitePolicies {
		b.Methods = append(
			b.Methods,
			figures.Own{Policy: policy, Better: 9, Difference: figures.Interval{1, 2}},
		)
	}
	nan := eval.Number(math.NaN())
	for i, policy := range figures.OwnPolicies {
		b.Methods = append(b.Methods, []figures.Own{
			{Policy: policy, Better: 3, Worse: 2, Difference: figures.Interval{0.01, 0.2}},
			{Policy: policy, Better: 2, Worse: 2, Difference: figures.Interval{-0.1, 0.2}},
			{Policy: policy, Better: 1, Worse: 2, Difference: figures.Interval{-0.2, -0.1}},
			{Policy: policy, Better: 1, Worse: 2, Difference: figures.Interval{nan, nan}},
		}[min(i, 3)])
	}
	text := outcome(&b)
	for _, want := range []string{"better on more servers than worse: prefix (3 to 2); worse on " +
		"more than better: community (1 to 2), auto (1 to 2)", "as many: shape (2 to 2).",
		"difference to c lies above 0 for prefix; contains 0 for shape; lies below 0 for community."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	b.Servers = b.Servers[1:]
	if text := outcome(&b); !strings.Contains(text, "Fewer than 5 servers") {
		t.Errorf("of four servers %q", text)
	}
}

// A policy's servers are named from the largest difference on, five of them.
func TestServersNamed(t *testing.T) {
	b := figures.Beyond{Weeks: 4}
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		gains := map[string]eval.Number{}
		for _, policy := range slices.Concat(figures.SitePolicies, figures.OwnPolicies) {
			gains[policy] = 0.5
		}
		gains["prefix"] = 0.5 + []eval.Number{-0.3, -0.009, 0.009, 0.1, 0.2, 0.3, 0.4, 0.45}[i]
		gains["shape"] = 0.4
		b.Servers = append(b.Servers, figures.ServerRow{Server: name + ".org", Pages: 9, Changed: 3,
			Gains: gains, BestLink: "a", BestOwn: "prefix"})
	}
	table := tableServers(&b)
	for _, want := range []string{"prefix: worse on 1 server: a.org (-0.30); better on 5 " +
		"servers: h.org (+0.45), g.org (+0.40), f.org (+0.30), e.org (+0.20), d.org (+0.10).",
		"shape: worse on 8 servers, by most on a.org (-0.10), b.org (-0.10), c.org (-0.10), " +
			"d.org (-0.10), e.org (-0.10); better on none.",
		"auto: worse on none; better on none."} {
		if !strings.Contains(table.Note, want) {
			t.Errorf("no %q in %q", want, table.Note)
		}
	}
	// Best mean of all own first; what is about the best of the row is marked.
	if len(table.Rows) != 8 ||
		!slices.Equal(table.Rows[0], []string{"h.org", "9", "3", "a", "0.500", "0.950*", "0.400",
			"0.500", "0.500", "0.500"}) ||
		!slices.Equal(table.Rows[6][3:7], []string{"a", "0.500*", "0.491*", "0.400"}) ||
		table.Rows[7][0] != "a.org" {
		t.Errorf("rows %q", table.Rows)
	}
}

// A few of many servers are named.
func TestButNot(t *testing.T) {
	if got := butNot([]string{"a", "b", "c", "d", "e", "f", "g"}); got != "; not a, b, c, d, e "+
		"and 2 more" {
		t.Errorf("of seven servers %q", got)
	}
}
