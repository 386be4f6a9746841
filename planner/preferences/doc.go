// Package preferences has the settings of a user for visits: their aim (Objective) and, by address,
// the worth of a change (Weights, Listed), the greatest age of a copy (MaxAges), and the times
// without visits (Rests).
//
// A rule holds for all addresses that begin with its prefix, in their canonical form
// (sitegraph.Canonical). Of several rules that of the longest prefix counts; a prefix that ends in
// "$" is one address and goes before all others; "*" is every address. Finding a rule takes a
// look-up for each length of prefix, for any number of rules.
//
// Values do not change once they were made, so any number of goroutines may read them. The planner
// acts on them (planner.Options, planner.Pages.SetWeights).
package preferences
