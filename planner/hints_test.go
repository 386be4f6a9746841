package planner

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

var hintsBase = time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)

// claimed is a corpus of pages of one server, all visited at hintsBase, and a sitemap read at read.
func claimed(t *testing.T, pages int, read time.Time) (*Corpus, sitegraph.PageID) {
	t.Helper()
	c := NewCorpus(sitegraph.NewGraph())
	source := c.Graph.Add("http://h.example/sitemap.xml")
	c.Remember(&sitegraph.Record{Page: source, State: sitegraph.StateSource, History: sitegraph.Start(read), Tried: read})
	for i := range pages {
		p := c.Graph.Add("http://h.example/" + string(rune('a'+i)))
		c.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive, History: sitegraph.Start(hintsBase), Tried: hintsBase})
	}
	return c, source
}

// TestWhatAClaimSays: since the last visit of the page, and as of the reading of the source.
func TestWhatAClaimSays(t *testing.T) {
	read := hintsBase.Add(6 * time.Hour)
	for _, test := range []struct {
		name     string
		read     time.Time
		modified time.Time
		want     signal
		claimed  time.Time
	}{
		{"newer than the visit", read, hintsBase.Add(time.Hour), saysChanged, hintsBase.Add(time.Hour)},
		{"older than the visit", read, hintsBase.Add(-time.Hour), saysSame, hintsBase.Add(-time.Hour)},
		{"without a date", read, time.Time{}, saysNothing, time.Time{}},
		{"today, which is not over", read, hintsBase.Add(24 * time.Hour), saysChanged, read},
		{"in the future", read, hintsBase.Add(40 * time.Hour), saysNothing, time.Time{}},
		{"read before the visit", hintsBase.Add(-time.Hour), hintsBase.Add(-2 * time.Hour), saysNothing, hintsBase.Add(-2 * time.Hour)},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, source := claimed(t, 1, test.read)
			p := source + 1
			c.Hear(source, HintSitemap, []Said{{p, test.modified, Day}}, true)
			if got := c.signal(p, c.hints.told[HintSitemap][p]); got != test.want {
				t.Errorf("signal %d, want %d", got, test.want)
			}
			h, ok := c.Hint(p)
			if !ok || !h.Claimed.Equal(test.claimed) || h.LogRatio != 0 || h.Kind != HintSitemap || h.Every != Day {
				t.Errorf("%+v, %v", h, ok)
			}
		})
	}
}

func TestHintWithoutClaims(t *testing.T) {
	c, _ := claimed(t, 1, hintsBase)
	if h, ok := c.Hint(1); ok || h != (Hint{}) || c.Sources() != nil {
		t.Errorf("%+v, %v, %v", h, ok, c.Sources())
	}
	c.ClaimHeader(1, hintsBase) // is no hint: it says nothing of the time after the visit
	if _, ok := c.Hint(1); ok {
		t.Error("a header is a hint")
	}
}

// TestClaimsOfSeveralSources: the newest claim counts, a source may take back its own, and one
// that does not list a page any more no longer says that it is unchanged.
func TestClaimsOfSeveralSources(t *testing.T) {
	c, one := claimed(t, 2, hintsBase.Add(3*time.Hour))
	two := c.Graph.Add("http://h.example/other.xml")
	c.Remember(&sitegraph.Record{Page: two, State: sitegraph.StateSource, History: sitegraph.Start(hintsBase.Add(4 * time.Hour))})
	a, b := one+1, one+2
	hear := func(source sitegraph.PageID, whole bool, said ...Said) []sitegraph.PageID {
		return c.Hear(source, HintFeed, said, whole)
	}
	is := func(p sitegraph.PageID, want signal, claimed time.Time) {
		t.Helper()
		if got := c.signalOf(p, c.hints.told[HintFeed]); got != want {
			t.Errorf("%s: signal %d, want %d", c.Graph.URL(p), got, want)
		}
		if h, ok := c.Hint(p); !ok || !h.Claimed.Equal(claimed) {
			t.Errorf("%s: %+v, want %v", c.Graph.URL(p), h, claimed)
		}
	}
	late, early := hintsBase.Add(time.Hour), hintsBase.Add(-time.Hour)
	if got := hear(one, true, Said{Page: a, Modified: late}, Said{Page: b, Modified: early}); !slices.Equal(got, []sitegraph.PageID{a, b}) {
		t.Errorf("%v say something new, want both", got)
	}
	is(b, saysSame, early)
	if got := hear(two, true, Said{Page: a, Modified: early}); got != nil {
		t.Errorf("%v say something new though another source knows better", got)
	}
	is(a, saysChanged, late)
	if hear(one, false); c.hints.told[HintFeed][b].by != one {
		t.Error("what was cut off counts as not listed")
	}
	if got := hear(one, true); !slices.Equal(got, []sitegraph.PageID{b}) { // both fell out of the feed
		t.Errorf("%v say something new, want b alone", got)
	}
	is(a, saysChanged, late)
	is(b, saysNothing, early)
	hear(one, true, Said{Page: a, Modified: late})
	hear(one, true, Said{Page: a, Modified: early}) // taken back
	is(a, saysSame, early)
}

