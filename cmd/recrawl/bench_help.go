package main

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/satstore/bench"
)

// benchSatHelp lists the engines as they are.
func benchSatHelp() string {
	var engines strings.Builder
	for _, k := range bench.Kinds {
		fmt.Fprintf(&engines, "  %-12s %s\n", k.Name, k.About)
	}
	return fmt.Sprintf(benchSatText, engines.String())
}

const benchSatText = `bench sat measures stores that keep a record of each page and hand out those that are
due, every unit of time: the workload of [SAT 4], from 17.5 million pages down to what
takes a minute. Records, intervals and due times are made from their numbers, the same
on every machine. In each unit every due record is read, changed as a visit would change
it, and stored with its next due time; then the unit is made durable.

Before each unit the engine's files are written out and dropped from the page cache, so
that it begins cold. What is timed: the visits, the commit, and a sync of the file
system. Every engine must visit exactly the same records in the same states; the count is
compared with those of an independent program where they are known, and if anything
differs no time is printed.

Engines:

%s
Read the ratios, not the times: they are taken within one repetition and carry their
extremes. Other work on the machine shows in the load average. Columns: "x floor" is the
time over that of the first engine; "median" and "slowest" are of single units; CPU is of
all threads; MB/s counts record bytes read and written; "read" and "written" are bytes at
the device for each byte of the records (from /proc/self/io, which counts whole pages,
and every dirtying of a mapped page; a "read" far below 1 says that records came from
memory); memory is the most above what the program had before; files and disk are those
after the last unit.

Sizes worth trying: 200,000 (default, a first look), 4,000,000 (3 GB of disk, minutes),
17,500,000 (the paper's; 10 GB, an hour with --repeat 3). With few records the fixed work
of a unit is most of what is seen, and buffers hold much of the store.

--figures adds the equivalents of figures 5 and 7 to 10 of [SAT], in small, each point one
short run; figure 6, time by unit, is always part of the report.

--json prints {"records","unit","units","max_units","fixed_bytes","buffer_bytes",
"page_bytes","messages","repeat","due","golden","payload_bytes","load_average":[2],
"disk":{"bytes","direct","write_bytes_per_second","read_bytes_per_second",
"mixed_bytes_per_second"},"engines":[{"engine","about","ratio":{"median","from","to"},
"us_per_record","median_unit_us","slowest_unit_us","cpu_us_per_record",
"beside_cpu_us_per_record","payload_mb_per_second","read_amplification",
"write_amplification","memory_bytes","disk_bytes","files","runs":[{"load_seconds",
"beside_cpu_seconds","memory_bytes","disk_bytes","files","units":[{"t","due","seconds",
"visit_seconds","commit_seconds","sync_seconds","cpu_seconds","read_bytes",
"written_bytes"}]}]}],"left_out":[engine],"figures":[{"figure","title","x_label",
"y_label","x":[],"lines":[{"name","y":[],"dashed"}]}]}; figures only with --figures.`

const benchSatExample = `  recrawl bench sat
  recrawl bench sat --records 4000000 --engines seqlog,sat,pebble-time --repeat 5
  recrawl bench sat --unit day --messages 0.1 --html bench.html --figures
  recrawl bench sat --json | jq '.engines[] | [.engine, .ratio.median, .cpu_us_per_record]'`
