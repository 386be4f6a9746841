package planner

import (
	"math"

	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
)

// Caps are the limits that a number of fetches per round cannot express: limits in bytes, of an
// hour, and of servers. A nil *Caps has no limits.
type Caps struct {
	limits  budget.Limits
	pages   *Pages
	most    int64 // most bytes of any visit
	all     *book
	servers []*book // by server; nil: not opened yet; unlimited: without limits
	round   Round
	number  int // of rounds begun
	backs   int // steps back of the clock
	dirty   []*book
	active  []*book // accounts with work at the end of the round
	touched []*book // accounts with visits in this round

	inBytes     bool // a limit counts bytes
	sizes       budget.Sizes
	sized       bool    // all accounts know the sizes of their copies
	planned     int     // visits
	flying      int     // visits, including those of earlier rounds
	pending     *Visit  // chosen; visits under way may leave room for it
	misfits     int     // visits in a row for which nothing under way could make room
	spent       bool    // no room for any more visit in this round
	newShare    float64 // of the bytes, for first visits
	sourceShare float64 // of each limit, for visits to sources
	newBytes    int64   // of this round, reserved for or read by first visits
	newBudget   int64
	heldNew     int // first visits that wait for room
	ready       []*book
	swept       bool // all kept pages of this round were offered
}

// book is the account of a server, or of all servers, with the visits that wait there for room.
type book struct {
	budget.Account
	touched int // round in which a visit last began
	backs   int // steps back of the clock when it was last opened
	shelf
}

// mayReadSource reports whether the share of sources has room. A server without a book has no
// limits.
func (b *book) mayReadSource() bool { return b == nil || b.HasCredit() }

// unlimited is the book of all servers without limits.
var unlimited = &book{}

// newCaps returns nil if the number of fetches of a round is the only limit.
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

// GoBack ends windows that are ahead of the clock after it stepped back.
func (c *Caps) GoBack() {
	if c != nil {
		c.backs++
	}
}

// books returns the books in which a visit counts: that of all servers, and that of its own, which
// is nil without limits. A limit of another kind, for example of a country, adds its book here.
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

// BoundAll reports whether limits hold for all servers together; false of a nil *Caps.
func (c *Caps) BoundAll() bool { return c != nil && c.all.Limited() }

// newOpen reports whether first visits have bytes left in their share.
func (c *Caps) newOpen() bool { return c == nil || c.newBytes < c.newBudget }

type capVerdict uint8

const (
	hasRoomFor      capVerdict = iota
	refusedByServer            // by the limits of the server
	refusedByAll               // by the limits of all servers
)

// plan reserves what a visit needs, or returns which limits refuse it.
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

// need returns the bytes to reserve for a visit. A mere guess must not exclude the pages of a
// server with small limits for ever, so a fourth of the limit bounds it.
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

// set adds a visit to the planned ones or, with sign -1, removes it.
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

// charge counts a visit in the share of first visits, or of visits to sources.
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

// mayReadSource reports whether the share of sources has room under all limits.
func (c *Caps) mayReadSource(source sitegraph.PageID) bool {
	return c == nil || c.all.HasCredit() && c.of(c.pages.Graph.Server(source)).mayReadSource()
}

// unplan releases the reservation of a visit that did not begin.
func (c *Caps) unplan(v *Visit) {
	if c == nil || !v.planned {
		return
	}
	b := c.of(c.pages.Graph.Server(v.Page))
	c.set(v, b, -1)
	c.room(b)
}

// start begins a planned visit. It returns how many bytes the visit may read; 0: any number. False:
// others have used its room since it was chosen.
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
		// While much is left hardly any page is cut. When little is left each visit gets what it
		// needs.
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

// touch marks a book that is to be settled at the end of the round.
func (c *Caps) touch(b *book) {
	if b.touched != c.number {
		b.touched = c.number
		c.touched = append(c.touched, b)
	}
}

// finish counts the bytes that a visit read. The shares are those of its round.
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

// postpone counts the bytes that a visit read which will begin again, if its round is not over.
func (c *Caps) postpone(v *Visit, might, read int64) {
	b := c.land(v, 0, might, read)
	if v.round != c.number {
		return
	}
	c.charge(v, b, -1, read-v.need)
	c.set(v, b, 1)
}

// land settles a visit, as a number of fetches, with the books of its server and of all servers.
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

// room notes that a server may have room for waiting visits.
func (c *Caps) room(b *book) {
	if b != nil && !b.ready && b.waiting() {
		b.ready = true
		c.ready = append(c.ready, b)
	}
}

// Save calls save for each book that must be durable before the next visit begins. It reports
// whether there was such a book.
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

// Settle releases unused claims of the round; Save then makes that durable.
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

// Load reads the use by earlier runs. Call it before the first round.
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
// Visits of a policy that ranks by value wait until the end of the round for room that visits under
// way may leave. In the next round the policy ranks anew, and new pages are queued again. Pages of
// a policy without values stay, round after round, until it is their turn. Such a policy would
// propose them again only after a whole cycle, beginning with the same pages.
type shelf struct {
	server sitegraph.ServerID
	held   []Visit // first in, first out
	kept   FIFO    // pages of policies without values
	ready  bool    // in Caps.ready
	active bool    // in Caps.active

	// Refused in this round and not made since.
	pages   int
	value   float64
	refused bool
	best    float64 // worth of the first refused visit
	margin  float64 // best, smoothed over rounds; 0 if nothing is refused
}

// maxHeld bounds the visits of a server that wait for room within a round. Later refusals are worth
// less.
const maxHeld = 1024

func (s *shelf) waiting() bool { return len(s.held) > 0 || s.kept.Len() > 0 }

// worth returns what a visit is worth to the user: the value by which the policy ranked it or, if
// it ranks by something else, the probability of change. NaN: unknown.
func (c *Pages) worth(v *Visit) float64 {
	if v.Value >= 0 {
		return v.Value
	}
	return v.Probability * c.Weight(v.Page)
}

// gain returns the worth of a visit: expected changes times weight, and what the policy adds. NaN:
// the policy has no probability.
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

// unvalued reports whether a policy without values proposed a visit.
func (c *Caps) unvalued(v *Visit) bool {
	return math.IsNaN(v.Value) && c.pages.Memory(v.Page).State == sitegraph.StateAlive
}

// queuePage adds a page to its server's shelf, unless it is there.
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
		// Refetchable except for the mark: it was proposed and refused in this round.
		if m.State == sitegraph.StateAlive && int64(m.Tried) <= c.round.Start.Unix() &&
			(m.Errors == 0 || c.pages.Eligible(p)) {
			why := Because("its turn came in an earlier round, when the budget of its server was " +
				"used up")
			return Unranked(p, why), true
		}
	}
	return Visit{}, false
}

// instead returns the page of a policy without values that has waited longest at the server of the
// proposed one.
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

// clear ends a round: waiting new pages are handed back, and the prices of servers follow.
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
