package requisite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// MostBytes limits an answer, in octets. A longer one is cut.
	MostBytes = 10 << 20
	// mostDepth limits style sheets that import each other, and redirects.
	mostDepth = 5
	// mostOfPage limits the requisites of a page with its style sheets.
	mostOfPage = 2 * extract.MaxRequisites
	// mostWaiting and mostOfServer limit the waiting items, in all and for a server.
	mostWaiting, mostOfServer = 1 << 16, 1 << 12
	// mostTries is the number of failed requests before a requisite is given up.
	mostTries = 4
	// mostChecks limits the due checks without credit.
	mostChecks = 1 << 12
	// stillWorth is the ratio of worth between checks of a style sheet and of a picture or font,
	// which seldom changes in place and affects a part of some pages.
	stillWorth = 20
	// freshWorth is the worth of a request for a new URL with a query, on a page that the archive
	// has. A check has that worth half an interval after it was due.
	freshWorth = 0.5
	// checkShare is the credit for checks that a visit to a page earns, mostCredit the most that is
	// saved.
	checkShare, mostCredit = 0.1, 100
	// keepAfter is how long an answer and the use of the budget may be in memory alone.
	keepAfter = 5 * time.Second
	// askingFor is how far ahead the log says that servers are asked.
	askingFor = time.Minute
	// workers is the number of concurrent workers, each for another server. Most of them wait.
	workers = 16
)

// Options configure a keeper. All except Budget, Able and Clock are required.
type Options struct {
	Client  *fetch.Client
	Archive *archive.Archive
	Dir     string         // of the archive, where the log is
	Budget  []budget.Limit // for all requisites; none: no limit
	Able    func() error   // returns why this machine cannot ask now, for example a full disk, or nil
	Clock   fetch.Clock    // default: real time
}

// Counts are the results of this process.
type Counts struct {
	Requests int   `json:"requests"`
	Checks   int   `json:"checks"`  // of requisites that the archive had
	Changed  int   `json:"changed"` // of the checks
	Failed   int   `json:"failed"`  // without an answer, given up until their page is visited again
	Dropped  int   `json:"dropped"` // without room
	Bytes    int64 `json:"bytes"`   // received
	Waiting  int   `json:"waiting"`
}

// Keeper keeps requisites. A nil Keeper does nothing.
type Keeper struct {
	Options
	asked time.Time // until when an earlier process may have asked servers

	mu      sync.Mutex
	facts   facts
	unkept  map[string]*unkept
	servers map[string]*server // with something that waits
	waiting map[string]*item
	checks  map[string]*candidate
	purse   *purse
	credit  float64 // credit for checks
	saved   float64 // of these, as the log says
	counts  Counts
	idle    time.Time // until when the budget or the machine lets nobody ask
	lines   []line    // for the log
	used    bool      // the budget was used since its last line in the log
	asking  time.Time // until when the log says that servers are asked
	ended   bool      // Close was called
	news    chan struct{}
	err     error // of the archive or the log: ends all requests

	keeping sync.Mutex // guards the log; locked before mu
	log     log

	stop context.CancelFunc // ends the workers; nil: there are none
	work sync.WaitGroup
}

// Invariant: an item is in waiting, and in the line of its server unless it is being asked for.

// server holds the waiting items of one server.
type server struct {
	name      string
	items     []*item // in order
	busy      bool
	notBefore time.Time
	fails     int // failures in a row
}

// Open opens the keeper of an archive, with the waiting items of the last process.
func Open(o Options) (*Keeper, error) {
	if o.Clock == nil {
		o.Clock = fetch.WallClock{}
	}
	k := &Keeper{Options: o, facts: facts{of: map[string]*fact{}},
		unkept:  map[string]*unkept{},
		servers: map[string]*server{}, waiting: map[string]*item{},
		checks: map[string]*candidate{}, purse: newPurse(o.Budget),
		news: make(chan struct{}, 1), log: log{dir: o.Dir}}
	var order []*item
	err := readLog(o.Dir, func(l line) {
		if k.replayLine(l) {
			order = append(order, l.Wait)
		}
		k.purse.restore(l.Used)
		if l.Credit != nil {
			k.credit = min(max(*l.Credit, 0), mostCredit)
		}
		if l.Asking != nil {
			k.asked = *l.Asking
		}
	})
	if err != nil {
		return nil, err
	}
	if now := o.Clock.Now(); k.asked.After(now) {
		k.asked = now
	}
	for _, i := range order {
		if k.waiting[i.URL] == i {
			k.enqueue(i)
		}
	}
	if err := k.log.renew(k.whole()); err != nil {
		return nil, err
	}
	k.saved = k.credit
	return k, nil
}

// replayLine takes over waiting and unkept items from a line of the log. It reports whether the
// line adds a waiting item.
func (k *Keeper) replayLine(l line) (adds bool) {
	if l.Wait != nil && l.Wait.URL != "" && k.waiting[l.Wait.URL] == nil &&
		len(k.waiting) < mostWaiting {
		k.waiting[l.Wait.URL] = l.Wait
		adds = true
	}
	delete(k.waiting, l.Done)
	k.remember(l.Unkept)
	return adds
}

