// Package present makes reports of operating a crawl: what a run did, and what it would do next.
// A result is marshalled as JSON as it is, and gives tables for people.
//
// # Terms
//
//	lookout  looks now and then whether a run can have all that is wanted, and says so if not
//	run      the rounds that one process made, in numbers
//	plan     the next visits of a round, before any outcome of them is known
//	unfit    pages that the policy chose and that did not fit under the limits of a server, or in bytes
//	beyond   pages that the budget of fetches leaves out of a round
//	refused  addresses that did not become known, because they look like traps or are too many
//
// # Guarantees
//
//  1. A list in JSON is never null, and an undefined number is null.
//  2. Moments are told in UTC, wherever the program runs.
//  3. Tables show the servers that matter most. JSON has all that is known of them.
//
// The package decides nothing and prints nothing. Package explain has the report of a single page.
package present
