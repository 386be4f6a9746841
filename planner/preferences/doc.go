// Package preferences holds what a user wants: what visits are for (Objective), and for pages by
// their addresses how much a change is worth there (Weights, Listed), how old a copy may get
// (MaxAges), and when a page is not to be visited (Rests).
//
// A rule holds for all addresses that begin with its prefix, in their canonical form
// (sitegraph.Canonical). Of several the one of the longest prefix counts; a prefix that ends in "$"
// is one address and goes before all others; "*" is every address. To find a rule takes a look-up
// for each length of prefix, whatever the number of rules.
//
// Values do not change once they were made, so any number of goroutines may read them. The planner
// acts on them (planner.Options, planner.Pages.SetWeights).
package preferences
