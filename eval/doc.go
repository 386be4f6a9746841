// Package eval measures policies on recorded histories, through the loop that also runs on the live
// web, by one of two protocols:
//
//	snapshot  one sweep N-1 weeks after the base: what does each fetch find [LINK 5]
//	stream    a daily budget over weeks, with discovery of new pages
//
// # Files
//
//	dataset.go                the servers as they stood at the base, crawled through the loop
//	snapshot.go, sweep.go     the snapshot protocol; horizon.go for those who count otherwise
//	stream.go, streams.go     the stream protocol; many budgets and policies at the same time
//	warm.go                   what captures of the past are worth in the first weeks
//	truth.go, truerate.go     what really happened to the pages: the denominators of all measures
//	meter.go                  one stream run measured against the truth
//	area.go, calibration.go   AUC and gain; how well calibrated probabilities are
//	runs.go, spread.go        means of several runs; intervals by resampling servers
//	compare.go                one policy compared with others
//	lineup.go, window.go      which policies take part; how many weeks fit into a window
//	census.go, entry.go       histories that tell too little, or servers without a top page
//
// # Terms
//
//	base      the moment at which a policy begins; base pages are those alive then and within
//	          11 links of the start page
//	changed   the digest asked for differs from that of the copy
//	event     a page alive at the end of two days in a row whose digest differs between them
//	vanished  a base page that is gone at the fetch time of a snapshot
//	gain      (AUC - 1/2) / (AUC of the clairvoyant - 1/2)
//
// # Guarantees
//
//  1. Nothing looks ahead: a policy is built from the base snapshot, and the W weekly states
//     before it if asked for, and learns the rest visit by visit. Only reference lines have an
//     oracle.
//  2. The same histories, options and seed give the same results to the last digit.
//  3. Every policy gets the same base, the same budget and the same rule for new pages.
//  4. In the snapshot protocol no policy has a larger AUC than the clairvoyant.
//  5. Undefined values are NaN in Go and null in JSON.
//  6. SweepOn and StreamOn run the protocols in any world, also over HTTP, by the code that
//     Snapshot and Stream run on histories.
//
// A Dataset may be used by many goroutines. Packages below: history (the format), replay (recorded
// histories as a world), survey and figures (those of the papers), synth and timetravel (webs),
// present and report (results as tables and charts), tune, sites, demo and recorded.
package eval
