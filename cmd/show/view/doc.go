// Package view looks at a planner from beside it, while its loop runs or from a store that stands
// still: how a run goes, how fresh the copies are, when pages are due, its servers, everything of
// one server or page, what comes next, and what other budgets would give. Its results are plain
// structs, marshalled as JSON as they are.
//
// # Terms
//
//	desk      where questions are asked: one for each planner (Desk)
//	look      a function that the loop calls between two visits (cycle.Options.Peek)
//	tally     what is counted of visits as they happen: totals, and minutes of the last day
//	survey    one look at every page, done in short looks: freshness, due times, servers
//	settings  what a user changes while the loop runs: weights, paused servers. They are kept in the
//	          store, and hold from the next round on
//
// # Guarantees
//
//  1. Nothing races with the loop. What is read of planner, graph, store and loop is copied in a
//     look; what is counted is told by the loop itself.
//  2. A look takes a few milliseconds: those over many pages are cut into parts, and the parts of a
//     survey take a twentieth of the time at most, those of the first one a quarter. A look over
//     one server copies 2,000 pages at a time, of a large one 50,000 pages in all.
//  3. Looking changes nothing, not even which visit comes next. Only Hint and the settings do; they
//     take effect between visits, when everything is committed, and are durable when they return.
//  4. A look whose function panics ends neither loop nor process: its question fails.
//  5. Memory is bounded: 24 hours by minute, some hundred visits, about 150 bytes a server twice,
//     and copies of a few servers.
//
// A survey is of no single moment: each page is seen as it was at some time while it was made. When
// the loop plans a round over millions of pages it takes no look for seconds; what the tally and
// the last survey have is there at once all the same.
//
// A Desk is used by many goroutines. See and Between are called by the loop alone. A nil Desk is
// one that nobody asks: its methods for the loop do nothing.
package view
