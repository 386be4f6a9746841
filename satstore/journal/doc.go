// Package journal keeps a line for every visit that was made, in files by day.
//
// # Guarantees
//
//  1. Each line is one JSON object, written whole before the next begins. After a crash the
//     last line of a file may be torn: it is ended there, and readers skip it.
//  2. A visit is written after the store has made it durable, so every whole line is true.
//     The store decides; a crash may lose the last lines, never a visit.
//  3. Files are only ever appended to. They are named by the UTC day of their visits.
//  4. The system has the line of a visit when AppendVisits returns. A line leaves out fields
//     without a value: the probability if the policy gave none, digests if nothing was fetched.
//
// A Journal is used by one goroutine.
package journal
