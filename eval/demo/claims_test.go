package demo

import (
	"slices"
	"testing"

	"github.com/recrawl/recrawl/eval"
)

// TestDemoClaims checks that a policy has the same budget with and without feeds and sitemaps, each
// visit to one included. Without them it acts as in a replay. Claims of Last-Modified are true
// here.
func TestDemoClaims(t *testing.T) {
	t.Parallel()
	web := builtIn()
	tr := newTraveller(t, web)
	p := plan{policy: "sites", stream: eval.StreamOptions{Weeks: 6, Budget: 0.1, New: 0.25,
		Seed: 1}}
	r, err := tr.claims(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.There) != 2 || r.There[0].Kind != "sitemap" || r.There[0].Files == 0 ||
		r.There[1].Files == 0 || r.There[0].Servers > len(web.Servers()) {
		t.Errorf("there are %+v", r.There)
	}
	var policies []string
	for _, run := range r.Runs {
		policies = append(policies, run.Policy)
		of := run.Result
		if of.Fetched != r.Runs[0].Result.Fetched || of.Fetched != of.Sources+of.Refetched+
			of.NewFetched {
			t.Errorf("%s: fetched %d: %d from sources, %d again, %d for the first time",
				run.Policy, of.Fetched, of.Sources, of.Refetched, of.NewFetched)
		}
		if (of.Sources > 0) != run.Sources || (len(of.Claims) > 0) != run.Sources ||
			10*of.Sources > of.Fetched+10 {
			t.Errorf("%s, sources %v: %d visits to them, %+v", run.Policy, run.Sources, of.Sources,
				of.Claims)
		}
		for _, c := range of.Claims {
			if c.Kind == "last-modified" && (c.False > 0 || c.Missed > 0 || c.True != of.Changed ||
				c.Sources > 0) || c.True+c.False+c.Missed+c.Same == 0 {
				t.Errorf("%s: %+v, %d changed", run.Policy, c, of.Changed)
			}
		}
	}
	if !slices.Equal(policies, []string{"sites", "sites-without-claims", "sites", "sites"}) {
		t.Errorf("policies %v", policies)
	}
	replayed, err := tr.corpus.Stream(t.Context(), p.stream, []string{"sites"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := replayed.Results[0], r.Runs[2].Result; got.Changed != want.Changed ||
		got.Refetched != want.Refetched || got.Discovered != want.Discovered {
		t.Errorf("without sources %+v, by replay %+v", got, want)
	}
	with, without := r.Runs[0].Result, r.Runs[1].Result
	if slices.Equal(with.Claims, without.Claims) {
		t.Errorf("sites goes by no claim: %+v", with.Claims)
	}
	if got := claimsRuns("norconex"); len(got) != 3 {
		t.Errorf("%+v", got)
	}
}
