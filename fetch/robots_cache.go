package fetch

import (
	"container/list"
	neturl "net/url"
	"sync"
	"time"

	"github.com/recrawl/recrawl/fetch/robots"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// maxRobotsFresh is how long a robots.txt holds at most (RFC 9309 2.4).
	maxRobotsFresh = 24 * time.Hour

	// robotsStale is how much longer it holds while a new one cannot be had (2.3.1.4).
	robotsStale = 24 * time.Hour

	// The pause before a robots.txt that could not be had is asked for again doubles from
	// robotsRetry up to robotsRetryMax.
	robotsRetry    = 5 * time.Minute
	robotsRetryMax = 6 * time.Hour
)

// robotsPolicy is what holds for a server now. Either rules are known, or one of the
// texts says why not.
type robotsPolicy struct {
	rules       *robots.Rules
	refused     error             // the guard does not let us ask there
	unreachable string            // nothing may be asked for until retry
	asked       bool              // robots.txt was just asked for
	trouble     sitegraph.Trouble // of that request
	elapsed     time.Duration     // and how long it took
	retry       time.Time         // when robots.txt will be asked for again
	after       time.Time         // when the pause after the request for robots.txt is over
	wished      time.Time         // Retry-After of the last request
	sources     []string          // sitemaps; with rules
}

// robotsEntry is what is remembered of one scheme and authority (RFC 9309 2.3).
type robotsEntry struct {
	key      string
	rules    *robots.Rules // nil: never had
	fresh    time.Duration // how long they hold
	sources  []string      // sitemaps that rules name on this server, or their usual place
	fetched  time.Time     // of rules
	failures int           // in a row since then
	why      string        // the last failure
	failed   time.Time     // when that was
	retry    time.Time
	after    time.Time
	wished   time.Time         // Retry-After of the last request; zero: none
	trouble  sitegraph.Trouble // of the last request
	elapsed  time.Duration
	text     []byte // that rules were read from, until it is kept

	// While it is being asked for: where a redirect leads, and where it was looked for before.
	next *neturl.URL
	seen []string
}

// policy returns what the entry says at now; false if robots.txt has to be asked for. longest is
// the longest wait for one that could not be had, beside what the server asked for; 0: the usual.
func (e *robotsEntry) policy(now time.Time, longest time.Duration) (robotsPolicy, bool) {
	age := now.Sub(e.fetched)
	if e.rules != nil && age >= 0 && age < e.fresh {
		return robotsPolicy{rules: e.rules, after: e.after, sources: e.sources}, true
	}
	if e.failures == 0 || !now.Before(e.retry) {
		return robotsPolicy{}, false
	}
	if e.rules != nil && age >= 0 && age < e.fresh+robotsStale {
		return robotsPolicy{rules: e.rules, after: e.after, sources: e.sources}, true
	}
	retry := e.retry
	if longest > 0 && e.failed.Add(longest).Before(retry) {
		if retry = e.failed.Add(longest); e.wished.After(retry) {
			retry = e.wished
		}
		if !now.Before(retry) {
			return robotsPolicy{}, false
		}
	}
	return robotsPolicy{unreachable: e.why, retry: retry, after: e.after, wished: e.wished}, true
}

// fail notes that robots.txt could not be had.
func (e *robotsEntry) fail(now time.Time, why string, asked time.Time) {
	pause := robotsRetryMax
	if e.failures < 7 { // 5 min doubled seven times is over the bound
		pause = min(robotsRetry<<e.failures, robotsRetryMax)
	}
	e.failures++
	e.why, e.wished, e.failed = why, asked, now
	e.retry = now.Add(pause)
	if asked.After(e.retry) {
		e.retry = asked
	}
}

// robotsCache keeps the entries used last, within a bound of octets. It is safe for
// concurrent use.
type robotsCache struct {
	bound int64
	fresh time.Duration // Options.RobotsFresh

	mu      sync.Mutex
	bytes   int64
	entries map[string]*list.Element // of *robotsEntry
	used    *list.List               // the latest first
	asking  map[string]chan struct{} // closed when the one who asks is done
	under   map[string]*robotsEntry  // half asked for: the next request waits for its turn

	unkept   octets // by name of the setting: what Keep is to hand out
	recalled octets // by name too: what Recall took in and no visit has read yet
}

