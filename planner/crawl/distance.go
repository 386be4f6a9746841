package crawl

import (
	"context"
	"time"
)

const (
	// longestVisit bounds the age of a visit that was under way when a process was killed.
	longestVisit = 2 * time.Minute
	// askingSetting names the time until which servers may be asked although nothing is
	// acknowledged: a process may be killed before the first commit, or while it reads robots.txt.
	// It is written once each askingFor.
	askingSetting = "asking"
	askingFor     = time.Minute
	// resumedSetting names the time until which earlier processes than the last may have asked
	// servers. If the last one sent no request, waits count from that time. Otherwise a process
	// that is killed again and again would never ask a server that wants a long pause.
	resumedSetting = "resumed"
)

// announce notes in the store, before a visit begins, that servers are asked from now on.
func (l *Loop) announce() error {
	now := l.Clock.Now()
	if l.Pause == 0 && l.PauseOf == nil || now.Before(l.announced) {
		return nil
	}
	l.announced = now.Add(askingFor)
	value, err := l.announced.MarshalText()
	if err != nil {
		return err
	}
	if err := l.Store.SaveSetting(askingSetting, value); err != nil {
		return l.storeError(err, "save that servers are asked")
	}
	return l.commit()
}

// KeepDistance waits for a Pause before the first request of a process that continues where another
// just stopped, since the last requests of the earlier one are unknown. Servers with a longer pause
// of their own wait for that. It calls waiting before it waits.
func (l *Loop) KeepDistance(ctx context.Context, waiting func()) error {
	value, _, err := l.Store.Setting(askingSetting)
	if err != nil {
		return l.storeError(err, "read when servers were asked")
	}
	now, last := l.Clock.Now(), time.Unix(int64(l.Planner.Pages.LastTried()), 0)
	var asking time.Time
	if asking.UnmarshalText(value) == nil && asking.After(last) {
		last = asking
	}
	if asked := last.Add(longestVisit); asked.After(now) {
		l.resumed = now
	} else {
		l.resumed = anchored(asked, now)
	}
	if err := l.saveResumed(now); err != nil {
		return err
	}
	if l.Pause == 0 || now.Sub(last) > longestVisit+l.Pause {
		return nil
	}
	waiting()
	return l.sleepUntil(ctx, now.Add(l.Pause))
}

// saveResumed keeps the time from which the last process counted its waits, if that process sent no
// request. It then passes the time to the fetcher.
func (l *Loop) saveResumed(now time.Time) error {
	r, ok := l.Fetcher.(Resumer)
	if !ok {
		return nil
	}
	value, known, err := l.Store.Setting(resumedSetting)
	if err != nil {
		return l.storeError(err, "read until when servers were asked")
	}
	var before time.Time
	if known && r.Silent() && before.UnmarshalText(value) == nil && before.Before(l.resumed) {
		l.resumed = anchored(before, now)
	}
	if value, err = l.resumed.MarshalText(); err != nil {
		return err
	}
	if err := l.Store.SaveSetting(resumedSetting, value); err != nil {
		return l.storeError(err, "save until when servers were asked")
	}
	if err := l.commit(); err != nil {
		return err
	}
	r.Resume(l.resumed)
	return nil
}
