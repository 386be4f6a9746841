package main

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/satstore/bench"
	"github.com/recrawl/recrawl/satstore/bench/present"
)

// benchSatHelp has the engines, and what the results show, from the packages that make them.
func benchSatHelp() string {
	var engines strings.Builder
	for _, k := range bench.Kinds {
		fmt.Fprintf(&engines, "  %-12s %s\n", k.Name, k.About)
	}
	return fmt.Sprintf(benchSatText, engines.String(), present.Columns, present.JSON)
}

const benchSatText = `bench sat measures stores that keep a record of each page and, at every unit of time, hand out the
records that are due. That is the workload of [SAT 4], from 17.5 million pages down to what takes a
minute. Records, intervals and due times are made from their numbers, the same on every machine. In
each unit every due record is read, changed as a visit would change it, and stored with its next due
time. Then the unit is made durable.

Timed are the visits, the commit, and a sync of the file system. Each unit begins cold: before it the
engine's files are written out and dropped from the page cache. The share that stayed is reported.

Every engine must visit exactly the same records in the same states. Where an independent program has
counted the visits, that count must agree, too. After the last unit all records of each engine are
read, not timed, and every byte and due time is compared. If anything differs, no time is printed.

Engines:

%s
%s

Requests (--messages) come with ids. runs gets the number of the record instead, since its user knows
that number. sat-basic and pebble-time have no index and take no requests.

Sizes worth trying: 200,000 (default, a first look: buffers hold much of it), 4,000,000 (3 GB of disk,
minutes), 17,500,000 (the paper's; 10 GB, an hour with --repeat 3).

--figures adds the equivalents of figures 5 and 7 to 10 of [SAT] at a smaller scale: T is 1200 hours
instead of 9600, and each point is one short run. Figure 6, time by unit, is always part of the report.

%s`

const benchSatExample = `  recrawl bench sat
  recrawl bench sat --records 4000000 --engines seqlog,sat,pebble-time --repeat 5
  recrawl bench sat --unit day --messages 0.1 --html bench.html --figures
  recrawl bench sat --json | jq '.engines[] | [.engine, .ratio.median, .cpu_us_per_record]'`
