// Package progress counts long work and reports how far it has come, to whoever shows that to a
// person or ends the work.
package directory

// Func is called now and then with how far a piece of work has come, of how much, and what is
// counted. Its error ends the work. A nil Func is never called.
type Func func(what string, done, total int) error

// Report calls f, unless it is nil.
func (f Func) Report(what string, done, total int) error {
	if f == nil {
		return nil
	}
	return f(what, done, total)
}

// Count begins to count a piece of work of a total size. f is called each time that so much more
// is done. The Counter is nil, and counts nothing, where f is nil.
func (f Func) Count(what string, each, total int) *Counter {
	if f == nil {
		return nil
	}
	return &Counter{report: f, what: what, each: each, total: total}
}

// Counter counts one piece of work. It is for one goroutine.
type Counter struct {
	report      Func
	what        string
	each        int // it is reported when so much was done since the last time
	done, since int
	total       int
	err         error // of the last report; no other follows it
}

// Add counts more work. The error is that of a report.
func (c *Counter) Add(n int) error {
	if c == nil {
		return nil
	}
	c.Pass(n)
	if c.since < c.each {
		return c.err
	}
	return c.Report()
}

// Pass counts more work without a report.
func (c *Counter) Pass(n int) { c.done, c.since = c.done+n, c.since+n }

// Report reports at once.
func (c *Counter) Report() error {
	if c.since = 0; c.err == nil {
		c.err = c.report(c.what, min(c.done, c.total), c.total)
	}
	return c.err
}
