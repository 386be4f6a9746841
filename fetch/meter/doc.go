// Package meter makes visits that count the bytes they read from the network and read no more than
// they may.
//
// Words
//
//	bound       how many bytes a visit may read, robots.txt and headers included
//	on the way  what the system receives ahead of a reader, and perhaps nobody reads
//
// Promises
//
//  1. What a visit is said to have transferred is what its connections received, also where a body
//     is cut or not wanted. What a connection received and nobody read is counted on Linux only.
//  2. A visit with a bound reads no more. When nothing is left it is cut: it fails, unless the
//     client had enough of the body, and is said to have read the whole bound.
//
// Neither servers nor bounds are chosen here. A Client may be used by many goroutines.
package meter
