// Package filter says which pages the user does not want: pages in other languages, and unwanted
// content. Without settings there is no filter. It also selects pages of an archive for a
// corpus (selection.go).
//
// # Terms
//
//	filter    what judges pages, with a name: a Filter
//	kind      how a filter judges: languages, score, links, command
//	verdict   whether a page is rejected, a score, and why
//	judgement a verdict of a filter of a Set
//	unsure    of a ruling: a filter failed, and so the page was not judged by all
//
// # Guarantees
//
//  1. A page is rejected by the first filter of a Set, in the order of the file, that says so. What
//     is not known is no reason: a page whose language cannot be told is kept.
//  2. A filter that fails rejects nothing. That is told to Options.Warn, at most once a minute, and
//     the ruling is unsure: who visits the page asks for it without condition next time.
//  3. A page has at most MostText octets of text and MostLinks links. The expressions of a filter
//     have so few instructions that all of them take 1 << 29 steps a page at most.
//  4. A command has its time-out for a page. A command that takes longer, that ends or
//     whose answer cannot be read is killed with its process group, and begun again after a pause.
//     That doubles from a second to a minute while it fails. Answers have at most 64 KiB.
//  5. The fingerprint of a Set is that of all its settings and word lists. Whoever changes what a
//     filter of the same settings says must raise version.
//  6. A Set is for concurrent use. Close ends its commands: it closes their standard input, and
//     kills those that do not end within two seconds.
//
// # Languages
//
// The text decides where it has leastLetters letters and its language is found with a confidence of
// reliable; else <html lang>, else Content-Language if it names one language, else nothing. The
// text comes first because pages are made of templates whose lang nobody set;
// docs/reference/filters.md has how often each is right. Trigrams are those of whatlanggo, of words
// in small letters: names, numbers and program text make it sure of a wrong language. Chinese and
// Japanese are told apart here, by the share of kana: the library goes by the most frequent script,
// which in Japanese may be Han. Codes are compared by their base language: pt-BR is pt.
//
// # Score
//
// The score is the sum of the weights of the words and expressions that are found, each counted
// once. Text and words are compared in small letters and Unicode form NFKC. A word is a run of
// letters, digits and marks; words of scripts that write no blanks are found anywhere.
//
// Not done here: pages are read by package extract, and visited less often by package
// planner/crawl.
//
// Sources: BCP 47; RFC 9110 8.5 (Content-Language); Cavnar, Trenkle 1994 (trigrams); UAX 15 (NFKC).
package filter
