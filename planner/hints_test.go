package planner

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const day = 24 * time.Hour

var visited = time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)

// visits holds when pages were last visited.
type visits map[sitegraph.PageID]time.Time

func (v visits) LastVisit(p sitegraph.PageID) uint32 { return sitegraph.Unix32(v[p]) }

// aServer has a sitemap (page 0), read at a given time, and pages from 1 on, all visited at another
// time.
func aServer(pages int, read time.Time) (*Hints, visits) {
	g, v := sitegraph.NewGraph(), visits{}
	v[g.Add("http://h.example/sitemap.xml")] = read
	for i := range pages {
		v[g.Add("http://h.example/"+string(rune('a'+i)))] = visited
	}
	return NewHints(g, v), v
}

// TestWhatAClaimSays checks claims about the time since the page's last visit, as of the reading.
func TestWhatAClaimSays(t *testing.T) {
	read := visited.Add(6 * time.Hour)
	for _, test := range []struct {
		name     string
		read     time.Time
		modified time.Time
		want     signal
		claimed  time.Time
	}{
		{"newer than the visit", read, visited.Add(time.Hour), saysChanged, visited.Add(time.Hour)},
		{"older than the visit", read, visited.Add(-time.Hour), saysSame, visited.Add(-time.Hour)},
		{"without a date", read, time.Time{}, saysNothing, time.Time{}},
		{"today, which is not over", read, visited.Add(24 * time.Hour), saysChanged, read},
		{"in the future", read, visited.Add(40 * time.Hour), saysNothing, time.Time{}},
		{"read before the visit", visited.Add(-time.Hour), visited.Add(-2 * time.Hour), saysNothing,
			visited.Add(-2 * time.Hour)},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, _ := aServer(1, test.read)
			const source, p = 0, 1
			h.Update(0, Sitemap, []Claim{{p, test.modified, day}}, true)
			if got := h.signal(p, h.told[Sitemap][p]); got != test.want {
				t.Errorf("signal %d, want %d", got, test.want)
			}
			hint, ok := h.Of(p)
			if !ok || !hint.Claimed.Equal(test.claimed) || hint.LogRatio != 0 ||
				hint.Kind != Sitemap || hint.Every != day {
				t.Errorf("%+v, %v", hint, ok)
			}
		})
	}
}

func TestHintWithoutClaims(t *testing.T) {
	h, _ := aServer(1, visited)
	if hint, ok := h.Of(1); ok || hint != (Hint{}) || h.Sources() != nil {
		t.Errorf("%+v, %v, %v", hint, ok, h.Sources())
	}
	h.ClaimHeader(1, visited) // no hint: it says nothing about the time after the visit
	if _, ok := h.Of(1); ok {
		t.Error("a header is a hint")
	}
}

// TestClaimsOfSeveralSources checks that the newest claim counts, and that a source may take back
// its own. A source that no longer lists a page no longer claims that it is unchanged.
func TestClaimsOfSeveralSources(t *testing.T) {
	h, v := aServer(2, visited.Add(3*time.Hour))
	const one, a, b = 0, 1, 2
	two := h.graph.Add("http://h.example/other.xml")
	v[two] = visited.Add(4 * time.Hour)
	hear := func(source sitegraph.PageID, whole bool, said ...Claim) (pages []sitegraph.PageID) {
		for _, turn := range h.Update(source, Feed, said, whole) {
			pages = append(pages, turn.Page)
		}
		return pages
	}
	is := func(p sitegraph.PageID, want signal, claimed time.Time) {
		t.Helper()
		if got := h.signalOf(p, h.told[Feed]); got != want {
			t.Errorf("%s: signal %d, want %d", h.graph.URL(p), got, want)
		}
		if hint, ok := h.Of(p); !ok || !hint.Claimed.Equal(claimed) {
			t.Errorf("%s: %+v, want %v", h.graph.URL(p), hint, claimed)
		}
	}
	late, early := visited.Add(time.Hour), visited.Add(-time.Hour)
	if got := hear(one, true, Claim{Page: a, Modified: late},
		Claim{Page: b, Modified: early}); !slices.Equal(got, []sitegraph.PageID{a, b}) {
		t.Errorf("%v say something new, want both", got)
	}
	is(b, saysSame, early)
	if got := hear(two, true, Claim{Page: a, Modified: early}); got != nil {
		t.Errorf("%v say something new though another source knows better", got)
	}
	is(a, saysChanged, late)
	if hear(one, false); h.told[Feed][b].by != one {
		t.Error("what was cut off counts as not listed")
	}
	// both fell out of the feed
	if got := hear(one, true); !slices.Equal(got, []sitegraph.PageID{b}) {
		t.Errorf("%v say something new, want b alone", got)
	}
	is(a, saysChanged, late)
	is(b, saysNothing, early)
	hear(one, true, Claim{Page: a, Modified: late})
	hear(one, true, Claim{Page: a, Modified: early}) // taken back
	is(a, saysSame, early)
}

