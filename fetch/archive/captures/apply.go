package captures

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Resolve completes captures of one address, which are sorted by time, by what the others tell. A
// capture that has the digest of another tool alone gets digests, size and links of an earlier one
// with the same digest and a body. Of captures of the same second one is kept, if possible one with
// a body: files may overlap.
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

// Told counts what captures told.
type Told struct {
	Visits    int64 `json:"visits"`    // that told something
	Compared  int64 `json:"compared"`  // of them, with the one before
	Changes   int64 `json:"changes"`   // of those compared, that differed
	Uncertain int64 `json:"uncertain"` // that could not be compared with the one before
	Left      int64 `json:"left"`      // that the page was gone or had moved
}

// Apply applies captures of one address, by time and resolved, to what is remembered of the page,
// as visits of our own are applied. One that is not after the last visit changes nothing. What
// counts as a change is decided by ChangeBy where both captures have a body, else by the digests
// that came with them.
func Apply(r *sitegraph.Record, all []Capture, by sitegraph.ChangeBy) (told Told) {
	var before *Capture // the last one that was applied to r
	for i := range all {
		c := &all[i]
		o := c.observation()
		if c.Kind == KindUnchanged && r.State != sitegraph.StateAlive {
			o.Outcome = sitegraph.OutcomeFetched // there was a page, whatever it held
		}
		byTool := before != nil && before.Kind == KindFetched && c.Kind == KindFetched &&
			before.hasBody() != c.hasBody() &&
			!before.Payload.IsZero() && !c.Payload.IsZero()
		kept := *r
		if byTool { // one has no body: compare by the digests of the tool that wrote them
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
		// the first visit of our own asks for links and all
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

// Add adds what others told.
func (t *Told) Add(o Told) {
	t.Visits += o.Visits
	t.Compared += o.Compared
	t.Changes += o.Changes
	t.Uncertain += o.Uncertain
	t.Left += o.Left
}

// observation is what a visit of our own would have seen.
func (c *Capture) observation() sitegraph.Observation {
	return sitegraph.Observation{URL: c.URL, Time: time.Unix(int64(c.Time), 0).UTC(),
		Status: c.Status, Digests: c.Copy(),
		Size: c.Size, NoIndex: c.NoIndex, RedirectTo: c.To, Outcome: map[Kind]sitegraph.Outcome{
			KindFetched: sitegraph.OutcomeFetched, KindUnchanged: sitegraph.OutcomeNotModified,
			KindGone: sitegraph.OutcomeGone, KindMoved: sitegraph.OutcomeRedirected,
		}[c.Kind]}
}
