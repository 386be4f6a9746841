package planner

import (
	"math"

	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
)

// Caps are the limits that a round's number of fetches cannot express: those in bytes, of an
// hour, and of servers. A nil *Caps has none.
type Caps struct {
	limits  budget.Limits
	pages   *Pages
	most    int64 // bytes that any visit may read
	all     *book
	servers []*book // by server; nil: not asked for yet; unlimited: has no limits
	round   Round
	number  int // of rounds begun
	backs   int // steps back of the clock
	dirty   []*book
	active  []*book // with something to do when the round is over
	touched []*book // begun visits in this round

	inBytes     bool // some limit counts bytes
	sizes       budget.Sizes
	sized       bool    // they know the copies of all pages
	planned     int     // visits
	flying      int     // visits, also of earlier rounds
	pending     *Visit  // chosen, and waits for room that visits under way may leave
	misfits     int     // in a row, that nothing under way could make room for
	spent       bool    // no room for any visit more in this round
	newShare    float64 // of the bytes, for first visits
	sourceShare float64 // share of each limit for visits to sources
	newBytes    int64   // of this round, set aside for or read by first visits
	newBudget   int64
	heldNew     int // first visits among those held back
	ready       []*book
	swept       bool // all kept pages of this round were offered
}

// book is the account of a server, or of all, and what waits there for room.
type book struct {
	budget.Account
	touched int // round in which a visit began last
	backs   int // steps back of the clock when it was opened last
	shelf
}

// mayReadSource is false where the share of sources is used up. A server without a book has no
// limits.
func (b *book) mayReadSource() bool { return b == nil || b.HasCredit() }

// unlimited is the book of all servers without limits.
var unlimited = &book{}

// newCaps returns nil where the number of fetches of a round is the only limit.
func newCaps(c *Pages, o *Options) *Caps {
	l, most := o.Limits, o.MostBytes
	var ofAll []budget.Limit
	for _, x := range l.All {
		if x.Unit != budget.InFetches || x.Per != budget.Day { // those are the round's own budget
			ofAll = append(ofAll, x)
		}
	}
	if len(ofAll) == 0 && len(l.Servers) == 0 {
		return nil
	}
	if most <= 0 {
		most = math.MaxInt64 / 4
	}
	caps := &Caps{
		limits:      l,
		pages:       c,
		most:        most,
		all:         &book{Account: budget.NewAccount("", ofAll)},
		newShare:    o.NewShare,
		sourceShare: o.SourceShare,
	}
	caps.inBytes = caps.all.CountsBytes()
	for _, x := range l.Servers {
		caps.inBytes = caps.inBytes || x.Unit == budget.InBytes
	}
	return caps
}

// of returns the book of a server, open for this round; nil if it has no limits.
func (c *Caps) of(s sitegraph.ServerID) *book {
	for int(s) >= len(c.servers) {
		c.servers = append(c.servers, nil)
	}
	b := c.servers[s]
	if b == nil {
		b = unlimited
		if name := c.pages.Graph.ServerName(s); len(c.limits.Servers) > 0 {
			if limits := c.limits.OfServer(name); limits != nil {
				b = &book{Account: budget.NewAccount(name, limits), shelf: shelf{server: s}}
			}
		}
		c.servers[s] = b
	}
	if b == unlimited {
		return nil
	}
	if b.Round() != c.number {
		c.open(b)
	}
	return b
}

// open opens a book for this round.
func (c *Caps) open(b *book) {
	b.Open(c.number, c.round.End, c.sourceShare, b.backs != c.backs)
	b.backs = c.backs
}

// GoBack says that the clock stepped back: windows that lie ahead of it are over.
func (c *Caps) GoBack() {
	if c != nil {
		c.backs++
	}
}

// books are all that a visit counts in: that of all servers, and that of its own, which is nil
// where the server has no limits. A limit of another kind, as of a country, adds its book here.
func (c *Caps) books(server *book) [2]*book { return [...]*book{c.all, server} }

