// Package show says what there is in a robots.txt, a feed or sitemap, and an address, as the
// crawler reads them, as JSON and tables. Pages are shown by fetch/extract/show, WARC files by
// fetch/archive/show.
//
// It asks for nothing, and no content is an error but where it is none of what is asked for. What
// is read has the bounds of the packages that read it. All functions may be called concurrently.
package show
