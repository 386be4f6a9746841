package synth

import (
	"fmt"
	"math"
	"time"
)

// Options say which web to make. Zero fields get the defaults named.
type Options struct {
	Seed    uint64
	Servers int       // default 60
	Pages   int       // about, on all servers at Start; at least 2 a server; default 3000
	Start   time.Time // UTC, whole seconds; default 2025-01-06 00:00, a Monday
	Weeks   int       // of the window in which pages change; default 60
}

// Web is a synthetic web. It never changes after New; any number of goroutines may use it.
type Web struct {
	options Options
	servers []*server
	byName  map[string]*server
	names   []string
}

// server is one host and all its pages, those that are born or die in the window included.
type server struct {
	name     string
	plan     plan
	start    int64 // unix seconds of the window's start
	end      int32 // seconds from the start to the window's end
	style    style
	pages    []*page
	groups   []*group
	topTimes []int32 // updates of the top page, from the plan
	blog     *blog   // nil if there is none
	byPath   map[string]*page
	top      *page   // what a visitor sees first: the start page or its body frame
	nav      []*page // linked from every page; empty where there is no such block
	feed     string  // path; "" for none
	feedOf   *page   // whose news or posts the feed tells
}

// page is one address. Times are seconds from the start of the window.
type page struct {
	path          string // with query; "/..." always
	kind          kind
	seed          uint64
	title         string
	group         *group // whose hub or member it is
	up            *page  // the page that lists it
	parts         int    // paragraphs of main text
	counts        bool   // shows a counter
	rebuiltBefore bool   // born after the template changed
	mortal        bool   // may vanish: only the page that lists it links to it
	modified      int64  // unix seconds of the last change before the window; 0 if born in it
	born          int32  // alive from here on; 0: before the window
	gone          int32  // and up to here; forever if it never vanishes
	children      []*page
	related       []*page
	news          []item  // what changed below, in time order, told in the page
	events        []event // dropped once the versions are made
	versions      []version
}

// forever is later than every window.
const forever = math.MaxInt32

// maxWeeks keeps all times in 32 bits.
const maxWeeks = 1000

type kind uint8

const (
	kindLeaf     kind = iota
	kindHub           // lists the pages of a group
	kindStart         // the start page
	kindFrameset      // a start page that only names its frames
	kindMenu          // the menu frame
	kindBlog          // a blog's index: the latest posts and the months
	kindArchive       // the posts of a month
	kindPost
)

// group is a hub and the pages it lists: the unit in which pages are edited together. In
// most groups all pages share a directory of their own; on flat servers they do not.
type group struct {
	hub     *page
	dir     string
	members []*page
	next    int // number of the next member born
	busy    bool
}

// item is one line of a what's-new list.
type item struct {
	at   int32
	page *page
}

// New makes the web of these options. The same options give the same web, byte for byte.
// Cost: a few microseconds a page; bodies are made when asked for.
func New(o Options) *Web {
	o = o.defaults()
	w := &Web{options: o, byName: make(map[string]*server, o.Servers)}
	for i, p := range census(o) {
		s := newServer(o, i, p)
		w.servers = append(w.servers, s)
		w.byName[s.name] = s
		w.names = append(w.names, s.name)
	}
	return w
}

func (o Options) defaults() Options {
	if o.Servers <= 0 {
		o.Servers = 60
	}
	if o.Pages <= 0 {
		o.Pages = 3000
	}
	o.Pages = max(o.Pages, 2*o.Servers)
	if o.Start.IsZero() {
		o.Start = time.Date(2025, time.January, 6, 0, 0, 0, 0, time.UTC)
	}
	o.Start = o.Start.UTC().Truncate(time.Second)
	if o.Weeks <= 0 {
		o.Weeks = 60
	}
	if o.Weeks > maxWeeks {
		panic(fmt.Sprintf("synth: %d weeks, more than %d", o.Weeks, maxWeeks))
	}
	return o
}

// Options returns the options of the web, defaults filled in.
func (w *Web) Options() Options { return w.options }

// Start and End bound the window. Before Start everything is as at Start, after End
// nothing changes.
func (w *Web) Start() time.Time { return w.options.Start }

// End is the end of the window.
func (w *Web) End() time.Time { return w.options.Start.Add(time.Duration(w.options.Weeks) * week) }

// Servers returns the names of the servers, always in one order. Do not change it.
func (w *Web) Servers() []string { return w.names }

// Domain returns the domain of a server; DomainUnknown if there is no such server.
func (w *Web) Domain(server string) Domain {
	if s := w.byName[server]; s != nil {
		return s.plan.domain
	}
	return DomainUnknown
}

// Pages returns the paths (with query) of all HTML pages that a server has at some time of
// the window, in order of birth, the start page "/" first.
func (w *Web) Pages(server string) []string {
	s := w.byName[server]
	if s == nil {
		return nil
	}
	paths := make([]string, len(s.pages))
	for i, p := range s.pages {
		paths[i] = p.path
	}
	return paths
}

// Versions returns when each version of a page begins, strictly increasing. A page older
// than the window has its first version at Start. Nil if there never is such a page.
func (w *Web) Versions(server, path string) []time.Time {
	s := w.byName[server]
	if s == nil || s.byPath[path] == nil {
		return nil
	}
	p := s.byPath[path]
	times := make([]time.Time, len(p.versions))
	for i, v := range p.versions {
		times[i] = s.time(v.at)
	}
	return times
}

// Gone returns when a page vanishes, and false if it does not within the window or there
// never is such a page.
func (w *Web) Gone(server, path string) (time.Time, bool) {
	s := w.byName[server]
	if s == nil || s.byPath[path] == nil || s.byPath[path].gone == forever {
		return time.Time{}, false
	}
	return s.time(s.byPath[path].gone), true
}

func (s *server) time(at int32) time.Time { return time.Unix(s.start+int64(at), 0).UTC() }
