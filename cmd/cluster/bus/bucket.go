package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/recrawl/recrawl/cmd/cluster/nodes"
)

// Bucket is a nodes.KV in JetStream. List needs a mirror.
type Bucket struct {
	kv      jetstream.KeyValue
	mu      sync.Mutex
	entries map[string]nodes.Entry
	watch   jetstream.KeyWatcher
}

// Get returns an entry. It may be out of date by a moment, if the copy that answers is behind.
func (b *Bucket) Get(ctx context.Context, key string) (nodes.Entry, bool, error) {
	e, err := within(ctx, func(ctx context.Context) (jetstream.KeyValueEntry, error) {
		return b.kv.Get(ctx, key)
	})
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nodes.Entry{}, false, nil
	case err != nil:
		return nodes.Entry{}, false, err
	}
	return nodes.Entry{Key: key, Value: e.Value(), Revision: e.Revision()}, true, nil
}

// Set replaces an entry.
func (b *Bucket) Set(ctx context.Context, key string, value []byte, revision uint64) (
	uint64, error) {
	got, err := within(ctx, func(ctx context.Context) (uint64, error) {
		if revision == 0 {
			return b.kv.Create(ctx, key, value)
		}
		return b.kv.Update(ctx, key, value, revision)
	})
	if err = b.conflict(ctx, err); err != nil {
		return 0, err
	}
	b.note(nodes.Entry{Key: key, Value: value, Revision: got})
	return got, nil
}

// Remove removes an entry. A marker of it stays for a minute, so that others see the removal.
func (b *Bucket) Remove(ctx context.Context, key string, revision uint64) error {
	_, err := within(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.kv.Purge(ctx, key, jetstream.LastRevision(revision),
			jetstream.PurgeTTL(time.Minute))
	})
	return b.conflict(ctx, err)
}

const (
	// wrongRevision is the code with which JetStream refuses a write.
	wrongRevision = jetstream.JSErrCodeStreamWrongLastSequence
	// underWay is the code if another write of the same key is under way on several servers.
	underWay = jetstream.JSErrCodeStreamWrongLastSequenceConstant
)

// behind is how long a copy may be behind. Only after a conflict a reader waits so long.
const behind = 20 * time.Millisecond

func (b *Bucket) conflict(ctx context.Context, err error) error {
	var of *jetstream.APIError
	if errors.As(err, &of) && (of.ErrorCode == wrongRevision || of.ErrorCode == underWay) ||
		errors.Is(err, jetstream.ErrKeyExists) {
		if err := pause(ctx, behind); err != nil {
			return err
		}
		return nodes.ErrConflict
	}
	return err
}

// mirror keeps all entries in memory until close.
func (b *Bucket) mirror(ctx context.Context) error {
	w, err := b.kv.WatchAll(context.WithoutCancel(ctx)) // it outlives this call
	if err != nil {
		return fmt.Errorf("watch bucket: %w", err)
	}
	b.entries, b.watch = map[string]nodes.Entry{}, w
	whole := make(chan struct{})
	go func() {
		for e := range w.Updates() {
			switch {
			case e == nil:
				close(whole)
			case e.Operation() == jetstream.KeyValuePut:
				b.note(nodes.Entry{Key: e.Key(), Value: e.Value(), Revision: e.Revision()})
			default:
				b.mu.Lock()
				if b.entries[e.Key()].Revision < e.Revision() {
					delete(b.entries, e.Key())
				}
				b.mu.Unlock()
			}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, 2*callTime)
	defer cancel()
	select {
	case <-whole:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("watch bucket: %w", ctx.Err())
	}
}

func (b *Bucket) note(e nodes.Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.entries != nil && b.entries[e.Key].Revision < e.Revision {
		b.entries[e.Key] = e
	}
}

func (b *Bucket) close() {
	if b != nil && b.watch != nil {
		b.watch.Stop() // the connection ends anyway
	}
}

// List returns the entries whose keys begin with prefix, sorted, as of the last updates.
func (b *Bucket) List(_ context.Context, prefix string) (list []nodes.Entry, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, e := range b.entries {
		if strings.HasPrefix(key, prefix) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b nodes.Entry) int { return strings.Compare(a.Key, b.Key) })
	return list, nil
}
