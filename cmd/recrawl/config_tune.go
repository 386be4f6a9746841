package main

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/eval/tune"
)

// TuneConfig are the settings of tune.
type TuneConfig struct {
	Journal string // directory
	Budget  []float64
	Target  string
	Base    int // weeks known, after the window's start
	Weeks   int // predicted; 0: 40, or as many as there are
	History int // weekly states before the base
	Futures int
	Check   bool
	AtOnce  int `mapstructure:"at-once"`
	HTML    string

	unfit string // a warning, where not all of the usual weeks fit behind the base
}

// tuneSettings are those of TuneConfig.
var tuneSettings = []setting{
	{"tune.journal", "", "the journal of run, instead of its store: the folder journal in its data directory", "tune"},
	{"tune.budget", []float64{0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5}, "fetches a day as shares of the pages", "tune"},
	{"tune.target", "", "find the smallest budget for it: coverage=0.8, freshness=0.9, or the largest for update-rate=0.3", "tune"},
	{"tune.base", 12, "histories: weeks known; what comes later is predicted, and read by --check alone", "tune"},
	{"tune.weeks", 0, "weeks predicted (default 40, or as many as the window has behind the base)", "tune"},
	{"tune.history", 0, "histories: weekly states before the base that the policy may see", "tune"},
	{"tune.futures", 4, "futures drawn; more tell the spread better and take longer", "tune"},
	{"tune.check", false, "histories: also replay what came after the base, and set it beside the prediction", "tune"},
	{"tune.at-once", 0, "at most so many runs at a time; 0 for one a core", "tune"},
	{"tune.html", "", "also write a report with charts to this file", "tune"},
}

func (c *TuneConfig) check(bad refuse) {
	for _, b := range c.Budget {
		if !(b > 0 && b <= 1) {
			bad("tune.budget", b, "shares of the pages a day, above 0 and at most 1")
		}
	}
	if len(c.Budget) == 0 {
		bad("tune.budget", c.Budget, "one budget or more")
	}
	slices.Sort(c.Budget)
	c.Budget = slices.Compact(c.Budget)
	if c.Target != "" {
		if _, err := tune.ParseTarget(c.Target); err != nil {
			bad("tune.target", c.Target, "a measure and a share: coverage=0.8, freshness=0.9, update-rate=0.3")
		}
	}
	if c.Futures < 1 || c.Futures > 100 {
		bad("tune.futures", c.Futures, "1 to 100")
	}
	if c.AtOnce < 0 {
		bad("tune.at-once", c.AtOnce, "0 or more")
	}
	if !checkKnown("tune", c.Base, 1, c.History, bad) {
		return
	}
	most := windowWeeks - c.Base
	if c.Weeks == 0 {
		var weeks []int
		weeks, c.unfit = fitting([]int{40}, most, c.Base)
		c.Weeks = weeks[0]
	}
	if c.Weeks < 1 || c.Weeks > most {
		bad("tune.weeks", c.Weeks, fmt.Sprintf("1 to %d: the window of %d weeks is entered at week %d", most, windowWeeks, c.Base))
	}
}