// TestClaimsAreKept: what is written is read again; what was not written so is refused.
func TestClaimsAreKept(t *testing.T) {
	said := []Said{{1, hintsBase, Day}, {70000, time.Time{}, 0}, {3, hintsBase.Add(time.Second), 400 * Day}}
	value := EncodeClaims(HintFeed, said)
	kind, again, err := DecodeClaims(value)
	if err != nil || kind != HintFeed || !slices.Equal(again, said) {
		t.Errorf("%v %v, %v", kind, again, err)
	}
	for _, bad := range [][]byte{nil, {1}, {2, 1}, {1, 200}, value[:len(value)-1], append(value[:2:2], 0x80)} {
		if _, _, err := DecodeClaims(bad); err == nil {
			t.Errorf("% x was read", bad)
		}
	}
}

// TestLogRatio: what a claim is worth follows the formula, is 0 without proofs, grows with them,
// stays within its bound, and of other servers only as much is believed as four own proofs.
func TestLogRatio(t *testing.T) {
	c := NewCorpus(sitegraph.NewGraph())
	h := c.listening()
	ratio := func(s sitegraph.ServerID, said signal) float64 { return c.logRatio(s, HintSitemap, said) }
	if ratio(0, saysChanged) != 0 || ratio(0, saysSame) != 0 || ratio(0, saysNothing) != 0 {
		t.Error("worth something before anything was proved")
	}
	h.addProof(0, HintSitemap, proof{Missed: 30, Same: 70})
	if ratio(0, saysChanged) != 0 {
		t.Errorf("%v without a claim", ratio(0, saysChanged))
	}
	h.addProof(1, HintSitemap, proof{True: 8, False: 2, Missed: 2, Same: 88})
	own := math.Log((8.5 / 11) / (2.5 / 91)) // of server 1; of the others no claim was proved
	if got := ratio(1, saysChanged); math.Abs(got-own*10/14) > 1e-12 {
		t.Errorf("%v, want %v", got, own*10/14)
	}
	unknown := ratio(7, saysChanged) // a server of which nothing is known goes by the others
	if unknown <= 0 || unknown >= ratio(1, saysChanged) || ratio(7, saysSame) >= 0 {
		t.Errorf("%v and %v where nothing is known", unknown, ratio(7, saysSame))
	}
	last := 0.0
	for range 50 {
		h.addProof(2, HintSitemap, proof{True: 10, Same: 1000})
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

// TestProofsSurvive: what was proved is handed out once for each change, and read again.
func TestProofsSurvive(t *testing.T) {
	c, source := claimed(t, 2, hintsBase.Add(time.Hour))
	c.Hear(source, HintSitemap, []Said{{Page: 1, Modified: hintsBase.Add(time.Hour)}}, true)
	c.Hear(source, HintFeed, []Said{{Page: 2, Modified: hintsBase.Add(-time.Hour)}}, true)
	c.prove(1, sitegraph.VerdictChanged)
	c.prove(2, sitegraph.VerdictUnchanged)
	c.prove(1, sitegraph.VerdictLeft) // tells nothing
	c.ClaimHeader(2, hintsBase.Add(2*time.Hour))
	c.prove(2, sitegraph.VerdictUnchanged) // and a second look at the feed
	kept := map[sitegraph.ServerID][]byte{}
	save := func(s sitegraph.ServerID, value []byte) error { kept[s] = value; return nil }
	if err := c.SaveProofs(save); err != nil || len(kept) != 1 {
		t.Fatalf("%v, %d kept", err, len(kept))
	}
	if err := c.SaveProofs(func(sitegraph.ServerID, []byte) error { t.Error("saved again"); return nil }); err != nil {
		t.Fatal(err)
	}
	again, _ := claimed(t, 2, hintsBase)
	if err := again.RestoreProofs(0, kept[0]); err != nil {
		t.Fatal(err)
	}
	want := []SourceInfo{{Kind: HintSitemap, True: 1}, {Kind: HintFeed, Same: 2}, {Kind: HintLastModified, False: 1}}
	got := again.Sources()
	for i := range got {
		got[i].LogRatio, got[i].Silence = 0, 0
		if len(got) != len(want) || got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want)
		}
	}
	if err := again.RestoreProofs(0, []byte("{")); err == nil {
		t.Error("nonsense was read")
	}
}

func BenchmarkHint(b *testing.B) {
	c := NewCorpus(sitegraph.NewGraph())
	const pages = 1 << 16
	for i := range pages {
		c.Graph.Add("http://h.example/" + time.Duration(i).String())
	}
	c.grow()
	for p := range sitegraph.PageID(pages) {
		c.claim(p, HintSitemap, told{modified: 1 + uint32(p), by: 0})
	}
	i := 0
	for b.Loop() {
		c.Hint(sitegraph.PageID(i & (pages - 1)))
		i++
	}
}
