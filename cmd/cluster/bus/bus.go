package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Bus is a connection, perhaps with a server of its own.
type Bus struct {
	Nodes     *Bucket // agreements of the nodes; it mirrors all entries
	Addresses *Bucket // which node asks which address
	cluster   string
	replicas  int
	js        jetstream.JetStream
	opening   sync.Mutex // of families
	families  map[int]*family
	server    *server.Server // nil: the server is elsewhere
	conn      *nats.Conn
}

const (
	// callTime bounds a call: an election takes a third of a second.
	callTime = 2 * time.Second
	// answerTime bounds the wait for an answer of a shard, which may have no room for a message.
	answerTime = 30 * time.Second
	// bucketBytes bounds a bucket.
	bucketBytes = 256 << 20
)

// Open connects a node, to a server that it runs in a directory or to those of the settings. It
// waits for the buckets, which need most of the servers, and calls waiting if that takes long.
func Open(ctx context.Context, s Settings, node, dir string, waiting func(error)) (*Bus, error) {
	token, err := s.check()
	if err != nil {
		return nil, err
	}
	b := &Bus{cluster: s.Cluster, replicas: s.copies(), families: map[int]*family{}}
	o := []nats.Option{nats.Name(node), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(500 * time.Millisecond), nats.PingInterval(5 * time.Second),
		nats.MaxPingsOutstanding(2)}
	if token != "" {
		o = append(o, nats.Token(token))
	}
	if s.NATS == "" {
		if b.server, err = startServer(s, node, dir, token); err != nil {
			return nil, err
		}
		o = append(o, nats.InProcessServer(b.server))
	}
	if b.conn, err = nats.Connect(s.NATS, o...); err == nil {
		err = b.buckets(ctx, waiting)
	}
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("join the cluster: %w", err)
	}
	return b, nil
}

// Look connects to a running cluster for one look.
func Look(ctx context.Context, s Settings) (*Bus, error) {
	token, err := s.check()
	if err != nil {
		return nil, err
	}
	at := s.NATS
	if at == "" {
		at = "nats://" + s.Listen
	}
	o := []nats.Option{nats.Name("status"), nats.Timeout(callTime)}
	if token != "" {
		o = append(o, nats.Token(token))
	}
	b := &Bus{cluster: s.Cluster}
	if b.conn, err = nats.Connect(at, o...); err != nil {
		return nil, fmt.Errorf("no node answers at %s: %w", at, err)
	}
	js, err := jetstream.New(b.conn)
	if err == nil {
		b.Nodes = &Bucket{}
		b.Nodes.kv, err = within(ctx, func(ctx context.Context) (jetstream.KeyValue, error) {
			return js.KeyValue(ctx, b.cluster+"-nodes")
		})
	}
	if err == nil {
		err = b.Nodes.mirror(ctx)
	}
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("read cluster %s at %s: %w", s.Cluster, at, err)
	}
	return b, nil
}

// buckets makes the buckets, or finds them.
func (b *Bus) buckets(ctx context.Context, waiting func(error)) (err error) {
	if b.js, err = jetstream.New(b.conn); err != nil {
		return err
	}
	for _, want := range []struct {
		to   **Bucket
		name string
		in   jetstream.StorageType
	}{{&b.Nodes, "nodes", jetstream.FileStorage},
		{&b.Addresses, "addresses", jetstream.MemoryStorage}} {
		c := jetstream.KeyValueConfig{Bucket: b.cluster + "-" + want.name, History: 1,
			Replicas: b.replicas,
			Storage:  want.in, MaxBytes: bucketBytes, LimitMarkerTTL: time.Minute}
		if err := patiently(ctx, waiting, func() error {
			kv, err := within(ctx, func(ctx context.Context) (jetstream.KeyValue, error) {
				kv, err := b.js.KeyValue(ctx, c.Bucket)
				if errors.Is(err, jetstream.ErrBucketNotFound) {
					return b.js.CreateKeyValue(ctx, c)
				}
				return kv, err
			})
			if err != nil {
				return fmt.Errorf("bucket %s: %w", c.Bucket, err)
			}
			*want.to = &Bucket{kv: kv}
			return nil
		}); err != nil {
			return err
		}
	}
	return patiently(ctx, waiting, func() error { return b.Nodes.mirror(ctx) })
}

