// Package robots reads what a robots.txt says to one crawler, after RFC 9309.
//
// The rules without wildcards are evaluated by github.com/temoto/robotstxt. Given a file
// as it comes, that reader is wrong where the standard is precise, and takes minutes and
// gigabytes for some files below 500 KiB: one bad line voids the file, agents match by
// prefix, repeated agents cost their square, patterns become regular expressions that
// are not anchored. So what it gets is never the file: Parse goes over the lines once,
// keeps the rules of one group, and writes a clean file of literal prefixes. Patterns
// with '*' or '$' are matched here.
//
// # Terms
//
//	product token  the name a crawler is called in robots.txt (2.2.1)
//	group          user-agent lines and the rules after them
//	target         path and query of an address
//	pattern        the value of an allow or disallow line
//
// # Guarantees
//
//  1. A bad line costs only itself; nothing that is read is an error (2.3.1.5).
//  2. At most MaxBytes octets are read, and a line cut there is not used (2.5).
//  3. All groups of our token are one group; only if there is none, those of '*' are
//     (2.2.1). Tokens match whole, without regard to case.
//  4. The longest matching pattern decides, allow on a tie (2.2.2); /robots.txt is
//     always allowed; where no pattern matches, everything is.
//  5. Patterns and targets are compared in one form: escapes of unreserved octets
//     undone, all other octets that an address cannot carry escaped, upper case (2.2.2).
//  6. Time is linear: of Parse in the octets of the file, of Allowed in the octets of
//     target plus patterns, for each pattern. So is memory, and MaxBytes bounds both: the reader
//     needs no process of its own, as that of pages does (package fetch/quarantine).
//  7. A delay is finite, from 0 to MaxDelay. Of several the longest holds.
//
// Lengths are octets of the normalised pattern. Delays are durations.
//
// The package asks for nothing and knows no status: what a 404 or a 503 means, and how
// long a file holds, is decided by package fetch. Addresses of sitemaps are handed on as written.
// Rules may be used by many goroutines at once.
//
// Sources: RFC 9309; the readings of Google's robots.txt reader where the standard is
// silent (misspelt keys, a missing colon).
package robots
