// Package captures reads what others know of pages: lists of addresses, sitemaps, indexes of
// archives (CDXJ, CDX, JSON of index servers), WARC, ARC and WACZ files of any writer, dumps of
// Nutch, and logs of web servers. Each becomes captures: what somebody got of an address, and when.
// A Sorter brings them to the order of address and time, on disk where they are many.
//
// # What counts
//
//	WARC, WACZ with WARC files   digests of bytes, text and main text, and links, are made of the
//	                             bodies as a visit of our own makes them: captures are comparable to it
//	CDXJ, CDX, WACZ with an      digests of the body as it was sent, by the tool that wrote them. They
//	index alone                  are comparable to each other, not to visits of our own
//	Nutch                        of each page the last fetch, and the last one that found a new content
//	logs, lists, sitemaps        that an address exists, and how often it was asked for; no visit. What a
//	                             log says of sizes and of 304 depends on who asked, and with what copy
//
// A status of 404 or 410 says that a page is gone, one of 3xx that it moved. Other statuses say
// nothing of a page, and are counted. What is no HTML page is counted and left out, also what has
// no address of the web: name servers, screenshots and logs in the files of crawlers.
//
// # Guarantees
//
//  1. The format is known by the beginning of a file, whether it is compressed or not.
//  2. What is damaged is counted and named, the first few of each kind with file and place. A line
//     stops nothing. Behind a damaged record, reading goes on at the next one where the file is
//     compressed; else the file ends there. What was read before counts.
//  3. Memory is bounded: a line, a body of 64 MiB, and what a Sorter may take. Files may have any
//     size, and any order.
//  4. The same files give the same captures in the same order, whatever their own order.
//
// # Into the store of a planner
//
// TakeIn makes evidence of past visits of them, so that planning begins with a past. Its terms:
//
//	own     a visit that run has made
//	mark    from when to when captures of a page were taken in; a setting of the store
//	before  captures that are older than all that is known of a page
//	after   captures that are newer
//
// # Guarantees of TakeIn
//
//  1. A page that was never visited gets the past that visits of our own at the moments of the
//     captures would have left. Its next visit asks for all of it, and so takes its links.
//  2. Of a page with own visits nothing that they found is changed. Captures from before add to its
//     history. Where the content of then and that of the first own visit cannot be compared, the
//     time between counts neither as stable nor as changed. Captures from after count if they can
//     be compared with the copy; what they say of a page that is gone is left to the next visit.
//     Captures between own visits tell nothing new.
//  3. The same captures again change nothing; nor do captures inside the time of the mark.
//  4. A process that is killed leaves whole pages, each with or without its captures. The same
//     import again does the rest.
//
// Pages that are sources or excluded stay as they are. An address that is not known yet and was
// gone or moved at its last capture is left out.
//
// A Reader and a Sorter are for one goroutine.
package captures
