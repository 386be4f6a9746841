// Package history reads and writes the versions of a server's pages over time: recorded from real
// servers, exported from own visits, or made from a synthetic web.
//
// # Format
//
// One file for each server, gzip'd or plain JSON Lines, a line for each version of a page, t never
// going backwards. A version holds from its t until the next line of its url.
//
//	url       absolute canonical address; those of one file are of one server
//	t         unix seconds, 0 to 2^32-1
//	digest    MD5 of the bytes in hexadecimal, or algorithm:value; one algorithm for a url
//	text      the same of the visible text; may be absent
//	main      the same of the main text; may be absent
//	size      bytes; may be absent: not known
//	links     array of absolute addresses; [] for none
//	frames    the links that are frame sources
//	gone      true: no page from t on; only url and t count
//	redirect  target of a redirect from t on: no page either. Only webs that know
//	          redirects write it; recorded histories have none
//
// Missing text, main, links or frames are those of the url's last line. They are unknown if it has
// none, or the page was gone or redirected then. null means that they are no longer known. Unknown
// fields and blank lines are ignored.
//
// # Guarantees
//
//  1. Every Version is complete, without reference to an earlier one.
//  2. Write accepts every result of Read, and reading it again gives equal values. Write refuses
//     values that could not be read back equal.
//  3. A file counts as a whole or not at all. Any fault is an *Error with file, line, reason and
//     advice. No version is invented.
//  4. Equal servers are written as equal bytes.
//
// Links need not be canonical or lead to known pages (most lists have some that do not), and a line
// need not change anything.
//
// Times are unix seconds, sizes bytes. URLs and lists of links are kept once for each server: 45
// servers (75,387 pages, 682,189 versions, 475 MB of JSON) take 1.5 s on two cores and 180 MB of
// memory.
//
// A Server never changes after it was read: goroutines may share it. Its versions share strings and
// slices.
//
// World and sitegraph decide what a visit sees, which pages are reachable and what counts as a
// change.
package history
