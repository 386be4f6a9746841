package planner

import "github.com/recrawl/recrawl/sitegraph"

// HintSignal is the claim of sources about a page, as a noisy signal of its changes.
type HintSignal struct {
	Changed   bool    // the newest claim is a change since the last visit
	Precision float64 // share of such claims that were true, in (0, 1)
	Recall    float64 // share of the changes that were claimed, in (0, 1)
}

// Accuracy before the claims of a server were tested: the best of sitemaps by Busa-Fekete et al.
// 2025, a precision under 0.2 and a recall under 0.5.
const (
	untestedPrecision = 0.2
	untestedRecall    = 0.5
)

// Signal returns the claim of feeds and sitemaps about a page; false: none names it with a date. Of
// a sitemap and a feed, the one that claims a change counts, and of two alike the more precise one.
// Precision and recall are those of visits to the server, pulled toward those of all others, and
// these toward the untested values, each with the weight of four visits.
func (h *Hints) Signal(p sitegraph.PageID) (s HintSignal, ok bool) {
	if !h.any {
		return s, false
	}
	for _, kind := range [...]HintKind{Sitemap, Feed} {
		t, told := h.told[kind][p]
		if !told || t.modified == 0 {
			continue
		}
		of := HintSignal{Changed: h.signal(p, t) == saysChanged}
		of.Precision, of.Recall = h.proved(h.graph.Server(p), kind)
		if !ok || of.Changed && !s.Changed || of.Changed == s.Changed &&
			of.Precision > s.Precision {
			s, ok = of, true
		}
	}
	return s, ok
}

// proved returns the precision and the recall of a kind of claims on a server.
func (h *Hints) proved(server sitegraph.ServerID, kind HintKind) (precision, recall float64) {
	own, others := h.counts(server, kind)
	share := func(of confusion, missing uint32, drawnTo float64) float64 {
		const visits = visitsOfOthers
		return (float64(of.True) + visits*drawnTo) / (float64(of.True) + float64(missing) + visits)
	}
	precision = share(own, own.False, share(others, others.False, untestedPrecision))
	return precision, share(own, own.Missed, share(others, others.Missed, untestedRecall))
}
