package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// honest returns a web of servers that link inside, and much less to each other. Well-known pages
// get more links.
func honest(servers, pages int, rng *rand.Rand) *LinkRanks {
	w := &LinkRanks{}
	for s := range servers {
		for range pages {
			w.Servers, w.Links = append(w.Servers, int32(s)), append(w.Links, nil)
		}
	}
	for p := range w.Links {
		first := p / pages * pages
		w.link(p, first)
		for range 4 {
			w.link(p, first+int(float64(pages)*math.Pow(rng.Float64(), 3)))
		}
		if rng.IntN(4) == 0 {
			w.link(p, int(float64(servers)*math.Pow(rng.Float64(), 3))*pages+
				int(float64(pages)*math.Pow(rng.Float64(), 6)))
		}
	}
	return w
}

func (w *LinkRanks) link(from, to int) {
	if from != to && !slices.Contains(w.Links[from], int32(to)) {
		w.Links[from] = append(w.Links[from], int32(to))
	}
}

// plant adds a farm, and returns the page that it promotes: all its other pages link to that one,
// and it links back. The farm is spread over a number of servers. hijacked random pages outside
// also link to the promoted page.
func (w *LinkRanks) plant(pages, servers, hijacked int, rng *rand.Rand) (first int) {
	first = len(w.Links)
	own := slices.Max(w.Servers) + 1
	for i := range pages {
		w.Servers, w.Links = append(w.Servers, own+int32(i%servers)), append(w.Links, nil)
		if i > 0 {
			w.link(first+i, first)
			w.link(first, first+i)
		}
	}
	for range hijacked {
		w.link(rng.IntN(first), first)
	}
	return first
}

// seedsOf returns the start pages of some servers.
func seedsOf(servers, pages, some int) (all []int32) {
	for s := range some {
		all = append(all, int32(s*servers/some*pages))
	}
	return all
}

// place returns the share of the pages outside a farm that rank below its promoted page, and the
// ratio of that page's rank to their mean.
func place(rank []float64, first int) (below, times float64) {
	sum := 0.
	for _, r := range rank[:first] {
		sum += r
		if r < rank[first] {
			below++
		}
	}
	return below / float64(first), rank[first] / (sum / float64(first))
}

// TestFarms measures how far each rank promotes the page of a farm. Trust does not depend on the
// size of the farm, only on links from outside. The server rank counts its servers. PageRank grows
// with the farm.
//
//	go test ./fetch/corpus -run Farms -v
func TestFarms(t *testing.T) {
	const servers, pages = 100, 100
	seeds := seedsOf(servers, pages, 10)
	t.Logf("%d honest pages of %d servers, %d seeds; rank of the farm's page over the mean, and "+
		"share of honest pages below it", servers*pages, servers, len(seeds))
	for _, hijacked := range []int{0, 10} {
		var trust, plain []float64
		for _, size := range []int{10, 100, 1_000, 10_000} {
			for _, of := range []int{1, max(size/10, 5)} {
				rng := rand.New(rand.NewPCG(1, 1))
				w := honest(servers, pages, rng)
				first := w.plant(size, of, hijacked, rng)
				all := map[string][]float64{"plain": w.Plain(), "servers": w.FromServers(),
					"trust": w.Trust(seeds)}
				line := fmt.Sprintf("%2d links from outside, farm of %5d pages on %4d servers:",
					hijacked, size, of)
				for _, name := range []string{"plain", "servers", "trust"} {
					below, times := place(all[name], first)
					line += fmt.Sprintf("  %s %8.2f %5.1f %%", name, times, 100*below)
				}
				t.Log(line)
				_, p := place(all["plain"], first)
				_, x := place(all["trust"], first)
				trust, plain = append(trust, x), append(plain, p)
				farm, into := 0., 0.
				for i, r := range all["trust"] {
					if i >= first {
						farm += r
					} else if slices.Contains(w.Links[i], int32(first)) {
						into += r / float64(len(w.Links[i]))
					}
				}
				if farm > into*Damping/(1-Damping)+1e-6 {
					t.Errorf("a farm of %d pages has the trust %g of %g that comes in",
						size, farm, into)
				}
				if got, most := all["servers"][first], float64(of+hijacked); got > most {
					t.Errorf("%d servers link to the farm, want %g at most", int(got), most)
				}
			}
		}
		for i, x := range trust {
			if math.Abs(x-trust[0]) > 0.7*trust[0] {
				t.Errorf("trust of farms from 10 to 10,000 pages: %v (%d)", trust, i)
			}
		}
		if last := len(plain) - 1; plain[last] < 50*plain[0] {
			t.Errorf("PageRank of farms from 10 to 10,000 pages: %v", plain)
		}
	}
}

// TestByHand computes the ranks of three pages in a ring with a way in.
func TestByHand(t *testing.T) {
	w := &LinkRanks{Servers: []int32{0, 1, 1, 2}, Links: [][]int32{{1}, {2}, {1}, {1}}}
	sum := 0.
	for _, r := range w.Plain() {
		sum += r
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("ranks add up to %g", sum)
	}
	trust := w.Trust([]int32{0}) // t0 = 0.15; t1 = 0.85(t0+t2); t2 = 0.85 t1
	one := Damping * 0.15 / (1 - Damping*Damping)
	for p, want := range []float64{0.15, one, Damping * one, 0} {
		if math.Abs(trust[p]-want) > 1e-8 {
			t.Errorf("trust of %d is %g, want %g", p, trust[p], want)
		}
	}
	if got := w.FromServers(); !slices.Equal(got, []float64{0, 2, 0, 0}) {
		t.Errorf("servers that link: %v", got)
	}
	if w.Trust(nil) != nil {
		t.Error("trust from nowhere")
	}
}
