package urlfrontier

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc/status"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

const (
	// mostReceived limits the messages that a stream has received and not yet stored.
	mostReceived = 2048
	// mostAtOnce limits the URLs that share a sync of the disk. The last message may exceed it.
	mostAtOnce = 4096
	// mostWaiting limits the changes of a stream that wait for the disk while it receives others.
	mostWaiting = 4
)

// stream is a gRPC call that receives messages and acknowledges each of them.
type stream[In, Out any] interface {
	Recv() (*In, error)
	Send(*Out) error
	Context() context.Context
}

// intake converts the messages of a stream to items and acknowledgements.
type intake[In, Out any] struct {
	// items appends the items of a message.
	items func(items []frontier.Item, m *In) []frontier.Item
	// ack returns the acknowledgement of a message, given the statuses of its items.
	ack func(m *In, statuses []frontier.Status) *Out
}

// change holds messages that the frontier is storing together.
type change[In any] struct {
	messages []*In
	ends     []int // number of items up to the end of each message
	statuses []frontier.Status
	wait     func() error
	err      error
}

// take stores the items of a stream, and acknowledges each message once its items are on disk.
// Receiving, storing and waiting for the disk overlap. All storing has ended when take returns.
func take[In, Out any](s *service, in stream[In, Out], how intake[In, Out]) error {
	ctx, cancel := context.WithCancel(in.Context())
	received := make(chan *In, mostReceived)
	waiting := make(chan change[In], mostWaiting)
	var end error // why receive ended
	go func() {
		defer close(received)
		end = receive(ctx, in, received)
	}()
	go func() {
		defer close(waiting)
		for m := next(ctx, received); m != nil; m = next(ctx, received) {
			select {
			case waiting <- store(s, m, received, how.items):
			case <-ctx.Done():
			}
		}
	}()
	var failed error
	for c := range waiting {
		if failed == nil {
			if failed = acknowledge(in, &c, how.ack); failed != nil {
				cancel()
			}
		}
	}
	if err := ctx.Err(); failed == nil && err != nil {
		failed = status.FromContextError(err).Err()
	}
	cancel()
	if failed != nil {
		return s.fault(failed)
	}
	return end
}

// receive receives messages until the stream ends. It may wait in Recv after the call has ended.
func receive[In, Out any](ctx context.Context, in stream[In, Out], received chan<- *In) error {
	for {
		m, err := in.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		select {
		case received <- m:
		case <-ctx.Done():
			return nil
		}
	}
}

// next returns the next message, or nil if the stream or ctx has ended.
func next[In any](ctx context.Context, received <-chan *In) *In {
	select {
	case m := <-received:
		return m
	case <-ctx.Done():
		return nil
	}
}

// store stores a message and those that wait after it, up to mostAtOnce URLs.
func store[In any](
	s *service, first *In, more <-chan *In, add func([]frontier.Item, *In) []frontier.Item,
) change[In] {
	var c change[In]
	var items []frontier.Item
	for m := first; m != nil; {
		items = add(items, m)
		c.messages = append(c.messages, m)
		c.ends = append(c.ends, len(items))
		m = nil
		if len(items) < mostAtOnce {
			select {
			case m = <-more: // nil if the channel is closed
			default:
			}
		}
	}
	c.statuses, c.wait, c.err = s.frontier.Put(items, s.now())
	return c
}

// acknowledge waits until a change is on disk, and sends the acknowledgements of its messages.
func acknowledge[In, Out any](in stream[In, Out], c *change[In],
	ack func(*In, []frontier.Status) *Out) error {
	if c.err != nil {
		return c.err
	}
	if err := c.wait(); err != nil {
		return err
	}
	start := 0
	for i, m := range c.messages {
		if err := in.Send(ack(m, c.statuses[start:c.ends[i]])); err != nil {
			return err
		}
		start = c.ends[i]
	}
	return nil
}

// PutURLs stores URLs, one in a message.
func (s *service) PutURLs(in pb.URLFrontier_PutURLsServer) error {
	return take(s, in, intake[pb.URLItem, pb.AckMessage]{
		items: func(items []frontier.Item, m *pb.URLItem) []frontier.Item {
			return append(items, put(m))
		},
		ack: func(m *pb.URLItem, statuses []frontier.Status) *pb.AckMessage {
			ack := &pb.AckMessage{ID: m.ID, Status: acks[statuses[0]]}
			if ack.ID == "" {
				ack.ID = info(m).GetUrl()
			}
			return ack
		},
	})
}

// info returns the URLInfo of a message, or nil if the message is empty.
func info(m *pb.URLItem) *pb.URLInfo {
	if known := m.GetKnown(); known != nil {
		return known.Info
	}
	return m.GetDiscovered().GetInfo()
}

// put returns the item of a message.
func put(m *pb.URLItem) frontier.Item {
	it := item(info(m))
	if known := m.GetKnown(); known != nil {
		it.Known, it.Date = true, date(known.RefetchableFromDate)
		it.Outcome = outcome(known.Info.GetMetadata())
	}
	return it
}

// PutDiscovered stores batches of discovered URLs.
func (s *service) PutDiscovered(in pb.URLFrontier_PutDiscoveredServer) error {
	return take(s, in, intake[pb.DiscoveredBatch, pb.BatchAck]{
		items: func(items []frontier.Item, m *pb.DiscoveredBatch) []frontier.Item {
			for _, info := range m.Items {
				items = append(items, item(info))
			}
			return items
		},
		ack: func(m *pb.DiscoveredBatch, statuses []frontier.Status) *pb.BatchAck {
			ack := &pb.BatchAck{ID: m.ID, Statuses: make([]pb.AckMessage_Status, len(statuses))}
			for i, s := range statuses {
				ack.Statuses[i] = acks[s]
			}
			return ack
		},
	})
}
