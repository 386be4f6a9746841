// Package view answers questions about a planner, while its loop runs or from a store without a
// loop. It reports the progress of a run, the freshness of the copies, due times, servers, pages
// and the next visits, and what other budgets would give. Its results are plain structs, which
// become JSON as they are.
//
// # Terms
//
//	desk      answers the questions about one planner (Desk)
//	look      a function that the loop calls between two visits (cycle.Options.Peek)
//	tally     counts of visits as they happen: totals, and minutes of the last day
//	survey    one look at every page, done in short looks: freshness, due times, servers
//	settings  what a user changes while the loop runs: weights, paused servers. They are kept in the
//	          store, and hold from the next round on
//
// # Guarantees
//
//  1. Nothing races with the loop. A look copies what it reads of planner, graph, store and loop.
//     The loop itself reports what the tally counts.
//  2. A look takes a few milliseconds. One over many pages is cut into parts. The parts of a survey
//     take a twentieth of the time at most, those of the first survey a quarter. A look at one
//     server copies 2,000 pages at a time, and at most 50,000 in all.
//  3. A look changes nothing, not even the order of the visits. Only Hint and Change do. They take
//     effect between visits, when everything is committed, and are durable when they return.
//  4. If the function of a look panics, its question fails. Loop and process go on.
//  5. Memory is bounded: 24 hours by minute, some hundred visits, about 150 bytes a server twice,
//     and copies of a few servers.
//
// A survey has no single moment: it sees each page at some time between its beginning and its end.
// A loop that plans a round over millions of pages takes no look for seconds. The tally and the
// last survey answer at once all the same.
//
// Many goroutines may use a Desk; only the loop calls See and Between. On a nil Desk the methods
// for the loop do nothing.
package view
