package tidy

import (
	"math"

	"github.com/recrawl/recrawl/eval"
)

// All lists the tables of all commands, in the order of the documentation.
var All = []Described{Results, Runs, Weekly, Visits, Calibration, Sweeps, Curve, Comparisons,
	Warm, Figures, Predictions, Delays, Periods, PageUpdates, Intervals, Simulations, Journal,
	Pages, Versions}

// Tables of each command.
var (
	ForStream    = []Described{Results, Runs, Weekly, Visits, Calibration, Comparisons}
	ForSnapshot  = []Described{Sweeps, Curve, Comparisons}
	ForWarm      = []Described{Warm}
	ForFigures   = []Described{Figures}
	ForTune      = []Described{Predictions, Delays}
	ForSurvey    = []Described{Periods, PageUpdates, Intervals}
	ForSimulate  = []Described{Simulations}
	ForJournal   = []Described{Journal}
	ForHistories = []Described{Pages, Versions}
)

// write writes a whole table of a set.
func write[R any](s *Tables, k *Kind[R], rows []R) error {
	t, err := k.Open(s)
	if err != nil {
		return err
	}
	return t.Write(rows...)
}

// known returns nil for an unknown value, which is no finite number.
func known[F ~float64](x F) *float64 {
	f := float64(x)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// ends returns both ends of an interval.
func ends(of [2]eval.Number) (low, high *float64) { return known(of[0]), known(of[1]) }
