package crawl

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Request is the input of a fetcher: the record of a page, for conditional requests, and bounds.
type Request struct {
	Record sitegraph.Record
	Round  planner.Round
	Visit  planner.Visit // why the page is visited
	// MaxBytes bounds what the visit may read from the server, including headers and robots.txt; 0:
	// no bound. Reading more breaks guarantee 2.
	MaxBytes int64
	answers  int // messages to the page that the visit answers
}

// Fetcher makes one polite visit. It waits as long as politeness demands, or returns a Wait. Every
// behaviour of the site is an observation. An error is a Wait, a LocalError, the end of ctx, or a
// reason for the program to stop. With several workers Fetch is called concurrently, but never
// twice at the same time for one server.
type Fetcher interface {
	Fetch(ctx context.Context, r Request) (sitegraph.Observation, error)
}

// Wait is the error of a Fetch that could not ask for the page yet and did not wait. The same visit
// may begin again at Until. Observation.Transferred has the bytes that it read meanwhile, for
// example of robots.txt.
type Wait struct {
	Until time.Time
	// Scheme is set if all pages of the server under this scheme, such as http, must wait, since
	// their robots.txt cannot be had. Another scheme has its own robots.txt, and its pages need not
	// wait.
	Scheme bool
}

func (w *Wait) Error() string { return "not before " + w.Until.UTC().Format(time.RFC3339) }

// LocalError is the error of a Fetch that failed by a fault of this machine, for example for lack
// of file descriptors. It says nothing about the page.
type LocalError struct {
	Err error
	// Unsure is set if the fault may be the server's, for example if no network leads there. The
	// observation is then that of a failure.
	Unsure bool
}

func (e *LocalError) Error() string { return e.Err.Error() }

func (e *LocalError) Unwrap() error { return e.Err }

// Locator is a Fetcher that knows at which address a server is asked. Servers that share an address
// take turns before their visits begin.
type Locator interface {
	// Locate returns the address of the server of a page; "" if it cannot be found. The visit then
	// reports the reason. It may wait for DNS, and is called concurrently.
	Locate(ctx context.Context, url string) string
}

// Permitter is a Fetcher that knows without a request which pages the last robots.txt permits.
type Permitter interface {
	// Permits reports whether a page may be visited. known is false if its robots.txt was not read
	// lately.
	Permits(url string) (permitted, known bool)
}

// Resumer is a Fetcher that keeps pauses over the death of a process.
type Resumer interface {
	// Silent reports whether the process before this one has sent no request.
	Silent() bool
	// Resume sets the time until which another process may have asked servers. The pause of each
	// server begins at that time.
	Resume(asked time.Time)
}

// Keeper is a Fetcher with knowledge of servers that must outlive the process, such as their
// robots.txt. The settings of the store keep it.
type Keeper interface {
	// Recall is called before each visit. It reads what was kept for the server of the page, unless
	// that is known already.
	Recall(url string, setting func(name string) (value []byte, ok bool, err error)) error
	// Keep is called before each commit. It saves what is new since the last call. After its error
	// no visit since the last commit is acknowledged, and the loop ends.
	Keep(save func(name string, value []byte) error) error
}

// Store keeps what is remembered between visits. Calls come from one goroutine. Changes by Save,
// Add and SaveLinks survive any crash once a later Commit has returned nil. Later changes survive
// together or not at all.
type Store interface {
	// Add registers a new page; its number is one more than that of the page added before.
	Add(r *sitegraph.Record) error
	// Load reads the record of a page into r.
	Load(p sitegraph.PageID, r *sitegraph.Record) error
	// Save replaces the record of a page. Record.Due decides where it is kept.
	Save(r *sitegraph.Record) error
	// SaveLinks replaces the in-server links of a page.
	SaveLinks(p sitegraph.PageID, links, frames []sitegraph.PageID) error
	// SaveStart makes a page a start page of its server.
	SaveStart(p sitegraph.PageID) error
	// SaveSetting keeps a small value under a name.
	SaveSetting(name string, value []byte) error
	// Setting returns a value kept by SaveSetting.
	Setting(name string) (value []byte, ok bool, err error)
	// Commit makes all the above durable.
	Commit() error
	// Advance moves the store's clock to now. It passes to `again` each record that was due by then
	// and was not saved since, and again sets a new Due after now.
	Advance(now time.Time, again func(r *sitegraph.Record)) error
}

// Clock is time as the loop sees it: that of the system, or a virtual one.
type Clock interface {
	Now() time.Time
	// SleepUntil returns when Now is t or later, or with ctx's error.
	SleepUntil(ctx context.Context, t time.Time) error
}
