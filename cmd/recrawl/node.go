package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/failure"
	"github.com/recrawl/recrawl/cmd/setting"
	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/fetch/secret"
	"github.com/recrawl/recrawl/internal/words"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/nodes"
	"github.com/recrawl/recrawl/planner/nodes/bus"
	"github.com/recrawl/recrawl/planner/nodes/work"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/journal/visits"
	"github.com/recrawl/recrawl/satstore/ship"
)

func (p *program) nodeCommand() *cobra.Command {
	c := p.command(&cobra.Command{Use: "node --data DIRECTORY --user-agent AGENT [URL...]",
		Args: cobra.ArbitraryArgs}, p.node)
	below := func(use string, do func(context.Context, []string) error) *cobra.Command {
		name, _, _ := strings.Cut(use, " ")
		return p.command(&cobra.Command{Use: use, Args: cobra.ArbitraryArgs,
			Annotations: map[string]string{setting.NameAs: "node-" + name}}, do)
	}
	c.AddCommand(below("status", p.nodeStatus), below("hint URL...", p.nodeHint),
		below("abandon SHARD...", p.nodeAbandon))
	return c
}

func (p *program) node(ctx context.Context, args []string) (err error) {
	c := &p.config
	if c.Share() > 0 {
		return failure.Usage(errors.New("--budget: a node does not know the pages of all shards, so "+
			"that it cannot take a share of them"), "give a number of fetches, as 1000/day")
	}
	starts, err := canonicalSeeds(args)
	if err != nil {
		return err
	}
	name := c.Node.Name
	if name == "" {
		name, _ = os.Hostname()
	}
	o := work.Options{Name: name, Version: versionName(), TTL: c.Node.Lease, Pause: c.Delay,
		Round: c.Round, Adopt: c.Node.Adopt,
		Cluster: nodes.Cluster{Shards: c.Node.Shards, PerDay: c.PerDay()},
		Dir:     filepath.Join(c.Data, "shards"),
		Open:    func(dir string) (*work.Parts, error) { return p.shard(ctx, dir) }, Note: p.note}
	o.Able = func() error { return p.spaceIn(c.Data, o.Dir, c.Archive) }
	err = errors.Join(o.Check(c.Limits().All), c.Nodes.Check())
	if errors.As(err, new(*secret.UnsafeError)) {
		return err
	} else if err != nil {
		return failure.Usage(err, "for example --name n1 --budget 1000/day, and --token-file "+
			"where others can reach --listen; recrawl node --help")
	}
	lock, err := directory.Claim(c.Data)
	if err != nil {
		return err
	}
	defer closing(lock, &err)
	if o.Bus, err = bus.Open(ctx, c.Nodes, name, filepath.Join(c.Data, "nats"), func(why error) {
		p.note("waiting for the other nodes: %v", why)
	}); err != nil {
		return err
	}
	defer closing(o.Bus, &err)
	metrics, err := dashboard.ServeNode(c.Node.Metrics, versionName(), c.Names...)
	if err != nil {
		return err
	}
	defer closing(metrics, &err)
	o.Tell = metrics.Tell
	p.note("node %s of cluster %s; recrawl node status asks at %s",
		name, c.Nodes.Cluster, o.Bus.Address())
	return work.Run(ctx, starts, o)
}

// shard opens the store in a directory for a node.
func (p *program) shard(ctx context.Context, dir string) (*work.Parts, error) {
	q := *p // with a data directory of its own
	q.config.Data = dir
	if q.config.Archive != "" {
		q.config.Archive = filepath.Join(q.config.Archive, filepath.Base(dir))
	}
	var b basis
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := b.open(ctx, &q); err != nil {
		return nil, errors.Join(err, b.parts.Close())
	}
	o := b.options(&q)
	o.Workers = max(2, 2*q.config.Workers/q.config.Node.Shards)
	return &work.Parts{Planner: b.data.plan, Store: b.data.store,
		Web:   liveFetcher{Client: b.client, underWay: b.underWay, archive: b.archive},
		Close: b.parts.Close, Loop: o,
		Journal: func(events []cycle.Event) error { return visits.Append(b.journal, events) },
		Between: func(s *ship.Store) error {
			return errors.Join(b.client.KeepIn(s), q.copies(b.data.store))
		},
	}, nil
}

func (p *program) nodeStatus(ctx context.Context, _ []string) (err error) {
	b, err := bus.Look(ctx, p.config.Nodes)
	if err != nil {
		return failure.Work(err, "is a node running? --listen is where it says that recrawl node "+
			"status asks", failure.Failed)
	}
	defer closing(b, &err)
	s, err := work.Look(ctx, b, p.config.Nodes.Cluster)
	if err != nil {
		return err
	}
	return p.print(s, s.Finding(), s.Tables())
}

func (p *program) nodeHint(ctx context.Context, args []string) (err error) {
	urls, err := canonicalSeeds(args)
	if err != nil {
		return err
	}
	b, err := bus.Look(ctx, p.config.Nodes)
	if err != nil {
		return err
	}
	defer closing(b, &err)
	asked, err := work.Hint(ctx, b, urls)
	p.note("%s will be visited next", words.Plural(asked, "page"))
	if err != nil {
		return fmt.Errorf("not all were taken: %w", err)
	}
	return nil
}

func (p *program) nodeAbandon(ctx context.Context, args []string) (err error) {
	b, err := bus.Look(ctx, p.config.Nodes)
	if err != nil {
		return err
	}
	defer closing(b, &err)
	return work.Abandon(ctx, b, args)
}
