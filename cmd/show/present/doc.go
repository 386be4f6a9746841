// Package present makes reports of operating a crawl: what a run did, what it would do next, all
// that is known of one page, what a store holds, and what imports took in and exports wrote. A
// result is marshalled as JSON as it is, and gives tables for people.
//
// # Terms
//
//	lookout   looks now and then whether a run can have all that is wanted, and says so if not
//	run       the rounds that one process made, in numbers
//	plan      the next visits of a round, before any outcome of them is known
//	unfit     pages that the policy chose and that did not fit under the limits of a server, or in bytes
//	beyond    pages that the budget of fetches leaves out of a round
//	refused   addresses that did not become known, because they look like traps or are too many
//	turn      the place of a page among the visits of the round that comes next
//	estimate  a change rate of a page by one method
//	evidence  what the policy's probability of a change is made of
//	hint      what feeds and sitemaps claim of a page
//
// # Guarantees
//
//  1. A list in JSON is never null. A number, moment or digest that is not known is null, and a
//     dash in tables.
//  2. Moments are told in UTC, wherever the program runs.
//  3. Tables show the servers that matter most. JSON has all that is known of them.
//  4. The estimates of a page rest on its own visits and on those of other pages. The page itself
//     is left out of the priors that it starts from.
//  5. Nothing is written, no record is handed out and no visit is planned.
//
// Learning the priors of a page takes about a second and 25 MB, however large the corpus is.
package present
