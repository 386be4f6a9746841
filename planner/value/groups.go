package value

import (
	"cmp"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// groupIndex puts each page into the groups whose members change together: its address shape, its
// directory, its section (the first segment of the path) and its server.
type groupIndex struct {
	clock
	corpus    *planner.Corpus
	ties      *rank.Ties // the order of pages where it must not hang on which was known first
	all       evidence   // of all servers
	list      []group    `state:"-"` // shapes, directories and sections; packed has them
	keys      groupKeys
	pages     []grouped // by page
	partings  []parting
	namesakes namesakes
	servers   []serverGroup `state:"-"` // packed has them
	packed    *packedGroups // while the state is written or read; nil otherwise
	scratch   []int32       // for work
	rooms     []span        `state:"-"` // in the scratch file: mostSpans of each group
	beliefs   *rateBelief
	times     dayTimes
	round     float32 // days that a round lasts, 1 at most
}

// group of pages of a server.
type group struct {
	evidence
	ofShape
}

// ofShape is what is known of shapes only.
type ofShape struct {
	section      int32            // the group that all of its pages are in
	nextRescored sitegraph.PageID // the page that was scored anew last
	surprise     float32          // of visits since then
	parting      int32            // its place among the partings, and one; 0: it has none yet
}

// serverGroup is what is known of a server's pages.
type serverGroup struct{ evidence }

// grouped is what is known of a page. It lies together, as most of it is read wherever any of it
// is: then one place of a file comes into memory, and not one of each column.
type grouped struct {
	membership
	next   sitegraph.PageID // of the same shape, in a ring
	last   uint32           // unix seconds of its last visit, or when it was found gone
	traits addressTraits
	// Directories that it links to, and one; 0: not counted since its last visit.
	linkedDirectories uint8
	part              uint8 // of its shape, and one; 0: none. See parting
	told              told
	namesake          sitegraph.PageID // the next of its namesakes, in a ring
}

// membership names the groups of a page by their places in the list. Its shape knows its section,
// and the graph its server.
type membership struct{ shape, directory int32 }

// pageGroups is what is known of the groups of a page.
type pageGroups struct {
	shape, directory, section, server *evidence
	// part is the group of the pages of its shape that change when it does; nil: there is none. It
	// is set where groups are told of a visit. Where they are asked, it stands in the place of the
	// directory if it has predicted better.
	part *evidence
}

// groupsOf returns the groups of a page. They are good until groups are added.
func (k *groupIndex) groupsOf(p sitegraph.PageID) pageGroups {
	of := &k.pages[p]
	shape := &k.list[of.shape]
	return pageGroups{
		shape:     &shape.evidence,
		directory: &k.list[k.directoryOf(p)].evidence,
		section:   &k.list[shape.section].evidence,
		server:    &k.servers[k.corpus.Graph.Server(p)].evidence,
	}
}

func newGroupIndex(c *planner.Corpus, t *rank.Ties) *groupIndex {
	k := &groupIndex{corpus: c, ties: t, beliefs: newRateBelief(), round: 1,
		all: evidence{observed: new(observed)}}
	k.anchorNewest()
	return k
}

// grow puts pages that became known into their groups.
func (k *groupIndex) grow() {
	g := k.corpus.Graph
	for n := g.Servers(); len(k.servers) < n; {
		k.servers = append(k.servers, serverGroup{evidence{observed: &unobserved}})
	}
	first := sitegraph.PageID(len(k.pages))
	n := k.corpus.Pages() - int(first)
	if n <= 0 {
		return
	}
	file := g.Scratch()
	fresh := make([]member, 0, n)
	for p := first; int(p) < k.corpus.Pages(); p++ {
		server := g.Server(p)
		url := g.URL(p)
		shape := sitegraph.Shape(url)
		section := shape
		if i := strings.IndexByte(shape[1:], '/'); i >= 0 {
			section = shape[:i+2]
		} else {
			section = "/"
		}
		directory := url[:strings.LastIndexByte(url, '/')+1]
		of := membership{shape: k.group('s', server, shape),
			directory: k.group('d', server, directory)}
		in := k.group('p', server, section) // which may move the groups
		k.list[of.shape].section = in
		k.pages = scratch.Append(file, k.pages, grouped{
			membership: of, traits: traitsOf(url), last: k.corpus.Memory(p).LastInformative(),
		})
		k.link(p, url)
		fresh = append(fresh, member{shape: of.shape, page: p})
		k.servers[server].pages++
		k.all.pages++
	}
	k.ties.UpTo(k.corpus)
	for i := range fresh {
		fresh[i].tie = k.ties.Of(fresh[i].page)
	}
	slices.SortFunc(fresh, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.shape, b.shape), cmp.Compare(a.tie, b.tie),
			cmp.Compare(a.page, b.page))
	})
	for _, m := range fresh {
		k.join(m.shape, m.page)
	}
}

