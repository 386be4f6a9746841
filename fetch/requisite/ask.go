package requisite

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
)

const leastBackOff, mostBackOff = time.Minute, 6 * time.Hour

// step asks for one requisite, or waits until one may be asked for. It returns false if the context
// ended, or nothing more can be kept.
func (k *Keeper) step(ctx context.Context) bool {
	s, i, room, until := k.next()
	if i == nil {
		if k.failed() {
			return false
		}
		if longest := k.Clock.Now().Add(longestRest); until.After(longest) {
			until = longest
		}
		k.rest(ctx, until)
		return ctx.Err() == nil
	}
	k.wake() // others may also find work
	k.ask(ctx, s, i, room)
	return ctx.Err() == nil
}

func (k *Keeper) failed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err != nil
}

// rest waits for news, or until a time.
func (k *Keeper) rest(ctx context.Context, until time.Time) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	slept := make(chan struct{})
	go func() {
		defer close(slept)
		_ = k.Clock.SleepUntil(limited, until) // an error only means that nobody waits any more
	}()
	select {
	case <-k.news:
	case <-slept:
	case <-ctx.Done():
	}
	cancel()
	<-slept
}

// longestRest limits the rest of a worker without work.
const longestRest = time.Minute

// next takes an item whose server may be asked, and reserves budget for its answer. If it returns
// nil, there is none before until.
func (k *Keeper) next() (s *server, i *item, room reservation, until time.Time) {
	now := k.Clock.Now()
	until = now.Add(longestRest)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil || len(k.waiting) == 0 {
		return nil, nil, room, until
	}
	if k.idle.After(now) {
		return nil, nil, room, k.idle
	}
	for name, one := range k.servers {
		switch {
		case one.busy:
		case one.notBefore.After(now):
			if len(one.items) > 0 && one.notBefore.Before(until) {
				until = one.notBefore
			}
		case len(one.items) == 0:
			delete(k.servers, name)
		case k.Client.Closed(name).After(now.Add(longestRest)): // a page got a Retry-After
		default:
			s = one
		}
		if s != nil {
			break
		}
	}
	if s == nil {
		return nil, nil, room, until
	}
	most, usable := k.purse.left(now, MostBytes)
	if most == 0 {
		k.idle = usable
		return nil, nil, room, usable
	}
	if k.Able != nil && k.Able() != nil {
		k.idle = now.Add(time.Second)
		return nil, nil, room, k.idle
	}
	room = k.purse.reserve(most)
	k.used = true
	i, s.items, s.busy = s.items[0], s.items[1:], true
	return s, i, room, until
}

// announce logs, before a request, that servers are asked from now on.
func (k *Keeper) announce() error {
	now := k.Clock.Now()
	k.mu.Lock()
	said := now.Before(k.asking)
	if !said {
		k.asking = now.Add(askingFor)
		asking := k.asking
		k.lines = append(k.lines, line{Asking: &asking})
	}
	k.mu.Unlock()
	if said {
		return nil
	}
	return k.Keep()
}

// ask asks for an item whose server is marked busy.
func (k *Keeper) ask(ctx context.Context, s *server, i *item, room reservation) {
	a := &asking{Keeper: k, item: i}
	var p *fetch.Part
	err := k.announce()
	if err == nil {
		p, err = a.ask(ctx, room.octets)
	}
	now := k.Clock.Now()
	k.mu.Lock()
	k.purse.charge(room, now, a.read)
	k.used = true
	s.busy, s.notBefore = false, now
	a.resolve(ctx, s, p, err, now)
	k.mu.Unlock()
	if a.fact != nil {
		again := !a.was.Checked.IsZero()
		if err := k.named(i.URL, a.fact.shows, i.Depth+1, again); err != nil {
			k.fail(err)
		}
	}
	k.wake()
}

// fail ends all requests. The next Keep returns the error.
func (k *Keeper) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.err = err
}

// asking is one request.
type asking struct {
	*Keeper
	item    *item
	was     archive.Held // state in the archive before
	fact    *fact        // state after the answer; nil: no answer
	changed bool
	read    int64 // octets received
	short   bool  // the budget had less room than the answer needs
	broken  error // the archive failed
}

