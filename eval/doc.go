// Package eval measures policies on recorded histories, with the loop that also runs on the live
// web, by one of two protocols:
//
//	snapshot  one sweep N-1 weeks after the base [LINK 5]
//	stream    a daily budget over weeks, with discovery of new pages
//
// # Files
//
//	dataset.go                the servers at the base, crawled by the loop
//	snapshot.go, sweep.go     the snapshot protocol; horizon.go for other counts
//	stream.go, streams.go     the stream protocol; with concurrent budgets and policies
//	warm.go                   the gain by captures of the past in the first weeks
//	truth.go, truerate.go     the true changes of the pages: the denominators of all measures
//	meter.go                  one stream run measured against the truth
//	area.go, calibration.go   AUC and gain; calibration of probabilities
//	runs.go, spread.go        means of several runs; intervals by resampling servers
//	compare.go                one policy compared with others
//	lineup.go, window.go      policies that take part; weeks that fit into a window
//	census.go, entry.go       incomplete histories, and servers without a top page
//
// # Terms
//
//	base      the moment at which a policy begins; base pages are those alive then and within
//	          11 links of the start page
//	changed   the chosen digest differs from that of the copy
//	event     a page alive at the end of two days in a row whose digest differs between them
//	vanished  a base page that is gone at the fetch time of a snapshot
//	gain      (AUC - 1/2) / (AUC of the clairvoyant - 1/2)
//
// # Guarantees
//
//  1. Nothing looks ahead: a policy knows the base snapshot, perhaps W weekly states before it, and
//     its own visits. Only reference lines have an oracle.
//  2. Equal histories, options and seed give results that are equal to the last digit.
//  3. Every policy gets the same base, the same budget and the same rule for new pages.
//  4. In the snapshot protocol no policy has a larger AUC than the clairvoyant.
//  5. Undefined values are NaN in Go and null in JSON.
//  6. SweepOn and StreamOn run the protocols in any world, also over HTTP, with the code of
//     Snapshot and Stream.
//
// Goroutines may share a Dataset. Packages below: history (the format), replay (recorded histories
// as a world), survey and figures (those of the papers), synth and timetravel (webs), present and
// report (results as tables and charts), tune, sites, demo and recorded.
package eval
