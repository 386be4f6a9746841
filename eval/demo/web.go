package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/synth"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/sitegraph"
)

// open returns the web to serve, from a time on, and its description. A synthetic one is compared
// with the paper's.
func (o *Options) open(start time.Time) (timetravel.Archive, string, *synth.Comparison, error) {
	if o.Sites != "" {
		sites, err := timetravel.LoadSites(o.Sites)
		if err != nil {
			return nil, "", nil, err
		}
		about := fmt.Sprintf("%d recorded sites of %s", len(sites.Servers()), o.Sites)
		return timetravel.Align(sites, start), about, nil, nil
	}
	web := synth.New(synth.Options{
		Seed:    o.Seed,
		Servers: max(o.Pages/50, 1),
		Pages:   o.Pages,
		Start:   start,
	})
	comparison := synth.Compare(web, start)
	about := fmt.Sprintf("the built-in web of %d servers, seed %d", len(web.Servers()), o.Seed)
	return web, about, &comparison, nil
}

// record reads the web for a replay.
func record(
	ctx context.Context, web timetravel.Archive, change sitegraph.ChangeBy, progress Progress,
) (*eval.Dataset, error) {
	bar := progress("reading every version of every page, by server", len(web.Servers()))
	how := timetravel.HistoryOptions{Agent: agent, Main: change == sitegraph.ChangeByMain}
	servers, err := timetravel.Histories(ctx, &watched{Archive: web, bar: bar}, how)
	bar.End()
	if err != nil {
		return nil, err
	}
	for _, s := range servers {
		s.T0 = history.WorldEpoch.Unix() // all start together, whatever their first pages
	}
	return eval.NewDataset(ctx, servers, eval.Options{Change: change, LastModified: true})
}

// watched reports the progress of Histories: it requests the paths of each server once, and has
// finished a server when it requests those of the next.
type watched struct {
	timetravel.Archive
	bar   Bar
	begun int
}

func (w *watched) Paths(server string) []string {
	w.bar.At(w.begun)
	w.begun++
	return w.Archive.Paths(server)
}
