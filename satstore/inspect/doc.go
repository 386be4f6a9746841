// Package inspect says when the pages of a store are due, and what the store takes on disk. Its
// result is marshalled as JSON as it is, and makes a report with a bar for each span of time. The
// result of a check of the whole store, which satstore makes, is JSON or lines of text.
//
// # Guarantees
//
//  1. Nothing is written, and no record is handed out.
//  2. Spans are in the order of time. Those without records are left out.
package inspect
