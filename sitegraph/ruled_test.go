package sitegraph_test

import (
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

func bytesOf(text string) sitegraph.Digest { return sitegraph.DigestOf([]byte(text)) }

func TestCompareByRule(t *testing.T) {
	none := sitegraph.Digest{}
	one, other := sitegraph.RuledDigest(0b1011, 7, 0), sitegraph.RuledDigest(0b1000, 7, 0)
	newRule := sitegraph.RuledDigest(0b1011, 8, 0)
	near, far := sitegraph.RuledDigest(0b1000, 7, 2), sitegraph.RuledDigest(0b0100, 7, 2)
	for _, c := range []struct {
		name          string
		old, now      sitegraph.Digests
		by            sitegraph.ChangeBy
		want          sitegraph.Comparison
		alsoBackwards bool
	}{
		{"the rule leaves the same of other bytes", sitegraph.Digests{Bytes: bytesOf("a"),
			Main: one}, sitegraph.Digests{Bytes: bytesOf("b"), Main: one}, sitegraph.ChangeByBytes,
			sitegraph.Same, true},
		{"the rule leaves another", sitegraph.Digests{Bytes: bytesOf("a"), Main: one},
			sitegraph.Digests{Bytes: bytesOf("b"), Main: other}, sitegraph.ChangeByText,
			sitegraph.Different, true},
		{"two bits of two", sitegraph.Digests{Bytes: bytesOf("a"),
			Main: sitegraph.RuledDigest(0b1011, 7, 2)},
			sitegraph.Digests{Bytes: bytesOf("b"), Main: near}, sitegraph.ChangeByBytes,
			sitegraph.Same, true},
		{"four bits of two", sitegraph.Digests{Bytes: bytesOf("a"),
			Main: sitegraph.RuledDigest(0b1011, 7, 2)},
			sitegraph.Digests{Bytes: bytesOf("b"), Main: far}, sitegraph.ChangeByBytes,
			sitegraph.Different, true},
		{"a new rule", sitegraph.Digests{Bytes: bytesOf("a"), Main: one},
			sitegraph.Digests{Bytes: bytesOf("b"), Main: newRule}, sitegraph.ChangeByBytes,
			sitegraph.Incomparable, true},
		{"a new rule, the same bytes", sitegraph.Digests{Bytes: bytesOf("a"), Main: one},
			sitegraph.Digests{Bytes: bytesOf("a"), Main: newRule}, sitegraph.ChangeByBytes,
			sitegraph.Same, true},
		{"the first rule", sitegraph.Digests{Bytes: bytesOf("a")},
			sitegraph.Digests{Bytes: bytesOf("b"), Main: one}, sitegraph.ChangeByBytes,
			sitegraph.Incomparable, false},
		{"no rule any more", sitegraph.Digests{Bytes: bytesOf("a"), Main: one},
			sitegraph.Digests{Bytes: bytesOf("b")}, sitegraph.ChangeByBytes, sitegraph.Different,
			false},
		{"no rule any more, by main text", sitegraph.Digests{Bytes: bytesOf("a"), Main: one},
			sitegraph.Digests{Bytes: bytesOf("b"), Main: bytesOf("m")}, sitegraph.ChangeByMain,
			sitegraph.Incomparable, false},
		{"never a rule", sitegraph.Digests{Bytes: bytesOf("a"), Main: bytesOf("m")},
			sitegraph.Digests{Bytes: bytesOf("b"), Main: bytesOf("m")}, sitegraph.ChangeByMain,
			sitegraph.Same, true},
		{"nothing known", sitegraph.Digests{}, sitegraph.Digests{Main: none},
			sitegraph.ChangeByBytes, sitegraph.Same, true},
	} {
		if got := c.old.Compare(c.now, c.by); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if got := c.now.Compare(c.old, c.by); c.alsoBackwards && got != c.want {
			t.Errorf("%s, backwards: %d, want %d", c.name, got, c.want)
		}
	}
}

// A visit under a new rule counts as no change. The next visit is compared with it.
func TestBaseline(t *testing.T) {
	begin := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	var r sitegraph.Record
	see := func(day int, bytes string, main sitegraph.Digest, want sitegraph.Verdict) {
		t.Helper()
		o := sitegraph.Observation{Outcome: sitegraph.OutcomeFetched,
			Time:    begin.AddDate(0, 0, day),
			Digests: sitegraph.Digests{Bytes: bytesOf(bytes), Main: main}}
		if got := r.Apply(o, sitegraph.ChangeByBytes); got != want {
			t.Errorf("day %d: %v, want %v", day, got, want)
		}
	}
	of := sitegraph.RuledDigest
	see(0, "a", sitegraph.Digest{}, sitegraph.VerdictFirst)
	see(1, "b", sitegraph.Digest{}, sitegraph.VerdictChanged)
	before := r.History
	see(15, "c", of(1, 5, 0), sitegraph.VerdictBaseline)
	if r.History.Elapsed() != before.Elapsed() || r.History.Visits != 2 || r.History.Changes != 1 ||
		!r.History.LastVisit().Equal(begin.AddDate(0, 0, 15)) {
		t.Errorf("history %+v", r.History)
	}
	if r.History.WeeksSeen != 0b100 || r.History.WeeksChanged != 0b100 {
		t.Errorf("weeks %b, %b", r.History.WeeksSeen, r.History.WeeksChanged)
	}
	see(16, "d", of(1, 5, 0), sitegraph.VerdictUnchanged)
	see(17, "e", of(2, 5, 0), sitegraph.VerdictChanged)
	see(18, "e", of(2, 6, 0), sitegraph.VerdictUnchanged)

	// A page that drifts by one bit a day has changed once it differs by two bits.
	see(19, "f", of(0, 9, 1), sitegraph.VerdictBaseline)
	see(20, "g", of(1, 9, 1), sitegraph.VerdictUnchanged)
	see(21, "h", of(3, 9, 1), sitegraph.VerdictChanged)
	see(22, "i", of(2, 9, 1), sitegraph.VerdictUnchanged)
}

// If an archived copy was read again, its current digest counts. An answer "not modified" then
// saves this digest in the record.
func TestCopyReadAnew(t *testing.T) {
	old, now := sitegraph.RuledDigest(1, 7, 0), sitegraph.RuledDigest(2, 8, 0)
	for _, c := range []struct {
		outcome sitegraph.Outcome
		main    sitegraph.Digest // seen
		want    sitegraph.Verdict
	}{
		{sitegraph.OutcomeNotModified, sitegraph.Digest{}, sitegraph.VerdictUnchanged},
		{sitegraph.OutcomeFetched, now, sitegraph.VerdictUnchanged},
		{sitegraph.OutcomeFetched, sitegraph.RuledDigest(3, 8, 0), sitegraph.VerdictChanged},
	} {
		r := sitegraph.Record{State: sitegraph.StateAlive,
			Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte("a")), Main: old},
			History: sitegraph.Start(time.Unix(1000, 0))}
		o := sitegraph.Observation{Time: time.Unix(9000, 0), Outcome: c.outcome, CopyMain: now}
		if c.outcome == sitegraph.OutcomeFetched {
			o.Digests = sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte("b")), Main: c.main}
		}
		if got := r.Apply(o, sitegraph.ChangeByBytes); got != c.want {
			t.Errorf("%v: %v, want %v", c.outcome, got, c.want)
		}
		if rule, _ := r.Digests.Main.Rule(); rule != 8 {
			t.Errorf("%v: the record has the digest of rule %d", c.outcome, rule)
		}
	}
}
