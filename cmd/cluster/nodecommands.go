package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/cmd/cluster/bus"
	"github.com/recrawl/recrawl/cmd/cluster/nodes"
	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/replicate"
	"github.com/recrawl/recrawl/sitegraph/words"
)

func runNode(ctx context.Context, p *core.Program, args []string) (err error) {
	c := p.Config()
	if c.Share() > 0 {
		return core.UsageError(errors.New("--budget: a node does not know the pages of all shards, so "+
			"that it cannot take a share of them"),
			"give a number of fetches, for example 1000/day")
	}
	starts, err := core.Addresses(args)
	if err != nil {
		return err
	}
	name := c.Node.Name
	if name == "" {
		name, _ = os.Hostname()
	}
	o := NodeOptions{Name: name, Version: core.VersionName(), TTL: c.Node.Lease, Pause: c.Delay,
		Round: c.Round, Adopt: c.Node.Adopt,
		Cluster: nodes.Cluster{Shards: c.Node.Shards, PerDay: c.PerDay()},
		Dir:     filepath.Join(c.Data, "shards"),
		Open: func(dir string) (*ShardParts, error) {
			return partsOfShard(ctx, p,
				dir)
		}, Note: p.Note}
	o.Able = func() error { return p.SpaceIn(c.Data, o.Dir, c.Archive) }
	err = errors.Join(o.Check(c.Limits().All), bus.Settings(c.Nodes).Check())
	if errors.As(err, new(*access.UnsafeError)) {
		return err
	} else if err != nil {
		return core.UsageError(err, "for example --name n1 --budget 1000/day, and --token-file "+
			"where others can reach --listen; recrawl node --help")
	}
	lock, err := directory.Claim(c.Data)
	if err != nil {
		return err
	}
	defer core.Closing(lock, &err)
	if o.Bus, err = bus.Open(ctx, bus.Settings(c.Nodes), name, filepath.Join(c.Data, "nats"),
		func(why error) { p.Note("waiting for the other nodes: %v", why) }); err != nil {
		return err
	}
	defer core.Closing(o.Bus, &err)
	metrics, err := dashboard.ServeNode(c.Node.Metrics, core.VersionName(), c.Names...)
	if err != nil {
		return err
	}
	defer core.Closing(metrics, &err)
	o.Tell = metrics.Tell
	p.Note("node %s of cluster %s; recrawl node status asks at %s",
		name, c.Nodes.Cluster, o.Bus.Address())
	return RunNode(ctx, starts, o)
}

// partsOfShard opens the store in a directory for a node.
func partsOfShard(ctx context.Context, p *core.Program, dir string) (*ShardParts, error) {
	s, err := p.Shard(ctx, dir, p.Config().Node.Shards)
	if err != nil {
		return nil, err
	}
	return &ShardParts{Planner: s.Planner, Store: s.Store, Web: s.Web, Loop: s.Loop,
		Journal: s.Journal, Close: s.Close,
		Between: func(store *replicate.Store) error { return s.Between(store) }}, nil
}

func nodeStatus(ctx context.Context, p *core.Program, _ []string) (err error) {
	b, err := bus.Look(ctx, bus.Settings(p.Config().Nodes))
	if err != nil {
		return core.WorkError(err, "is a node running? --listen is where it says that recrawl node "+
			"status asks", core.ExitFailed)
	}
	defer core.Closing(b, &err)
	s, err := LookAtNode(ctx, b, p.Config().Nodes.Cluster)
	if err != nil {
		return err
	}
	return p.Print(s, present.NodesFinding(s), present.NodesTables(s))
}

func nodeHint(ctx context.Context, p *core.Program, args []string) (err error) {
	urls, err := core.Addresses(args)
	if err != nil {
		return err
	}
	b, err := bus.Look(ctx, bus.Settings(p.Config().Nodes))
	if err != nil {
		return err
	}
	defer core.Closing(b, &err)
	asked, err := HintShards(ctx, b, urls)
	p.Note("%s will be visited next", words.Plural(asked, "page"))
	if err != nil {
		return fmt.Errorf("not all were taken: %w", err)
	}
	return nil
}

func nodeAbandon(ctx context.Context, p *core.Program, args []string) (err error) {
	b, err := bus.Look(ctx, bus.Settings(p.Config().Nodes))
	if err != nil {
		return err
	}
	defer core.Closing(b, &err)
	return AbandonShards(ctx, b, args)
}