// begin opens the books for a round.
func (c *Caps) begin(r Round) {
	if !c.sized && c.inBytes {
		for p := range sitegraph.PageID(c.pages.Count()) {
			c.sizes.See(c.pages.Graph.Server(p), c.pages.Memory(p).size)
		}
	}
	c.sized = true
	c.number++
	c.round = r
	c.open(c.all)
	c.touched = c.touched[:0]
	c.planned, c.pending, c.misfits, c.spent, c.swept = 0, nil, 0, false, false
	c.ready = c.ready[:0]
	c.newBytes, c.newBudget = 0, math.MaxInt64
	if left := c.all.Left(budget.InBytes, false); left != math.MaxInt64 {
		c.newBudget = int64(float64(max(left, 0)) * c.newShare)
	}
}

// BoundAll reports whether there are limits for all servers together. False of a nil *Caps.
func (c *Caps) BoundAll() bool { return c != nil && c.all.Limited() }

// newOpen reports whether first visits have bytes left of their share.
func (c *Caps) newOpen() bool { return c == nil || c.newBytes < c.newBudget }

type capVerdict uint8

const (
	hasRoomFor      capVerdict = iota
	refusedByServer            // the server's limits refuse it
	refusedByAll               // those of all servers do
)

// plan sets aside what a visit needs, or returns which limits refuse it.
func (c *Caps) plan(v *Visit) (capVerdict, *book) {
	server := c.pages.Graph.Server(v.Page)
	b := c.of(server)
	v.need = 0
	if c.inBytes {
		v.need = c.need(v.Page, server, b)
	}
	if b != nil && !b.HasRoom(v.need) {
		return refusedByServer, b
	}
	if !c.all.HasRoom(v.need) {
		return refusedByAll, b
	}
	c.set(v, b, 1)
	return hasRoomFor, b
}

// need is how many bytes to set aside for a visit. Where that is only a guess it must not exclude
// the pages of a server with small limits for ever, so it is bounded by a fourth of the limit.
func (c *Caps) need(p sitegraph.PageID, server sitegraph.ServerID, b *book) int64 {
	class := c.pages.Memory(p).size
	need := c.sizes.Need(p, server, class, c.most)
	if class == 0 && !c.sizes.WasCut(p) {
		need = min(need, c.all.Quarter())
		if b != nil {
			need = min(need, b.Quarter())
		}
	}
	return need
}

// set adds a visit to what is planned, or takes it out again with sign -1.
func (c *Caps) set(v *Visit, b *book, sign int64) {
	v.planned = sign > 0
	c.planned += int(sign)
	for _, b := range c.books(b) {
		if b != nil {
			b.Plan(sign, sign*v.need)
		}
	}
	c.charge(v, b, sign, sign*v.need)
}

// charge counts a visit against the share of first visits, or of visits to sources.
func (c *Caps) charge(v *Visit, b *book, fetches, bytes int64) {
	switch {
	case v.First:
		c.newBytes += bytes
	case c.pages.Memory(v.Page).State == sitegraph.StateSource:
		for _, b := range c.books(b) {
			if b != nil {
				b.UseCredit(fetches, bytes)
			}
		}
	}
}

// mayReadSource reports whether the share of sources has room for one under all limits.
func (c *Caps) mayReadSource(source sitegraph.PageID) bool {
	return c == nil || c.all.HasCredit() && c.of(c.pages.Graph.Server(source)).mayReadSource()
}

// unplan gives back what was set aside for a visit that did not begin.
func (c *Caps) unplan(v *Visit) {
	if c == nil || !v.planned {
		return
	}
	b := c.of(c.pages.Graph.Server(v.Page))
	c.set(v, b, -1)
	c.room(b)
}

// start lets a planned visit begin. It returns how many bytes the visit may read; 0 is any number.
// False: there is no longer room for it, since others used it after the visit was chosen.
func (c *Caps) start(v *Visit) (bytes int64, ok bool) {
	b := c.of(c.pages.Graph.Server(v.Page))
	books := c.books(b)
	c.set(v, b, -1)
	if c.inBytes {
		bytes = c.most
	}
	for _, b := range books {
		if b == nil {
			continue
		}
		left := b.Left(budget.InBytes, false)
		if b.Left(budget.InFetches, false) < 1 || left < v.need {
			return 0, false
		}
		// While much is left hardly any page is cut. When little is left each gets what it needs.
		bytes = min(bytes, max(v.need, min(4*v.need+64<<10, left/budget.ClaimShare)))
	}
	c.flying++
	for _, b := range books {
		if b == nil {
			continue
		}
		c.touch(b)
		if b.Take(bytes) {
			c.dirty = append(c.dirty, b)
		}
	}
	c.charge(v, b, 1, v.need)
	return bytes, true
}

