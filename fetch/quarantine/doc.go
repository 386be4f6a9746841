// Package quarantine protects the crawler from bodies that crash or block their reader. It reads
// two kinds of bodies in a separate process, under limits: pages that ended a process before, and
// all files (PDF and office), whose readers trust the file.
//
// # Terms
//
//	in flight  a visit has begun and not ended
//	suspect    a page that was in flight when a process died, for any reason
//	apart      in a separate process, under limits of memory and time
//
// # Guarantees
//
//  1. A page that was in flight when the process died is a suspect for every later process, until
//     its body has been read apart. This holds for any death of the process. After a power failure
//     the suspects known at the last start remain.
//  2. The body of a suspect, and a file, is read apart and nowhere else. One process reads at a
//     time, with 256 MB of memory and 10 s. If it dies, that reading has an error, and the page
//     stays a suspect. The bytes of a file then count as its content (fetch.Unread).
//  3. Reading apart gives the same result as reading here.
//  4. The disk has 4 KiB for each suspect and each visit in flight. At most 4,096 suspects are
//     remembered.
//
// The register is a file of slots of 4 KiB: the length of a URL in two octets, 0 for a free slot,
// and the URL. A visit writes its slot once when it begins, and once when it ends. Nothing is
// synced, because the system's cache outlives the process. Invalid slots are ignored.
//
// On Linux the limit of memory is that of private data, besides the one of the collector. Other
// systems have only the limit of time.
//
// A suspect is visited again like any page that failed. robots.txt is not read apart, because its
// reader is bounded.
//
// All functions except Serve may be called concurrently.
package quarantine
