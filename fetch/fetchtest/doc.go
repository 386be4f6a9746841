// Package fetchtest helps tests. It has hostile bodies and files for readers of pages, feeds and
// robots.txt, named after published crawlers' faults. It makes certificates, and runs more tests at
// once if they mostly wait. Only tests import it.
package fetchtest
