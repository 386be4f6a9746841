package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/bus"
	"github.com/recrawl/recrawl/cmd/cluster/nodes"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/replicate"
)

// shard is a shard of this node.
type shard struct {
	*session
	tenure nodes.Tenure
	taken  time.Time
	stop   context.CancelFunc
	ended  chan struct{}

	// Only the goroutine of the loop uses these.
	parts  *ShardParts
	store  *replicate.Store
	copies copies
	loop   *crawl.Loop
	outbox *nodes.Outbox
	starts uint64 // revision of the start pages that the shard took in
	asked  time.Time

	links chan []byte
	acks  chan nodes.Ack
	hints chan hint
	woken chan struct{}

	opened, stranded atomic.Bool // all nodes know that the store is here
	once             sync.Once
	homed            chan struct{} // closed: all nodes know that its store is here
	settled          bool          // they need not

	mu     sync.Mutex
	report nodes.ShardReport
}

// Without it shards would have no images, and nobody would notice.
var _ crawl.Positions = (*replicate.Store)(nil)

// hint is an address that somebody reports as changed.
type hint struct {
	urls  []string
	reply func([]byte)
}

const (
	// queued bounds the messages that wait for a shard. Further ones are lost, and come again.
	queued = 64
	// A shard that failed is opened again after retrySoon, as NATS may be electing. The pause
	// doubles up to retryOpen.
	retrySoon = 500 * time.Millisecond
	retryOpen = 10 * time.Second
	// retryBusy is the pause if another process still has its store open.
	retryBusy = 200 * time.Millisecond
)

// startsEvery is the time between looks for new start pages. Tests use less.
var startsEvery = 5 * time.Second

// Open begins to work on a shard.
func (s *session) Open(t nodes.Tenure) {
	ctx, stop := context.WithCancel(s.ctx)
	sh := &shard{session: s, tenure: t, taken: time.Now(), stop: stop, ended: make(chan struct{}),
		homed: make(chan struct{}),
		links: make(chan []byte, queued), acks: make(chan nodes.Ack, queued),
		hints: make(chan hint, queued), woken: make(chan struct{}, 1)}
	sh.report = nodes.ShardReport{Shard: t.Shard, State: "opening", Granted: nodes.Unlimited}
	s.mu.Lock()
	s.shards[t.Shard] = sh
	s.mu.Unlock()
	go sh.work(ctx)
}

// Close ends the work on a shard in good order.
func (s *session) Close(n int) {
	if sh := s.shard(n); sh != nil {
		sh.set(func(r *nodes.ShardReport) { r.State = "closing" })
		sh.stop()
	}
}

// Work reports the state of the work on a shard.
func (s *session) Work(n int) nodes.Worked {
	sh := s.shard(n)
	if sh == nil {
		return nodes.Closed
	}
	select {
	case <-sh.ended:
		return nodes.Closed
	default:
	}
	switch sh.get().State {
	case "running":
		return nodes.Running
	case "closing":
		return nodes.Closing
	}
	return nodes.Opening
}

func (s *session) shard(n int) *shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shards[n]
}

// closeAll waits until all stores are closed. Their context has ended.
func (s *session) closeAll() {
	s.mu.Lock()
	all := s.shards
	s.mu.Unlock()
	for _, sh := range all {
		<-sh.ended
	}
}

// reports returns the state of the shards.
func (s *session) reports() (list []nodes.ShardReport) {
	for n := range s.Cluster.Shards {
		if _, held := s.move.Held()[n]; held {
			if sh := s.shard(n); sh != nil {
				list = append(list, sh.get())
			}
		}
	}
	return list
}

func (sh *shard) get() nodes.ShardReport {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.report
}

func (sh *shard) set(f func(*nodes.ShardReport)) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	f(&sh.report)
}

// work opens the shard and runs its loop, and repeats this after failures, until the shard is to be
// closed.
func (sh *shard) work(ctx context.Context) {
	defer close(sh.ended)
	next := retrySoon
	for ctx.Err() == nil {
		began := time.Now()
		err := sh.run(ctx)
		if ctx.Err() != nil {
			if err != nil && !errors.Is(err, context.Canceled) {
				sh.Note("shard %d: %v", sh.tenure.Shard, err)
			}
			return
		}
		if time.Since(began) > retryOpen { // it had worked
			next = retrySoon
		}
		wait := next
		if errors.Is(err, satstore.ErrInUse) {
			wait = retryBusy
		} else if err != nil {
			next = min(2*next, retryOpen)
			sh.Note("shard %d: %v; it is opened again in %v", sh.tenure.Shard, err, wait)
			sh.set(func(r *nodes.ShardReport) {
				r.State, r.Error = "failed", strings.ReplaceAll(err.Error(), "\n", "; ")
			})
		}
		crawl.WallClock{}.SleepUntil(ctx, time.Now().Add(wait)) // its error is that of ctx
	}
}

