package synth

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkNew(b *testing.B) {
	for _, pages := range []int{3_000, 100_000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			for b.Loop() {
				New(Options{Seed: 1, Servers: pages / 50, Pages: pages})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(pages),
				"ns/page")
		})
	}
}

func BenchmarkRender(b *testing.B) {
	w := New(Options{Seed: 1})
	var bytes, n int64
	for b.Loop() {
		s := w.servers[n%int64(len(w.servers))]
		p := s.pages[n%int64(len(s.pages))]
		bytes += int64(len(w.Resource(s.name, p.path,
			s.time(p.versions[len(p.versions)-1].at)).Body))
		n++
	}
	b.ReportMetric(float64(bytes)/float64(n), "bytes/page")
}

func BenchmarkCompare(b *testing.B) {
	w := New(Options{Seed: 1})
	base := w.Start().Add(12 * 7 * 24 * time.Hour)
	for b.Loop() {
		Compare(w, base)
	}
}
