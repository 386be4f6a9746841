package eval

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval/evaltest"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore/crashtest"
	"github.com/recrawl/recrawl/sitegraph"
)

const daySeconds = 86400

var (
	seeds, repeat      = evaltest.Seeds, evaltest.Repeat
	gone, page, server = evaltest.Gone, evaltest.Page, evaltest.Server
)

// shows returns a version. content is its digests, "bytes" or "bytes|text|main".
func shows(t int64, content string, links ...string) history.Version {
	parts := strings.Split(content, "|")
	for len(parts) < 3 {
		parts = append(parts, parts[0])
	}
	digest := func(kind int) sitegraph.Digest {
		return sitegraph.DigestOf([]byte(fmt.Sprint(kind, parts[kind])))
	}
	return history.Version{T: t, Size: 1000, Links: links, LinksKnown: true,
		Digests: sitegraph.Digests{Bytes: digest(0), Text: digest(1), Main: digest(2)}}
}

// policiesOf returns the policies of streams that a test runs with a seed: all, except that each
// seed runs a third of the variants of sites, which differ in one part. RECRAWL_LONG runs all of
// them.
func policiesOf(seed uint64) []string {
	return slices.DeleteFunc(policy.Names(), func(name string) bool {
		h := fnv.New64()
		h.Write([]byte(name))
		return policy.WithoutPart(name) != "" && !crashtest.Long() &&
			(h.Sum64()+seed)%3 != 0
	})
}

func newCorpus(t testing.TB, servers []*history.Server, o Options) *Dataset {
	t.Helper()
	c, err := NewDataset(context.Background(), servers, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// step is one line of a log of visits.
type step struct {
	day         int
	url         string
	first       bool
	verdict     sitegraph.Verdict
	probability float64
	value       float64
}

func stepOf(e *crawl.Event) step {
	return step{e.Round.Number, e.Record.URL, e.Visit.First, e.Verdict, e.Visit.Probability,
		e.Visit.Value}
}

func (s step) String() string {
	return fmt.Sprintf("day %d %s first=%v %v p=%v v=%v",
		s.day, s.url, s.first, s.verdict, s.probability, s.value)
}

// logged runs a stream and returns each visit in order.
func logged(t testing.TB, c *Dataset, o StreamOptions, policy string) (StreamResult, []step) {
	t.Helper()
	var log []step
	stage := c.replayed()
	stage.Log = func(e *crawl.Event) { log = append(log, stepOf(e)) }
	r, err := c.StreamOn(context.Background(), stage, o, policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, log
}

// near compares with room for rounding. NaN is near NaN.
func near[A, B ~float64](a A, b B) bool {
	x, y := float64(a), float64(b)
	return math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-12*max(1, math.Abs(x), math.Abs(y))
}

func wantNumber[B ~float64](t *testing.T, what string, got Number, want B) {
	t.Helper()
	if !near(got, want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func wantInt(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %d, want %d", what, got, want)
	}
}
