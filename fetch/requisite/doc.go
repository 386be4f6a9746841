// Package requisite keeps what pages show: style sheets and what they import, pictures, fonts,
// scripts, icons and media. It asks for each when that is due, and hands the answers to an archive.
//
// # Terms
//
//	requisite  what a page shows; it is no page, is not ranked, and brings no links
//	named      a page or style sheet that was visited shows it
//	check      a request for a requisite that the archive has already
//
// # Guarantees
//
//  1. Beside visits a requisite is asked for like a page: robots.txt, the guard, and the turns and
//     pauses of servers and addresses hold (fetch.Client.Part). Between two requisites of a server
//     lie two pauses, so that its pages have every other turn.
//  2. A requisite is asked for when a page that shows it is visited and it is due. It is due if the
//     archive has no capture of it, or if its content has been checked for so long (Due): at once
//     twice as long after each check that finds the same, between a day and two weeks for what
//     changes in place, and a week and 90 days for pictures, fonts and media. One whose address
//     names its content by a digest is kept once, one that names a version is checked after 90 days
//     (Names).
//  3. Checks take at most a tenth of the requests: one for each ten visits to pages, and up to
//     mostCredit that were saved, over restarts too (a crash forgets less than one). They are
//     conditional where the server gave a validator. A new address with a query, at a page that
//     the archive had already, counts as a check: such addresses may change with each visit.
//  4. The Budget holds for each hour or day of UTC, over restarts; a crash forgets what was read
//     since the last Keep. Of the last answer in it the header is not counted beforehand. What is
//     longer than what is left is asked for again in the next window.
//  5. What is named by a visit waits in a file before the visit is acknowledged (Keep), and leaves
//     it after its answer is durable in the archive. So after a kill it is asked for. What the file
//     has not the index of the archive has: when each requisite was last captured, and since when
//     its content is the same.
//  6. Nothing that a server sends is unbounded: requisites of a page and of a style sheet
//     (extract.MaxRequisites), style sheets that import each other (mostDepth), octets of an answer
//     (MostBytes), what waits for a server and in all. What has no room is named again by the next
//     visit to its page.
//  7. The Keeper leaves a server that fails alone for a minute, then twice as long each time, up to
//     six hours. A Retry-After counts for requisites and pages alike, whoever met it. After
//     mostTries failures a requisite waits until its page is visited again.
//  8. The archive keeps nothing of pages and answers that say noarchive. Such a requisite is due
//     again after a week; one that is forbidden or has no answer, after a day. The time doubles up
//     to longestUnkept. The file remembers mostUnkept of them.
//
// # File
//
// requisites.jsonl beside the WARC files is a log, a line of JSON each: what waits, what is done,
// what was used of the budget and may be spent on checks, and until when servers may be asked. A
// torn last line is passed over. Open and Keep write it anew, as a whole, when most of it is past.
//
// A Keeper may be used by many goroutines.
package requisite
