// Package value is the policy of this project. It visits the pages that are most likely to have
// changed by all that is known of them, each weighed by what a change of it is worth. docs/value.md
// explains it at length.
//
// How a page gets its place:
//
//  1. Evidence: visits to a page tell of the groups that it belongs to, whose pages change
//     together: its address shape, its directory, its section and its server (evidence.go,
//     groups.go). Where addresses say nothing, pages that have changed in the same weeks are a
//     group in the place of the directory (cochange.go, weekclock.go).
//  2. Features: what is known of the page and its groups at a moment, 48 numbers (features.go).
//  3. Model: boosted trees and a perceptron, learnt from histories, make log odds of them
//     (model.go, blend.go). In streams plain estimators of the page's rate (rates.go) and what was
//     learnt from the visits made here (inplace.go) are mixed with it, each weighed by how well it
//     predicted so far (mixture.go). The estimators know at which hours pages change (daytimes.go).
//  4. Correction: what visits to its server and its shape found beyond what was predicted
//     multiplies the odds (effects.go), and what came of such probabilities so far calibrates them
//     (calibrate.go).
//  5. Worth: what the copy that a visit brings is worth, and what the visit may tell, count beside
//     the probability (worth.go).
//  6. Ranking: pages by server, servers by their best page; scores are made anew where outcomes
//     surprise (score.go, rank.go, propagate.go). A round goes on with the ranking of the one
//     before (queue.go).
//
// Beside the ranking it explores servers that were quiet for long (explore.go) and learns whether
// that pays on this web (rebuilt.go). It predicts whether an address that was never fetched holds a
// page (firstvisits.go), and learns which pages lead to new ones (discovery.go). It explains each
// probability (reason.go). Variants are denied one kind of evidence each, to measure what it is
// worth (without.go). What it learnt outlives the process (keep.go, pack.go).
//
// Memory beyond the corpus: 40 bytes a page and 12 for each time that it is ranked; 15 to 60 more
// for its groups where a directory has 50 pages or 8, and 28 bytes to 9 KB for the parts of a large
// shape; 300 for a server, fewer before its first visit, and 390 more where visits are less than a
// day apart; 65 bytes a page in all in BenchmarkScale with 2 million pages. Examples of visits take
// 3.4 MB. A Policy is used by one goroutine; while it ranks a round it uses all cores.
package value
