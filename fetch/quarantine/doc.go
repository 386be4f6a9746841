// Package quarantine protects the crawler from bodies whose reading ends a process, or does not
// end: it reads them in a process of its own, under limits. These are pages that ended a process
// before, and all files (PDF and office), whose readers follow whatever a file says.
//
// # Terms
//
//	under way  a visit has begun and not ended
//	suspect    a page that was under way when a process died, whatever it died of
//	apart      in a process of its own, under limits of memory and time
//
// # Guarantees
//
//  1. A page that was under way when the process died is a suspect to every later process,
//     until its body has been read apart. That survives any death of the process; of a power
//     failure it survives what was found at the start.
//  2. The body of a suspect, and a file, is read apart and nowhere else. A process that reads has
//     256 MB of memory and 10 s, and there is one at a time. What ends it is the error of that
//     reading alone, and the page stays a suspect; of a file it makes one whose bytes count
//     (fetch.Unread).
//  3. What is read apart is equal to what is read here.
//  4. Disk holds 4 KiB for each suspect and each visit that is made at the same time. More
//     than 4,096 suspects are not remembered.
//
// The register is a file of slots of 4 KiB: the length of an address, 0 if the slot is free,
// as two octets, and the address. A visit writes its slot once when it begins, and once when
// it ends; nothing is synced, since the system's cache outlives the process. What makes no
// sense in the file is passed over.
//
// The limit of memory is that of private data which Linux has, beside the collector's own;
// elsewhere there is the limit of time only.
//
// Not done here: when a suspect is visited again, which is as any page that failed; limits
// of robots.txt, whose reader is bounded by itself.
//
// All functions may be called concurrently, but for Serve, which is for a process of its own.
package quarantine
