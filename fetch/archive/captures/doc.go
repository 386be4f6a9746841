// Package captures imports evidence about pages: lists of URLs, sitemaps, indexes of archives
// (CDXJ, CDX, JSON of index servers), WARC, ARC and WACZ files of any writer, dumps of Nutch, and
// logs of web servers. Their lines and records become captures: answers that somebody got for a
// URL, with times. A Sorter sorts them by URL and time, on disk if there are many.
//
// # What counts
//
//	WARC, WACZ with WARC files   digests of bytes, text and main text, and links, from the bodies: these
//	                             captures are comparable to own visits
//	CDXJ, CDX, WACZ with an      digests of the body by the tool that wrote them. These captures are
//	index alone                  comparable to each other, not to own visits
//	Nutch                        the last fetch of each page, and the last one that found a new content
//	logs, lists, sitemaps        URLs that exist, and their requests; no visits. Sizes and 304 in a log
//	                             depend on the client and its copy
//
// Status 404 or 410 means that a page is gone, 3xx that it moved. Other statuses are no evidence,
// and are counted. Captures other than HTML pages are counted and left out, also those without a
// web address: name servers, screenshots and logs in the files of crawlers.
//
// # Guarantees
//
//  1. The beginning of a file shows its format, compressed or not.
//  2. Damage is counted, and its first cases are listed with file and place. After a damaged line
//     reading continues. After a damaged record it continues at the next one if the file is
//     compressed; otherwise the file ends there. Earlier captures count.
//  3. Memory is bounded: a line, a body of 64 MiB, and the limit of a Sorter. Files may have any
//     size and order.
//  4. The same files give the same captures in the same order, whatever their own order.
//
// # Into the store of a planner
//
// TakeIn turns captures into evidence of past visits, so that planning begins with a past. Terms:
//
//	own     a visit of run
//	mark    times of the first and last imported capture of a page; a setting of the store
//	before  captures that are older than everything known of a page
//	after   captures that are newer
//
// # Guarantees of TakeIn
//
//  1. A page that was never visited gets the history that own visits at the times of the captures
//     would have left. Its next visit is unconditional, so that it finds links.
//  2. Nothing that own visits found is changed. Captures from before add to the history. If their
//     content is not comparable to the first own visit, the time between counts neither as stable
//     nor as changed. Captures from after count if they are comparable to the copy. If they say
//     that the page is gone, the next visit decides. Captures between own visits are ignored.
//  3. A second import of the same captures changes nothing, and neither do captures within the
//     mark.
//  4. A killed process leaves each page with all of its captures or none. The same import again
//     does the rest.
//
// Sources and excluded pages stay unchanged. An unknown URL that was gone or moved at its last
// capture is left out.
//
// A Reader and a Sorter are for one goroutine.
package captures
