// Package explain collects all that is known of one page, and when and why it is visited next: the
// page's record, its change rate by each estimator, and the policy's probability of a change.
//
// # Terms
//
//	turn      the place of a page among the visits of the round that comes next
//	estimate  a change rate of the page by one method
//	evidence  what the policy's probability of a change is made of
//	hint      what feeds and sitemaps claim of the page
//
// # Guarantees
//
//  1. The estimates rest on the page's own visits and on those of other pages. The page itself is
//     left out of the priors that it starts from.
//  2. A moment or digest that is not known is null in JSON and a dash in the tables.
//  3. Nothing is written and no visit is planned.
//
// Learning the priors takes about a second and 25 MB, however large the corpus is.
package explain
