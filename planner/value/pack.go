package value

import (
	"slices"

	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// groupKeys numbers groups by their keys, which are hashes. It takes 8 bytes a group, and 4 a slot,
// of which at most three quarters are used.
type groupKeys struct {
	slots []int32  // a power of two of them: a group and one; 0: free
	keys  []uint64 // by group
}

const fewSlots = 16

// of returns the number of a key, the next one if it is new.
func (t *groupKeys) of(key uint64, file *scratch.File) (number int32, added bool) {
	if 4*(len(t.keys)+1) > 3*len(t.slots) {
		n := max(fewSlots, 2*len(t.slots))
		if file == nil {
			t.slots = make([]int32, n)
		} else {
			clear(t.slots)
			t.slots = scratch.Grow(file, t.slots, n)
		}
		for i, k := range t.keys {
			t.slots[t.free(k)] = int32(i) + 1
		}
	}
	last := uint64(len(t.slots) - 1)
	at := rank.Mix(key) & last
	for ; t.slots[at] != 0; at = (at + 1) & last {
		if i := t.slots[at] - 1; t.keys[i] == key {
			return i, false
		}
	}
	number = int32(len(t.keys))
	t.keys = scratch.Append(file, t.keys, key)
	t.slots[at] = number + 1
	return number, true
}

// free is the slot of a key that is in none.
func (t *groupKeys) free(key uint64) uint64 {
	last := uint64(len(t.slots) - 1)
	at := rank.Mix(key) & last
	for t.slots[at] != 0 {
		at = (at + 1) & last
	}
	return at
}

// packedGroups are the groups as they are written down: plain values, so that millions of them are
// read at once. What spans add up to is found again when somebody asks.
type packedGroups struct {
	groups     []packedGroup
	servers    []packedGroup
	rooms      []span        // of groups, mostSpans of each; nil: they are in spans
	spans      []span        // of groups without rooms, then of servers
	tallied    []int32       // groups
	tallies    []packedTally // of those groups, then of servers
	tallySpans []counts

	talliedServers []int32
}

// packedGroup is a group of which something was told, or one of which only its pages are known.
type packedGroup struct {
	facts
	ofShape
	pages    int32
	spans    int32
	observed bool
}

type packedTally struct {
	start float32
	spans int32
}

// Pack makes the state of the policy ready to be written down, and Unpack makes it as it was.
// Slices that lie in scratch files may stay there if inFiles.
func (v *Policy) Pack(inFiles bool) {
	k := v.groups
	p := &packedGroups{groups: make([]packedGroup, len(k.list)),
		servers: make([]packedGroup, len(k.servers))}
	inRooms := inFiles && k.rooms != nil
	if inRooms {
		p.rooms = k.rooms
	}
	for i := range k.list {
		g := &k.list[i]
		p.groups[i] = packed(&g.evidence, g.ofShape)
		if !inRooms {
			p.spans = append(p.spans, g.spans...)
		}
		if g.tally != nil {
			p.tallied = append(p.tallied, int32(i))
			p.addTally(g.tally)
		}
	}
	for i := range k.servers {
		s := &k.servers[i]
		p.servers[i] = packed(&s.evidence, ofShape{})
		p.spans = append(p.spans, s.spans...)
		if s.tally != nil {
			p.talliedServers = append(p.talliedServers, int32(i))
			p.addTally(s.tally)
		}
	}
	k.packed = p
	if inFiles {
		v.packed = v.packRankings()
	}
}

// packedRankings are what the next round takes over of the rankings of the last one, as they are
// written down in an image: to list all pages anew takes seconds where there are millions.
type packedRankings struct {
	floor   float32
	dropped []sitegraph.PageID
	all     []standing
	upTo    []int32 // in all, by server
}

// packRankings returns nil where there is nothing to take over.
func (v *ranker) packRankings() *packedRankings {
	q := &v.queue
	if !q.listed {
		return nil
	}
	n := 0
	for s := range v.rankings.of {
		of := &v.rankings.of[s]
		n += len(of.pages.All) + len(of.fresh.All) + len(of.low)
	}
	p := &packedRankings{floor: q.floor, dropped: q.dropped, all: make([]standing, 0, n),
		upTo: make([]int32, len(v.rankings.of))}
	for s := range v.rankings.of {
		of := &v.rankings.of[s]
		p.all = append(append(append(p.all, of.pages.All...), of.fresh.All...), of.low...)
		p.upTo[s] = int32(len(p.all))
	}
	return p
}

// unpackRankings takes in what was packed. All of it is in no order yet, as the next round begins
// with that.
func (v *ranker) unpackRankings() {
	p := v.packed
	v.packed = nil
	v.queue.listed, v.queue.floor, v.queue.dropped = true, p.floor, p.dropped
	from := int32(0)
	for s, to := range p.upTo {
		if to > from {
			v.rankings.of[s].own().low = slices.Clip(p.all[from:to])
		}
		from = to
	}
}

func packed(e *evidence, of ofShape) packedGroup {
	return packedGroup{e.facts, of, e.pages, int32(len(e.spans)), e.observed != &unobserved}
}

func (p *packedGroups) addTally(t *tally) {
	p.tallies = append(p.tallies, packedTally{t.start, int32(len(t.spans))})
	p.tallySpans = append(p.tallySpans, t.spans...)
}

// Packed ends what Pack began, once the state is written down.
func (v *Policy) Packed() { v.groups.packed, v.packed = nil, nil }

// unpack takes in what was packed.
func (k *groupIndex) unpack() {
	p := k.packed
	k.packed = nil
	k.list = make([]group, len(p.groups))
	k.rooms = p.rooms
	if file := k.corpus.Graph.Scratch(); file != nil && k.rooms == nil && len(k.list) > 0 {
		k.rooms = scratch.Grow(file, k.rooms, len(k.list)*mostSpans)
	}
	spans := p.spans
	take := func(n int32) (own []span) {
		own, spans = spans[:n:n], spans[n:]
		return own
	}
	tallies, tallySpans := p.tallies, p.tallySpans
	takeTally := func() *tally {
		of := tallies[0]
		t := &tally{start: of.start, spans: tallySpans[:of.spans:of.spans]}
		tallies, tallySpans = tallies[1:], tallySpans[of.spans:]
		return t
	}
	for i := range k.list {
		of, g := &p.groups[i], &k.list[i]
		*g = group{evidence{of.pages, &unobserved}, of.ofShape}
		switch {
		case !of.observed:
			continue
		case p.rooms == nil:
			k.own(int32(i)).spans = append(k.room(i), take(of.spans)...)
		default:
			k.own(int32(i)).spans = k.room(i)[:of.spans]
		}
		g.facts = of.facts
	}
	for _, i := range p.tallied {
		k.list[i].tally = takeTally()
	}
	k.servers = make([]serverGroup, len(p.servers))
	for i := range k.servers {
		of, s := &p.servers[i], &k.servers[i]
		s.evidence = evidence{of.pages, &unobserved}
		if of.observed {
			s.own().spans = take(of.spans)
			s.facts = of.facts
		}
	}
	for _, i := range p.talliedServers {
		k.servers[i].tally = takeTally()
	}
}
