// Package visits writes the visits that a loop has acknowledged into a journal. It says how a visit
// looks as a line there.
//
// It stands between two packages that do not know each other: cycle tells what came of a visit, and
// journal keeps lines on disk.
//
// # Guarantees
//
//  1. The line of a visit is handed to the system when Append returns.
//  2. A field is left out where the visit tells nothing for it: a probability where the policy gave
//     none, digests where no content was fetched.
package visits
