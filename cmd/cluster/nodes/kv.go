package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Entry is a value of a KV.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64 // changes with each write; above 0
}

// ErrConflict says that an entry has another revision than the one that was to be replaced.
var ErrConflict = errors.New("another node has changed the entry")

// KV is what nodes agree on: writes are linearizable. Every call may fail after it took effect.
type KV interface {
	// Get returns an entry; false: there is none.
	Get(ctx context.Context, key string) (Entry, bool, error)
	// Set replaces the entry of a revision; 0: there must be none. ErrConflict: it has another one.
	Set(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	// Remove removes the entry of a revision. ErrConflict: it has another one.
	Remove(ctx context.Context, key string, revision uint64) error
	// List returns the entries whose keys begin so. They may be those of a moment ago.
	List(ctx context.Context, prefix string) ([]Entry, error)
}

// Listed is an entry that was read.
type Listed[T any] struct {
	Key      string
	Revision uint64
	Value    T
}

// Read reads the entry of a key; false: there is none.
func Read[T any](ctx context.Context, kv KV, key string) (l Listed[T], ok bool, err error) {
	e, ok, err := kv.Get(ctx, key)
	if err == nil && ok {
		l.Key, l.Revision = e.Key, e.Revision
		err = json.Unmarshal(e.Value, &l.Value)
	}
	if err != nil {
		return l, false, fmt.Errorf("read %s: %w", key, err)
	}
	return l, ok, nil
}

// NodeStates lists what each node said last.
func NodeStates(ctx context.Context, kv KV) ([]Listed[NodeState], error) {
	return List[NodeState](ctx, kv, nodePrefix)
}

// Tenures lists who has which shard. A shard that nobody ever had is not among them.
func Tenures(ctx context.Context, kv KV) ([]Listed[Tenure], error) {
	return List[Tenure](ctx, kv, shardKey)
}

// List lists what stands under the keys that begin so.
func List[T any](ctx context.Context, kv KV, prefix string) ([]Listed[T], error) {
	entries, err := kv.List(ctx, prefix)
	if err != nil {
		return nil, err
	}
	all := make([]Listed[T], len(entries))
	for i, e := range entries {
		all[i].Key, all[i].Revision = e.Key, e.Revision
		if err := json.Unmarshal(e.Value, &all[i].Value); err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Key, err)
		}
	}
	return all, nil
}

// Keys of the KV. A shard or account has its number behind it, a node its name.
const (
	clusterKey = "cluster"
	ledgerKey  = "budget"
	accountKey = "budget."
	startsKey  = "starts"
	nodePrefix = "node."
	shardKey   = "shard."
)
