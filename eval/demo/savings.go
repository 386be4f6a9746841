package demo

import (
	"context"
	"math"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/planner/sites"
	"github.com/recrawl/recrawl/satstore/machine"
)

// Savings measures the savings by feeds, sitemaps and Last-Modified on webs, over several seeds:
// the same policy over HTTP with and without them, with equal seeds. Visits to feeds and sitemaps
// take part of the budget.
type Savings struct {
	Policy string      `json:"policy"`
	Seeds  int         `json:"seeds"`
	Weeks  int         `json:"weeks"`
	Budget float64     `json:"budget"` // share of the pages a day
	Webs   []WebSaving `json:"webs"`
}

// WebSaving is the result for one web, or for the built-in webs of all seeds.
type WebSaving struct {
	Web     string    `json:"web"`
	Gains   []Gain    `json:"gains"`   // at equal requests
	Savings []Saving  `json:"savings"` // at equal measures
	Without []Outcome `json:"without"` // by seed
	// With has the outcomes by seed: for each of Shares with all signals, and then with the full
	// budget and each of the Signals alone.
	With [][]Outcome `json:"with"`
}

// Outcome is the result of one run.
type Outcome struct {
	Requests   int         `json:"requests"` // with feeds and sitemaps, without robots.txt
	Sources    int         `json:"sources"`  // to feeds and sitemaps
	Changed    int         `json:"changed"`
	Coverage   eval.Number `json:"coverage"`
	Freshness  eval.Number `json:"freshness"`
	Discovered eval.Number `json:"discovered"`
}

// Gain is the effect of signals on a measure at the same budget.
type Gain struct {
	Signals    string         `json:"signals"`
	Measure    string         `json:"measure"`
	Without    eval.Number    `json:"without"` // mean over the seeds
	With       eval.Number    `json:"with"`
	Difference eval.Number    `json:"difference"` // mean of the differences of the seeds
	Spread     eval.Number    `json:"spread"`     // their standard deviation
	Interval   [2]eval.Number `json:"interval"`   // of the mean
}

// Saving is the number of requests saved: with all signals fewer requests reach the measure of the
// full budget without them.
type Saving struct {
	Measure  string         `json:"measure"`
	Without  eval.Number    `json:"without"` // requests of a run, mean
	Saved    eval.Number    `json:"saved"`   // share of them; negative: more are needed
	Interval [2]eval.Number `json:"interval"`
}

// Shares are the parts of the budget for runs with all signals, ascending, with 1 among them. A
// saving or loss outside of them counts as the first or last.
var Shares = []float64{0.4, 0.6, 0.8, 1, 1.25}

// AllSignals names all signals together, Signals each alone.
const AllSignals = "all"

var Signals = []string{"feeds, sitemaps", "Last-Modified"}

// savingMeasures are compared.
var savingMeasures = []string{eval.Coverage, eval.Freshness, eval.Discovered}

func (o *Outcome) measure(name string) float64 {
	switch name {
	case eval.Coverage:
		return float64(o.Coverage)
	case eval.Freshness:
		return float64(o.Freshness)
	}
	return float64(o.Discovered)
}

// Save measures the savings by signals, for the seeds from Options.Seed on. A built-in web differs
// for each seed. Recorded sites are each a web, and seeds are those of the policy.
func Save(ctx context.Context, o Options, seeds int) (*Savings, error) {
	r := &Savings{Policy: o.Policy, Seeds: seeds, Weeks: o.Weeks, Budget: o.Budget}
	var archives []timetravel.Archive // nil: the built-in web
	if o.Sites == "" {
		archives, r.Webs = []timetravel.Archive{nil}, []WebSaving{{Web: "built-in"}}
	} else {
		all, _, _, err := o.open(history.WorldEpoch)
		if err != nil {
			return nil, err
		}
		for _, server := range all.Servers() {
			archives = append(archives, oneServer{all, server})
			r.Webs = append(r.Webs, WebSaving{Web: server})
		}
	}
	runs := 1 + len(Shares) + len(Signals)
	bar := o.Progress("days over HTTP, with signals and without", 7*o.Weeks*runs*seeds*len(r.Webs))
	defer bar.End()
	for i := range r.Webs {
		w := &r.Webs[i]
		for k := range seeds {
			of := o
			of.Seed += uint64(k)
			if err := w.run(ctx, of, archives[i], bar.Step); err != nil {
				return nil, err
			}
		}
		w.sum(o.Seed)
	}
	return r, nil
}

// oneServer is the part of an archive with one server.
type oneServer struct {
	timetravel.Archive
	name string
}

func (s oneServer) Servers() []string { return []string{s.name} }

