package fetch

import (
	"bytes"
	"encoding/json"
	"net/url"
	"time"

	"github.com/recrawl/recrawl/fetch/robots"
)

// robots.txt holds across restarts if its octets are kept. A caller with a store calls Recall
// before a visit and Keep before a commit; the client itself uses no disk. A file is kept as it
// came, so that a reader with another name finds its own group.

const (
	// mostUnkept limits the octets that wait for Keep. Later ones are not kept.
	mostUnkept = 16 << 20
	// mostRecalled limits the octets that Recall read and no visit has used. Dropped ones are asked
	// for again.
	mostRecalled = 16 << 20
)

// textSetting names the setting with the last file of a server: a line with its time, then its
// octets. failureSetting names the one with the failures since then.
func textSetting(key string) string    { return "robots.txt/" + key }
func failureSetting(key string) string { return "robots.failed/" + key }

// keptFailure is the kept state of a robots.txt that cannot be fetched.
type keptFailure struct {
	At       time.Time `json:"at"`
	Failures int       `json:"failures"`
	Why      string    `json:"why"`
	Retry    time.Time `json:"retry"`
}

// octets holds values by name, up to a limit. The owner's mutex guards it.
type octets struct {
	bound, bytes int
	values       map[string][]byte
	since        time.Time // arrival of the first, in real time
}

func newOctets(bound int) octets { return octets{bound: bound, values: map[string][]byte{}} }

// fits reports whether there is room for a value.
func (o *octets) fits(name string, value []byte) bool {
	return o.bytes-len(o.values[name])+len(value) <= o.bound
}

func (o *octets) put(name string, value []byte) {
	if len(o.values) == 0 {
		o.since = time.Now()
	}
	o.bytes += len(value) - len(o.values[name])
	o.values[name] = value
}

func (o *octets) remove(name string) []byte {
	value := o.values[name]
	o.bytes -= len(value)
	delete(o.values, name)
	return value
}

// keepRobots notes the result of a request for robots.txt, for Keep.
func (c *Client) keepRobots(e *robotsEntry) {
	if !c.o.KeepRobots {
		return
	}
	name, value := textSetting(e.key), []byte(nil)
	if e.failures == 0 {
		value = append(e.fetched.UTC().AppendFormat(nil, time.RFC3339Nano), '\n')
		value = append(value, e.text...)
	} else {
		name = failureSetting(e.key)
		// plain fields cannot fail
		value, _ = json.Marshal(keptFailure{c.clock.Now().UTC(), e.failures, e.why, e.retry.UTC()})
	}
	c.robots.mu.Lock()
	defer c.robots.mu.Unlock()
	if c.robots.unkept.fits(name, value) {
		c.robots.unkept.put(name, value)
	}
}

// Keep passes the result of each request for robots.txt since the last call to save. It calls save
// from its own goroutine, with at most 16 MB in all.
func (c *Client) Keep(save func(name string, value []byte) error) error {
	r := c.robots
	r.mu.Lock()
	unkept := r.unkept
	if len(unkept.values) > 0 {
		r.unkept = newOctets(mostUnkept)
	}
	r.mu.Unlock()
	for name, value := range unkept.values {
		if err := save(name, value); err != nil {
			return err
		}
	}
	return nil
}

// Keeper keeps settings, and makes them durable.
type Keeper interface {
	SaveSetting(name string, value []byte) error
	Commit() error
}

// KeepIn makes results durable that have waited for Keep for more than a second. A robots.txt can
// come long before a page, for example because of a Crawl-delay.
func (c *Client) KeepIn(k Keeper) error {
	c.robots.mu.Lock()
	due := len(c.robots.unkept.values) > 0 && time.Since(c.robots.unkept.since) > time.Second
	c.robots.mu.Unlock()
	if !due {
		return nil
	}
	if err := c.Keep(k.SaveSetting); err != nil {
		return err
	}
	return k.Commit()
}

// Recall reads what an earlier process kept of the robots.txt of a page's server, unless the client
// knows a newer state. It calls setting at most twice, and parses the values at the next visit. The
// error is that of setting. Values that are old or unreadable are asked for again.
func (c *Client) Recall(pageURL string,
	setting func(name string) (value []byte, ok bool, err error)) error {
	if !c.o.KeepRobots {
		return nil
	}
	u, err := url.Parse(pageURL)
	if err != nil {
		return nil // the visit reports it
	}
	key := origin(u)
	if c.robots.knows(key) {
		return nil
	}
	for _, name := range [...]string{textSetting(key), failureSetting(key)} {
		value, ok := c.robots.unkeptValue(name)
		if !ok {
			if value, ok, err = setting(name); err != nil {
				return err
			}
		}
		if ok {
			c.robots.recall(name, value)
		}
	}
	return nil
}

// knows reports whether robots.txt of a server is known or being asked for.
func (c *robotsCache) knows(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.entries[key]
	_, asking := c.asking[key]
	return known || asking || c.under[key] != nil || c.recalled.values[textSetting(key)] != nil
}

// unkeptValue returns the result since the last Keep, for an entry that the cache has dropped.
func (c *robotsCache) unkeptValue(name string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, ok := c.unkept.values[name]
	return value, ok
}

func (c *robotsCache) recall(name string, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other := range c.recalled.values {
		if c.recalled.fits(name, value) {
			break
		}
		c.recalled.remove(other)
	}
	c.recalled.put(name, value)
}

// recallRobots fills an empty entry with what Recall read. It returns true if the entry holds now;
// otherwise robots.txt must be asked for, based on that entry. The pause after the earlier request
// also holds for the server of u.
func (c *Client) recallRobots(e *robotsEntry, u *url.URL, longest time.Duration) (
	robotsPolicy, bool) {
	r := c.robots
	r.mu.Lock()
	text, failure := r.recalled.remove(textSetting(e.key)), r.recalled.remove(failureSetting(e.key))
	r.mu.Unlock()
	if e.rules != nil || e.failures > 0 || e.next != nil {
		return robotsPolicy{}, false
	}
	now := c.clock.Now()
	e.recallText(text, now, c.agent)
	asked := e.fetched
	if at, ok := e.recallFailure(failure, now); ok {
		asked = at
	}
	pause := c.PauseOf(u.Host)
	if e.rules != nil {
		delay, _ := e.rules.Delay()
		pause = max(pause, delay)
	}
	e.after = now.Add(asked.Add(pause).Sub(now)) // the same distance if the clock steps
	if e.after = later(e.after, c.afterBefore(pause)); e.after.After(now) {
		c.gate.Postpone(u.Host, e.after)
	}
	return e.policy(now, longest)
}

func (e *robotsEntry) recallText(value []byte, now time.Time, agent string) {
	line, text, _ := bytes.Cut(value, []byte("\n"))
	fetched, err := time.Parse(time.RFC3339Nano, string(line))
	if age := now.Sub(fetched); err != nil || age < 0 || age >= e.fresh+robotsStale {
		return
	}
	e.know(robots.Parse(text, agent), fetched)
}

func (e *robotsEntry) recallFailure(value []byte, now time.Time) (at time.Time, ok bool) {
	var f keptFailure
	if json.Unmarshal(value, &f) != nil || f.Failures < 1 || f.At.After(now) ||
		!f.At.After(e.fetched) ||
		f.Retry.Sub(f.At) > max(robotsRetryMax, maxRetryAfter) {
		return at, false
	}
	e.failures, e.why, e.retry = f.Failures, printable(f.Why), now.Add(f.Retry.Sub(now))
	e.failed = now.Add(f.At.Sub(now))
	return f.At, true
}
