// Package eval measures policies: on recorded histories, through the very loop that runs
// on the live web, by the two protocols of the design.
//
//	snapshot  one sweep N-1 weeks after the base: what does each fetch find [LINK 5]
//	stream    a daily budget over weeks, with discovery of new pages
//
// Words
//
//	base      the moment from which a policy has to see for itself; base pages are those
//	          alive then and within 11 links of the start page
//	changed   the digest asked for differs from that of the copy
//	event     a page alive at the end of two days in a row whose digest differs between them
//	vanished  a base page that is gone at the fetch time of a snapshot
//	gain      (AUC - 1/2) / (AUC of the clairvoyant - 1/2)
//
// Promises
//
//  1. Nothing looks ahead: a policy is built from the base snapshot, and the W weekly states
//     before it if asked for, and learns the rest visit by visit. Only clairvoyant has an oracle.
//  2. The same histories, options and seed give the same results to the last digit.
//  3. Every policy gets the same base, the same budget and the same rule for new pages.
//  4. In the snapshot protocol no policy has a larger AUC than the clairvoyant.
//  5. Undefined values are NaN in Go and null in JSON.
//  6. SweepOn and StreamOn run the protocols in any world, over HTTP too, by the code that
//     Snapshot and Stream run on histories.
//
// A Corpus may be used by many goroutines. Sub-packages: history (the format), replay (the
// world of recorded histories), survey and figures (those of the papers), synth and timetravel
// (webs), report (tables and charts).
package eval
