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
	// maxRobotsFresh limits how long a robots.txt is valid (RFC 9309 2.4).
	maxRobotsFresh = 24 * time.Hour

	// robotsStale is how much longer it is valid while a new one cannot be fetched (2.3.1.4).
	robotsStale = 24 * time.Hour

	// robotsRetry is the first wait after a robots.txt that cannot be fetched. It doubles up to
	// robotsRetryMax.
	robotsRetry    = 5 * time.Minute
	robotsRetryMax = 6 * time.Hour
)

// robotsPolicy is the current policy for a server. Either rules are set, or one of the texts says
// why not.
type robotsPolicy struct {
	rules       *robots.Rules
	refused     error             // the guard forbids the request
	unreachable string            // nothing may be asked for until retry
	asked       bool              // this caller has just asked for robots.txt
	trouble     sitegraph.Trouble // trouble of that request
	elapsed     time.Duration     // duration of that request
	retry       time.Time         // next request for robots.txt
	after       time.Time         // end of the pause after the request for robots.txt
	wished      time.Time         // Retry-After of the last request
	sources     []string          // sitemaps, if there are rules
}

// robotsEntry is the state of one scheme and authority (RFC 9309 2.3).
type robotsEntry struct {
	key      string
	rules    *robots.Rules // nil: never read
	fresh    time.Duration // how long rules are valid
	sources  []string      // sitemaps on this server that rules name, or the default location
	fetched  time.Time     // when rules were read
	failures int           // failures in a row since then
	why      string        // text of the last failure
	failed   time.Time     // time of the last failure
	retry    time.Time
	after    time.Time
	wished   time.Time         // Retry-After of the last request; zero: none
	trouble  sitegraph.Trouble // of the last request
	elapsed  time.Duration
	text     []byte // text of rules, until it is kept

	// next and seen are set during a request: the target of a redirect, and earlier URLs.
	next *neturl.URL
	seen []string
}

// policy returns the policy at now, and false if robots.txt must be asked for. longest limits the
// wait after a failure, apart from a wait that the server asked for; 0 means the default.
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

// fail notes that robots.txt could not be fetched.
func (e *robotsEntry) fail(now time.Time, why string, asked time.Time) {
	pause := robotsRetryMax
	if e.failures < 7 { // 5 min doubled seven times exceeds the limit
		pause = min(robotsRetry<<e.failures, robotsRetryMax)
	}
	e.failures++
	e.why, e.wished, e.failed = why, asked, now
	e.retry = now.Add(pause)
	if asked.After(e.retry) {
		e.retry = asked
	}
}

// robotsCache keeps the entries used last, within a limit of octets. Goroutines may share it.
type robotsCache struct {
	bound int64
	fresh time.Duration // Options.RobotsFresh

	mu      sync.Mutex
	bytes   int64
	entries map[string]*list.Element // of *robotsEntry
	used    *list.List               // the latest first
	asking  map[string]chan struct{} // closed when the asking caller is done
	under   map[string]*robotsEntry  // redirects in progress: the next request waits for its turn

	unkept   octets // by name of the setting, for Keep to hand out
	recalled octets // by name also: Recall read them and no visit has used them yet
}

func newRobotsCache(bound int64, fresh time.Duration) *robotsCache {
	return &robotsCache{bound: bound, fresh: fresh, entries: map[string]*list.Element{},
		used:   list.New(),
		asking: map[string]chan struct{}{}, under: map[string]*robotsEntry{},
		unkept: newOctets(mostUnkept), recalled: newOctets(mostRecalled)}
}

// entryBytes is about the size of an entry without its rules.
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

// lookup returns the policy for key if one holds now, or a channel that closes when another caller
// has asked for robots.txt. Otherwise the caller must ask for it, starting with old, and call done
// or pause.
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

// mostUnder limits the redirects in progress. Beyond it a request starts anew.
const mostUnder = 10_000

// pause interrupts what lookup began: the next caller of lookup continues with e.
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

// done ends what lookup began. A nil entry changes nothing.
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

// Permits reports whether the last robots.txt of its server permits a page. known is false if none
// was read lately. It sends no request.
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

// delay returns the known Crawl-delay of a server, or 0.
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