func newRobotsCache(bound int64, fresh time.Duration) *robotsCache {
	return &robotsCache{bound: bound, fresh: fresh, entries: map[string]*list.Element{},
		used:   list.New(),
		asking: map[string]chan struct{}{}, under: map[string]*robotsEntry{},
		unkept: newOctets(mostUnkept), recalled: newOctets(mostRecalled)}
}

// entryBytes is about what an entry takes beside its rules.
const entryBytes = 400

func (e *robotsEntry) size() int64 {
	n := int64(entryBytes + 2*len(e.key) + len(e.why))
	if e.rules != nil {
		n += int64(e.rules.Size())
	}
	for _, url := range e.sources {
		n += int64(len(url)) + 16
	}
	return n
}

// lookup returns the policy for key if one holds now, or what is closed when the caller who asks
// for robots.txt is done. Otherwise the caller must ask for it, from old on, and call done or
// pause.
func (c *robotsCache) lookup(
	key string,
	now time.Time,
	longest time.Duration,
) (p robotsPolicy, old *robotsEntry, busy <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[key]; ok {
		c.used.MoveToFront(el)
		e := el.Value.(*robotsEntry)
		if p, ok := e.policy(now, longest); ok {
			return p, nil, nil
		}
		copied := *e
		old = &copied
	}
	if wait, ok := c.asking[key]; ok {
		return p, nil, wait
	}
	c.asking[key] = make(chan struct{})
	if under := c.under[key]; under != nil {
		old = under
	} else if old == nil {
		old = &robotsEntry{key: key, fresh: c.fresh}
	}
	return p, old, nil
}

// mostUnder bounds the files that are half asked for; who comes too late begins anew.
const mostUnder = 10_000

// pause ends what lookup began in the middle: whoever looks the key up next goes on from e.
func (c *robotsCache) pause(key string, e *robotsEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.asking[key])
	delete(c.asking, key)
	if len(c.under) >= mostUnder {
		clear(c.under)
	}
	c.under[key] = e
}

// done ends what lookup began. A nil entry leaves everything as it was.
func (c *robotsCache) done(key string, e *robotsEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.asking[key])
	delete(c.asking, key)
	delete(c.under, key)
	if e == nil {
		return
	}
	e.next, e.seen, e.text = nil, nil, nil
	if el, ok := c.entries[key]; ok {
		c.bytes += e.size() - el.Value.(*robotsEntry).size()
		el.Value = e
		c.used.MoveToFront(el)
	} else {
		c.entries[key] = c.used.PushFront(e)
		c.bytes += e.size()
	}
	for c.bytes > c.bound && c.used.Len() > 1 {
		el := c.used.Back()
		last := el.Value.(*robotsEntry)
		c.bytes -= last.size()
		delete(c.entries, last.key)
		c.used.Remove(el)
	}
}

// Permits reports whether a page may be asked for by the robots.txt that was read last for its
// server; not known: none was, or not lately. It sends no request.
func (c *Client) Permits(url string) (permitted, known bool) {
	u, err := neturl.Parse(url)
	if err != nil {
		return false, false
	}
	c.robots.mu.Lock()
	defer c.robots.mu.Unlock()
	el, ok := c.robots.entries[origin(u)]
	if !ok {
		return false, false
	}
	p, ok := el.Value.(*robotsEntry).policy(c.clock.Now(), 0)
	if !ok || p.rules == nil {
		return false, false
	}
	return p.rules.Allowed(u.RequestURI()), true
}

// delay is the Crawl-delay that is known of a server; 0: none.
func (c *robotsCache) delay(key string, now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.entries[key]
	if !ok {
		return 0
	}
	p, _ := el.Value.(*robotsEntry).policy(now, 0)
	if p.rules == nil {
		return 0
	}
	delay, _ := p.rules.Delay()
	return delay
}