// ask sends the request and hands the answer to the archive.
func (a *asking) ask(ctx context.Context, most int64) (p *fetch.Part, err error) {
	url := a.item.URL
	if a.was, err = a.Archive.Held(url); err != nil {
		a.broken = err
		return nil, err
	}
	header := http.Header{"Accept": {"*/*"}}
	var old []byte
	var before *archive.Answer
	if !a.was.Checked.IsZero() {
		var ok bool
		if before, old, ok = a.Archive.Answer(a.was, MostBytes); ok && before.Status < 300 &&
			a.was.Count%fetch.FullEvery != fetch.FullEvery-1 {
			fetch.Condition(header, before.Get("ETag"), before.Get("Last-Modified"))
		}
	}
	ctx, wire := fetch.Listen(ctx)
	defer wire.Release()
	p, err = a.Client.Part(ctx, url, header, most)
	for _, x := range wire.Exchanges {
		a.read += int64(len(x.Response))
		a.short = a.short || x.URL == url && x.Cut == fetch.CutLength && most < MostBytes
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // an interrupted answer is no capture
	}
	if a.short && a.item.tries < mostTries-1 {
		return p, err // the next window may have room for all of it
	}
	v := archive.Visit{URL: url, Time: a.Clock.Now(), Reason: reason{}, Probability: math.NaN(),
		Outcome: "failed", First: a.was.Checked.IsZero(), Referer: a.item.Via}
	if p != nil {
		v.Time, v.Outcome = p.Ended, strconv.Itoa(p.Status)
	}
	exchanges := wire.Exchanges
	if p != nil && p.NoArchive {
		exchanges = slices.DeleteFunc(exchanges, func(x fetch.Exchange) bool {
			return x.URL == url
		})
	}
	if a.broken = a.Archive.Put(&v, exchanges); a.broken != nil || p == nil {
		return p, err
	}
	now := p.Ended
	same := before != nil && (p.Status == http.StatusNotModified ||
		p.Status == before.Status && bytes.Equal(old, p.Body))
	a.changed = before != nil && !same
	held := archive.Held{Checked: now, Since: now, Status: strconv.Itoa(p.Status), Whole: !a.short}
	if same {
		held.Since = a.was.Since
	}
	due := Due(url, held)
	a.fact = &fact{held: true, once: due.IsZero(), due: due, every: due.Sub(now)}
	if p.Status == http.StatusNotModified && before != nil {
		a.fact.shows = shows(url, before.Status, before.Get, old)
	} else {
		a.fact.shows = shows(url, p.Status, p.Header.Get, p.Body)
	}
	return p, nil
}

type reason struct{}

func (reason) String() string { return "requisite" }

// resolve notes the result of a request. The caller holds the lock.
func (a *asking) resolve(ctx context.Context, s *server, p *fetch.Part, err error, now time.Time) {
	k, i := a.Keeper, a.item
	var local *fetch.LocalError
	switch {
	case ctx.Err() != nil:
		s.items = slices.Insert(s.items, 0, i) // it still waits
		return
	case a.broken != nil:
		k.err = a.broken
		return
	case errors.As(err, &local):
		s.items = append(s.items, i)
		s.notBefore = now.Add(leastBackOff)
		return
	case errors.Is(err, fetch.ErrForbidden):
		k.dismiss(i, &fact{}, now, day)
		return
	}
	k.counts.Bytes += a.read
	if p != nil {
		k.counts.Requests++
		if !a.was.Checked.IsZero() {
			k.counts.Checks++
			if a.changed {
				k.counts.Changed++
			}
		}
		// Two pauses, so that the server's pages have every other turn.
		s.notBefore = p.NotBefore.Add(p.NotBefore.Sub(p.Ended))
	}
	if a.short && a.fact == nil && p != nil {
		i.tries++
		s.items = slices.Insert(s.items, 0, i) // until then the budget has nothing left
		return
	}
	if p == nil || p.Busy {
		s.fails++
		wait := min(leastBackOff<<min(s.fails-1, 10), mostBackOff)
		s.notBefore = later(s.notBefore, now.Add(wait))
		if i.tries++; i.tries < mostTries {
			s.items = append(s.items, i)
			return
		}
		k.counts.Failed++
		k.dismiss(i, &fact{held: !a.was.Checked.IsZero()}, now, day)
		return
	}
	s.fails = 0
	if p.NoArchive {
		k.dismiss(i, a.fact, now, 7*day) // the next request is a check
		return
	}
	if k.unkept[i.URL] != nil {
		u := &unkept{URL: i.URL}
		k.remember(u)
		k.lines = append(k.lines, line{Unkept: u})
	}
	k.facts.put(i.URL, a.fact)
	k.done(i)
}
