package sitegraph

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Precede joins two histories into that of all visits.
func TestPrecede(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 2 + r.IntN(8)
		at, contents := make([]time.Time, n), make([]Digest, n)
		now := time.Unix(1_700_000_000, 0)
		for i := range n {
			now = now.Add(time.Duration(1+r.IntN(60*24)) * time.Hour)
			at[i], contents[i] = now, DigestOf([]byte{byte(r.IntN(3))})
		}
		over := func(from, to int) (rec Record) {
			for i := from; i < to; i++ {
				rec.Apply(Observation{Outcome: OutcomeFetched, Time: at[i],
					Digests: Digests{Bytes: contents[i]}}, ChangeByBytes)
			}
			return rec
		}
		cut := 1 + r.IntN(n-1)
		all, early, late := over(0, n), over(0, cut), over(cut, n)
		between := Digests{Bytes: contents[cut-1]}.Compare(Digests{Bytes: contents[cut]},
			ChangeByBytes)
		joined := late.History
		joined.Precede(early.History, between)
		if joined != all.History {
			t.Fatalf("seed %d, cut %d of %d:\n%+v\nwant %+v", seed, cut, n, joined, all.History)
		}
		again := joined
		again.Precede(early.History, between) // no longer earlier
		if again != joined {
			t.Fatalf("seed %d: a second time changes %+v into %+v", seed, joined, again)
		}
		apart := late.History
		apart.Precede(early.History, Incomparable)
		if apart.Elapsed() != early.History.Elapsed()+late.History.Elapsed() ||
			apart.Changes != early.History.Changes+late.History.Changes ||
			apart.Visits != all.History.Visits || apart.Last != all.History.Last {
			t.Fatalf("seed %d: without the time between: %+v", seed, apart)
		}
	}
}

// A digest of another tool is only compared with digests of that tool.
func TestPayloadDigest(t *testing.T) {
	sha, same, other := PayloadDigest("sha1", "A"), PayloadDigest("sha1", "A"),
		PayloadDigest("sha1", "B")
	for _, c := range []struct {
		a, b Digest
		want Comparison
	}{
		{sha, same, Same}, {sha, other, Different},
		{sha, PayloadDigest("nutch", "A"), Incomparable},
		{sha, DigestOf(nil), Incomparable}, {DigestOf(nil), sha, Incomparable},
		{sha, Digest{}, Incomparable},
		{Digest{}, Digest{}, Same}, {DigestOf(nil), DigestOf([]byte{1}), Different},
	} {
		for _, by := range []ChangeBy{ChangeByBytes, ChangeByText, ChangeByMain} {
			if got := (Digests{Bytes: c.a}).Compare(Digests{Bytes: c.b}, by); got != c.want {
				t.Errorf("%v and %v by %v: %v, want %v", c.a, c.b, by, got, c.want)
			}
		}
	}
	if !PayloadDigest("sha1", "").IsZero() {
		t.Error("an empty value has a digest")
	}
}
