package eval

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/evaltest"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestSearchFreshness has three pages that are visited daily: one changes each tenth day and one
// dies. A search that shows visits after a lag is wrong for that many days after each change, and
// after the death. Each page counts by its weight.
func TestSearchFreshness(t *testing.T) {
	version := func(at int64, content string, links ...string) history.Version {
		return history.Version{T: at,
			Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte(content))}, Links: links,
			LinksKnown: true}
	}
	const top, often, dies = "http://a.example/", "http://a.example/often", "http://a.example/dies"
	t0 := history.WorldEpoch.Unix()
	page := evaltest.Page(often, version(t0, "0"))
	for d := int64(10); d < 140; d += 10 {
		page.Versions = append(page.Versions, version(t0+d*86400-3600, strings.Repeat("x", int(d))))
	}
	servers := []*history.Server{evaltest.Server("a.example", t0,
		evaltest.Page(top, version(t0, "top", often, dies)), page,
		evaltest.Page(dies, version(t0, "dies"), evaltest.Gone(t0+70*86400-3600)))}
	c, err := NewDataset(t.Context(), servers, Options{Base: week})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := preferences.ReadListed(strings.NewReader("2 " + often + "\n1 *\n"))
	if err != nil {
		t.Fatal(err)
	}
	const weeks, days = 18, 18 * 7.
	changes, deathDay := 13., 63. // in these weeks; after the base
	for _, of := range []struct {
		lag    int
		listed *preferences.Listed
		heavy  float64
	}{{0, nil, 1}, {1, nil, 1}, {3, nil, 1}, {3, listed, 2}} {
		run, err := c.Stream(t.Context(), StreamOptions{Weeks: weeks, Budget: 1, Seed: 1,
			Lag: time.Duration(of.lag) * day, Listed: of.listed, Search: true}, []string{"uniform"},
			nil)
		if err != nil {
			t.Fatal(err)
		}
		// Until the page that dies is found gone there are three, then two.
		lag := float64(of.lag)
		all, both := of.heavy+2, of.heavy+1
		before := 0. // changes while there are three
		for d := 3.; d < deathDay; d += 10 {
			before++
		}
		wrong := before*lag*of.heavy/all + (changes-before)*lag*of.heavy/both + lag/all
		if of.lag > 0 { // the death falls on a change: these days have both
			wrong += lag*(of.heavy/all) - lag*(of.heavy/both)
		}
		want := 1 - wrong/days
		if got := float64(run.Results[0].SearchFreshness); math.Abs(got-want) > 1e-9 {
			t.Errorf("lag %d days, weight %g: %.6f, want %.6f (%g wrong days)",
				of.lag, of.heavy, got, want, wrong)
		}
	}
}
