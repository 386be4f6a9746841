package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Cluster is what all nodes must agree on. The first node writes it.
type Cluster struct {
	Shards int     `json:"shards"`
	PerDay float64 `json:"per_day"` // budget of all shards, fetches a day; -1: no bound
	// Apart is true. Older programs could have the stores in a directory that all nodes saw, and
	// it was false then.
	Apart bool `json:"apart,omitempty"`
	// Mark is what nodes keep beside their stores, to know the cluster again.
	// Again says that a node had it when it met nothing that nodes agreed on: that was lost, and no
	// shard begins without a store that some node has (Shards.Again).
	Mark  string `json:"mark,omitempty"`
	Again bool   `json:"again,omitempty"`
}

// ErrShards says that a node was started for another number of shards than the cluster has.
var ErrShards = errors.New("the number of shards cannot be changed")

// ErrShared says that the cluster was made by an older program, with stores that all nodes saw.
var ErrShared = errors.New("the stores of this cluster lie in one directory that all nodes share " +
	"(--stores), which is no longer supported: stop all nodes, copy the directory to shards/ in " +
	"--data of each node, remove nats/ there, and start all without --stores")

// ErrMark says that the stores of a node are of another cluster, or that the others have begun
// without it after they lost all that they had agreed on.
var ErrMark = errors.New("the stores of this node are of another cluster")

// Found returns what the nodes agreed on, and writes it where this node is the first. A budget that
// differs replaces the old one: it is the one that was given last. Again says that this node had
// the mark; else another one counts.
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

// Agreed returns what the nodes agreed on, and its revision; 0: no node was here yet.
func Agreed(ctx context.Context, kv KV) (c Cluster, revision uint64, err error) {
	l, _, err := Read[Cluster](ctx, kv, clusterKey)
	return l.Value, l.Revision, err
}

const (
	// MostStarts bounds the start pages that wait to be taken in.
	MostStarts = 10_000
	// mostStartBytes bounds them together: NATS takes messages of 1 MiB.
	mostStartBytes = 1_000_000
)

// ErrStarts says that there are more.
var ErrStarts = fmt.Errorf("the nodes of a cluster take %d, of %d bytes together: hand the "+
	"others in by recrawl node hint", MostStarts, mostStartBytes)

// AddStarts hands start pages to the shards, which take them in when they next look.
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

// Encode is an entry of a KV, or a message.
func Encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("nodes: encode %+v: %v", v, err)) // plain numbers and texts
	}
	return b
}