// TestClaimsAreKept checks that written claims are read again, and other bytes are refused.
func TestClaimsAreKept(t *testing.T) {
	said := []Claim{{1, visited, day}, {70000, time.Time{}, 0},
		{3, visited.Add(time.Second), 400 * day}}
	value := EncodeClaims(Feed, said)
	kind, again, err := DecodeClaims(value)
	if err != nil || kind != Feed || !slices.Equal(again, said) {
		t.Errorf("%v %v, %v", kind, again, err)
	}
	for _, bad := range [][]byte{nil, {1}, {2, 1}, {1, 200}, value[:len(value)-1],
		append(value[:2:2], 0x80)} {
		if _, _, err := DecodeClaims(bad); err == nil {
			t.Errorf("% x was read", bad)
		}
	}
}

// TestLogRatio checks that the evidence of a claim follows the formula, is 0 without tests, grows
// with them and stays within its bound. All other servers together weigh as much as four own tests.
func TestLogRatio(t *testing.T) {
	h, _ := aServer(0, visited)
	ratio := func(s sitegraph.ServerID, said signal) float64 { return h.logRatio(s, Sitemap, said) }
	if ratio(0, saysChanged) != 0 || ratio(0, saysSame) != 0 || ratio(0, saysNothing) != 0 {
		t.Error("worth something before anything was proved")
	}
	h.add(0, Sitemap, confusion{Missed: 30, Same: 70})
	if ratio(0, saysChanged) != 0 {
		t.Errorf("%v without a claim", ratio(0, saysChanged))
	}
	h.add(1, Sitemap, confusion{True: 8, False: 2, Missed: 2, Same: 88})
	own := math.Log((8.5 / 11) / (2.5 / 91)) // of server 1; the others have no tested claim
	if got := ratio(1, saysChanged); math.Abs(got-own*10/14) > 1e-12 {
		t.Errorf("%v, want %v", got, own*10/14)
	}
	unknown := ratio(7, saysChanged) // an unknown server uses those of the others
	if unknown <= 0 || unknown >= ratio(1, saysChanged) || ratio(7, saysSame) >= 0 {
		t.Errorf("%v and %v where nothing is known", unknown, ratio(7, saysSame))
	}
	last := 0.0
	for range 50 {
		h.add(2, Sitemap, confusion{True: 10, Same: 1000})
		if got := ratio(2, saysChanged); got < last || got > maxLogRatio {
			t.Fatalf("%v after %v", got, last)
		} else {
			last = got
		}
	}
	if last < 0.9*maxLogRatio {
		t.Errorf("only %v after 500 true claims", last)
	}
}

// TestAccuracySurvives checks that each new measurement is saved once, and read again.
func TestAccuracySurvives(t *testing.T) {
	h, _ := aServer(2, visited.Add(time.Hour))
	h.Update(0, Sitemap, []Claim{{Page: 1, Modified: visited.Add(time.Hour)}}, true)
	h.Update(0, Feed, []Claim{{Page: 2, Modified: visited.Add(-time.Hour)}}, true)
	h.Test(1, sitegraph.VerdictChanged)
	h.Test(2, sitegraph.VerdictUnchanged)
	h.Test(1, sitegraph.VerdictLeft) // no comparison
	h.ClaimHeader(2, visited.Add(2*time.Hour))
	h.Test(2, sitegraph.VerdictUnchanged) // and the feed is read again
	kept := map[sitegraph.ServerID][]byte{}
	save := func(s sitegraph.ServerID, value []byte) error { kept[s] = value; return nil }
	if err := h.Save(save); err != nil || len(kept) != 1 {
		t.Fatalf("%v, %d kept", err, len(kept))
	}
	if err := h.Save(func(sitegraph.ServerID, []byte) error {
		t.Error("saved again")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	again, _ := aServer(2, visited)
	if err := again.Restore(0, kept[0]); err != nil {
		t.Fatal(err)
	}
	want := []SourceInfo{
		{Kind: Sitemap, HintCounts: HintCounts{True: 1}},
		{Kind: Feed, HintCounts: HintCounts{Same: 2}},
		{Kind: LastModified, HintCounts: HintCounts{False: 1}},
	}
	got := again.Sources()
	for i := range got {
		got[i].LogRatio, got[i].Silence = 0, 0
		if len(got) != len(want) || got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want)
		}
	}
	if err := again.Restore(0, []byte("{")); err == nil {
		t.Error("nonsense was read")
	}
}

func BenchmarkOf(b *testing.B) {
	g := sitegraph.NewGraph()
	const pages = 1 << 16
	for i := range pages {
		g.Add("http://h.example/" + time.Duration(i).String())
	}
	h := NewHints(g, visits{})
	h.any = true
	for p := range sitegraph.PageID(pages) {
		h.claim(p, Sitemap, told{modified: 1 + uint32(p), by: 0})
	}
	i := 0
	for b.Loop() {
		h.Of(sitegraph.PageID(i & (pages - 1)))
		i++
	}
}
