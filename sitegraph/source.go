package sitegraph

import "time"

// SourceKind is what a source is: a resource that is no page, but lists pages.
type SourceKind uint8

const (
	SourceUnknown SourceKind = iota // no source
	SourceSitemap                   // lists pages (sitemaps.org)
	SourceFeed                      // RSS or Atom: lists the newest pages
	SourceIndex                     // a sitemap index: lists sitemaps
)

var sourceKindNames = [...]string{"unknown", "sitemap", "feed", "index"}

func (k SourceKind) String() string { return enumName(sourceKindNames[:], int(k)) }

// Claim is what a source says of one page, or an index of one sitemap. It may be wrong.
type Claim struct {
	URL string // canonical, of the source's own server
	// Modified is when the page changed last, by the claim; the day's end where only a day is
	// named. Zero: not claimed.
	Modified time.Time
	// Every is how often the page changes, by the claim; zero: not claimed.
	Every time.Duration
}

// applySource applies a visit of a source to its record. A source never leaves: a missing one may
// appear later, and only sources name pages that nothing links to.
func (r *Record) applySource(o Observation) Verdict {
	switch o.Outcome {
	case OutcomeFetched:
		r.Errors = 0
	case OutcomeNotModified:
		r.Errors, r.Refuses = 0, false
	case OutcomeFailed:
		if o.Status == 412 {
			r.refused()
		}
		return r.fail()
	default:
		r.ETag, r.LastModified = "", time.Time{}
		r.fail()
		return VerdictLeft
	}
	verdict := VerdictUnchanged
	if o.Outcome == OutcomeFetched {
		if r.Digests.Bytes != o.Digests.Bytes {
			verdict = VerdictChanged
		}
		r.Digests, r.Size = o.Digests, o.Size
	}
	if r.History.Visits == 0 {
		r.History, verdict = Start(o.Time), VerdictFirst
	} else {
		r.History.See(o.Time, verdict == VerdictChanged, o.LastModified)
	}
	if o.Outcome == OutcomeFetched {
		r.validate(&o)
	}
	return verdict
}
