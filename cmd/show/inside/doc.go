// Package inside shows how the crawler reads a page, a robots.txt, a feed or sitemap, a WARC file
// or an address, and which parts count. Results are JSON and tables.
//
// # Guarantees
//
//  1. It sends no requests. Content is an error only if it is of another kind. Sizes have the
//     bounds of the packages that read it.
//  2. Each record of a WARC file is read whole and compared with its digests. It names the place of
//     damage, and shows the records before it. Memory grows by about 500 octets a record.
//  3. It writes nothing. All functions may be called concurrently, and so may the methods of a Page
//     once it is read.
package inside
