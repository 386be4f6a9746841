// Package paper is the storage of [SAT] as its authors describe it: SAT/Basic, SAT and SAT/Naive,
// to be measured beside other stores and read beside the text. Package satstore is what the crawler
// uses; its engine has what the paper proposes and does not measure: mixed radix, messages beside
// the records, and recovery.
//
// # Terms
//
//	unit      the step of time; the clock is the last unit that is over
//	bucket    the records due in one unit, a file
//	buffer    what goes to the end of a bucket's file later: a list of pages
//	message   a request for one record, waiting in the record's bucket
//	number    of a record: 0, 1, 2 ... in the order of insertion (seq in the paper)
//
// A unit is Visit (steps 0.5 to 6 of [SAT 3.3, 3.5]) and Commit (steps 7 to 9).
//
// # Guarantees
//
//  1. Visit hands out each record of its unit once and stores it in the bucket of its next
//     unit, 1 to T later. All forms hand out the same records.
//  2. Messages arrive at the next visit of their record, in the order in which they were
//     sent. One for a record of the unit at work that is not written back yet is held until
//     it is, and so arrives at the visit after. A deleted record is not visited again.
//  3. Buffers never hold more than BufferBytes, tested before a page is taken. They are
//     flushed as the paper says: all above 16 pages, else 4, else 1; else one page of the
//     fullest, to a sixteenth of a page. Finding them costs no search. A frame longer than
//     all buffers empties them and goes to its file at once; in SAT/Naive one longer than a page
//     empties its own.
//  4. A commit is in the log, synced. The log holds what a recovery needs, but nobody reads it: a
//     store is measured once and never opened again.
//  5. After a failed write or sync every call returns that error. In the sequence index such an
//     error ends the program, as Pebble does. Damage of a bucket is an error with file and offset.
//
// Limits. T is at most 2^16-2 units with 16 bits of bucket index, 2^24-2 with 24; its base
// moves with the clock. 2^32-1 records and units, bodies of 16 bytes to 1 MiB. The log is in the
// store's directory; in the paper's tests it was on a disk of its own.
//
// Where the paper leaves a choice, ours is: the bound is tested with the page that is about
// to be taken; flushes end between records; the log begins anew, after a sync of all
// buckets, with what the buffers hold.
//
// # The workload
//
// Workload makes the records and due times with which stores are compared, multi-periodic updates
// reduced to their input and output [SAT 4.1]. Nothing is random: a record is a function of its
// number, the same on every machine.
//
//	record    a fixed part, which begins with its id, and its URL
//	interval  tau, units between two visits of a record; it never changes
//	due       said of a record at t = first, first + tau, first + 2 tau ...
//	draw      the random number of a visit, which decides whether it sees a change
//	plan      what is due in each of the first units, and what visiting it must give: the sum of the
//	          draws hangs on every earlier visit, so that a lost, doubled or swapped one shows
//	tally     the sum of all records of a store, their bytes and due times, in any order
//
// Intervals follow what [SAT fig. 2] tells; they were fitted to it. Days: 7.5 % of the records are
// due daily, 67 % of the visits are theirs; 0.113 of all records are due in a day. Hours: 0.0087 of
// all in an hour; 8 % of the visits have tau = 1. In the paper: 10 %, more than 70 %, 0.0996;
// 0.0087 and less than 10 %. URLs are 11 to 3715 bytes long, 63.6 in the mean, and compress as URLs
// do.
//
// Calls of a Store come from one goroutine at a time. Source: [SAT] Tamura and Kitsuregawa.
package paper
