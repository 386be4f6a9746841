// Package arena keeps data that is seldom read in memory-mapped files, so that it takes memory
// only while it is in use. A crawl of millions of pages keeps its addresses, its links and its
// numbers by page so.
//
// There are two kinds of data: pieces, which are written once and can be freed (Put, Free), and
// columns, slices of numbers that grow (Grow, Append).
//
// Nothing in the files must outlive the process: what a store knows is in the store. The files have
// no names, so the system removes them however the process ends. But a process may leave an image
// of them for the next (Keep), which goes on from there (TakeImage) and so need not make them anew.
//
// # Guarantees
//
//  1. What Put returned stays as it is. Once it is given to Free it does so until the next Release.
//  2. A full disk costs memory and nothing else: Put refuses, and Grow returns a slice in memory.
//  3. The room of a freed piece is used again, for one of about its size; where there is an image
//     that has the piece, after the next one.
//  4. An image is there whole or not at all, whenever the machine stops. It stays until the next
//     one replaces it, whatever the processes do that go on from it. Each byte of it is checked
//     (CRC-32C) before it is taken, or of a large one while it is in use: what comes of it may
//     outlive the process once Checked says that it is whole.
//
// What was read or written stays in memory until Release, until the system needs the memory, or, on
// systems that tell how much it is, until it is more than Watch allows (Pace, for loops that read
// much). A disk that cannot be read ends the process (SIGBUS). A File is used by one goroutine;
// what Put returned may be read by many, and values of a column by many as those of a slice.
package arena
