// Package workload makes the records and due times with which state stores are compared:
// multi-periodic updates as a crawler performs them [SAT 4.1], reduced to their input and
// output. Nothing is random: a record is a function of its number.
//
// # Terms
//
//	record    what is kept of a page: a fixed part, which begins with its id, and its URL
//	unit      the step of time: a minute, an hour or a day; t counts units from 1
//	interval  tau, units between two visits of a record; it never changes, as in [SAT 4.1]
//	due       said of a record at t = first, first + tau, first + 2 tau ...
//	draw      the random number of a visit, which decides whether it sees a change
//	plan      what is due in each of the first units, and what visiting it must give
//	tally     the sum of all records of a store, their bytes and due times, in any order
//
// # Guarantees
//
//  1. The same Options give the same bytes, on every machine.
//  2. Intervals follow what [SAT fig. 2] tells. Days: 7.5 % of the records are due daily,
//     67 % of the visits are theirs; 0.113 of all records are due in a day. Hours: 0.0087
//     of all in an hour; 8 % of the visits have tau = 1. In the paper: 10 %, more than
//     70 %, 0.0996; 0.0087 and less than 10 %.
//  3. URLs are 11 to 3715 bytes long, 63.6 in the mean, and compress as URLs do. A record
//     of the usual fixed part, 100 bytes, is 163.6 bytes long; about 48 are random.
//  4. A plan holds the sum of the draws of each unit. It depends on every earlier visit of
//     every record: a store that loses, doubles or swaps a visit gives another sum. End is
//     the tally after the last unit, to which every byte of every record counts.
//  5. Visit and AppendTo allocate nothing. A Workload may be used by many goroutines.
//
// Not meant: the intervals of a real crawl, which this shape fits only in the figures
// above; fetches and archives. Sources: [SAT] Tamura and Kitsuregawa.
package workload