// run opens the shard and runs its loop once.
func (sh *shard) run(ctx context.Context) (err error) {
	select {
	case sh.opening <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	old, err := sh.open(ctx)
	<-sh.opening
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sh.parts.Close()) }()
	if err := sh.dropOldCopy(ctx, old); err != nil {
		return err
	}
	defer sh.copies.end()
	if sh.outbox, err = nodes.NewOutbox(sh.tenure.Shard, sh.Cluster.Shards,
		sh.store.Setting); err != nil {
		return err
	}
	stop, err := sh.listen()
	if err != nil {
		return err
	}
	defer stop()
	sh.starts, sh.asked = 0, time.Time{}
	// a visit that cannot be written down is the last one
	ctx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	defer func() {
		if cause := context.Cause(ctx); cause != nil && cause != ctx.Err() {
			err = cause
		}
	}()
	sh.loop = crawl.New(sh.options(ctx, broken))
	if err := sh.loop.KeepDistance(ctx, func() {}); err != nil {
		return err
	}
	if err := sh.takeStarts(ctx); err != nil {
		return err
	}
	sh.set(func(r *nodes.ShardReport) {
		if r.State == "closing" {
			return
		}
		r.State, r.Error, r.Delay = "running", "", time.Since(sh.taken).Seconds()
	})
	return sh.loop.Run(ctx, planner.Unlimited, sh.Round, nil)
}

// options returns the options of the loop.
func (sh *shard) options(ctx context.Context, broken context.CancelCauseFunc) crawl.Options {
	o := sh.parts.Loop
	o.Planner, o.Store, o.Clock, o.Fetcher = sh.parts.Planner, sh.store, clock{sh.Node},
		&fetcher{sh.parts.Web, sh}
	o.Woken, o.Attentive, o.Grant = sh.woken, true, sh.grant
	seen := o.Seen
	o.Seen = func(e *crawl.Event) {
		if seen != nil {
			seen(e)
		}
		sh.outbox.See(e.Record.URL, e.Observation.Links, time.Now())
		sh.visits.Add(1)
		sh.set(func(r *nodes.ShardReport) { r.Visits++ })
	}
	o.Acknowledged = func(events []crawl.Event) {
		if err := sh.parts.Journal(events); err != nil {
			broken(err)
		}
		sh.announce(events)
	}
	o.Between = func() error {
		if sh.parts.Between != nil {
			if err := sh.parts.Between(sh.store); err != nil {
				return err
			}
		}
		if err := sh.carry(ctx); err != nil {
			return err
		}
		return sh.between(ctx)
	}
	return o
}

// between takes in what came for the shard, and sends what is due. Everything is committed when it
// begins.
func (sh *shard) between(ctx context.Context) error {
	for range queued {
		select {
		case a := <-sh.acks:
			sh.outbox.Acknowledged(a)
			continue
		default:
		}
		select {
		case b := <-sh.links:
			if err := sh.learn(b); err != nil {
				return err
			}
			continue
		case h := <-sh.hints:
			asked, err := sh.loop.Ask(true, h.urls...)
			if err != nil {
				return err
			}
			h.reply(fmt.Append(nil, asked))
			continue
		default:
		}
		break
	}
	for _, m := range sh.outbox.Due(time.Now()) {
		if err := sh.Bus.Send(bus.KindLinks, m.To, nodes.Encode(m)); err != nil {
			break // no connection: they come again
		}
	}
	if time.Since(sh.asked) > startsEvery {
		if err := sh.takeStarts(ctx); err != nil {
			return err
		}
	}
	p := sh.parts.Planner
	_, granted, used := sh.loop.Used()
	sh.set(func(r *nodes.ShardReport) {
		r.Pages, r.Waiting, r.Sending, r.Dropped = p.Pages.Count(), p.Waiting(),
			sh.outbox.Waiting(), sh.outbox.Dropped
		r.Price, r.Granted, r.Used = price(p), granted, used
	})
	return nil
}

