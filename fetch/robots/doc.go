// Package robots reads the rules of a robots.txt for one crawler, by RFC 9309.
//
// github.com/temoto/robotstxt evaluates the rules without wildcards. That reader has faults: one
// bad line voids the file, agents match by prefix, repeated agents cost their square, and patterns
// become regular expressions without anchors. Some files below 500 KiB take it minutes and
// gigabytes. So it never gets the original file. Parse reads the lines once, keeps the rules of one
// group, and writes a clean file of literal prefixes. Patterns with '*' or '$' are matched here.
//
// # Terms
//
//	product token  the name of a crawler in robots.txt (2.2.1)
//	group          user-agent lines and the rules after them
//	target         path and query of a URL
//	pattern        the value of an allow or disallow line
//
// # Guarantees
//
//  1. A bad line costs only itself; no content is an error (2.3.1.5).
//  2. At most MaxBytes octets are read, and a line cut there is not used (2.5).
//  3. All groups of the crawler's token are one group; without one, those of '*' are (2.2.1).
//     Tokens match as a whole, in any case.
//  4. The longest matching pattern decides, allow on a tie (2.2.2); /robots.txt is always allowed;
//     a target without a matching pattern is allowed.
//  5. Patterns and targets are compared in one form: escapes of unreserved octets are undone,
//     octets that a URL cannot contain are escaped in upper case (2.2.2).
//  6. Time is linear: for Parse in the octets of the file, for Allowed in the octets of the target
//     and the patterns. So is memory, and MaxBytes limits both. So the reader needs no separate
//     process, unlike that of pages (package fetch/quarantine).
//  7. A delay is finite, from 0 to MaxDelay. Of several the longest counts.
//
// Lengths are octets of the normalised pattern. Delays are durations.
//
// The package makes no requests and sees no status: package fetch decides what a 404 or a 503
// means, and how long a file is valid. URLs of sitemaps are returned as written. Goroutines may
// share Rules.
//
// Sources: RFC 9309; Google's robots.txt reader for cases that the standard leaves open (misspelt
// keys, a missing colon).
package robots
