package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Cluster has the agreement of all nodes. The first node writes it.
type Cluster struct {
	Shards int     `json:"shards"`
	PerDay float64 `json:"per_day"` // budget of all shards, fetches a day; -1: no limit
	// Apart is true. In older programs the stores could be in a directory that all nodes share;
	// then it was false.
	Apart bool `json:"apart,omitempty"`
	// Mark identifies the cluster; nodes keep it with their stores. Again means that the agreement
	// was lost, and a node had the mark. Then no shard begins without a store that a node has
	// (Shards.Again).
	Mark  string `json:"mark,omitempty"`
	Again bool   `json:"again,omitempty"`
}

// ErrShards is returned to a node with another number of shards than the cluster.
var ErrShards = errors.New("the number of shards cannot be changed")

// ErrShared is returned for a cluster of an older program whose nodes share the stores.
var ErrShared = errors.New("the stores of this cluster lie in one directory that all nodes share " +
	"(--stores), which is no longer supported: stop all nodes, copy the directory to shards/ in " +
	"--data of each node, remove nats/ there, and start all without --stores")

// ErrMark is returned if the stores of a node are of another cluster, or the others began without
// it after they lost their agreement.
var ErrMark = errors.New("the stores of this node are of another cluster")

// Found returns the agreement of the nodes, and writes it if this node is the first. A new budget
// replaces the old one. With Again, this node had the mark; otherwise another mark counts.
func Found(ctx context.Context, kv KV, want Cluster) (Cluster, error) {
	want.Apart = true
	for {
		have, revision, err := Agreed(ctx, kv)
		next := want
		if revision > 0 {
			next.Again = have.Again
			if next.Mark = have.Mark; have.Mark == "" { // of an older program
				next.Mark = want.Mark
			}
		}
		switch {
		case err != nil:
			return want, err
		case revision > 0 && have.Shards != want.Shards:
			return have, fmt.Errorf("the cluster has %d shards, not %d: %w",
				have.Shards, want.Shards, ErrShards)
		case revision > 0 && !have.Apart:
			return have, ErrShared
		case want.Again && next.Mark != want.Mark:
			return have, ErrMark
		case revision > 0 && have == next:
			return have, nil
		}
		if _, err := kv.Set(ctx, clusterKey, Encode(next), revision); !errors.Is(err, ErrConflict) {
			return next, err
		}
	}
}

// Agreed returns the agreement of the nodes, and its revision; 0: there was no node yet.
func Agreed(ctx context.Context, kv KV) (c Cluster, revision uint64, err error) {
	l, _, err := Read[Cluster](ctx, kv, clusterKey)
	return l.Value, l.Revision, err
}

const (
	// MostStarts limits the start pages that wait.
	MostStarts = 10_000
	// mostStartBytes limits them together: NATS takes messages of 1 MiB.
	mostStartBytes = 1_000_000
)

// ErrStarts is returned for more start pages.
var ErrStarts = fmt.Errorf("the nodes of a cluster take %d, of %d bytes together: hand the "+
	"others in by recrawl node hint", MostStarts, mostStartBytes)

// AddStarts gives start pages to the shards, which read them when they next look.
func AddStarts(ctx context.Context, kv KV, urls []string) error {
	for len(urls) > 0 {
		list, revision, err := Starts(ctx, kv)
		if err != nil {
			return err
		}
		had := len(list)
		for _, url := range urls {
			if !slices.Contains(list, url) {
				list = append(list, url)
			}
		}
		if len(list) == had {
			return nil
		}
		value := Encode(list)
		if len(list) > MostStarts || len(value) > mostStartBytes {
			return fmt.Errorf("%d start pages, %d bytes: %w", len(list), len(value), ErrStarts)
		}
		if _, err := kv.Set(ctx, startsKey, value, revision); !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return nil
}

// Starts returns the start pages, and the revision of the list.
func Starts(ctx context.Context, kv KV) (urls []string, revision uint64, err error) {
	l, _, err := Read[[]string](ctx, kv, startsKey)
	return l.Value, l.Revision, err
}

// Encode returns an entry of a KV, or a message.
func Encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("nodes: encode %+v: %v", v, err)) // plain numbers and texts cannot fail
	}
	return b
}
