package eval

import (
	"context"

	"github.com/recrawl/recrawl/eval/cores"
	"github.com/recrawl/recrawl/eval/replay"
)

// Progress tells of one day of one run.
type Progress struct {
	Policy string
	Budget float64
	Weeks  int
	Day    int  // from 1
	Last   bool // of the run's days
}

// Streams runs the stream protocol for several budgets or lengths, all policies of all of them
// side by side: at most atOnce, or as many as there are cores, are at work at a time; 0: as many as
// there are cores. A run holds a copy of the graph, of the records and of its policy until it
// ends; of its visits it keeps counts alone. Tick is called after each day, by many goroutines.
func (c *Corpus) Streams(ctx context.Context, all []StreamOptions, policies []string, atOnce int, tick func(Progress)) ([]StreamRun, error) {
	truths := map[int]*truth{} // by weeks
	runs := make([]StreamRun, len(all))
	for i, o := range all {
		t := truths[o.Weeks]
		if t == nil {
			t = c.newTruth(o.Weeks * 7)
			truths[o.Weeks] = t
		}
		runs[i] = StreamRun{Protocol: "stream", Base: int(c.Base.Sub(replay.Epoch) / week), Weeks: o.Weeks, History: c.history, Budget: o.Budget,
			New: o.New, Change: c.Change.String(), Seed: o.Seed, Learnt: c.learntOf(policies), Absent: c.absent(policies), Results: make([]StreamResult, len(policies)),
			Corpus: StreamTotals{Servers: t.servers, BasePages: len(c.Pages), Pages: len(t.pages), Events: t.events}}
	}
	err := cores.TryAtMost(atOnce, len(all)*len(policies), func(n int) (err error) {
		i, k := n/len(policies), n%len(policies)
		o := all[i]
		t := truths[o.Weeks]
		day, last := 0, c.lastDay(t.days)
		runs[i].Results[k], err = c.stream(ctx, c.replayed(), t, o, policies[k], func() {
			day++
			tick(Progress{policies[k], o.Budget, o.Weeks, day, day == last})
		})
		return err
	})
	for i, o := range all {
		if err == nil && o.Compare != "" {
			runs[i].Comparison, err = compare(o.Compare, o.Without, StreamMeasures, runs[i].contenders())
		}
	}
	return runs, err
}

func (r *StreamRun) contenders() []contender {
	all := make([]contender, len(r.Results))
	for i := range all {
		result := &r.Results[i]
		all[i] = contender{result.Policy, 0, valuesOf(result, StreamMeasures), result.draws}
	}
	return all
}