// touch notes that a book is to be settled when the round is over.
func (c *Caps) touch(b *book) {
	if b.touched != c.number {
		b.touched = c.number
		c.touched = append(c.touched, b)
	}
}

// finish counts what a visit has read. The shares are those of its round.
func (c *Caps) finish(v *Visit, might, read int64) {
	b := c.land(v, 1, might, read)
	if v.round == c.number {
		c.charge(v, b, 0, read-v.need)
	}
	if c.inBytes {
		cut := might > 0 && might < c.most && read >= might
		c.sizes.Measured(v.Page, c.pages.Graph.Server(v.Page), read, cut)
	}
	c.room(b)
}

// postpone counts what a visit has read that will begin once more, if its round is not over.
func (c *Caps) postpone(v *Visit, might, read int64) {
	b := c.land(v, 0, might, read)
	if v.round != c.number {
		return
	}
	c.charge(v, b, -1, read-v.need)
	c.set(v, b, 1)
}

// land settles a visit, of so many fetches, with the books of its server and of all.
func (c *Caps) land(v *Visit, fetches, might, read int64) *book {
	server := c.of(c.pages.Graph.Server(v.Page))
	c.flying--
	for _, b := range c.books(server) {
		if b == nil {
			continue
		}
		c.touch(b)
		b.Finish(v.round, fetches, might, read)
		if b.Unsaved() {
			c.dirty = append(c.dirty, b)
		}
	}
	return server
}

// room notes that a server may have room for what was held back.
func (c *Caps) room(b *book) {
	if b != nil && !b.ready && b.waiting() {
		b.ready = true
		c.ready = append(c.ready, b)
	}
}

// Save passes to save each book that must be durable before the next visit begins, and reports
// whether there were any.
func (c *Caps) Save(save func(name string, value []byte) error) (saved bool, err error) {
	if c == nil {
		return false, nil
	}
	for _, b := range c.dirty {
		if !b.Unsaved() {
			continue
		}
		saved = true
		if err := save(b.Setting(), b.Encode()); err != nil {
			return saved, err
		}
		b.Saved()
	}
	c.dirty = c.dirty[:0]
	return saved, nil
}

// Settle gives back what was claimed in the round and not used; Save then makes it durable.
func (c *Caps) Settle() {
	if c == nil {
		return
	}
	for _, b := range c.touched {
		if b.Settle(); b.Unsaved() {
			c.dirty = append(c.dirty, b)
		}
	}
}

