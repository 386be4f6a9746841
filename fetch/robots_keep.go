package fetch

import (
	"bytes"
	"encoding/json"
	"net/url"
	"time"

	"github.com/recrawl/recrawl/fetch/robots"
)

// What was read of robots.txt holds over restarts, too, if its octets are kept. Who has a
// store calls Recall before a visit and Keep before a commit; the client knows no disk. A file is
// kept as it came, so that whoever reads it again, under another name perhaps, finds the group that
// is for that name.

const (
	// mostUnkept bounds the octets that wait for Keep. What comes too late is not kept.
	mostUnkept = 16 << 20
	// mostRecalled bounds the octets that Recall took in and no visit has read. What has to make
	// room is asked for anew.
	mostRecalled = 16 << 20
)

// textSetting is where the last file of a server is kept: when it was fetched, in a line, and then
// its octets. failureSetting is where the failures since then are.
func textSetting(key string) string    { return "robots.txt/" + key }
func failureSetting(key string) string { return "robots.failed/" + key }

// keptFailure is what is kept of a robots.txt that could not be had.
type keptFailure struct {
	At       time.Time `json:"at"`
	Failures int       `json:"failures"`
	Why      string    `json:"why"`
	Retry    time.Time `json:"retry"`
}

// octets are values by name, up to a bound. The owner's mutex guards them.
type octets struct {
	bound, bytes int
	values       map[string][]byte
	since        time.Time // when the first of them came, by the wall
}

func newOctets(bound int) octets { return octets{bound: bound, values: map[string][]byte{}} }

// fits reports whether a value has room.
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

// keepRobots notes what came of a request for robots.txt, for Keep.
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
		// plain fields
		value, _ = json.Marshal(keptFailure{c.clock.Now().UTC(), e.failures, e.why, e.retry.UTC()})
	}
	c.robots.mu.Lock()
	defer c.robots.mu.Unlock()
	if c.robots.unkept.fits(name, value) {
		c.robots.unkept.put(name, value)
	}
}

// Keep hands to save what is to be kept of each robots.txt that was asked for since the last call.
// It calls save from its own goroutine, with no more than 16 MB in all.
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

// KeepIn makes durable what has waited for Keep for longer than a second: what was read of
// robots.txt before any page, for example because a Crawl-delay must pass first.
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

// Recall makes known what an earlier process kept of the robots.txt of a page's server, unless the
// client knows of one itself. It gets at most two settings, and reads them with the next visit
// only. The error is that of setting. What cannot be read or is old is asked for anew.
func (c *Client) Recall(pageURL string,
	setting func(name string) (value []byte, ok bool, err error)) error {
	if !c.o.KeepRobots {
		return nil
	}
	u, err := url.Parse(pageURL)
	if err != nil {
		return nil // the visit says so
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

// knows reports whether anything of a server's robots.txt is known, or it is being asked for.
func (c *robotsCache) knows(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.entries[key]
	_, asking := c.asking[key]
	return known || asking || c.under[key] != nil || c.recalled.values[textSetting(key)] != nil
}

// unkeptValue returns what was asked for since the last Keep, of an entry that is forgotten by now.
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

// recallRobots reads what Recall took in into an entry of which nothing is known. True: it says
// what holds now. Otherwise robots.txt has to be asked for, from that on. The pause after the
// request of then holds for the server of u, too.
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
	e.after = now.Add(asked.Add(pause).Sub(now)) // as far ahead where the clock steps
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
