// Package present reports on the operation of a crawl: what a run did and would do next, what is
// known of a page, what a store holds, and what imports and exports did. Results become JSON as
// they are, and have tables for people.
//
// # Terms
//
//	lookout   checks now and then whether a run can meet all wishes, and says if it cannot
//	run       counts of the rounds of one process
//	plan      the next visits of a round, before any outcome of them is known
//	unfit     pages that the policy chose and that did not fit under the limits of a server, or in bytes
//	beyond    pages that the budget of fetches leaves out of a round
//	refused   addresses that did not become known, because they look like traps or are too many
//	turn      the place of a page among the visits of the next round
//	estimate  a change rate of a page by one method
//	evidence  the contributions to the policy's probability of a change
//	hint      what feeds and sitemaps claim of a page
//
// # Guarantees
//
//  1. A list in JSON is never null. An unknown number, moment or digest is null, and a dash in
//     tables.
//  2. Moments are in UTC, wherever the program runs.
//  3. Tables show the servers that matter most. JSON has all servers.
//  4. The estimates of a page rest on its own visits and on those of other pages. The page itself
//     is left out of the priors that it starts from.
//  5. Reports write nothing, hand out no record and plan no visit.
//
// Learning the priors of a page takes about a second and 25 MB, in a corpus of any size.
package present
