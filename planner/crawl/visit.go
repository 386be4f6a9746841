package crawl

import (
	"context"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// begin reserves budget for a visit and loads the record of its page. False: the limits have no
// room for it.
func (l *Loop) begin(v *planner.Visit, r *Request) (ok bool, err error) {
	if r.MaxBytes, ok = l.Planner.Start(v); !ok {
		return false, nil
	}
	if err := l.announce(); err != nil {
		return false, err
	}
	if err := l.reserve(); err != nil {
		return false, err
	}
	r.Round, r.Visit = l.round, *v
	if err := l.Store.Load(v.Page, &r.Record); err != nil {
		return false, l.storeError(err, "load record of %s", l.graph.URL(v.Page))
	}
	if l.dues != nil {
		r.answers = l.dues.messages(v.Page)
	}
	r.Record.NotAfter(l.Clock.Now(), l.wrongClock)
	l.unjudged(&r.Record)
	if keeper, ok := l.Fetcher.(Keeper); ok {
		if err := keeper.Recall(r.Record.URL, l.Store.Setting); err != nil {
			return false, l.storeError(err, "recall the server of %s", r.Record.URL)
		}
	}
	l.refresh(&r.Record)
	return true, nil
}

// chargeBytes counts the bytes that a visit has read: all that it might if it failed in the
// program.
func (l *Loop) chargeBytes(v *planner.Visit, r *Request, o sitegraph.Observation, err error) {
	read := r.MaxBytes
	if err == nil {
		read = o.Transferred
		if read == 0 {
			read = o.Size
		}
	}
	l.Planner.Finish(v, r.MaxBytes, read)
}

// postpone takes back a visit that began and could not ask for its page. The bytes that it read
// count, its fetch does not.
func (l *Loop) postpone(v *planner.Visit, r *Request, o sitegraph.Observation) {
	l.Planner.Postpone(v, r.MaxBytes, o.Transferred)
	if l.Reserve && l.account.Granted != planner.Unlimited && l.isOf(r) {
		l.reserved++
	}
}

func fetchError(ctx context.Context, url string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("visit %s: %w", url, err)
}

// apply applies an outcome to the record of the page and to the graph. The policy learns from it.
func (l *Loop) apply(v planner.Visit, r *Request, o sitegraph.Observation) error {
	record := &r.Record
	if err := l.awaitVerified(); err != nil {
		return err
	}
	l.Planner.Strains().Visited(l.graph.Server(record.Page))
	before := record.Digests.Bytes
	l.before = record.History.LastVisit()
	if record.State != sitegraph.StateSource && o.Outcome == sitegraph.OutcomeFetched &&
		l.Planner.ReadsSources() {
		l.Planner.Pages.Hints.ClaimHeader(record.Page, o.LastModified)
	}
	if err := l.duplicate(record, &o); err != nil {
		return err
	}
	if l.Proof && o.Outcome != sitegraph.OutcomeFetched &&
		!(o.Canonical != "" && o.RedirectTo == o.Canonical) &&
		record.Doubt(o, l.Planner.Pages.MaxAge(record.Page)) {
		if err := l.revisitForbidden(record.Page, o.Robots); err != nil {
			return err
		}
		l.Planner.Pages.Remember(record)
		return l.saveOutcome(v, r, o, sitegraph.VerdictDoubted)
	}
	verdict := record.Apply(o, l.Change)
	// Equal bytes have equal links.
	sameBytes := verdict == sitegraph.VerdictUnchanged && before == o.Digests.Bytes &&
		!before.IsZero() &&
		!record.More
	if l.Discover && !sameBytes && record.State != sitegraph.StateSource {
		if err := l.applyLinks(record, o); err != nil {
			return err
		}
	}
	if verdict == sitegraph.VerdictFirst {
		l.discovery.noteFetched(l.graph.Server(record.Page), record.URL)
	}
	l.Planner.Observe(record, verdict)
	if l.Planner.ReadsSources() {
		if err := l.applySource(record, o); err != nil {
			return err
		}
	}
	if err := l.revisitForbidden(record.Page, o.Robots); err != nil {
		return err
	}
	return l.saveOutcome(v, r, o, verdict)
}

// saveOutcome saves the record after a visit, and reports the visit.
func (l *Loop) saveOutcome(v planner.Visit, r *Request, o sitegraph.Observation,
	verdict sitegraph.Verdict) error {
	record := &r.Record
	due, interval := l.Planner.Due(v.Page, o.Time)
	record.Due = due.When
	if interval > 0 {
		record.Interval = interval
	}
	if l.Forecast {
		record.Reason = due.Reason.String()
		if record.ByFilter {
			record.Reason = o.Detail + "; " + record.Reason // for explain
		}
	}
	l.Planner.Pages.Remember(record)
	if l.dues != nil && r.answers > 0 {
		if err := l.dues.store.Answered(v.Page, r.answers); err != nil {
			return l.storeError(err, "answer messages to %s", record.URL)
		}
	}
	if err := l.Store.Save(record); err != nil {
		return l.storeError(err, "save record of %s", record.URL)
	}
	if l.dues != nil {
		l.dues.saved(v.Page, r.answers)
	}
	if l.Seen != nil || l.Acknowledged != nil {
		l.event = Event{Round: r.Round, Visit: v, Observation: o, Verdict: verdict, Record: *record,
			Before: l.before}
		if l.Seen != nil {
			l.Seen(&l.event)
		}
		if l.Acknowledged != nil {
			// they may hold a whole page in memory
			l.event.Observation.Links, l.event.Observation.Frames = nil, nil
			l.event.Observation.Claims, l.event.Observation.Sources = nil, nil
			l.event.Observation.Watched = nil
			l.unacked = append(l.unacked, l.event)
		}
	}
	l.askAgain(v.Page) // durable with the outcome
	return l.commitInTime()
}

// commitInTime counts the visit, and commits if enough visits or time have passed.
func (l *Loop) commitInTime() error {
	l.graph.Scratch().Settle()
	l.uncommitted++
	if l.uncommitted >= l.CommitEvery || l.uncommitted&15 == 0 &&
		time.Since(l.lastCommit) > l.CommitAfter {
		return l.commit()
	}
	return nil
}

// commit makes the visits durable, and acknowledges them.
func (l *Loop) commit() error {
	if err := l.Planner.Pages.Hints.Save(l.saveProofs); err != nil {
		return err
	}
	if err := l.saveLearnt(false); err != nil {
		return err
	}
	if err := l.flushDues(); err != nil {
		return err
	}
	if keeper, ok := l.Fetcher.(Keeper); ok {
		if err := keeper.Keep(l.Store.SaveSetting); err != nil {
			return l.storeError(err, "save what is known of servers")
		}
	}
	if err := l.Store.Commit(); err != nil {
		return l.storeError(err, "commit")
	}
	if l.Acknowledged != nil && len(l.unacked) > 0 {
		l.Acknowledged(l.unacked)
		l.unacked = l.unacked[:0]
	}
	l.sinceImage += l.uncommitted
	l.uncommitted = 0
	l.lastCommit = time.Now()
	return l.between()
}

// between calls Between until it fails. The error ends the round with one more commit, which must
// not call Between again.
func (l *Loop) between() error {
	if l.Between == nil {
		return nil
	}
	err := l.Between()
	if err != nil {
		l.Between = nil
	}
	return err
}