// Asked returns until when an earlier process may have asked servers; zero: not known.
func (k *Keeper) Asked() time.Time {
	if k == nil {
		return time.Time{}
	}
	return k.asked
}

// whole returns the lines of a log with the current state.
func (k *Keeper) whole() []line {
	credit := k.credit
	lines := []line{{Used: slices.Clone(k.purse.windows), Credit: &credit}}
	if !k.asking.IsZero() {
		lines = append(lines, line{Asking: &k.asking})
	} else if !k.asked.IsZero() {
		lines = append(lines, line{Asking: &k.asked})
	}
	for _, i := range k.waiting {
		lines = append(lines, line{Wait: i})
	}
	for _, u := range k.unkept {
		if u.Due.Add(unkeptFor).After(k.Clock.Now()) {
			lines = append(lines, line{Unkept: u})
		}
	}
	return lines
}

// Visit visits a page, and notes its requisites that are due. The error is that of the visit, or of
// the archive: then the visit must not count as made.
func (k *Keeper) Visit(ctx context.Context, url string,
	visit func(context.Context) (*sitegraph.Observation, error)) (*sitegraph.Observation, error) {
	if k == nil {
		return visit(ctx)
	}
	before, err := k.Archive.Held(url)
	if err != nil {
		return new(sitegraph.Observation), err
	}
	ctx, shown := fetch.Showing(ctx)
	o, err := visit(ctx)
	if err != nil || o.Status == 0 {
		return o, err
	}
	k.mu.Lock()
	k.credit = min(k.credit+checkShare, mostCredit)
	k.mu.Unlock()
	if o.NoArchive || o.Filter != "" {
		return o, nil
	}
	list := shown.Requisites
	if o.Outcome == sitegraph.OutcomeNotModified {
		h, err := k.Archive.Held(url)
		if err != nil {
			return o, err
		}
		if answer, body, ok := k.Archive.Answer(h, MostBytes); ok &&
			extract.IsHTML(answer.Get("Content-Type")) {
			list = extract.HTMLRequisites(body, answer.Get("Content-Type"), url)
		}
	}
	return o, k.named(url, list, 0, !before.Checked.IsZero())
}

// candidate is a check that is due.
type candidate struct {
	item
	due      time.Time
	interval time.Duration // zero: the archive has no capture yet
}

// worth ranks checks by the number of intervals since they were due; content that changes in place
// counts more. The worth of a new URL does not grow, so that URLs which change with each visit
// cannot hold back other checks for ever.
func (c *candidate) worth(now time.Time) float64 {
	switch {
	case c.interval == 0 && isStill(c.URL):
		return freshWorth
	case c.interval == 0:
		return freshWorth * stillWorth
	}
	overdue := float64(now.Sub(c.due)) / float64(c.interval)
	if isStill(c.URL) {
		return overdue / stillWorth
	}
	return overdue
}

