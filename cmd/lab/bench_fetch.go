package lab

import (
	"context"
	"errors"

	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/cmd/show/benches"
	"github.com/recrawl/recrawl/fetch/bench"
	"github.com/recrawl/recrawl/fetch/quarantine"
)

func benchFetch(ctx context.Context, p *core.Program, _ []string) error {
	c := bench.Settings(p.Config().Fetch)
	return benchmark(p, c.HTML, func(tick func(string, int, int)) (*bench.Result, error) {
		r, err := bench.Run(ctx, bench.Options{Settings: c, Again: quarantine.Again(), Tick: tick})
		if errors.As(err, new(*bench.IncompleteError)) {
			err = core.WorkError(err, "measure again, not over midnight UTC, when a planning period "+
				"ends; fewer --servers and --pages need fewer ports and less time", core.ExitFailed)
		}
		return r, err
	}, benches.Fetch)
}
