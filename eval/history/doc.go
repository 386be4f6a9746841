// Package history reads and writes what pages of a server were over time: recorded from
// real servers, exported from our own visits, or made from a synthetic web.
//
// # Format
//
// One file for each server, gzip'd or plain JSON Lines, a line for each version of a page,
// t never going backwards. A version holds from its t until the next line of its url.
//
//	url       absolute canonical address; those of one file are of one server
//	t         unix seconds, 0 to 2^32-1
//	digest    MD5 of the bytes in hexadecimal, or algorithm:value; one algorithm for a url
//	text      the same of the visible text; may be absent: not known
//	main      the same of the main text; may be absent: not known
//	size      bytes; may be absent: not known
//	links     array of absolute addresses; [] for none; absent at first: not known
//	frames    those of links that are frame sources; absent at first: not known
//	gone      true: no page from t on; only url and t count
//	redirect  address this one redirects to from t on: no page either. Only webs that
//	          know redirects write it; recorded histories have none
//
// Where text, main, links or frames are left out, those of the url's line before hold,
// unless the page was gone or redirected then; null says that they are no longer known.
// Unknown fields are ignored. Blank lines are too.
//
// # Guarantees
//
//  1. Every Version is complete: nothing has to be looked up in an earlier one.
//  2. What Read returns, Write takes, and Read returns it again: equal values. What could
//     not be read back equal, Write refuses.
//  3. A file counts whole or not at all. What is wrong is an *Error with file, line, reason
//     and advice, whatever bytes come. Versions that no line tells of are never made up.
//  4. The same server is written as the same bytes.
//
// Not checked: whether links are canonical or lead to known pages (most lists have some
// that do not), and whether a line changes anything.
//
// Times are unix seconds, sizes bytes. Addresses and lists of links are kept once for each
// server: 45 servers (75,387 pages, 682,189 versions, 475 MB of JSON) take 1.5 s on two
// cores and 180 MB of memory.
//
// A Server is never changed after it was read: any number of goroutines may use it.
// Strings and slices are shared between its versions.
//
// What counts as a change, which pages are reachable and what a visit sees is decided
// elsewhere: World and sitegraph.
package history
