// Package simtest has helpers for tests of planner and of the policies: a World whose pages change
// by its seed, a Lettered corpus in which each page is a letter, and Claimed, a corpus with a
// sitemap. Only tests import it.
package simtest
