package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/recrawl/recrawl/cmd/cluster/bus"
	"github.com/recrawl/recrawl/cmd/cluster/nodes"
)

// ErrRuns is the error of giving up a shard that is at work.
var ErrRuns = errors.New("it is at work")

// AbandonShards gives up the stores of shards, named by their numbers, which are lost for ever.
// Each shard begins with the store that its next node has in its directory, or without one.
func AbandonShards(ctx context.Context, b *bus.Bus, shards []string) error {
	c, err := agreed(ctx, b)
	if err != nil {
		return err
	}
	states, err := nodes.NodeStates(ctx, b.Nodes)
	if err != nil {
		return err
	}
	for _, text := range shards {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= c.Shards {
			return fmt.Errorf("there is no shard %s: they are 0 to %d", text, c.Shards-1)
		}
		for _, e := range states {
			for _, r := range e.Value.Shards {
				if r.Shard == n && r.State == "running" && !e.Value.Dead {
					return fmt.Errorf("shard %d at node %s: %w", n, e.Value.Name, ErrRuns)
				}
			}
		}
		e, ok, err := nodes.Read[copied](ctx, b.Nodes, baseKey+strconv.Itoa(n))
		if err == nil && ok {
			err = b.Nodes.Remove(ctx, e.Key, e.Revision)
		}
		if err == nil {
			err = nodes.Abandon(ctx, b.Nodes, n)
		}
		if err != nil {
			return fmt.Errorf("give up the store of shard %d: %w", n, err)
		}
	}
	return nil
}
