package crawl

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// A server that was rebuilt answers 404 for whole directories. Asking for each of their pages, each
// several times, fills its log and is what its owner complains about. So several pages in a row
// that are gone block their directory, for longer with each further one. A page that is there opens
// the directory again. If the whole server seems to be gone, it is asked more slowly, so that its
// other pages still get visits.

const (
	// goneInRow is how many pages in a row must be gone in a directory to block it: fewer happen in
	// any directory.
	goneInRow = 5
	// vanishedFirst and vanishedLast bound the time for which a directory is blocked. It doubles.
	vanishedFirst = time.Hour
	vanishedLast  = 7 * 24 * time.Hour
	// goneOfServer is the number of gone pages in a row that slows down a server by a step of its
	// backOff. Every goneInRow more add a step.
	goneOfServer = 4 * goneInRow
	// mostVanishing bounds the counted directories of a server.
	mostVanishing = 64
	// longestDir bounds the name of a counted directory, in bytes.
	longestDir = 512
)

// vanishing is a directory in which pages are gone.
type vanishing struct {
	Gone  int       `json:"gone"`  // pages in a row
	Steps uint8     `json:"steps"` // how often it was blocked
	Until time.Time `json:"until"`
}

// vanished counts the gone pages in a row of a server: by directory, and in all.
type vanished struct {
	Dirs map[string]*vanishing `json:"dirs,omitempty"`
	Row  int                   `json:"row,omitempty"`
}

// dirOf returns the directory of a page: its scheme, server and path up to the last segment. It
// returns "" for the root and for names that are too long, which are not counted.
func dirOf(url string) string {
	path, _ := sitegraph.PathOf(url)
	path = strings.TrimSuffix(path, "/")
	last := strings.LastIndexByte(path, '/')
	if last < len("https://") || last >= longestDir {
		return ""
	}
	return path[:last+1]
}

// note counts an answer. It returns a directory that is to be blocked, or "", and reports whether
// the counts to be kept changed.
func (v *vanished) note(url string, o sitegraph.Outcome, now time.Time) (
	bars string, until time.Time, changed bool) {
	dir := dirOf(url)
	switch o {
	case sitegraph.OutcomeGone:
	case sitegraph.OutcomeFetched, sitegraph.OutcomeNotModified, sitegraph.OutcomeRedirected:
		if dir == "" {
			return "", until, false // the root stays whatever vanishes below it
		}
		at := v.Dirs[dir]
		changed = v.Row >= goneInRow || at != nil && at.Gone >= goneInRow
		delete(v.Dirs, dir)
		v.Row = 0
		return "", until, changed
	default:
		return "", until, false // the answer shows nothing
	}
	v.Row++
	if dir == "" {
		return "", until, false
	}
	at := v.Dirs[dir]
	if at == nil {
		if !v.makeRoom() {
			return "", until, false
		}
		at = &vanishing{}
		v.Dirs[dir] = at
	}
	if at.Gone++; at.Gone < goneInRow {
		return "", until, false
	}
	wait := vanishedLast
	if at.Steps < 8 { // an hour doubled eight times exceeds the bound
		wait = min(vanishedFirst<<at.Steps, vanishedLast)
		at.Steps++
	}
	// A quarter is random, so that the directories of a rebuilt server are not tried together.
	at.Until = now.Add(wait + time.Duration(rand.Int64N(int64(wait/4))))
	return dir, at.Until, true
}

// makeRoom forgets a directory without a block if there are too many. It reports whether there is
// room.
func (v *vanished) makeRoom() bool {
	if v.Dirs == nil {
		v.Dirs = map[string]*vanishing{}
	}
	if len(v.Dirs) < mostVanishing {
		return true
	}
	for dir, at := range v.Dirs {
		if at.Gone < goneInRow {
			delete(v.Dirs, dir)
			return true
		}
	}
	return false
}

// kept returns what outlives the process: blocks and slowdowns.
func (v *vanished) kept() *vanished {
	k := vanished{Dirs: map[string]*vanishing{}}
	if v.Row >= goneInRow {
		k.Row = v.Row
	}
	for dir, at := range v.Dirs {
		if at.Gone >= goneInRow {
			k.Dirs[dir] = &vanishing{at.Gone, at.Steps, at.Until.UTC()}
		}
	}
	if k.Row == 0 && len(k.Dirs) == 0 {
		return nil
	}
	return &k
}

// restoreVanished restores the kept counts, within the bounds, and blocks the directories again.
func (q *serverQueue) restoreVanished(kept *vanished, now time.Time) {
	if kept == nil {
		return
	}
	q.vanished = vanished{Row: min(max(kept.Row, 0), 1_000_000)}
	for dir, at := range kept.Dirs {
		if at == nil || at.Gone < goneInRow || at.Until.Sub(now) > 2*vanishedLast ||
			!q.vanished.makeRoom() {
			continue
		}
		q.vanished.Dirs[dir] = at
		if at.Until = anchored(at.Until, now); at.Until.After(now) {
			q.blocks = append(q.blocks, block{dir: dir, until: at.Until})
		}
	}
}

// noteVanished learns from an outcome whether pages of a server are gone. It reports whether the
// counts to be kept changed.
func (p *pool) noteVanished(q *serverQueue, done *completion, now time.Time) (changed bool) {
	r := &done.request.Record
	left := r.State.Left() && done.seen.Outcome == sitegraph.OutcomeGone // as was known
	if !p.Proof || left || r.State == sitegraph.StateSource ||
		slices.Contains(p.graph.StartPages(q.server), r.Page) {
		return false
	}
	dir, until, changed := q.vanished.note(r.URL, done.seen.Outcome, now)
	if dir != "" {
		if longest := p.Planner.LongestPause(q.server); longest > 0 {
			until = sooner(until, now.Add(longest))
			q.vanished.Dirs[dir].Until = until
		}
		p.addBlock(q, block{dir: dir, until: until}, now)
	}
	if done.seen.Outcome == sitegraph.OutcomeGone && q.vanished.Row >= goneOfServer &&
		q.vanished.Row%goneInRow == 0 {
		q.steps = min(q.steps+1, mostSteps)
		changed = true
	}
	return changed
}

// holdsBack reports whether the whole server seems to be gone. Then a proper answer, such as that
// of the root, does not reduce its backOff. Another page that is there ends it.
func (v *vanished) holdsBack(t sitegraph.Trouble) bool {
	return t == sitegraph.TroubleNone && v.Row >= goneOfServer
}

// Vanished returns the directories that are not asked because their pages were gone, on the servers
// that this process knows: names, and until when. It returns at most a number of them, and the
// number of all.
func (l *Loop) Vanished(most int) (dirs map[string]time.Time, all int) {
	dirs = map[string]time.Time{}
	now := l.Clock.Now()
	for _, q := range l.queues {
		for dir, at := range q.vanished.Dirs {
			if !at.Until.After(now) {
				continue
			}
			if all++; len(dirs) < most {
				dirs[dir] = at.Until
			}
		}
	}
	return dirs, all
}
