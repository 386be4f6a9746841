// Package scratch keeps bytes that are seldom looked at in a file instead of in memory, and shows
// them as if they were in memory. A graph of millions of pages keeps its addresses and links so.
//
// The file holds nothing that must outlive the process: what a store knows is in the store. It has
// no name, so that the system removes it however the process ends.
//
// # Guarantees
//
//  1. What Put returned stays readable, and as it is, until it is given to Free and Rest is called;
//     if it never is given to Free, for ever.
//  2. A disk that is full costs memory and nothing else: Put says no, and the caller keeps its
//     bytes.
//  3. Room that is free is used again, for bytes of about the same number.
//
// Bytes that were looked at stay in memory until Rest, or until the system needs their room. A
// File is used by one goroutine; what Put returned may be read by many.
package scratch
