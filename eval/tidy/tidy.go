package tidy

import (
	"math"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/table"
)

// All are the tables of all commands, in the order of the documentation.
var All = []table.Described{Results, Runs, Weekly, Visits, Calibration, Sweeps, Curve, Comparisons,
	Warm, Figures, Predictions, Delays, Periods, PageUpdates, Intervals, Simulations, Journal,
	Pages, Versions}

// The tables that each command writes.
var (
	ForStream    = []table.Described{Results, Runs, Weekly, Visits, Calibration, Comparisons}
	ForSnapshot  = []table.Described{Sweeps, Curve, Comparisons}
	ForWarm      = []table.Described{Warm}
	ForFigures   = []table.Described{Figures}
	ForTune      = []table.Described{Predictions, Delays}
	ForSurvey    = []table.Described{Periods, PageUpdates, Intervals}
	ForSimulate  = []table.Described{Simulations}
	ForJournal   = []table.Described{Journal}
	ForHistories = []table.Described{Pages, Versions}
)

// write opens a table in a set and gives it all its rows.
func write[R any](s *table.Set, k *table.Kind[R], rows []R) error {
	t, err := k.Open(s)
	if err != nil {
		return err
	}
	return t.Write(rows...)
}

// known is nil for what is not known, which is no finite number.
func known[F ~float64](x F) *float64 {
	f := float64(x)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// ends are both ends of an interval.
func ends(of [2]eval.Number) (low, high *float64) { return known(of[0]), known(of[1]) }
