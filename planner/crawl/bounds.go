package crawl

import (
	"cmp"
	"hash/maphash"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// discovery applies Options.Bounds to the links that visits find, and counts refused addresses.
type discovery struct {
	seed     maphash.Seed
	variants map[uint64]int // by hash of a path: its number of queries; nil: not counted yet
	met      map[uint64]int // by hash of a path: pages of these that were fetched
	refused  [sitegraph.Refusals]int
	servers  map[sitegraph.ServerID]int // refused addresses by server
	fetched  map[sitegraph.ServerID]int // fetched pages by server
}

// Refused is the number of addresses refused for one reason since the loop was made.
type Refused struct {
	Reason sitegraph.Refusal
	Count  int
}

// Refused returns how many addresses the bounds on discovery refused: by reason, most frequent
// first, and by server, for at most the given number of servers.
func (l *Loop) Refused(servers int) (by []Refused, of map[string]int) {
	for reason, count := range l.discovery.refused {
		if count > 0 {
			by = append(by, Refused{sitegraph.Refusal(reason), count})
		}
	}
	slices.SortFunc(
		by,
		func(a, b Refused) int { return cmp.Or(b.Count-a.Count, int(a.Reason)-int(b.Reason)) },
	)
	var all []sitegraph.ServerID
	for s := range l.discovery.servers {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b sitegraph.ServerID) int {
		return cmp.Or(l.discovery.servers[b]-l.discovery.servers[a], int(a)-int(b))
	})
	of = map[string]int{}
	for _, s := range all[:min(len(all), servers)] {
		of[l.graph.ServerName(s)] = l.discovery.servers[s]
	}
	return by, of
}

// noteFetched counts the first fetch of a page.
func (d *discovery) noteFetched(s sitegraph.ServerID, url string) {
	d.fetched[s]++
	if path, hasQuery := sitegraph.PathOf(url); hasQuery && d.met != nil {
		d.met[maphash.String(d.seed, path)]++
	}
}

// intake bounds the new pages of one visit.
type intake struct {
	server sitegraph.ServerID
	room   int  // new pages
	grow   int  // new pages that the present bound on the server allows
	pages  int  // new pages that its final bound allows
	over   bool // some were left out that a later visit may bring
}

// intake returns the bounds for the new pages of a visit.
func (l *Loop) intake(s sitegraph.ServerID, room int) intake {
	if l.Bounds == nil {
		return intake{}
	}
	d := &l.discovery
	if d.variants == nil {
		d.seed, d.variants, d.met, d.servers = maphash.MakeSeed(), map[uint64]int{},
			map[uint64]int{}, map[sitegraph.ServerID]int{}
		for p := range sitegraph.PageID(l.graph.Pages()) {
			wasMet := l.Planner.Pages.Memory(p).History.Visits > 0
			if wasMet {
				d.fetched[l.graph.Server(p)]++
			}
			if path, hasQuery := sitegraph.PathOf(l.graph.URL(p)); hasQuery {
				of := maphash.String(d.seed, path)
				d.variants[of]++
				if wasMet {
					d.met[of]++
				}
			}
		}
	}
	known := len(l.graph.ServerPages(s))
	return intake{
		server: s,
		room:   room,
		grow:   l.Bounds.PagesOf(d.fetched[s]) - known,
		pages:  l.Bounds.MaxPages - known,
	}
}

// admitAddress returns the address under which a page is known or becomes known; false: the bounds
// refuse it.
func (l *Loop) admitAddress(in *intake, url string) (string, bool) {
	if l.Bounds == nil {
		return url, true
	}
	if _, known := l.graph.Lookup(url); known {
		return url, true
	}
	url = sitegraph.Tidy(url)
	if _, known := l.graph.Lookup(url); known {
		return url, true
	}
	d := &l.discovery
	reason := l.Bounds.Refuse(url, l.Clock.Now())
	path, hasQuery := sitegraph.PathOf(url)
	variant := uint64(0)
	if hasQuery {
		variant = maphash.String(d.seed, path)
	}
	switch {
	case reason != sitegraph.RefusedNot:
	case hasQuery && d.variants[variant] >= max(l.Bounds.MaxVariants,
		l.Bounds.Growth*d.met[variant]):
		reason = sitegraph.RefusedVariants
		in.over = in.over || in.pages > 0 && in.grow > 0 // a later visit finds no more
	case in.pages <= 0:
		reason = sitegraph.RefusedServer
	case in.room <= 0:
		reason, in.over = sitegraph.RefusedOfVisit, true
	case in.grow <= 0:
		reason, in.over = sitegraph.RefusedGrowth, true
	}
	if reason != sitegraph.RefusedNot {
		d.refused[reason]++
		d.servers[in.server]++
		return url, false
	}
	if hasQuery {
		d.variants[variant]++
	}
	in.room--
	in.grow--
	in.pages--
	return url, true
}

// bounded returns the links and frames of a page that are known or may become known, each once. If
// a page has more than one visit may bring, the next visit is unconditional and takes the rest.
func (l *Loop) bounded(r *sitegraph.Record, links, frames []string) (
	keptLinks, keptFrames []string) {
	if l.Bounds == nil {
		return links, frames
	}
	in := l.intake(l.graph.Server(r.Page), l.Bounds.OfPage)
	defer func() {
		if r.More = in.over; r.More {
			r.ETag, r.LastModified = "", time.Time{}
		}
	}()
	isFrame := make(map[string]bool, len(frames))
	for _, url := range frames {
		isFrame[url] = true
	}
	seen := make(map[string]struct{}, len(links))
	keptLinks = make([]string, 0, len(links))
	server := l.graph.ServerName(in.server)
	for _, url := range links {
		if sitegraph.ServerName(url) != server {
			continue // pages of other servers do not become known
		}
		kept, ok := l.admitAddress(&in, url)
		if kept == r.URL && url != r.URL && r.State == sitegraph.StateMoved {
			// a redirect to itself, except for a session in the address: then it is another page
			kept = url
		}
		if _, again := seen[kept]; !ok || again {
			continue
		}
		seen[kept] = struct{}{}
		keptLinks = append(keptLinks, kept)
		if isFrame[url] {
			keptFrames = append(keptFrames, kept)
		}
	}
	return keptLinks, keptFrames
}
