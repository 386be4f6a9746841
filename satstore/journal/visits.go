package journal

import (
	"math"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// AppendVisits passes acknowledged visits to the journal. The system has them when it returns.
func AppendVisits(log *Journal, events []crawl.Event) error {
	for i := range events {
		if err := log.Append(entryOf(&events[i])); err != nil {
			return err
		}
	}
	return log.Flush()
}

func entryOf(e *crawl.Event) Entry {
	o := &e.Observation
	entry := Entry{
		URL:           e.Record.URL,
		Time:          o.Time,
		Round:         e.Round.Number,
		First:         e.Visit.First,
		Reason:        e.Visit.Reason.String(),
		DrawnFrom:     e.Visit.DrawnFrom,
		Gone:          e.Visit.Gone,
		Outcome:       o.Outcome.String(),
		Verdict:       e.Verdict.String(),
		Status:        o.Status,
		Detail:        o.Detail,
		Bytes:         o.Size,
		Moved:         o.Transferred,
		Cut:           o.Truncated,
		Type:          o.MediaType,
		Address:       o.Address,
		Redirect:      o.RedirectTo,
		Filter:        o.Filter,
		NoIndex:       o.NoIndex,
		NoArchive:     o.NoArchive,
		ElapsedMillis: o.Elapsed.Milliseconds(),
		Next:          e.Record.Due,
	}
	if o.Trouble > sitegraph.TroubleNone {
		entry.Trouble = o.Trouble.String()
	}
	if !e.Visit.Due.IsZero() {
		entry.Due = &e.Visit.Due
	}
	if p := e.Visit.Probability; !math.IsNaN(p) {
		entry.Probability = &p
	}
	if o.Outcome == sitegraph.OutcomeFetched {
		entry.Digest, entry.Text = o.Digests.Bytes.String(), o.Digests.Text.String()
		if !o.Digests.Main.IsZero() { // it is made only if it decides changes
			entry.Main = o.Digests.Main.String()
		}
	}
	return entry
}