// named notes the requisites of a page or requisite. Those that the archive lacks wait at once,
// except URLs with a query on a page that it had (again). Of the others that are due, the most
// overdue are checked as far as the credit suffices.
func (k *Keeper) named(via string, list []string, depth int, again bool) error {
	now := k.Clock.Now()
	seen := map[string]bool{}
	for ; len(list) > 0 && depth <= mostDepth; depth++ {
		var next []string
		for _, url := range list {
			if seen[url] || len(seen) == mostOfPage {
				continue
			}
			seen[url] = true
			f, err := k.know(url)
			if err != nil {
				return err
			}
			if f.isDue(now) {
				k.want(&item{URL: url, Via: via, Depth: depth}, f, again, now)
			}
			next = append(next, f.shows...)
		}
		list = next
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check(now)
	return nil
}

// want lets a due requisite wait for its request, or for a check.
func (k *Keeper) want(i *item, f *fact, again bool, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := &candidate{*i, f.due, max(f.every, day)}
	if !f.held {
		c.interval = 0
	}
	switch {
	case k.waiting[i.URL] != nil:
	case !f.held && !(again && strings.Contains(i.URL, "?")):
		k.wait(i)
	case k.checks[i.URL] != nil || len(k.checks) < mostChecks || k.spare(c, now):
		k.checks[i.URL] = c
	}
}

// spared is the number of checks that spare compares before it drops the least worthy.
const spared = 16

// spare drops a check of little worth to make room, or counts c as dropped. The caller holds the
// lock.
func (k *Keeper) spare(c *candidate, now time.Time) bool {
	least, n := c, 0
	for _, other := range k.checks { // any of them
		if other.worth(now) <= least.worth(now) {
			least = other
		}
		if n++; n == spared {
			break
		}
	}
	k.counts.Dropped++
	delete(k.checks, least.URL)
	return least != c
}

// check spends the credit on the most worthy checks. The caller holds the lock.
func (k *Keeper) check(now time.Time) {
	for k.credit >= 1 && len(k.checks) > 0 {
		var best *candidate
		for _, c := range k.checks {
			if best == nil {
				best = c
			} else if one, other := c.worth(now), best.worth(now); one > other ||
				one == other && c.URL < best.URL {
				best = c
			}
		}
		delete(k.checks, best.URL)
		if k.waiting[best.URL] == nil {
			k.credit--
			k.wait(&best.item)
		}
	}
}

// wait adds an item to the queue of its server, if there is room. The caller holds the lock.
func (k *Keeper) wait(i *item) {
	if k.waiting[i.URL] != nil {
		return
	}
	if s := k.servers[sitegraph.ServerName(i.URL)]; len(k.waiting) >= mostWaiting ||
		s != nil && len(s.items) >= mostOfServer {
		k.counts.Dropped++
		return
	}
	k.lines = append(k.lines, line{Wait: i})
	k.enqueue(i)
}

func (k *Keeper) enqueue(i *item) {
	name := sitegraph.ServerName(i.URL)
	s := k.servers[name]
	if s == nil {
		s = &server{name: name}
		k.servers[name] = s
	}
	s.items = append(s.items, i)
	k.waiting[i.URL] = i
	k.wake()
}

// wake makes one worker look for work.
func (k *Keeper) wake() {
	select {
	case k.news <- struct{}{}:
	default:
	}
}

// done notes that an item no longer waits. The caller holds the lock.
func (k *Keeper) done(i *item) {
	delete(k.waiting, i.URL)
	k.lines = append(k.lines, line{Done: i.URL})
}

// Counts returns the results of this process.
func (k *Keeper) Counts() Counts {
	if k == nil {
		return Counts{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.counts
	c.Waiting = len(k.waiting)
	return c
}

// Keep makes durable the answers in the archive, and then the waiting items in the log. Call it
// before visits are acknowledged.
func (k *Keeper) Keep() error {
	if k == nil {
		return nil
	}
	k.keeping.Lock()
	defer k.keeping.Unlock()
	k.mu.Lock()
	lines := k.lines
	if k.used || math.Abs(k.credit-k.saved) >= 1 || k.ended && k.credit != k.saved {
		credit := k.credit
		lines = append(lines, line{Used: slices.Clone(k.purse.windows), Credit: &credit})
		k.saved = credit
	}
	k.lines, k.used = nil, false
	err := k.err
	k.mu.Unlock()
	if err != nil {
		return err
	}
	if err = k.Archive.Sync(); err == nil && len(lines) > 0 {
		err = k.log.append(lines)
	}
	if err == nil && k.log.isPast() {
		// The log also has items that came meanwhile, but not results since the Sync: after a crash
		// those URLs are asked for again.
		k.mu.Lock()
		whole := k.whole()
		pending := slices.Clone(k.lines)
		for _, l := range pending {
			if l.Done != "" {
				whole = append(whole, line{Wait: &item{URL: l.Done}})
			}
		}
		k.mu.Unlock()
		err = k.log.renew(whole)
	}
	if err != nil {
		k.mu.Lock()
		k.err = err
		k.mu.Unlock()
	}
	return err
}

// Start starts workers, until Close.
func (k *Keeper) Start() {
	if k == nil || k.stop != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	for range workers {
		k.work.Go(func() {
			for k.step(ctx) {
			}
		})
	}
	k.work.Go(func() {
		for k.Clock.SleepUntil(ctx, k.Clock.Now().Add(keepAfter)) == nil {
			if k.Keep() != nil {
				return // the next Keep of the loop reports it
			}
		}
	})
}

// Close stops the workers and makes the state durable. The next process asks for the waiting items.
func (k *Keeper) Close() error {
	if k == nil {
		return nil
	}
	if k.stop != nil {
		k.stop()
		k.work.Wait()
	}
	k.mu.Lock()
	k.ended = true
	k.mu.Unlock()
	err := k.Keep()
	if k.log.f != nil {
		err = errors.Join(err, k.log.f.Close())
	}
	return err
}

// Finish waits, or asks itself if there are no workers, until no item waits that may be asked for
// soon, or until a time. It does not wait for failing servers or a used-up budget. It returns the
// number of waiting items.
func (k *Keeper) Finish(ctx context.Context, until time.Time) (waiting int, err error) {
	if k == nil {
		return 0, nil
	}
	for {
		k.mu.Lock()
		waiting, err = len(k.waiting), k.err
		hopeful := false
		for _, s := range k.servers {
			hopeful = hopeful || s.busy || s.fails == 0 && len(s.items) > 0
		}
		now := k.Clock.Now()
		hopeful = hopeful && !k.idle.After(now.Add(time.Minute))
		k.mu.Unlock()
		if err != nil || !hopeful || waiting == 0 || !now.Before(until) {
			return waiting, errors.Join(err, k.Keep())
		}
		if k.stop == nil {
			k.step(ctx)
			err = ctx.Err()
		} else {
			err = k.Clock.SleepUntil(ctx, now.Add(50*time.Millisecond))
		}
		if err != nil {
			return waiting, err
		}
	}
}

func (c Counts) String() string {
	return fmt.Sprintf("%d requests for requisites: %d new, %d checked, of which %d had changed; "+
		"%.1f MB; %d failed, %d wait", c.Requests, c.Requests-c.Checks, c.Checks, c.Changed,
		float64(c.Bytes)/1e6, c.Failed, c.Waiting)
}
