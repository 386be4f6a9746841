// Package schedule decides which server is asked next, and whether the intervals at which pages are
// to be visited can be kept at all: the hierarchical scheduling of [HIER].
//
// The upper level gives each page an interval. This package is the two levels below: the pages of a
// server are visited one after the other, so that the server has an interval of its own
// (serialization), and the servers share the connections of a pool (resource assignment). What
// cannot be kept is never repaired here by chance: Classify says what is infeasible and why, and
// Correct changes the intervals of the pages, which goes back to the upper level.
//
// # Terms, by the symbols of [HIER]
//
//	L     load of a server: sum of 1/interval over its pages (Rate)
//	I     interval of a server: max(1/L, I_min), where I_min is what politeness demands
//	e     how long a download takes (Times: mean, max)
//	e/I   utilisation: the part of a connection that a server takes
//	D, Q  latest start of the next download; pause after one (Pause)
//	need  sum of min(e/I, 1): rounded up, the lower bound of connections (Scheduler.Need)
//
// # Guarantees
//
//  1. A server has one download at a time, a pool at most as many as it has connections, and no
//     period of a server has the start of two downloads.
//  2. A period that passes without a download is cancelled and counted (Missed), by what it was
//     lost to. A late server does not catch up.
//  3. The same calls give the same choices. Sums of rates and needs are exact: an interval that is
//     changed and changed back leaves nothing behind.
//  4. A choice, and a new interval of one page, cost O(log n). A server takes 124 bytes.
//
// # Simulation
//
// Simulate runs months of a schedule in minutes [HIER 3.2]: it drives the scheduler that the live
// loop uses, from event to event, with recorded or generated times of downloads in place of
// servers. A Web is servers, each with its interval and a log of its downloads, which is used in
// turn and from the beginning again; all begin to wait at once. Periods are floor(duration/I), and
// missed are those without a download (the paper counts duration/I - downloads: fractions look
// missed). A generated web has the published numbers of the crawl of [HIER 3.1]; see Published. The
// same web and options give the same result, to the last download.
//
// Time is in whole ticks from any epoch that the caller chooses. A Scheduler is used by one
// goroutine; the other functions may be called from many. The package knows no network, disk and
// clock.
package schedule
