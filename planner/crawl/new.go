package crawl

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// Loop carries out the visits that a planner plans.
type Loop struct {
	Options
	graph        *sitegraph.Graph
	round        planner.Round
	request      Request   // of the visit under way; a field, so that a visit allocates nothing
	event        Event     // of the last visit
	before       time.Time // Event.Before of the visit under way
	unacked      []Event
	uncommitted  int
	pace         arena.Pace          // of loops over pages
	announced    time.Time           // until when the store knows that servers are asked
	resumed      time.Time           // until when an earlier process may have asked servers
	sinceImage   int                 // visits since the last image; a large number without one
	sinceLearnt  int                 // visits since what the policy learnt was stored
	pieces       [][sha256.Size]byte // of the planner's memory, as stored last
	lastCommit   time.Time
	backs        int           // known steps back of the clock
	wrongClock   time.Duration // times further ahead were noted by a wrong clock
	reserved     int           // fetches reserved in the store and not begun
	account      account
	queues       map[sitegraph.ServerID]*serverQueue // of servers with concurrent visits
	blocked      map[sitegraph.ServerID]*serverQueue // queues with blocked pages
	addresses    map[string]*addressQueue            // by address, of the servers with queues
	speeds       speeds                              // how quickly servers answer
	lookupSpeeds speeds                              // how quickly their names are looked up
	downloads    []download                          // by server: how long downloads take
	// linksSeen has, by page, a hash of the links of the last visit; 0: unknown.
	linksSeen    []uint64
	weighed      bool // strains fit the pauses of this process
	outage       outage
	answered     time.Time // when a server last answered
	discovery    discovery
	filtersSince time.Time                     // when the present filters began
	rules        map[sitegraph.ServerID]uint64 // fingerprints of robots.txt
	asked        map[sitegraph.PageID]bool     // sources whose next claims are visited at once
	askedAgain   map[sitegraph.PageID]bool     // pages asked for during a visit to them
	// restoredClaims has the sources whose claims are known; nil: not restored yet.
	restoredClaims map[sitegraph.PageID]bool
	dues           *dueQueue // nil: the queue is in memory
	broken         bool      // the store or the image failed: nothing is saved any more
}

// New returns a loop.
func New(o Options) *Loop {
	if o.Workers < 1 {
		o.Workers = 1
	}
	if o.MaxHops == 0 {
		o.MaxHops = 5
	}
	if o.CommitEvery == 0 {
		o.CommitEvery = 64
	}
	if o.CommitAfter == 0 {
		o.CommitAfter = time.Second
	}
	l := &Loop{
		Options:    o,
		sinceImage: sinceImage(o.Planner),
		wrongClock: sitegraph.WrongClock,
		graph:      o.Planner.Pages.Graph,
		queues:     map[sitegraph.ServerID]*serverQueue{},
		blocked:    map[sitegraph.ServerID]*serverQueue{},
		addresses:  map[string]*addressQueue{},
		pace:       arena.Pace{Alone: true},
		rules:      map[sitegraph.ServerID]uint64{},
		asked:      map[sitegraph.PageID]bool{}, askedAgain: map[sitegraph.PageID]bool{},
		discovery: discovery{fetched: map[sitegraph.ServerID]int{}},
	}
	l.useDues()
	return l
}

// pauseOf returns the least time between two visits to a server.
func (l *Loop) pauseOf(s sitegraph.ServerID) time.Duration {
	if l.PauseOf == nil {
		return l.Pause
	}
	return l.PauseOf(l.graph.ServerName(s))
}

// Seed makes start pages known. Known pages stay as they are, except that pages which had left are
// visited again.
func (l *Loop) Seed(urls ...string) error {
	for _, url := range urls {
		if err := l.addStart(url, "", 0); err != nil {
			return err
		}
		id, _ := l.graph.Lookup(url)
		if err := l.foundAgain(id, nil); err != nil {
			return err
		}
	}
	return l.commit()
}

// storeError marks the loop as broken and names the step at which the store failed. Nobody then
// knows which changes are durable. So the loop saves, commits and acknowledges nothing more.
func (l *Loop) storeError(err error, format string, args ...any) error {
	l.broken = true
	return fmt.Errorf(format+": %w", append(args, err)...)
}
