// Package lab has the commands that reproduce papers and measure this project beside others, which
// needs those others: bench, survey, schedule simulate. The program recrawl-lab is made of them.
package lab

import (
	"os"

	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/fetch/bench"
)

// Part is what recrawl-lab does.
var Part = &core.Part{Name: "lab",
	Works: core.Works{
		"sat": benchSat, "seen": benchSeen, "fetch": benchFetch, "survey": surveyServers,
		"schedule-simulate": simulateSchedule,
	},
	Check: checkEngines,
	Processes: map[string]func([]string) error{bench.Argument: func([]string) error {
		return bench.Serve(os.Stdin, os.Stdout)
	}},
}
