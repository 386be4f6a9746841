package seen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
)

// BenchmarkDecide asks a set of keys on disk for batches of which 87 % are known: the links of one
// page, those of 25 pages, and the batch of an import. It reports time and read bytes a key.
// RECRAWL_LONG adds a set of 10 million keys.
func BenchmarkDecide(b *testing.B) {
	sizes := []int{1e6}
	if os.Getenv("RECRAWL_LONG") != "" {
		sizes = append(sizes, 1e7)
	}
	for _, keys := range sizes {
		set := benchSet(b, keys)
		for _, batch := range []int{40, 1_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("keys=%d/batch=%d", keys, batch), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, uint64(batch)))
				asked, fresh := make([]uint64, batch), make([]bool, batch)
				before := set.Stats()
				for b.Loop() {
					b.StopTimer()
					for i := range asked {
						if asked[i] = rng.Uint64(); rng.Float64() < 0.87 {
							asked[i] = benchKey(rng.IntN(keys))
						}
					}
					b.StartTimer()
					if err := set.Decide(asked, fresh); err != nil {
						b.Fatal(err)
					}
				}
				after := set.Stats()
				n := float64(after.Asked - before.Asked)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/key")
				b.ReportMetric(float64(after.Blocks-before.Blocks)*blockBytes/n, "read-B/key")
			})
		}
		must(b, set.Close())
	}
}

func benchKey(i int) uint64 { return (uint64(i) + 1) * 0x9e3779b97f4a7c15 }

func benchSet(b *testing.B, keys int) *Set {
	set, err := OpenSet(b.TempDir(), SetOptions{})
	must(b, err)
	batch, fresh := make([]uint64, 0, 500_000), make([]bool, 500_000)
	for i := range keys {
		if batch = append(batch, benchKey(i)); len(batch) == cap(batch) || i == keys-1 {
			must(b, set.Decide(batch, fresh[:len(batch)]))
			must(b, set.Commit(Mark{}))
			batch = batch[:0]
		}
	}
	return set
}
