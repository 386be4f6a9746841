package present

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/satstore/bench"
)

// Help says what is measured and how, by which engines, and what the results show.
func Help() string {
	var engines strings.Builder
	for _, k := range bench.Kinds {
		fmt.Fprintf(&engines, "  %-12s %s\n", k.Name, k.About)
	}
	return fmt.Sprintf(help, engines.String(), columns, asJSON)
}

const help = `bench sat measures stores that keep a record of each page and, at every unit of time, hand out the
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

// columns explains the tables of a report.
const columns = `Read the ratios, not the times. Ratios are taken within one repetition and have their extremes. Other
work on the machine shows in the load average. The columns:

  x floor            the time over that of the first engine
  median, slowest    of single units
  CPU                of all threads
  MB/s               record bytes read and written
  later              work that an engine put off: CPU of its goroutines between the units, and all
                     that it took until it was idle after the last unit (memtables are written out,
                     and compactions under way are waited for; none is forced)
  read, written      bytes at the device for each byte of the records, from /proc/self/io, which
                     counts whole pages, and every dirtying of a mapped page. A "read" far below 1
                     says that records came from memory
  written            all from the first unit until the engine was idle; "in units" is what the timed
                     parts wrote. runs writes little by little: what its buffers hold more than
                     before counts, and of its index file the share to which its log has grown. The
                     paper's forms are taken to end with buffers as full as they began, which is
                     right once all records exceed the buffers
  memory             above that of the program before: the peak in the units, and the rest at the end
  disk, files        at the end`

// asJSON describes a bench.Result as JSON.
const asJSON = `--json prints {"records","unit","units","max_units","fixed_bytes","buffer_bytes",
"page_bytes","messages","repeat","due","golden","payload_bytes","load_average":[2],
"disk":{"bytes","direct","write_bytes_per_second","read_bytes_per_second",
"mixed_bytes_per_second"},"engines":[{"engine","about","ratio":{"median","from","to"},
"us_per_record","median_unit_us","slowest_unit_us","cpu_us_per_record",
"later_cpu_us_per_record","later_us_per_record","payload_mb_per_second",
"read_amplification","write_amplification","write_amplification_in_units",
"cached_share","memory_bytes","memory_end_bytes","memory_end_bytes_per_record",
"disk_bytes","files","runs":[{"load_seconds","beside":SPENT,"settle":SPENT,"owed_bytes",
"memory_bytes","memory_end_bytes","disk_bytes","files","units":[{"t","due","seconds",
"visit_seconds","commit_seconds","sync_seconds","cpu_seconds","read_bytes",
"written_bytes","cached_share"}]}]}],"left_out":[engine],"figures":[{"figure","title",
"note","x_label","y_label","x":[],"lines":[{"name","y":[],"dashed"}],"deadline_us"}]};
figures only with --figures. SPENT is {"seconds","cpu_seconds","read_bytes",
"written_bytes"}. A cached_share of -1 is not known.`
