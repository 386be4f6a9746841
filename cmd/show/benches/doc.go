// Package benches makes reports of what this project measures of itself: tables and charts of the
// benchmarks of fetching, of stores, with the figures of [SAT], and of sets of addresses, with
// those of [SBFL].
package benches