// member is a page that is to join its shape. Pages join shape after shape, since those of one
// shape often lie near each other in the file.
type member struct {
	shape int32
	tie   float32
	page  sitegraph.PageID
}

// group finds or makes a group by what names it, and counts one more page in it.
func (k *groupIndex) group(kind byte, server sitegraph.ServerID, text string) int32 {
	i := k.groupOf(sitegraph.GroupKey(kind, server, text))
	k.list[i].pages++
	return i
}

// groupOf finds or makes the group of a key.
func (k *groupIndex) groupOf(key uint64) int32 {
	file := k.corpus.Graph.Scratch()
	i, added := k.keys.of(key, file)
	if added {
		if file != nil {
			k.rooms = scratch.Grow(file, k.rooms, (int(i)+1)*mostSpans)
		}
		k.list = scratch.Append(nil, k.list,
			group{evidence{observed: &unobserved}, ofShape{nextRescored: sitegraph.NoPage}})
	}
	return i
}

// room is where the spans of a group lie in the scratch file; nil: in memory, as many as there are.
func (k *groupIndex) room(i int) []span {
	if k.rooms == nil {
		return nil
	}
	return k.rooms[i*mostSpans : i*mostSpans : (i+1)*mostSpans]
}

// own makes room for what is told of a group.
func (k *groupIndex) own(i int32) *evidence {
	e := &k.list[i].evidence
	if e.observed == &unobserved {
		e.observed = &observed{spans: k.room(int(i))}
	}
	return e
}

// own makes room for what is told of a server.
func (s *serverGroup) own() *evidence {
	if s.observed == &unobserved {
		s.observed = new(observed)
	}
	return &s.evidence
}

// groupsToTell are the groups of a page, with room for what they are told.
func (k *groupIndex) groupsToTell(p sitegraph.PageID) pageGroups {
	of := &k.pages[p]
	groups := k.groupsOfServer(of.membership, k.corpus.Graph.Server(p))
	if part := k.partOf(p, &k.list[of.shape]); part >= 0 {
		groups.part = k.own(part)
	}
	return groups
}

// groupsOfServer are those of a page of a server, but for the part of its shape, with room for what
// they are told.
func (k *groupIndex) groupsOfServer(of membership, s sitegraph.ServerID) pageGroups {
	return pageGroups{
		shape:     k.own(of.shape),
		directory: k.own(of.directory),
		section:   k.own(k.list[of.shape].section),
		server:    k.servers[s].own(),
	}
}

// mostListed bounds the directories that a page is known to link to.
const mostListed = 254

// directories is how many directories a page links to, at most mostListed.
func (k *groupIndex) directories(p sitegraph.PageID) int {
	if k.pages[p].linkedDirectories == 0 {
		k.scratch = k.scratch[:0]
		for _, q := range k.corpus.Graph.Links(p) {
			if int(q) < len(k.pages) {
				k.scratch = append(k.scratch, k.pages[q].directory)
			}
		}
		slices.Sort(k.scratch)
		k.pages[p].linkedDirectories = uint8(1 + min(len(slices.Compact(k.scratch)), mostListed))
	}
	return int(k.pages[p].linkedDirectories) - 1
}

// join puts a page into the ring of its shape.
func (k *groupIndex) join(shape int32, p sitegraph.PageID) {
	like := &k.list[shape].nextRescored
	if *like == sitegraph.NoPage {
		*like = p
		k.pages[p].next = p
		return
	}
	k.pages[p].next = k.pages[*like].next
	k.pages[*like].next = p
}

