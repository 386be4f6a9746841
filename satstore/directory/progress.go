package directory

// Func receives the progress of a piece of work now and then: what is counted, how much is done,
// and the total. Its error ends the work. A nil Func is never called.
type Func func(what string, done, total int) error

// Report calls f, unless it is nil.
func (f Func) Report(what string, done, total int) error {
	if f == nil {
		return nil
	}
	return f(what, done, total)
}

// Count returns a counter of a piece of work of a total size. It calls f after each `each` of work.
// The Counter is nil, and counts nothing, if f is nil.
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
	each        int // work between two reports
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
