package eval

import (
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
)

// TestEntryWithoutTop checks that a history without a top page is entered at the pages seen first
// that no earlier one leads to, with a note. One with a top page is entered there.
func TestEntryWithoutTop(t *testing.T) {
	const a, base = "http://a.example/", 12 * 7 * daySeconds
	focused := server("a.example", 5,
		page(a+"list", shows(5, "1", a+"1", a+"late")),
		page(a+"1", shows(5, "1", a+"2"), shows(5+base-9, "2", a+"2")),
		page(a+"2", shows(5, "1")),
		page(a+"old", shows(5, "1"), gone(5+base-1)),
		page(a+"alone", shows(5, "1", a+"list"), shows(5+base+9, "2", a+"list", a+"late")),
		page(a+"first", shows(6, "1", a+"alone")),
		page(a+"late", shows(5+base+9, "1")))
	if got := strings.Join(starts(focused, focused.Week(12)), " "); got != a+"list "+a+"alone "+
		a+"first" {
		t.Errorf("entered at %s", got)
	}
	if said := EnteredAt(focused, 12); !strings.Contains(said, "a.example has no top page") ||
		!strings.HasSuffix(said, "seen first: "+a+"list, "+a+"alone, "+a+"first") {
		t.Errorf("said: %s", said)
	}
	if err := CheckEntry(focused, 12); err != nil {
		t.Error(err)
	}
	whole := newCorpus(t, tinyServers(), Options{Base: 7 * day})
	if doubts, err := whole.Doubts(); len(doubts) > 0 || err != nil {
		t.Errorf("of histories with top pages: %v, %v", doubts, err)
	}
	c := newCorpus(t, []*history.Server{focused}, Options{Base: 12 * week})
	var known []string
	for _, p := range c.Pages {
		known = append(known, strings.TrimPrefix(c.graph.URL(p), a))
	}
	slices.Sort(known)
	if got := strings.Join(known, " "); got != "1 2 alone first list" {
		t.Errorf("base pages %s", got)
	}
	if doubts, err := c.Doubts(); len(doubts) > 0 || err != nil {
		t.Errorf("doubts %v, %v", doubts, err)
	}
	runs, err := c.Streams(t.Context(), []StreamOptions{{Weeks: 2, Budget: 1, New: 0.5}},
		[]string{"interval"}, 1, func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	wantNumber(t, "discovered", runs[0].Results[0].Discovered, 1.)
	wantNumber(t, "coverage", runs[0].Results[0].Coverage, 1.)
}
