package synth

import (
	"fmt"
	"math"
	"time"
)

// Options configure a web. Zero fields get the defaults.
type Options struct {
	Seed    uint64
	Servers int       // default 60
	Pages   int       // about, on all servers at Start; at least 2 a server; default 3000
	Start   time.Time // UTC, whole seconds; default 2025-01-06 00:00, a Monday
	Weeks   int       // of the window in which pages change; default 60
}

// Web is a synthetic web. It never changes after New; goroutines may share it.
type Web struct {
	options Options
	servers []*server
	byName  map[string]*server
	names   []string
}

// server is one host with all its pages, those that are born or die in the window included.
type server struct {
	name     string
	plan     plan
	start    int64 // unix seconds of the window's start
	end      int32 // seconds from the start to the window's end
	style    style
	pages    []*page
	groups   []*group
	topTimes []int32 // updates of the top page, by the plan
	blog     *blog   // nil if there is none
	byPath   map[string]*page
	top      *page   // start page or its body frame
	nav      []*page // linked from every page; empty without such a block
	feed     string  // path; "" for none
	feedOf   *page   // page with the news or posts of the feed
}

// page is one URL. Times are seconds from the start of the window.
type page struct {
	path          string // with query; always begins with "/"
	kind          kind
	seed          uint64
	title         string
	group         *group // group of which it is hub or member
	up            *page  // page that lists it
	parts         int    // paragraphs of main text
	counts        bool   // shows a counter
	rebuiltBefore bool   // born after the template changed
	mortal        bool   // may vanish: only the page that lists it links to it
	modified      int64  // unix seconds of the last change before the window; 0 if born in it
	born          int32  // first moment alive; 0: before the window
	gone          int32  // last moment alive; forever if it never vanishes
	children      []*page
	related       []*page
	news          []item  // changes below it, in order of time, shown in the page
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

// group is a hub and the pages it lists; pages of a group are edited together. Most groups have
// their own directory; on flat servers they do not.
type group struct {
	hub     *page
	dir     string
	members []*page
	next    int // number of the next new member
	busy    bool
}

// item is one line of news.
type item struct {
	at   int32
	page *page
}

// New makes a web. Equal options give equal webs, byte for byte. It takes a few microseconds a
// page; bodies are made on request.
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

// Options returns the options of the web, with defaults.
func (w *Web) Options() Options { return w.options }

// Start returns the start of the window. Before it everything is as at Start, and after End nothing
// changes.
func (w *Web) Start() time.Time { return w.options.Start }

// End returns the end of the window.
func (w *Web) End() time.Time { return w.options.Start.Add(time.Duration(w.options.Weeks) * week) }

// Servers returns the names of the servers, always in one order. Callers must not change it.
func (w *Web) Servers() []string { return w.names }

// Domain returns the domain of a server, or DomainUnknown.
func (w *Web) Domain(server string) Domain {
	if s := w.byName[server]; s != nil {
		return s.plan.domain
	}
	return DomainUnknown
}

// Pages returns the paths (with query) of all HTML pages that a server has at some time of the
// window, by birth, with the start page "/" first.
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

// Versions returns the starts of a page's versions, strictly ascending, or nil for an unknown page.
// A page older than the window has its first version at Start.
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

// Gone returns when a page vanishes. It returns false if it does not within the window, or is
// unknown.
func (w *Web) Gone(server, path string) (time.Time, bool) {
	s := w.byName[server]
	if s == nil || s.byPath[path] == nil || s.byPath[path].gone == forever {
		return time.Time{}, false
	}
	return s.time(s.byPath[path].gone), true
}

func (s *server) time(at int32) time.Time { return time.Unix(s.start+int64(at), 0).UTC() }
