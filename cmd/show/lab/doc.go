// Package lab makes reports of what this project measures of itself and of the papers that it is made
// from: tables and figures of the benchmarks of fetching, of stores [SAT] and of sets of addresses
// [SBFL].
package lab