// patiently repeats a call until it succeeds, for example while servers elect. It reports why it
// waits.
func patiently(ctx context.Context, waiting func(error), call func() error) error {
	for tries := 1; ; tries++ {
		err := call()
		if err == nil {
			return nil
		}
		if tries%5 == 0 {
			waiting(err)
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

func within[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return call(ctx)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// The kinds of messages.
const (
	KindLinks   = "links"
	KindAck     = "ack"
	KindHint    = "hint"
	KindOutcome = "outcome"
)

func (b *Bus) subject(kind string, shard int) string {
	return b.cluster + "." + kind + "." + strconv.Itoa(shard)
}

// Send sends a message to the node of a shard. The message may be lost.
func (b *Bus) Send(kind string, shard int, message []byte) error {
	return b.conn.Publish(b.subject(kind, shard), message)
}

// Ask sends a message to the node of a shard, and returns the answer.
func (b *Bus) Ask(ctx context.Context, kind string, shard int, message []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	m, err := b.conn.RequestWithContext(ctx, b.subject(kind, shard), message)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, fmt.Errorf("no node works on shard %d now", shard)
	} else if err != nil {
		return nil, fmt.Errorf("ask shard %d: %w", shard, err)
	}
	return m.Data, nil
}

// Listen calls got with each message of a kind to a shard, one after the other, until stop is
// called. reply answers messages of Ask.
func (b *Bus) Listen(kind string, shard int, got func(message []byte, reply func([]byte))) (
	stop func(), err error) {
	s, err := b.conn.Subscribe(b.subject(kind, shard), func(m *nats.Msg) {
		got(m.Data, func(answer []byte) {
			if m.Reply != "" {
				m.Respond(answer) // the sender asks again
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("listen to %s of shard %d: %w", kind, shard, err)
	}
	return func() { s.Unsubscribe() }, nil // it also ends with the connection
}

// Tell sends a message to a node: the address that another one wants. It may be lost.
func (b *Bus) Tell(node string, message []byte) error {
	return b.conn.Publish(b.cluster+".want."+node, message)
}

// Hear calls got with each message to a node, one after the other, until stop is called.
func (b *Bus) Hear(node string, got func(message []byte)) (stop func(), err error) {
	s, err := b.conn.Subscribe(b.cluster+".want."+node, func(m *nats.Msg) { got(m.Data) })
	if err != nil {
		return nil, fmt.Errorf("listen to the other nodes: %w", err)
	}
	return func() { s.Unsubscribe() }, nil
}

// Address returns the address of the node's own server; "": it has none.
func (b *Bus) Address() string {
	if b.server == nil {
		return ""
	}
	return strings.TrimPrefix(b.server.ClientURL(), "nats://")
}

// handed bounds the wait of an ending server until others lead its streams. Otherwise they would
// take 4 to 9 seconds to notice.
const handed = 3 * time.Second

// handOver makes other servers lead the streams that this one leads.
func (b *Bus) handOver() {
	if b.server == nil || b.js == nil || !b.server.JetStreamIsClustered() ||
		b.server.NumRemotes() <= b.replicas/2 { // too few servers remain to elect
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), handed)
	defer cancel()
	var led []string
	for name := range b.js.StreamNames(ctx).Name() {
		// an error: there is no such stream here
		if b.server.JetStreamStepdownStream(server.DEFAULT_GLOBAL_ACCOUNT, name) == nil {
			led = append(led, name)
		}
	}
	for len(led) > 0 && pause(ctx, behind) == nil {
		led = slices.DeleteFunc(led, func(name string) bool { return b.passed(ctx, name) })
	}
}

// passed reports whether another server now leads a stream.
func (b *Bus) passed(ctx context.Context, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, handed/10)
	defer cancel()
	s, err := b.js.Stream(ctx, name)
	if err != nil {
		return false
	}
	c := s.CachedInfo().Cluster
	return c == nil || c.Leader != "" && c.Leader != b.server.Name()
}

// Close ends connection and server.
func (b *Bus) Close() error {
	b.handOver()
	b.Nodes.close()
	b.Addresses.close()
	if b.conn != nil {
		b.conn.Close()
	}
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
	return nil
}
