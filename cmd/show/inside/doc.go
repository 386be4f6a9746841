// Package inside says what there is in a page, a robots.txt, a feed or sitemap, a WARC file and an
// address, as the crawler reads them, and what of it counts, as JSON and tables.
//
// # Guarantees
//
//  1. It asks no server, and no content is an error but where it is none of what is asked for. What
//     is read has the bounds of the packages that read it.
//  2. Each record of a WARC file is read whole and compared with its digests. What is damaged is
//     named with its place, and what was read before is shown. Memory grows by about 500 octets a
//     record.
//  3. Nothing is written. All functions may be called concurrently, and so may the methods of a
//     Page once it is read.
package inside
