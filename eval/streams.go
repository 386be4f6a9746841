package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/machine"
)

// Progress is the progress of one run at the end of a day.
type Progress struct {
	Policy string
	Budget float64
	Weeks  int
	Run    int  // of this policy, from 0
	Day    int  // from 1
	Last   bool // of the run's days
}

// PerCent returns a share in per cent, with three digits, or more before the point.
func PerCent(share float64) string {
	if share >= 10 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.3g %%", 100*share)
}

// Name distinguishes a run from others with these options and policies.
func (p Progress) Name(all []StreamOptions) string {
	name := p.Policy + " " + PerCent(p.Budget)
	if slices.ContainsFunc(all, func(o StreamOptions) bool { return o.Weeks != p.Weeks }) {
		name += fmt.Sprintf(", %d weeks", p.Weeks)
	}
	if all[0].Runs > 1 {
		name += fmt.Sprintf(", run %d", p.Run+1)
	}
	return name
}

// Each returns the options with each of several lengths and budgets.
func (o StreamOptions) Each(weeks []int, budgets []float64) (all []StreamOptions) {
	for _, o.Weeks = range weeks {
		for _, o.Budget = range budgets {
			all = append(all, o)
		}
	}
	return all
}

// Days returns the number of days in all runs of a policy.
func Days(all []StreamOptions) (days int) {
	for _, o := range all {
		days += 7 * o.Weeks * max(o.Runs, 1)
	}
	return days
}

// Streams runs the stream protocol for several budgets or lengths, with all policies and runs of
// each. At most atOnce runs work at a time; 0 means one for each core. A run holds a copy of the
// graph, the records and its policy until it ends. It keeps counts of its visits, and how late each
// change was found. Tick is called after each day, by many goroutines.
func (c *Dataset) Streams(
	ctx context.Context,
	all []StreamOptions,
	policies []string,
	atOnce int,
	tick func(Progress),
) ([]StreamRun, error) {
	type span struct {
		weeks int
		step  time.Duration
	}
	truths := map[span]*truth{}
	runs := make([]StreamRun, len(all))
	for i, o := range all {
		of := span{o.Weeks, o.step()}
		t := truths[of]
		if t == nil {
			t = c.newTruthBy(o.Weeks*7, o.step())
			truths[of] = t
		}
		runs[i] = StreamRun{
			Protocol:  "stream",
			Base:      int(c.Base.Sub(history.WorldEpoch) / week),
			Weeks:     o.Weeks,
			History:   c.history,
			Budget:    o.Budget,
			StepHours: o.step().Hours(),
			New:       o.New,

			LeastValue: o.LeastValue,
			Change:     c.Change.String(),
			Seed:       o.Seed,
			Runs:       severalOf(o.Runs),
			Absent:     c.absent(policies),
			Results:    make([]StreamResult, len(policies)),
			Corpus: StreamTotals{
				Servers:   t.servers,
				BasePages: len(c.Pages),
				Pages:     len(t.pages),
				Events:    t.events,
			},
		}
	}
	type task struct{ options, policy, run int }
	var tasks []task
	results := make([][][]StreamResult, len(all)) // by options, policy and run
	for i, o := range all {
		results[i] = make([][]StreamResult, len(policies))
		for k := range policies {
			results[i][k] = make([]StreamResult, max(o.Runs, 1))
			for r := range results[i][k] {
				tasks = append(tasks, task{i, k, r})
			}
		}
	}
	err := machine.TryOnSome(atOnce, len(tasks), func(n int) (err error) {
		i, k := tasks[n].options, tasks[n].policy
		o := all[i]
		o.run = tasks[n].run
		t := truths[span{o.Weeks, o.step()}]
		day, last := 0, c.lastStep(t)/t.perDay()
		stage := c.replayed()
		if o.Visits != nil {
			seen, end := o.Visits(Progress{Policy: policies[k], Budget: o.Budget, Weeks: o.Weeks,
				Run: o.run}, stage.Graph)
			defer end()
			stage.Log = seen
		}
		results[i][k][o.run], err = c.stream(ctx, stage, t, o, policies[k], func() {
			day++
			tick(Progress{policies[k], o.Budget, o.Weeks, o.run, day, day == last})
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, o := range all {
		for k := range policies {
			runs[i].Results[k] = meanOf(results[i][k], o.Seed)
		}
	}
	for i, o := range all {
		if o.Compare == "" {
			continue
		}
		runs[i].Comparison, err = compare(o.Compare, o.Without, StreamMeasures,
			runs[i].contenders())
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

func (r *StreamRun) contenders() []contender {
	all := make([]contender, len(r.Results))
	for i := range all {
		result := &r.Results[i]
		all[i] = contender{result.Policy, 0, valuesOf(result, StreamMeasures), result.draws}
	}
	return all
}
