package cluster

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/bus"
	"github.com/recrawl/recrawl/cmd/cluster/nodes"
)

// agreed returns what the nodes of a cluster agreed on, once there are nodes.
func agreed(ctx context.Context, b *bus.Bus) (nodes.Cluster, error) {
	c, revision, err := nodes.Agreed(ctx, b.Nodes)
	if err == nil && revision == 0 {
		err = errors.New("no node has joined the cluster yet")
	}
	return c, err
}

// LookAtNode returns the state of a cluster. It waits for a beat of each node, at most a third of
// the time of a lease.
func LookAtNode(ctx context.Context, b *bus.Bus, name string) (*nodes.Status, error) {
	c, err := agreed(ctx, b)
	if err != nil {
		return nil, err
	}
	s := looking{Status: &nodes.Status{Cluster: name, Shards: c.Shards}}
	l := nodes.Ledger{KV: b.Nodes, Shards: c.Shards, PerDay: c.PerDay}
	if s.Budget, err = l.Read(ctx); err != nil {
		return nil, err
	}
	first := map[string]uint64{}
	began := time.Now()
	for {
		silent, err := s.nodes(ctx, b, first, time.Since(began))
		if err != nil {
			return nil, err
		}
		if !silent {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(step / 2):
		}
	}
	return s.Status, s.shards(ctx, b, c)
}

// looking is a look under way.
type looking struct {
	*nodes.Status
	offered map[int]bool // without a known owner of the store; a node has one
}

// nodes reads the nodes. true: a beat of some may still come.
func (s *looking) nodes(ctx context.Context, b *bus.Bus, first map[string]uint64,
	waited time.Duration) (wait bool, err error) {
	list, err := nodes.NodeStates(ctx, b.Nodes)
	if err != nil {
		return false, err
	}
	s.Nodes, s.List, s.offered = nil, nil, map[int]bool{}
	for _, e := range list {
		n := e.Value
		if first[e.Key] == 0 {
			first[e.Key] = e.Revision
		}
		state := "live"
		switch {
		case n.Dead:
			state = "dead"
		case first[e.Key] == e.Revision:
			state = "silent"
			wait = wait || waited < time.Duration(n.TTLms)*time.Millisecond/3
		case n.Leaving:
			state = "leaving"
		}
		s.Nodes = append(
			s.Nodes,
			nodes.NodeStatus{Name: n.Name, State: state, Shards: len(n.Shards),
				Started: time.Unix(n.Started, 0).UTC().Format(time.RFC3339),
				Clock:   0 - n.Offset, Version: n.Version, Trouble: n.Trouble},
		)
		for shard := range n.Stores {
			s.offered[shard] = s.offered[shard] || !n.Dead
		}
		for _, r := range n.Shards {
			s.List = append(s.List, nodes.ShardStatus{ShardReport: r, Node: n.Name})
		}
	}
	return wait, nil
}

func (s *looking) live(node string) bool {
	return slices.ContainsFunc(s.Nodes, func(n nodes.NodeStatus) bool {
		return n.Name == node && n.State == "live"
	})
}

// shards adds the shards that no node reports, with their owners.
func (s *looking) shards(ctx context.Context, b *bus.Bus, c nodes.Cluster) error {
	list, err := nodes.Tenures(ctx, b.Nodes)
	if err != nil {
		return err
	}
	copies, err := copiesOf(ctx, b)
	if err != nil {
		return err
	}
	tenures := map[int]nodes.Tenure{}
	for _, e := range list {
		tenures[e.Value.Shard] = e.Value
	}
	s.List = slices.DeleteFunc(s.List, func(r nodes.ShardStatus) bool {
		return tenures[r.Shard].Owner != r.Node
	})
	for n := range s.Shards {
		t := tenures[n]
		i := slices.IndexFunc(s.List, func(r nodes.ShardStatus) bool { return r.Shard == n })
		if i < 0 {
			state := "free"
			if t.Owner != "" {
				state = "waiting" // its node has not reported yet, or is dead
			}
			r := nodes.ShardStatus{
				ShardReport: nodes.ShardReport{Shard: n, State: state},
				Node:        t.Owner,
			}
			switch {
			case t.Home != "" && !copies[n]:
				r.Error = onlyAt(t)
			case t.Home == "" && !s.live(t.Owner) && !t.Empty && c.Again && !s.offered[n]:
				t.Shard = n
				r.Error = unknown(t)
			}
			s.List = append(s.List, r)
			i = len(s.List) - 1
			s.Free++
		}
		s.List[i].Epoch = t.Epoch
	}
	slices.SortFunc(
		s.List,
		func(a, b nodes.ShardStatus) int { return cmp.Compare(a.Shard, b.Shard) },
	)
	return nil
}
