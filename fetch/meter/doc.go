// Package meter counts the bytes that a visit reads from the network, and ends the visit when it
// has read as many as it may.
//
// # Terms
//
//	bound       how many bytes a visit may read, robots.txt and headers included
//	on the way  what the system receives ahead of a reader, and perhaps is never read
//
// # Guarantees
//
//  1. Observation.Transferred of a visit is what its connections received, also where a body is cut
//     or not needed. Bytes that a connection received and that were not read are counted on Linux
//     only.
//  2. A visit with a bound reads no more. When nothing is left the visit is cut: it fails, unless
//     the client had enough of the body, and counts as having read the whole bound.
//
// The caller chooses servers and bounds. A Client may be used by many goroutines.
package meter
