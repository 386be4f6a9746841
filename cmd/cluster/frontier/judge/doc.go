// Package judge lets the policies of this project rank the addresses of a frontier (package
// cluster/frontier): what a crawler tells of its visits are observations, and the probability that
// a page has changed decides which of those that are due is given first.
//
// Each crawl is a corpus of its own, with a graph of its judged pages and of the links between
// them. The rounds of the policy are hours.
//
// # Guarantees
//
//  1. The policy that judges is the one that `recrawl run` executes and `recrawl eval` measures.
//  2. What is known of a page (sitegraph.Record) is its evidence, which the frontier keeps. After a
//     restart the policy begins with the evidence of all pages, and without the links and what it
//     learnt from them.
//  3. An address that has no canonical form is not judged. Addresses of one canonical form are one
//     page.
//
// It takes about 280 bytes of memory a judged page with the default policy. A Judge is used by one
// goroutine at a time.
package judge
