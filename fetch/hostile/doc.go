// Package hostile holds bodies that break readers of pages, feeds and robots.txt: the faults of
// published crawlers, by the names of their cases. Tests alone import it.
package hostile
