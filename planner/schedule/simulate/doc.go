// Package simulate runs months of a schedule in minutes: [HIER 3.2]. It drives the scheduler that
// the live loop uses, with recorded or generated times of downloads in place of servers.
//
// # Terms
//
//	web     servers, each with its interval and a log of how long its downloads took
//	log     the times of a server's downloads, used in turn and from the beginning again
//	ideal   duration/I downloads, summed over the servers; periods: floor(duration/I)
//	missed  periods without a download (the paper counts ideal - downloads: fractions look missed)
//	bound   the least connections by [HIER eq. 4]
//
// # Guarantees
//
//  1. The same web and options give the same result, to the last download.
//  2. Time goes from event to event; nothing is allocated for one. An event is the end of a
//     download or of a pause.
//  3. A generated web has the published numbers of the crawl of [HIER 3.1]; see Published.
//
// All servers begin to wait at once, as in the paper. Ticks are milliseconds. A Web may be used by
// many goroutines at the same time once it is made.
package simulate
