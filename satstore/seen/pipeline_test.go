package seen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// addresses returns a stream with repeats like those of a crawl: some addresses are linked from
// everywhere, many from nearby, and each comes for the first time once.
func addresses(rng *rand.Rand, n int) []string {
	stream := make([]string, n)
	for i := range stream {
		page := 0
		switch rng.IntN(3) {
		case 0:
			page = rng.IntN(1 + i/200)
		case 1:
			page = max(0, i/4-rng.IntN(300))
		default:
			page = i / 4
		}
		stream[i] = fmt.Sprintf("https://www%d.example/p/%d", page%37, page)
	}
	return stream
}

// news runs a stream through a pipeline, and returns the new addresses and the pipeline.
func news(t *testing.T, stream []string, o PipelineOptions, important func(string) bool) (
	[]string, *Pipeline) {
	t.Helper()
	if o.Set == nil {
		s, err := OpenSet("seen", SetOptions{FS: vfs.NewMem(), BufferKeys: 256, Key: Key{1, 2}})
		must(t, err)
		defer s.Close()
		o.Set = s
	}
	var out []string
	o.New = func(url string) error {
		out = append(out, url)
		return nil
	}
	o.Settled = func() error { return o.Set.Commit(Mark{Count: uint64(len(out))}) }
	p := NewPipeline(o)
	for _, url := range stream {
		_, err := p.Offer(url, o.Set.Key().Of(url), important != nil && important(url))
		must(t, err)
	}
	must(t, p.Settle())
	if err := accounted(p.Stats()); err != nil {
		t.Error(err)
	}
	return out, p
}

// accounted checks that each offered address is counted once.
func accounted(s PipelineStats) error {
	if s.Offered != s.CacheHits+s.FilterHits+s.Waited || s.New != s.Waited-s.Missed+s.Rescued ||
		s.Rescued+s.Confirmed > s.FilterHits {
		return fmt.Errorf("the accounts do not add up: %+v", s)
	}
	return nil
}

func distinct(stream []string) []string {
	stream = slices.Clone(stream)
	slices.Sort(stream)
	return slices.Compact(stream)
}

// In exact mode each address is new once, however wrong the filter and however small the parts.
// These filters have false positives of a few percent up to always.
func TestExactLosesNothing(t *testing.T) {
	rng := seeded(t)
	stream := addresses(rng, 12_000)
	want := distinct(stream)
	for name, o := range map[string]PipelineOptions{
		"lru and light":    {Cache: NewLRU(200), Filter: NewLight(1<<12, 4, 30)},
		"poor light":       {Cache: NewLRU(20), Filter: NewLight(256, 2, 3)},
		"clock and stable": {Cache: NewCLOCK(200), Filter: NewStable(1<<12, 4, 30, 1)},
		"full bloom":       {Cache: NewLRU(1), Filter: NewBloom(64, 1)},
		"ways and tags":    {Cache: NewWays(200), Filter: NewTags(500)},
		"no filter":        {Cache: NewLRU(300)},
		"small queues": {Cache: NewLRU(50), Filter: NewLight(1<<10, 4, 30), WaitBytes: 9000,
			DoubtBytes: 4000},
		"window of Metwally": {Cache: NewLRU(50), Filter: NewWindow(500, 5000, 7)},
	} {
		got, p := news(t, stream, o, nil)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d addresses are new, want %d", name, len(got), len(want))
		}
		if name == "poor light" && p.Stats().Rescued == 0 {
			t.Errorf("%s had no false positive, so that nothing was shown: %+v", name, p.Stats())
		}
		t.Logf("%s: %+v", name, p.Stats())
	}
}

// In approximate mode only false positives of the filter are lost, and no important address is.
func TestApproximateLosesWhatTheFilterHas(t *testing.T) {
	rng := seeded(t)
	stream := addresses(rng, 12_000)
	important := func(url string) bool { return url[len("https://www")] == '3' }
	o := PipelineOptions{Cache: NewLRU(20), Filter: NewLight(256, 2, 3), Approximate: true}
	got, p := news(t, stream, o, important)
	slices.Sort(got)
	if len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Error("some address was new twice")
	}
	lost := 0
	for _, url := range distinct(stream) {
		if _, ok := slices.BinarySearch(got, url); ok {
			continue
		}
		if lost++; important(url) {
			t.Errorf("%s is important, and was lost", url)
		}
	}
	if s := p.Stats(); lost == 0 || s.Exempt == 0 || s.Rescued+s.Confirmed > 0 ||
		uint64(lost) > s.FilterHits {
		t.Errorf("%d lost: %+v", lost, s)
	}
}