// run makes all runs of one seed.
func (w *WebSaving) run(ctx context.Context, o Options, web timetravel.Archive, tick func()) error {
	if web == nil {
		var err error
		if web, _, _, err = o.open(history.WorldEpoch); err != nil {
			return err
		}
	}
	quiet := func(string, int) Bar { return noBar{} }
	corpus, err := record(ctx, web, o.Change, quiet)
	if err != nil {
		return err
	}
	s := &show{web: web, corpus: corpus, progress: quiet}
	runs := []ClaimsRun{{Policy: o.Policy}}
	shares := slices.Concat([]float64{1}, Shares)
	for range Shares {
		runs = append(runs, ClaimsRun{Policy: o.Policy, Sources: true, LastModified: true})
	}
	for i := range Signals {
		runs = append(runs, ClaimsRun{Policy: o.Policy, Sources: i == 0, LastModified: i == 1})
		shares = append(shares, 1)
	}
	err = machine.TryOnCores(len(runs), func(i int) error {
		return s.claimsOf(ctx, &runs[i], eval.StreamOptions{Weeks: o.Weeks,
			Budget: o.Budget * shares[i], New: o.New, Gone: sites.DefaultGoneWorth,
			Seed: o.Seed}, tick)
	})
	if err != nil {
		return err
	}
	outcomes := make([]Outcome, len(runs))
	for i := range runs {
		of := &runs[i].Result
		outcomes[i] = Outcome{of.Fetched, of.Sources, of.Changed, of.Coverage, of.Freshness,
			of.Discovered}
	}
	w.Without, w.With = append(w.Without, outcomes[0]), append(w.With, outcomes[1:])
	return nil
}

type noBar struct{}

func (noBar) Step()  {}
func (noBar) At(int) {}
func (noBar) End()   {}

// sum computes means, spreads and intervals of the outcomes.
func (w *WebSaving) sum(seed uint64) {
	w.Gains, w.Savings = nil, nil
	full := slices.Index(Shares, 1)
	for i, signals := range slices.Concat([]string{AllSignals}, Signals) {
		at := full
		if i > 0 {
			at = len(Shares) + i - 1
		}
		for _, measure := range savingMeasures {
			w.Gains = append(w.Gains, w.gain(signals, measure, at, seed))
		}
	}
	for _, measure := range savingMeasures[:2] {
		w.Savings = append(w.Savings, w.saving(measure, seed))
	}
}

// gain compares the runs at a place of With with those without signals. Seeds with an undefined
// measure do not count.
func (w *WebSaving) gain(signals, measure string, at int, seed uint64) Gain {
	var without, with, differences []float64
	for k := range w.Without {
		a, b := w.Without[k].measure(measure), w.With[k][at].measure(measure)
		if !math.IsNaN(a) && !math.IsNaN(b) {
			without, with = append(without, a), append(with, b)
			differences = append(differences, b-a)
		}
	}
	g := Gain{Signals: signals, Measure: measure, Without: mean(without), With: mean(with),
		Difference: mean(differences), Spread: deviation(differences)}
	g.Interval = overSeeds(len(differences), seed, func(times []int) float64 {
		return weighted(differences, times)
	})
	return g
}

// saving computes the requests that reach a measure, from the mean difference over the seeds to the
// run without signals at each of the Shares.
func (w *WebSaving) saving(measure string, seed uint64) Saving {
	s := Saving{Measure: measure, Saved: eval.Number(math.NaN())}
	changed := false
	var requests []float64
	for k := range w.Without {
		requests = append(requests, float64(w.Without[k].Requests))
		changed = changed || w.Without[k].Changed > 0
	}
	s.Without, s.Interval = mean(requests), [2]eval.Number{s.Saved, s.Saved}
	if !changed { // all copies are always fresh
		return s
	}
	saved := func(times []int) float64 {
		var shares, differences []float64
		for i := range Shares {
			var share, difference []float64
			for k, without := range w.Without {
				with := &w.With[k][i]
				share = append(share, float64(with.Requests)/float64(without.Requests))
				difference = append(difference, with.measure(measure)-without.measure(measure))
			}
			shares = append(shares, weighted(share, times))
			differences = append(differences, weighted(difference, times))
		}
		return 1 - reached(shares, differences)
	}
	once := make([]int, len(w.Without))
	for k := range once {
		once[k] = 1
	}
	s.Saved = eval.Number(saved(once))
	s.Interval = overSeeds(len(once), seed, saved)
	return s
}

// reached returns the least share from which on no difference is negative, linear between the
// ascending shares; the first if none is negative, the last if that is.
func reached(shares, differences []float64) float64 {
	for i := len(shares) - 1; i >= 0; i-- {
		if differences[i] >= 0 {
			continue
		}
		if i == len(shares)-1 {
			return shares[i]
		}
		part := -differences[i] / (differences[i+1] - differences[i])
		return shares[i] + part*(shares[i+1]-shares[i])
	}
	return shares[0]
}

// overSeeds returns the 5th and 95th percentile of a figure over 200 resamples of the seeds;
// undefined for one seed.
func overSeeds(seeds int, seed uint64, figure func(times []int) float64) [2]eval.Number {
	if seeds < 2 {
		return eval.Interval(nil)
	}
	var drawn []float64
	for times := range eval.Resamples(seeds, seed) {
		drawn = append(drawn, figure(times))
	}
	return eval.Interval(drawn)
}

// weighted returns the mean of values with these weights.
func weighted(values []float64, times []int) float64 {
	sum, n := 0.0, 0
	for i, v := range values {
		sum += float64(times[i]) * v
		n += times[i]
	}
	return sum / float64(n)
}

func mean(values []float64) eval.Number {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return eval.Number(sum / float64(len(values)))
}

// deviation returns the standard deviation of a sample; undefined for fewer than two values.
func deviation(values []float64) eval.Number {
	if len(values) < 2 {
		return eval.Number(math.NaN())
	}
	m, sum := float64(mean(values)), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return eval.Number(math.Sqrt(sum / float64(len(values)-1)))
}
