package sites

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/sitegraph"
)

// Methods says what the methods of sitegraph.PartitionMethods do.
const Methods = `  a          each directory is a site; its tops are its pages nearest to the start page
  b          the pages linked from other directories are tops, their members are the pages of
             their directory that they link to; pages in no site are reported as orphans
  b-closure  as b, members of members included
  c          the sites of b; a site is visited only where an upper site, one with a page that
             links to its top, has changed
  c-closure  the sites of b-closure, visited as in c
  server     the whole server is one site
  prefix     the deepest paths, up to a slash, that have enough pages; small directories belong
             to the one above
  shape      addresses that look alike, as /#/#/*.html: numbers folded, names starred; rare
             shapes are generalised until they have enough pages
  community  groups of pages that link to each other more than to others, wherever they are

Enough is about the square root of the server's pages. The last four do not need directories that
are sites; each of their sites has one top, besides the start pages and their frames.`

// summary is one line on the partition.
func (d *Division) summary() string {
	r := &d.Result
	s := fmt.Sprintf("%s in %s by method %s", report.Plural(r.Pages, "page"), report.Plural(len(r.Sites), "site"), r.Method)
	if len(r.Orphans) > 0 {
		s += ", " + report.Plural(len(r.Orphans), "orphan")
	}
	return s + ", " + d.source.State
}

// notes are what a reader of the partition should know.
func (d *Division) notes() []string {
	var notes []string
	if d.Result.Pages == 0 {
		notes = append(notes, "No page of this server has a copy yet.")
	}
	if d.source.Apart > 0 {
		notes = append(notes, fmt.Sprintf("Left out: %s not reached by links from the top page within %d steps.", report.Plural(d.source.Apart, "page"), sitegraph.MaxDepth-1))
	}
	times := map[sitegraph.PageID]int{}
	shared := 0
	for _, s := range d.partition.Sites {
		for _, p := range slices.Concat(s.Tops, s.Members) {
			if times[p]++; times[p] == 2 {
				shared++
			}
		}
	}
	if shared > 0 {
		notes = append(notes, fmt.Sprintf("Sites overlap: %s in two sites or more.", report.Plural(shared, "page")))
	}
	if n := newForest(d).aloof; n > 0 && (d.Result.Method == "c" || d.Result.Method == "c-closure") {
		notes = append(notes, fmt.Sprintf("Never looked at by method %s: %s to which no upper site leads from the start page.", d.Result.Method, report.Plural(n, "site")))
	}
	return notes
}
