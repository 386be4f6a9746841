// Package fetchtest helps tests: with bodies and files that break readers of pages, feeds and
// robots.txt, by the names of their cases (the faults of published crawlers); with certificates;
// and with more tests at once where they mostly wait. Tests alone import it.
package fetchtest
