package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	"github.com/recrawl/recrawl/cmd/cluster/urlfrontier"
	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
)

func serveFrontier(ctx context.Context, p *core.Program, _ []string) (err error) {
	if p.Config().Data == "" {
		return core.UsageError(errors.New("no data directory given"),
			"for example: recrawl frontier --data crawl")
	}
	level := new(slog.LevelVar)
	clock := crawl.NewSteadyClock(func(err error) { p.Warn(err.Error()) })
	o := urlfrontier.Options{Settings: urlfrontier.Settings(p.Config().Frontier),
		Now: clock.Now, Level: level, Names: p.Config().Names,
		Log: slog.New(slog.NewJSONHandler(p.Stderr(), &slog.HandlerOptions{Level: level}))}
	if err := o.Check(); errors.As(err, new(*access.UnsafeError)) {
		return err
	} else if err != nil {
		return core.UsageError(err,
			"for example --listen 127.0.0.1:7071, or --listen 10.20.0.1:7071 --token-file token")
	}
	store, err := satstore.OpenQueues(filepath.Join(p.Config().Data, "frontier"), nil)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, store.Close()) }()
	var seed [16]byte
	rand.Read(seed[:]) // it never fails
	ranking := frontier.Options{Seed: seed}
	if o.RankBy != "none" {
		if ranking.Judge, err = frontier.NewPolicyJudge(o.RankBy); err != nil {
			return core.UsageError(err, "or --rank-by none")
		}
	}
	f, err := frontier.Open(store, ranking, clock.Now())
	if err != nil {
		return err
	}
	o.Failed, o.Err = store.Failed(), store.Err
	server, err := urlfrontier.Listen(f, o)
	if err != nil {
		return err
	}
	p.Note("the frontier is at %s", server.Address())
	if web := server.WebAddress(); web != "" {
		p.Note("by HTTP with JSON it is at %s", web)
	}
	return cmp.Or(server.Serve(ctx), ctx.Err())
}
