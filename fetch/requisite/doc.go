// Package requisite keeps requisites of pages: style sheets and their imports, pictures, fonts,
// scripts, icons and media. It asks for each when it is due, and passes the answers to an archive.
//
// # Terms
//
//	requisite  a file that a page shows; it is no page, has no rank and brings no links
//	named      a page or style sheet that was visited shows it
//	check      a request for a requisite that the archive has already
//
// # Guarantees
//
//  1. A requisite is asked for like a page: robots.txt, the guard, and the turns and pauses of
//     servers and addresses hold (fetch.Client.Part). Between two requisites of a server lie two
//     pauses, so that its pages have every other turn.
//  2. A requisite is asked for when a page that shows it is visited and it is due. It is due if the
//     archive has no capture of it, or after an interval (Due). The interval doubles with each
//     check that finds the same content: from a day to two weeks for content that changes in place,
//     and from a week to 90 days for pictures, fonts and media. A requisite with a digest in its
//     URL is kept once, one with a version is checked after 90 days (Names).
//  3. Checks take at most a tenth of the requests: one for each ten visits to pages, and up to
//     mostCredit saved ones. Restarts keep these; a crash loses less than one. Checks are
//     conditional if the server gave a validator. A new URL with a query, on a page that the
//     archive already had, counts as a check, because such URLs may change with each visit.
//  4. The Budget holds for each hour or day of UTC, across restarts; a crash loses the use since
//     the last Keep. Only the header of the last answer is not reserved in advance. An answer
//     longer than the rest of the budget is asked for again in the next window.
//  5. Requisites of a visit are in a file before the visit is acknowledged (Keep), and until their
//     answers are durable in the archive. So they are asked for after a kill. The index of the
//     archive has the last capture of each requisite, and since when its content is the same.
//  6. Everything from a server is bounded: requisites of a page and of a style sheet
//     (extract.MaxRequisites), style sheets that import each other (mostDepth), octets of an answer
//     (MostBytes), waiting items for a server and in all. A requisite without room is named again
//     at the next visit to its page.
//  7. The Keeper leaves a server that fails alone for a minute, then twice as long each time, up to
//     six hours. A Retry-After to either holds for both requisites and pages. After mostTries
//     failures a requisite waits until its page is visited again.
//  8. Pages and answers with noarchive are not kept. Such a requisite is due again after a week;
//     one that is forbidden or has no answer, after a day. The time doubles up to longestUnkept.
//     The file remembers mostUnkept of them.
//
// # File
//
// requisites.jsonl beside the WARC files is a log of JSON lines: waiting items, finished ones, the
// use of the budget, the credit for checks, and until when servers may be asked. A torn last line
// is ignored. Open and Keep rewrite the log when most of it is out of date.
//
// Goroutines may share a Keeper.
package requisite
