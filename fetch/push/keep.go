package push

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// settingOf returns the setting of a subscription. Subscriptions are in shards by the first digits
// of their tokens, so that a change rewrites few: 40 of 10,000.
func settingOf(token string) string { return "websub/" + token[:2] }

// SubscriptionKeeper keeps settings, and makes them durable.
type SubscriptionKeeper interface {
	SaveSetting(name string, value []byte) error
	Commit() error
}

// markDirty makes Keep save the setting of a subscription.
func (s *Subscriber) markDirty(sub *subscription) { s.dirty[settingOf(sub.token())] = true }

// Keep makes changes durable. Only then are hubs asked for new subscriptions.
func (s *Subscriber) Keep(k SubscriptionKeeper) error {
	settings, saved := s.changed()
	if len(settings) == 0 {
		return nil
	}
	for name, value := range settings {
		if err := k.SaveSetting(name, value); err != nil {
			return fmt.Errorf("save subscriptions: %w", err)
		}
	}
	if err := k.Commit(); err != nil {
		return fmt.Errorf("commit subscriptions: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for token, sub := range saved {
		if s.byToken[token] == sub {
			sub.kept = true
		}
	}
	s.wake()
	return nil
}

// changed returns the settings to save, and their subscriptions by token.
func (s *Subscriber) changed() (settings map[string][]byte, saved map[string]*subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.dirty) == 0 {
		return nil, nil
	}
	all := map[string][]*subscription{}
	saved = map[string]*subscription{}
	for token, sub := range s.byToken {
		if name := settingOf(token); s.dirty[name] {
			all[name] = append(all[name], sub)
			saved[token] = sub
		}
	}
	settings = map[string][]byte{}
	for name := range s.dirty {
		slices.SortFunc(all[name], func(a, b *subscription) int {
			return strings.Compare(a.Callback, b.Callback)
		})
		settings[name], _ = json.Marshal(all[name]) // plain fields cannot fail
	}
	clear(s.dirty)
	return settings, saved
}

// Restore reads the state of an earlier process. It drops unreadable callbacks and those of another
// public URL, and asks hubs again. The error is that of setting.
func (s *Subscriber) Restore(setting func(name string) (value []byte, ok bool, err error)) error {
	for shard := range 256 {
		value, ok, err := setting(settingOf(fmt.Sprintf("%02x", shard)))
		if err != nil {
			return fmt.Errorf("read subscriptions: %w", err)
		}
		if ok {
			s.restore(value)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake()
	return nil
}

func (s *Subscriber) restore(value []byte) {
	var all []*subscription
	if json.Unmarshal(value, &all) != nil {
		return // the next visits to the feeds subscribe to them
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	for _, sub := range all {
		if sub == nil || !sub.whole() || len(s.byToken) >= mostSubscriptions {
			continue
		}
		for _, at := range []*time.Time{&sub.Until, &sub.Next} {
			if !at.IsZero() {
				*at = now.Add(at.Sub(now)) // the same distance if the clock steps
			}
		}
		before := sub.token()
		switch {
		case sub.State == leaving:
		case s.byFeed[sub.Feed] != nil:
			continue
		case !strings.HasPrefix(sub.Callback, s.o.Callback+"/"),
			sub.State == active && !now.Before(sub.Until): // the lease ended while no process ran
			sub.renew(s.o.Callback, now)
			s.dirty[settingOf(before)] = true
		}
		s.byToken[sub.token()] = sub
		if sub.kept = sub.token() == before; !sub.kept {
			s.markDirty(sub)
		}
		if sub.State != leaving {
			s.byFeed[sub.Feed] = sub
			s.ofServer[serverOf(sub.Feed)]++
		}
	}
}

// whole reports whether a restored subscription is complete.
func (s *subscription) whole() bool {
	known := slices.Contains([]state{wanted, asked, active, denied, leaving}, s.State)
	return known && s.Feed != "" && s.Topic != "" && len(s.Hubs) > 0 &&
		!slices.Contains(s.Hubs, "") && s.Turn >= 0 &&
		len(s.token()) == 2*tokenBytes && strings.Trim(s.token(), "0123456789abcdef") == "" &&
		s.Secret != "" && s.Failures >= 0
}
