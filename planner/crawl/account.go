package crawl

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
)

// account is the budget of the current round as the store keeps it.
type account struct {
	Number  int       `json:"number"`
	Start   time.Time `json:"start"`
	Granted int       `json:"granted"`
	Used    int       `json:"used"` // begun or reserved
	Carry   float64   `json:"carry"`
	// Earlier is the use by earlier rounds of the same UTC day. So the budget of the day holds even
	// if it, or the length of rounds, changes within the day.
	Earlier int `json:"earlier"`
	// Traffic counts what the store did. In memory it counts earlier processes only.
	Traffic Traffic `json:"traffic,omitzero"`
}

const accountSetting = "round"

// reserve takes one fetch of the round's budget. The store makes reservations durable in batches of
// 1/16 of the budget, at least 1 and at most 64, so that one commit serves many visits.
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

// saveCaps writes the accounts of changed limits to the store. The next commit makes them durable.
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
		panic(fmt.Sprintf("crawl: account %+v: %v", l.account, err)) // always encodes
	}
	if err := l.Store.SaveSetting(accountSetting, value); err != nil {
		return l.storeError(err, "save the round's account")
	}
	return l.commit()
}

// at returns the account of the current round: a itself, also if the clock is behind its start, or
// a new one. A round that starts further ahead than its length was opened by a wrong clock and is
// over. Otherwise no visits would happen until its start. If the clock is known to have stepped
// back, every round ahead is over.
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

// within lowers the grant to a budget that was lowered since. A higher budget applies from the next
// round on.
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

// round returns the round with what is left of its budget.
func (a account) round(length time.Duration) planner.Round {
	// The planner counts whole seconds after Start. Visits of a replay carry the end of their
	// round, which is the start of the next one. Here a visit in the first second belongs to this
	// round.
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
