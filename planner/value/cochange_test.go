package value

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// visitParted visits 100 pages of one shape on a server again and again, at times of their own,
// from a day to another. Pages of even and of odd number change at days of theirs; if alone, each
// page changes at days of its own.
func (h *handDriven) visitParted(rng *rand.Rand, from, to int, alone bool) {
	h.Helper()
	changed := func(p sitegraph.PageID, day int) bool {
		key := uint64(p) % 2
		if alone {
			key = uint64(p)
		}
		return rand.New(rand.NewPCG(key, uint64(day))).IntN(30) == 0
	}
	for day := from; day < to; day++ {
		h.begin(day)
		for p := range sitegraph.PageID(100) {
			if p == 0 || rng.IntN(12) > 0 { // not the start page
				continue
			}
			saw := false
			for d := h.lastDay(p) + 1; d <= day; d++ {
				saw = saw || changed(p, d)
			}
			h.visit(p, day, saw)
		}
	}
}

func (h *handDriven) lastDay(p sitegraph.PageID) int {
	return int(h.records[p].History.LastVisit().Sub(simtest.At(0)).Hours() / 24)
}

func partedWorld(t *testing.T) *handDriven {
	var paths []string
	for i := range 100 {
		paths = append(paths, fmt.Sprintf("p/%08x", uint32(i+1)*2654435761))
	}
	return newHandDrivenOn(t, "value", paths)
}

// Pages that change together become a part, which says more of their days than their directory: a
// page is believed to have changed after others of its part did, and not after those of the other.
// It outlives the process.
func TestPartsOfAShape(t *testing.T) {
	h, rng := partedWorld(t), rand.New(rand.NewPCG(1, 1))
	h.visitParted(rng, 1, 250, false)
	k := h.policy.groups
	of := k.partings[k.list[k.pages[1].shape].parting-1]
	if of.proved <= provedEnough {
		t.Fatalf("parts made outcomes likelier by exp(%.2f) alone", of.proved)
	}
	var in [mostParts + 1][2]int
	for p := 1; p < 100; p++ {
		in[k.pages[p].part][p%2]++
	}
	for part, pages := range in[1:] {
		if min(pages[0], pages[1]) > 1 {
			t.Errorf("part %d has %d pages that change at some days, and %d at others",
				part+1, pages[0], pages[1])
		}
	}

	// Of pages 3 to 40 those of odd number change. What is then believed of the others?
	h.begin(251)
	even, odd := sitegraph.PageID(60), sitegraph.PageID(61)
	for _, p := range []sitegraph.PageID{even, odd} {
		h.visit(p, 251, false)
	}
	h.begin(260)
	for p := sitegraph.PageID(3); p < 40; p++ {
		h.visit(p, 260, p%2 == 1)
	}
	a, b := h.row(odd, 260), h.row(even, 260)
	if a[fDirectoryShare] < 0.9 || b[fDirectoryShare] > 0.1 ||
		a[fDirectoryMass] < 5*b[fDirectoryMass] {
		t.Errorf("of the part that changed %.2f did, and %.2f changes are expected of a page; of "+
			"the other %.2f and %.2f", a[fDirectoryShare], a[fDirectoryMass], b[fDirectoryShare],
			b[fDirectoryMass])
	}

	h.policy.Pack(false)
	packed := k.packed
	h.policy.Packed()
	before, parts := slices.Clone(k.list), slices.Clone(k.pages)
	k.packed = packed
	k.unpack()
	for i := range before {
		if a, b := &before[i], &k.list[i]; a.ofShape != b.ofShape || a.pages != b.pages ||
			!slices.Equal(a.spans, b.spans) || a.facts != b.facts {
			t.Errorf("group %d was %+v, and is %+v", i, a, b)
		}
	}
	if !slices.Equal(parts, k.pages) {
		t.Error("pages are in other parts")
	}
}

// Where each page changes at days of its own, parts do not stand for directories, and histories are
// read ever more rarely.
func TestPartsOfPagesThatChangeAlone(t *testing.T) {
	h, rng := partedWorld(t), rand.New(rand.NewPCG(1, 1))
	h.visitParted(rng, 1, 250, true)
	k := h.policy.groups
	of := k.partings[k.list[k.pages[1].shape].parting-1]
	if of.proved > provedEnough || of.pause <= firstPause {
		t.Errorf("parts made outcomes likelier by exp(%.2f); histories are read after %.1f "+
			"visits a page", of.proved, of.pause)
	}
}