// The cache answers at once; the filter has only keys that left it.
func TestVerdicts(t *testing.T) {
	s, err := OpenSet("seen", SetOptions{FS: vfs.NewMem()})
	must(t, err)
	defer s.Close()
	f := NewLight(1<<12, 4, 30)
	p := NewPipeline(PipelineOptions{Cache: NewLRU(2), Filter: f, Set: s})
	for i, c := range []struct {
		url  string
		want Verdict
	}{
		{"http://a/", VerdictWaiting}, {"http://a/", VerdictRepeat}, {"http://b/", VerdictWaiting},
		{"http://c/", VerdictWaiting}, // a leaves the cache for the filter
		{"http://a/", VerdictDoubted}, // b leaves
		{"http://c/", VerdictRepeat}, {"http://b/", VerdictDoubted},
	} {
		if got, err := p.Offer(c.url, s.Key().Of(c.url), false); err != nil || got != c.want {
			t.Errorf("%d, %s: %v %v, want %v", i, c.url, got, err, c.want)
		}
	}
	if f.Has(s.Key().Of("http://c/")) {
		t.Error("c is in the filter and never left the cache")
	}
	if got, err := p.Offer("http://a/", s.Key().Of("http://a/"), true); err != nil ||
		got != VerdictWaiting {
		t.Errorf("an important address that the filter has: %v %v", got, err)
	}
	must(t, p.Settle())
	if s := p.Stats(); s.New != 3 || s.Confirmed != 2 || s.Exempt != 1 || s.Missed != 1 {
		t.Errorf("%+v", s)
	}
}

// Any number of parts by server name, each with its own cache, filter and set, finds the same new
// addresses as one.
func TestPartsAgreeWithOne(t *testing.T) {
	rng := seeded(t)
	stream := addresses(rng, 12_000)
	server := func(url string) string { return url[len("https://"):][:len("wwwNN.example")] }
	one, _ := news(t, stream, PipelineOptions{Cache: NewLRU(200), Filter: NewLight(1<<12, 4, 30)},
		nil)
	slices.Sort(one)
	for _, n := range []int{1, 2, 3, 8} {
		parts, empty := make([][]string, n), 0
		for _, url := range stream {
			i := PartOf(server(url), n)
			parts[i] = append(parts[i], url)
		}
		var all []string
		for _, part := range parts {
			if len(part) == 0 {
				empty++
				continue
			}
			got, _ := news(t, part,
				PipelineOptions{Cache: NewLRU(200 / n), Filter: NewLight(1<<12/uint64(n), 4, 30)},
				nil)
			all = append(all, got...)
		}
		slices.Sort(all)
		if !slices.Equal(all, one) {
			t.Errorf("%d parts: %d new, want %d", n, len(all), len(one))
		}
		if empty > 0 {
			t.Errorf("%d of %d parts got no server of 37", empty, n)
		}
	}
	if PartOf("www.example.org", 1000) != 825 {
		t.Errorf("www.example.org is in part %d of 1000: all machines must agree, with earlier "+
			"versions too", PartOf("www.example.org", 1000))
	}
}

// Fingerprints equal SipHash-2-4: its authors' vector of 15 bytes.
func TestFingerprint(t *testing.T) {
	k := Key{0x0706050403020100, 0x0f0e0d0c0b0a0908}
	if got := k.Of(
		"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e"); got != 0xa129ca6149be45e5 {
		t.Errorf("%016x", got)
	}
	a, errA := NewKey()
	b, errB := NewKey()
	if a == b || errA != nil || errB != nil {
		t.Errorf("keys %v %v, %v %v", a, b, errA, errB)
	}
}

// The parts are within the budget, and a queue never grows beyond it.
func TestSizes(t *testing.T) {
	for _, bytes := range []int{LeastMemory, 64 << 20, 1000 << 20} {
		for _, filter := range []bool{false, true} {
			z, err := SizesFor(bytes, filter)
			must(t, err)
			total := 8*z.CacheEntries + int(z.FilterCounters/4) + 16*z.BufferKeys + z.WaitBytes +
				z.DoubtBytes
			if total > bytes || total < bytes/2 {
				t.Errorf("%d bytes: parts of %d, %+v", bytes, total, z)
			}
		}
	}
	if _, err := SizesFor(LeastMemory-1, true); err == nil {
		t.Error("too little memory was accepted")
	}
	s, err := OpenSet("seen", SetOptions{FS: vfs.NewMem()})
	must(t, err)
	defer s.Close()
	p := NewPipeline(PipelineOptions{Cache: NewLRU(16), Filter: NewLight(1<<10, 4, 30), Set: s,
		WaitBytes: 100_000, DoubtBytes: 20_000})
	for i := range uint64(20_000) {
		url := fmt.Sprintf("http://h%d.example/%0*d", i%5, 1+i%1500, i)
		_, err := p.Offer(url, i, false)
		must(t, err)
	}
	if got := p.wait.bytes() + (entryBytes-12)*cap(p.wait.keys); got > 100_000 {
		t.Errorf("a queue of 100,000 bytes takes %d", got)
	}
}

// Neither a repeat in the cache nor a waiting address allocates.
func TestOfferAllocatesNothing(t *testing.T) {
	s, err := OpenSet("seen", SetOptions{FS: vfs.NewMem()})
	must(t, err)
	defer s.Close()
	p := NewPipeline(PipelineOptions{Cache: NewLRU(100), Filter: NewLight(1<<10, 4, 30), Set: s,
		WaitBytes: 8 << 20})
	i := 0
	urls := addresses(rand.New(rand.NewPCG(1, 1)), 6000)
	_, err = p.Offer(urls[0], 1, false)
	must(t, err)
	if n := testing.AllocsPerRun(5000, func() {
		i++
		_, _ = p.Offer(urls[i], s.Key().Of(urls[i]), false)
	}); n != 0 {
		t.Errorf("%v allocations an address", n)
	}
}
