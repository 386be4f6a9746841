package present

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Bounds of the text on a terminal; --json has everything.
const (
	shownSites   = 40 // the largest, counted with the sites below
	shownOrphans = 10
	ShownTops    = 3
	shownUppers  = 2
	shownLines   = 160 // lines of members, shared by the shown sites
)

// tree prints a division.
type tree struct {
	*eval.Division
	*forest
	w       *bufio.Writer
	shown   []bool
	members int // greatest number for a site
}

// SitesText writes a division for people.
func SitesText(d *eval.Division, w io.Writer) error {
	t := &tree{Division: d, forest: newForest(d), w: bufio.NewWriter(w),
		shown: make([]bool, len(d.Result.Sites))}
	fmt.Fprintf(t.w, "%s has %s.\n", d.Result.Server, summary(d))
	for _, note := range notes(d) {
		fmt.Fprintln(t.w, note)
	}
	// A site weighs at least as much as each site below it, and comes before it. So the shown sites
	// are connected.
	largest := slices.Clone(t.order)
	slices.SortStableFunc(largest, func(a, b int) int {
		return cmp.Compare(t.weight[b], t.weight[a])
	})
	for _, i := range largest[:min(shownSites, len(largest))] {
		t.shown[i] = true
	}
	t.members = min(max(shownLines/max(1, min(shownSites, len(largest))), 3), 20)
	if len(largest) > 0 {
		fmt.Fprintln(t.w, "\n● top of a site; below it its members and the sites it is upper to")
	}
	t.list("", t.roots, true)
	if n := len(d.Result.Orphans); n > 0 {
		fmt.Fprintf(t.w, "\n○ %s, in no site\n", words.Plural(n, "orphan"))
		t.pages("", sitegraph.Site{Members: d.Partition.Orphans}, shownOrphans, false)
	}
	return t.w.Flush()
}

// list prints sites below a site, and counts those left out.
func (t *tree) list(indent string, sites []int, root bool) {
	var shown, hidden []int
	for _, i := range sites {
		if t.shown[i] {
			shown = append(shown, i)
		} else {
			hidden = append(hidden, i)
		}
	}
	for k, i := range shown {
		last := k == len(shown)-1 && len(hidden) == 0
		branch, next := "├─", "│ "
		if last {
			branch, next = "└─", "  "
		}
		if root {
			branch, next = "", ""
		}
		fmt.Fprintf(t.w, "%s%s● %s\n", indent, branch, t.describe(i))
		t.pages(indent+next, t.Partition.Sites[i], t.members, len(t.below[i]) > 0)
		t.list(indent+next, t.below[i], false)
	}
	if len(hidden) > 0 {
		branch := "└─ "
		if root {
			branch = ""
		}
		fmt.Fprintf(t.w, "%s%sand %s (--json lists all)\n",
			indent, branch, words.Plural(t.size(hidden), "more site"))
	}
}

// describe returns the line of a site: its tops, its size, its other upper sites.
func (t *tree) describe(i int) string {
	s, r := t.Partition.Sites[i], &t.Result.Sites[i]
	line := path(t.Division, s.Tops[0])
	for k, top := range s.Tops[1:] {
		if k+1 == ShownTops {
			line += fmt.Sprintf(" and %d more tops", len(s.Tops)-ShownTops)
			break
		}
		line += ", " + path(t.Division, top)
	}
	line += fmt.Sprintf("  (%s", words.Plural(len(s.Tops)+len(s.Members), "page"))
	var others []string
	for _, u := range r.Upper {
		if u != t.parent[i] {
			others = append(others, path(t.Division, t.Partition.Sites[u].Tops[0]))
		}
	}
	if len(others) > 0 {
		also := "also "
		if t.parent[i] < 0 {
			also = ""
		}
		line += "; " + also + "below " + words.Shorten(others, shownUppers, ", ")
	}
	return line + ")"
}

// pages prints the first members of a site. Members in the directory of its top are printed without
// the directory.
func (t *tree) pages(indent string, s sitegraph.Site, most int, more bool) {
	directory := ""
	if len(s.Tops) > 0 {
		if d := sitegraph.Directory(t.Source.Graph.URL(s.Tops[0])); strings.Count(d, "/") > 3 {
			directory = d
		}
	}
	for i, p := range s.Members {
		branch := "├─"
		cut := i == most && len(s.Members) > most+1
		if !more && (cut || i == len(s.Members)-1) {
			branch = "└─"
		}
		if cut {
			fmt.Fprintf(t.w, "%s%s and %d more\n", indent, branch, len(s.Members)-most)
			return
		}
		name := path(t.Division, p)
		if rest, ok := strings.CutPrefix(t.Source.Graph.URL(p), directory); ok && directory != "" &&
			rest != "" {
			name = readable(rest)
		}
		fmt.Fprintf(t.w, "%s%s %s\n", indent, branch, name)
	}
}