// addSurprise adds what surprised at a page to what is known of its shape; it returns how many
// pages of the shape to think of again.
func (k *groupIndex) addSurprise(p sitegraph.PageID, surprise float32) int {
	shape := &k.list[k.pages[p].shape]
	shape.surprise += surprise
	if shape.surprise < surpriseThreshold {
		return 0
	}
	shape.surprise = 0
	return int(min(shape.pages-1, mostOfShape))
}

// nextOfShape returns pages of the shape of a page, one after the other.
func (k *groupIndex) nextOfShape(p sitegraph.PageID) sitegraph.PageID {
	like := &k.list[k.pages[p].shape].nextRescored
	*like = k.pages[*like].next
	return *like
}

// rates are the changes per day that each group of a page is believed to have in the long run.
type rates struct{ all, server, section, directory, shape float32 }

func (k *groupIndex) rates(of pageGroups) rates { return of.rates(k.all.rate(defaultRate)) }

// rates of the groups, where that of all pages is known.
func (of pageGroups) rates(all float32) rates {
	r := rates{all: all}
	r.server = of.server.rate(r.all)
	r.section = of.section.rate(r.server)
	r.directory = of.directory.rate(r.section)
	r.shape = of.shape.rate(r.server)
	return r
}

// gone are the shares of the last visits at the server, the section and the shape of a page that
// found pages gone.
func (of pageGroups) gone() (server, section, shape float32) {
	server = of.server.goneOr(0)
	section = of.section.goneOr(server)
	return server, section, of.shape.goneOr(section)
}

// defaultRate is that of estimator.DefaultPrior.
const defaultRate = 0.0038

// observe tells all groups of a page what a visit saw.
func (k *groupIndex) observe(l outcome) {
	all := k.all.rate(defaultRate)
	k.prove(l)
	k.tell(l, k.groupsToTell(l.page), all)
	k.all.observe(k.day(l.from), k.day(l.to), l.changed, all)
}

// tell tells those of its server, where the rate of all pages is known. What is told of different
// servers may be told at once.
func (k *groupIndex) tell(l outcome, of pageGroups, all float32) {
	r := of.rates(all)
	inServer, inSection, inShape := of.gone()
	of.server.observeLeft(l.left, inServer)
	of.section.observeLeft(l.left, inSection)
	of.shape.observeLeft(l.left, inShape)
	a, b := k.day(l.from), k.day(l.to)
	of.shape.observe(a, b, l.changed, r.shape)
	of.directory.observe(a, b, l.changed, r.directory)
	of.section.observe(a, b, l.changed, r.section)
	of.server.observe(a, b, l.changed, r.server)
	if of.part != nil {
		of.part.observe(a, b, l.changed, of.part.rate(r.section))
	}
}

// visited notes a visit; if it compared the page with its copy, or found that it left, the groups
// are still to be told. A page that left is no change found: visits to its like are worth less. It
// leaves once, however often it is looked for later.
func (k *groupIndex) visited(p sitegraph.PageID, verdict sitegraph.Verdict) (
	l outcome, tells bool) {
	m := k.corpus.Memory(p)
	l = outcome{
		page:    p,
		from:    k.pages[p].last,
		to:      m.LastInformative(),
		changed: verdict == sitegraph.VerdictChanged,
		left:    verdict == sitegraph.VerdictLeft,
		told:    k.pages[p].told,
	}
	if k.pages[p].last = l.to; l.to != l.from {
		k.pages[p].told = told{} // a visit that failed compared nothing
	}
	k.beliefs.visited(p, k.ties.Of(p), &m.History)
	k.anchor(l.to)
	k.pages[p].linkedDirectories = 0
	switch {
	case l.from == 0: // there was no copy
		return l, false
	case l.left: // the history ends with the last visit at its content
		return l, l.from == m.History.Last
	}
	return l, l.changed || verdict == sitegraph.VerdictUnchanged
}

// mostFound bounds what one change counts for: a list of everything is read once.
const mostFound = 20

// found tells the groups of a page that a change of it made pages known.
func (k *groupIndex) found(p sitegraph.PageID, pages int) {
	n := float32(min(pages, mostFound))
	of := k.groupsToTell(p)
	of.shape.found += n
	of.server.found += n
	k.all.found += n
}

// finds is how many pages a change of a page makes known.
func (k *groupIndex) finds(p sitegraph.PageID) float32 {
	of := k.groupsOf(p)
	return of.shape.finds(of.server.finds(k.all.finds(0)))
}
