// Package simtest has what the tests of planner and of the policies share: a World whose pages
// change as its seed says, a Lettered corpus in which each page is a letter, and Claimed, a corpus
// with a sitemap. Tests alone import it.
package simtest