// outcome reports a visit to listeners.
type outcome struct {
	URL     string `json:"url"`
	Time    string `json:"time"`
	Outcome string `json:"outcome"`
	Verdict string `json:"verdict"`
	Digest  string `json:"digest,omitempty"` // of the bytes
}

// announce sends visits to listeners.
func (sh *shard) announce(events []crawl.Event) {
	for i := range events {
		o := &events[i].Observation
		m := outcome{URL: events[i].Record.URL, Time: o.Time.UTC().Format(time.RFC3339),
			Outcome: o.Outcome.String(), Verdict: events[i].Verdict.String()}
		if !o.Digests.Bytes.IsZero() {
			m.Digest = o.Digests.Bytes.String()
		}
		b, _ := json.Marshal(m) // texts
		if sh.Bus.Send(bus.KindOutcome, sh.tenure.Shard, b) != nil {
			return // no connection: the journal has them
		}
	}
}

// price returns the worth of the next visit: that of the last one that fitted, or of a new page
// that waits.
func price(p *planner.Planner) float64 {
	x := p.Price()
	if math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	if p.Waiting() > 0 {
		x = max(x, planner.FirstWorth)
	}
	return x
}

// learn takes in the links of another shard, and acknowledges them.
func (sh *shard) learn(b []byte) error {
	m, good, err := nodes.ReadLinks(b, sh.tenure.Shard, sh.Cluster.Shards)
	if err != nil {
		// from another program, or damaged: the sender gets no answer
		sh.Note("%v", err)
		return nil
	}
	if _, err := sh.loop.Learn(sh.adopts, good...); err != nil {
		return err
	}
	sh.Bus.Send(bus.KindAck, m.From, nodes.Encode(m.Ack())) // without it the message comes again
	return nil
}

// takeStarts makes start pages known that any node was given.
func (sh *shard) takeStarts(ctx context.Context) error {
	sh.asked = time.Now()
	urls, revision, err := nodes.Starts(ctx, sh.Bus.Nodes)
	if err != nil || revision == sh.starts {
		return nil // later
	}
	if err := sh.loop.Seed(sh.mine(sh.tenure.Shard, urls)...); err != nil {
		return err
	}
	sh.starts = revision
	return nil
}

// listen receives messages for the shard.
func (sh *shard) listen() (stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, f := range stops {
			f()
		}
	}
	wake := func() {
		select {
		case sh.woken <- struct{}{}:
		default:
		}
	}
	for kind, got := range map[string]func([]byte, func([]byte)){
		bus.KindLinks: func(b []byte, _ func([]byte)) {
			select {
			case sh.links <- b:
				wake()
			default:
			}
		},
		bus.KindAck: func(b []byte, _ func([]byte)) {
			if a, err := nodes.ReadAck(b); err == nil {
				select {
				case sh.acks <- a:
				default:
				}
			}
		},
		bus.KindHint: func(b []byte, reply func([]byte)) {
			if urls := sh.mine(sh.tenure.Shard, readHint(b)); len(urls) > 0 {
				select {
				case sh.hints <- hint{urls, reply}:
					wake()
				default:
				}
			}
		},
	} {
		one, err := sh.Bus.Listen(kind, sh.tenure.Shard, got)
		if err != nil {
			stop()
			return nil, err
		}
		stops = append(stops, one)
	}
	return stop, nil
}

// grant returns the share of the shard in a round, and settles the round before.
func (sh *shard) grant(ctx context.Context, start time.Time, length time.Duration) (int, error) {
	l := nodes.Ledger{KV: sh.Bus.Nodes, Shards: sh.Cluster.Shards, PerDay: sh.Cluster.PerDay}
	before, granted, used := sh.loop.Used()
	settled := before.IsZero() || granted < 0
	p := sh.parts.Planner
	for {
		share, err := 0, error(nil)
		sh.ledger.Lock()
		if !settled {
			err = l.Settle(ctx, sh.tenure.Shard, sh.tenure.Epoch, before,
				nodes.Settled{Used: used, Price: price(p), Pages: p.Pages.Count()})
			settled = err == nil
		}
		if err == nil {
			share, err = l.Claim(ctx, sh.tenure.Shard, sh.tenure.Epoch, start, length)
		}
		sh.ledger.Unlock()
		if err == nil {
			return share, nil
		}
		if err := (crawl.WallClock{}).SleepUntil(ctx, time.Now().Add(time.Second)); err != nil {
			return 0, err
		}
	}
}
