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
	Revision uint64 // different after each write; above 0
}

// ErrConflict is returned if an entry has another revision than expected.
var ErrConflict = errors.New("another node has changed the entry")

// KV has the agreement of nodes: writes are linearizable. Every call may fail after it took effect.
type KV interface {
	// Get returns an entry, or false.
	Get(ctx context.Context, key string) (Entry, bool, error)
	// Set replaces the entry with a revision; 0 means that there must be none. ErrConflict means
	// another revision.
	Set(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	// Remove removes the entry with a revision. ErrConflict means another revision.
	Remove(ctx context.Context, key string, revision uint64) error
	// List returns the entries whose keys have a prefix, perhaps as of a moment ago.
	List(ctx context.Context, prefix string) ([]Entry, error)
}

// Listed is an entry that was read.
type Listed[T any] struct {
	Key      string
	Revision uint64
	Value    T
}

// Read reads the entry of a key, or returns false.
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

// NodeStates returns the last report of each node.
func NodeStates(ctx context.Context, kv KV) ([]Listed[NodeState], error) {
	return List[NodeState](ctx, kv, nodePrefix)
}

// Tenures returns the holders of shards, without shards that nobody ever had.
func Tenures(ctx context.Context, kv KV) ([]Listed[Tenure], error) {
	return List[Tenure](ctx, kv, shardKey)
}

// List returns the entries whose keys have a prefix.
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

// Keys of the KV. Those of shards, accounts and nodes end in a number or name.
const (
	clusterKey = "cluster"
	ledgerKey  = "budget"
	accountKey = "budget."
	startsKey  = "starts"
	nodePrefix = "node."
	shardKey   = "shard."
)
