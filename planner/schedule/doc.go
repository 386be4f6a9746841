// Package schedule decides which server is asked next, and whether the wanted intervals of pages
// can be kept at all: the hierarchical scheduling of [HIER].
//
// The upper level gives each page an interval. This package is the two levels below. The pages of a
// server are visited one after the other, so that the server has its own interval (serialization).
// The servers share the connections of a pool (resource assignment). Infeasible intervals are never
// changed silently: Classify reports them with the reason, and Correct proposes other intervals of
// the pages to the upper level.
//
// # Terms, by the symbols of [HIER]
//
//	L     load of a server: sum of 1/interval over its pages (Rate)
//	I     interval of a server: max(1/L, I_min), where politeness demands I_min
//	e     how long a download takes (Times: mean, max)
//	e/I   utilisation: the part of a connection that a server takes
//	D, Q  latest start of the next download; pause after one (Pause)
//	need  sum of min(e/I, 1): rounded up, the lower bound of connections (Scheduler.Need)
//
// # Guarantees
//
//  1. A server has one download at a time, a pool at most as many as it has connections, and no
//     period of a server has the start of two downloads.
//  2. A period that passes without a download is cancelled and counted by cause (Missed). A late
//     server does not catch up.
//  3. The same calls give the same choices. Sums of rates and needs are exact: changing an interval
//     and changing it back leaves no error.
//  4. A choice, and a new interval of one page, cost O(log n). A server takes 124 bytes.
//
// # Simulation
//
// Simulate runs months of a schedule in minutes [HIER 3.2]: it drives the scheduler of the live
// loop from event to event, with recorded or generated download times instead of servers. A Web has
// servers, each with its interval and a log of its downloads, which is used again and again; all
// begin to wait at once. Periods are floor(duration/I), and those without a download are missed
// (the paper counts duration/I - downloads, so that fractions look missed). A generated web has the
// published numbers of the crawl of [HIER 3.1]; see Published. The same web and options give the
// same result, to the last download.
//
// Time is in whole ticks from any epoch of the caller. One goroutine uses a Scheduler; many may
// call the other functions. The package knows no network, disk and clock.
package schedule
