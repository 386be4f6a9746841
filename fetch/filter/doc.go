// Package filter rejects pages that the user does not want: in other languages, or with unwanted
// content. Without settings there is no filter. It also selects pages of an archive for a corpus
// (selection.go).
//
// # Terms
//
//	filter    a Filter with a name; it judges pages
//	kind      how a filter judges: languages, score, links, command
//	verdict   whether a page is rejected, with a score and a reason
//	judgement a verdict of a filter of a Set
//	unsure    of a ruling: a filter failed, so that not all filters judged the page
//
// # Guarantees
//
//  1. The first filter of a Set that rejects a page decides, in the order of the file. Missing
//     evidence is no reason: a page in an unknown language is kept.
//  2. A filter that fails rejects nothing. Options.Warn gets the error, at most once a minute, and
//     the ruling is unsure: the next visit to the page is unconditional.
//  3. A page has at most MostText octets of text and MostLinks links. The expressions of a filter
//     are small enough to take at most 1 << 29 steps a page.
//  4. A command has a time-out for a page. If it takes longer, ends or gives an unreadable answer,
//     its process group is killed. It starts again after a pause, which doubles from a second to a
//     minute while it fails. Answers have at most 64 KiB.
//  5. The fingerprint of a Set covers all its settings and word lists. Raise version if verdicts
//     change with the same settings.
//  6. Goroutines may share a Set. Close ends its commands: it closes their standard input, and
//     kills those that do not end within two seconds.
//
// # Languages
//
// The text decides if it has leastLetters letters and the confidence is at least reliable.
// Otherwise <html lang> decides, or Content-Language if it names one language. The text comes first
// because nobody sets the lang of many templates; docs/reference/filters.md shows how often each is
// right. whatlanggo gets only words in lower case, because names, numbers and program text make it
// sure of a wrong language. The share of kana distinguishes Chinese from Japanese: the library uses
// the most frequent script, which in Japanese may be Han. Codes are compared by their base
// language: pt-BR is pt.
//
// # Score
//
// The score is the sum of the weights of the words and expressions in a page, each counted once.
// Text and words are compared in lower case and Unicode form NFKC. A word is a run of letters,
// digits and marks; words of scripts that write no blanks are found anywhere.
//
// Package extract reads pages, and package planner/crawl visits rejected ones less often.
//
// Sources: BCP 47; RFC 9110 8.5 (Content-Language); Cavnar, Trenkle 1994 (trigrams); UAX 15 (NFKC).
package filter