// Load reads what earlier runs have used. Call it before the first round.
func (c *Caps) Load(load func(name string) (value []byte, ok bool, err error)) error {
	if c == nil {
		return nil
	}
	books := []*book{c.all}
	if len(c.limits.Servers) > 0 {
		for s := range sitegraph.ServerID(c.pages.Graph.Servers()) {
			if b := c.of(s); b != nil {
				books = append(books, b)
			}
		}
	}
	for _, b := range books {
		value, ok, err := load(b.Setting())
		if err == nil && ok {
			err = b.Decode(value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shelf holds the visits that a server's limits refused.
//
// Those of a policy that ranks by value wait until the round is over, for room that visits under
// way may leave. In the next round the policy ranks anew, and new pages go back in line. The pages
// of a policy without values stay, round after round, until it is their turn: such a policy would
// propose them again only after a whole cycle, and then the same first ones.
type shelf struct {
	server sitegraph.ServerID
	held   []Visit // first in, first out
	kept   FIFO    // pages of policies without values
	ready  bool    // listed in Caps.ready
	active bool    // listed in Caps.active

	// Of this round: what was refused and not made since.
	pages   int
	value   float64
	refused bool
	best    float64 // worth of what was refused first
	margin  float64 // the same, smoothed over rounds; 0 where nothing is refused
}

// maxHeld bounds the visits of a server that wait for room within a round. What is
// refused later is worth less.
const maxHeld = 1024

func (s *shelf) waiting() bool { return len(s.held) > 0 || s.kept.Len() > 0 }

// worth is what a visit is worth to the user: by what the policy ranked it, or by the
// probability of change where it ranks by something else. NaN: not known.
func (c *Pages) worth(v *Visit) float64 {
	if v.Value >= 0 {
		return v.Value
	}
	return v.Probability * c.Weight(v.Page)
}

// gain is what a visit is worth: the changes expected, times weight, and what the policy counts
// beside them. NaN: it tells no probability.
func (c *Pages) gain(v *Visit) float64 { return v.Probability*c.Weight(v.Page) + v.Beside }

func orZero(x float64) float64 {
	if x >= 0 {
		return x
	}
	return 0
}

// refuse counts a visit that does not fit.
func (c *Caps) refuse(v *Visit, b *book) {
	worth := orZero(c.pages.worth(v))
	b.pages++
	b.value += worth
	if !b.refused {
		b.refused, b.best = true, worth
	}
	if !b.active && b != c.all {
		b.active = true
		c.active = append(c.active, b)
	}
}

// putAside keeps a visit that its server's limits refuse; false if there is no place for it.
func (c *Caps) putAside(v *Visit, b *book) bool {
	c.refuse(v, b)
	switch {
	case c.unvalued(v):
		c.queuePage(v.Page, b)
	case len(b.held) < maxHeld:
		b.held = append(b.held, *v)
		if v.First {
			c.heldNew++
		}
	default:
		return false
	}
	return true
}

// unvalued reports whether a visit was proposed by a policy without values.
func (c *Caps) unvalued(v *Visit) bool {
	return math.IsNaN(v.Value) && c.pages.Memory(v.Page).State == sitegraph.StateAlive
}

// queuePage puts a page in the line of its server, unless it is there.
func (c *Caps) queuePage(p sitegraph.PageID, b *book) {
	if m := c.pages.Memory(p); !m.queued {
		m.queued = true
		b.kept.Push(p)
	}
}

// nextKept takes the page that was kept longest and can still be visited in this round.
func (c *Caps) nextKept(b *book) (Visit, bool) {
	for p, ok := b.kept.Pop(); ok; p, ok = b.kept.Pop() {
		m := c.pages.Memory(p)
		m.queued = false
		// Refetchable but for the mark: it was proposed in this round, and refused.
		if m.State == sitegraph.StateAlive && int64(m.Tried) <= c.round.Start.Unix() &&
			(m.Errors == 0 || c.pages.Eligible(p)) {
			why := Because("its turn came in an earlier round, when the budget of its server was " +
				"used up")
			return Unranked(p, why), true
		}
	}
	return Visit{}, false
}

// instead returns the page of a policy without values that has waited longest, in place of
// the one it proposes of the same server.
func (c *Caps) instead(v Visit, b *book) Visit {
	if b == nil || b.kept.Len() == 0 || !c.unvalued(&v) || !b.HasRoom(0) {
		return v
	}
	first, ok := c.nextKept(b)
	if !ok || first.Page == v.Page {
		return v
	}
	c.queuePage(v.Page, b)
	return first
}

// clear ends a round: new pages that wait are handed back, the prices of servers follow.
func (c *Caps) clear(again func(sitegraph.PageID)) {
	still := c.active[:0]
	for _, b := range c.active {
		for i := range b.held {
			if b.held[i].First {
				again(b.held[i].Page)
			}
		}
		b.held = nil
		b.margin += budget.Eta * (orZero(b.best) - b.margin)
		b.pages, b.value, b.best = 0, 0, 0
		b.refused, b.ready = false, false
		if b.active = b.margin > 1e-9 || b.kept.Len() > 0; b.active {
			still = append(still, b)
		} else {
			b.margin = 0
		}
	}
	c.active = still
	c.heldNew = 0
	c.all.pages, c.all.value, c.all.refused = 0, 0, false
}
