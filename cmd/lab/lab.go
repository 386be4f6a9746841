// Package lab has the commands bench, survey and schedule simulate. They reproduce papers and
// compare this project with others, for example colly and bbolt. Only the program recrawl-lab has
// these commands and those libraries.
package lab

import (
	"os"

	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/fetch/bench"
)

// Part is the part of recrawl-lab.
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
