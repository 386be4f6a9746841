package captures

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Resolve completes captures of one URL, sorted by time, from each other. A capture that has only
// the digest of another tool gets digests, size and links of an earlier one with the same digest
// and a body. Of captures in the same second it keeps one, if possible with a body, because files
// may overlap.
func Resolve(all []Capture) []Capture {
	bodies := map[sitegraph.Digest]*Capture{}
	kept := all[:0]
	for _, c := range all {
		if c.Kind == KindListed {
			continue
		}
		if n := len(kept); n > 0 && kept[n-1].Time == c.Time {
			if last := &kept[n-1]; last.Kind != KindFetched || c.Kind == KindFetched &&
				c.hasBody() && !last.hasBody() {
				*last = c
			}
			continue
		}
		kept = append(kept, c)
	}
	for i := range kept {
		c := &kept[i]
		switch body := bodies[c.Payload]; {
		case c.Kind != KindFetched || c.Payload.IsZero():
		case c.hasBody():
			bodies[c.Payload] = c
		case body != nil:
			c.Digests, c.Size, c.NoIndex = body.Digests, body.Size, body.NoIndex
			c.Links, c.Frames, c.LinksKnown = body.Links, body.Frames, body.LinksKnown
		}
	}
	return kept
}

// Told counts the evidence in captures.
type Told struct {
	Visits    int64 `json:"visits"`    // captures with evidence
	Compared  int64 `json:"compared"`  // those compared with the one before
	Changes   int64 `json:"changes"`   // those that differed
	Uncertain int64 `json:"uncertain"` // not comparable with the one before
	Left      int64 `json:"left"`      // the page was gone or had moved
}

// Apply applies resolved captures of one URL, by time, to the record of the page, like visits of a
// run. Captures up to the last visit change nothing. If both captures have a body, by defines a
// change, and otherwise their digests of another tool.
func Apply(r *sitegraph.Record, all []Capture, by sitegraph.ChangeBy) (told Told) {
	var before *Capture // the last one that was applied to r
	for i := range all {
		c := &all[i]
		o := c.observation()
		if c.Kind == KindUnchanged && r.State != sitegraph.StateAlive {
			o.Outcome = sitegraph.OutcomeFetched // there was a page, with unknown content
		}
		byTool := before != nil && before.Kind == KindFetched && c.Kind == KindFetched &&
			before.hasBody() != c.hasBody() &&
			!before.Payload.IsZero() && !c.Payload.IsZero()
		kept := *r
		if byTool { // one has no body: compare the digests of the other tool
			r.Digests, o.Digests = sitegraph.Digests{Bytes: before.Payload},
				sitegraph.Digests{Bytes: c.Payload}
		}
		verdict := r.Apply(o, by)
		if verdict == sitegraph.VerdictUnknown {
			r.Digests = kept.Digests
			continue
		}
		if byTool {
			r.Digests = c.Copy()
		}
		// the first own visit requests links and all
		r.ETag, r.LastModified = "", time.Time{}
		told.add(verdict)
		if c.Kind != KindUnchanged || verdict != sitegraph.VerdictUnchanged {
			before = c
		}
	}
	return told
}

func (t *Told) add(v sitegraph.Verdict) {
	t.Visits++
	switch v {
	case sitegraph.VerdictChanged:
		t.Changes++
		t.Compared++
	case sitegraph.VerdictUnchanged:
		t.Compared++
	case sitegraph.VerdictBaseline:
		t.Uncertain++
	case sitegraph.VerdictLeft:
		t.Left++
	}
}

// Add adds other counts.
func (t *Told) Add(o Told) {
	t.Visits += o.Visits
	t.Compared += o.Compared
	t.Changes += o.Changes
	t.Uncertain += o.Uncertain
	t.Left += o.Left
}

// observation returns what an own visit would have observed.
func (c *Capture) observation() sitegraph.Observation {
	return sitegraph.Observation{URL: c.URL, Time: time.Unix(int64(c.Time), 0).UTC(),
		Status: c.Status, Digests: c.Copy(),
		Size: c.Size, NoIndex: c.NoIndex, RedirectTo: c.To, Outcome: map[Kind]sitegraph.Outcome{
			KindFetched: sitegraph.OutcomeFetched, KindUnchanged: sitegraph.OutcomeNotModified,
			KindGone: sitegraph.OutcomeGone, KindMoved: sitegraph.OutcomeRedirected,
		}[c.Kind]}
}
