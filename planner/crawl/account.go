package crawl

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
)

// account is the budget of the current round as the store knows it.
type account struct {
	Number  int       `json:"number"`
	Start   time.Time `json:"start"`
	Granted int       `json:"granted"`
	Used    int       `json:"used"` // begun or reserved
	Carry   float64   `json:"carry"`
	// Earlier is what the earlier rounds of the same UTC day used: the day's budget holds
	// also where the length of rounds or the budget is changed within it.
	Earlier int `json:"earlier"`
	// Traffic is what the store did: in memory that of the processes before this one.
	Traffic Traffic `json:"traffic,omitzero"`
}

const accountSetting = "round"

// reserve takes one fetch of the round's budget. Reservations are made durable in parts of
// 1/16 of the budget, at least 1 and at most 64: one commit for many visits.
func (l *Loop) reserve() error {
	if !l.Reserve {
		return nil
	}
	claimed, err := l.saveCaps()
	if err != nil {
		return err
	}
	if l.account.Granted == planner.Unlimited {
		if claimed {
			return l.commit()
		}
		return nil
	}
	if l.reserved > 0 {
		if claimed {
			if err := l.commit(); err != nil {
				return err
			}
		}
	} else {
		part := min(max(l.account.Granted/16, 1), 64, max(l.account.Granted-l.account.Used, 1))
		l.account.Used += part
		if err := l.saveAccount(); err != nil {
			return err
		}
		l.reserved = part
	}
	l.reserved--
	return nil
}

// saveCaps hands the books of the limits that have changed to the store. The next commit makes them
// durable.
func (l *Loop) saveCaps() (saved bool, err error) {
	saved, err = l.Planner.Caps().Save(l.Store.SaveSetting)
	if err != nil {
		return saved, l.storeError(err, "save the budgets")
	}
	return saved, nil
}

func (l *Loop) saveAccount() error {
	now := l.account
	now.Traffic = l.Traffic()
	value, err := json.Marshal(now)
	if err != nil {
		panic(fmt.Sprintf("crawl: account %+v: %v", l.account, err)) // plain numbers and a time
	}
	if err := l.Store.SaveSetting(accountSetting, value); err != nil {
		return l.storeError(err, "save the round's account")
	}
	return l.commit()
}

// at returns the account of the round that now is in: a as it stands, also if the clock is behind
// its start, or a new one. A round that lies further ahead than its length was opened by a clock
// that was wrong, and is over: else there would be no visits until then. So is one ahead of a clock
// that is known to have stepped back.
func (a account) at(now time.Time, perDay float64, length time.Duration, back bool) (
	current account, opened bool) {
	start := now.UTC().Truncate(length)
	if start.Equal(a.Start) || now.Before(a.Start) && a.Start.Sub(now) <= length && !back {
		return a.within(perDay, length), false
	}
	grant := budget.Grant{PerDay: perDay, Carry: a.Carry}
	next := account{Number: a.Number + 1, Start: start, Granted: grant.Of(length),
		Carry: grant.Carry, Traffic: a.Traffic}
	const day = 24 * time.Hour
	if start.Truncate(day).Equal(a.Start.Truncate(day)) {
		next.Earlier = a.Earlier + a.Used
	}
	if next.Granted != planner.Unlimited {
		next.Granted = min(next.Granted, max(int(math.Ceil(perDay))-next.Earlier, 0))
	}
	return next, true
}

// within lowers what was granted to a budget that has been lowered since; a higher one counts
// from the next round on.
func (a account) within(perDay float64, length time.Duration) account {
	if perDay == planner.Unlimited {
		return a
	}
	most := min(math.Ceil(perDay*length.Hours()/24), math.Ceil(perDay)-float64(a.Earlier))
	if a.Granted == planner.Unlimited || float64(a.Granted) > most {
		a.Granted = max(int(most), 0)
	}
	return a
}

// round is what is left of the account to do.
func (a account) round(length time.Duration) planner.Round {
	// The planner goes by whole seconds after Start, as visits of a replay bear the time of
	// their round's end, which is the next one's start. Here a visit in the first second
	// is one of this round.
	r := planner.Round{
		Number: a.Number,
		Start:  a.Start.Add(-time.Nanosecond),
		End:    a.Start.Add(length),
		Budget: planner.Unlimited,
	}
	if a.Granted != planner.Unlimited {
		r.Budget = max(a.Granted-a.Used, 0)
	}
	return r
}

func readAccount(s Store) (a account, err error) {
	value, ok, err := s.Setting(accountSetting)
	if err == nil && ok {
		err = json.Unmarshal(value, &a)
	}
	if err != nil {
		return a, fmt.Errorf("read the round's account: %w", err)
	}
	return a, nil
}
