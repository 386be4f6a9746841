package present

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// summary returns a line on the partition.
func summary(d *eval.Division) string {
	r := &d.Result
	s := fmt.Sprintf("%s in %s by method %s",
		words.Plural(r.Pages, "page"), words.Plural(len(r.Sites), "site"), r.Method)
	if len(r.Orphans) > 0 {
		s += ", " + words.Plural(len(r.Orphans), "orphan")
	}
	return s + ", " + d.Source.State
}

// notes returns what a reader of the partition should know.
func notes(d *eval.Division) []string {
	var notes []string
	if d.Result.Pages == 0 {
		notes = append(notes, "No page of this server has a copy yet.")
	}
	switch d.Source.InUse {
	case "":
	case d.Result.Method:
		notes = append(notes, "In use: run divides it by this method.")
	default:
		notes = append(notes, fmt.Sprintf("In use: run divides it by method %s.", d.Source.InUse))
	}
	if d.Source.Apart > 0 {
		notes = append(notes, fmt.Sprintf("Left out: %s not reached by links from the top page "+
			"within %d steps.", words.Plural(d.Source.Apart, "page"), sitegraph.MaxDepth-1))
	}
	times := map[sitegraph.PageID]int{}
	shared := 0
	for _, s := range d.Partition.Sites {
		for _, p := range slices.Concat(s.Tops, s.Members) {
			if times[p]++; times[p] == 2 {
				shared++
			}
		}
	}
	if shared > 0 {
		notes = append(notes, fmt.Sprintf("Sites overlap: %s in two sites or more.",
			words.Plural(shared, "page")))
	}
	if n := newForest(d).aloof; n > 0 &&
		(d.Result.Method == "c" || d.Result.Method == "c-closure") {
		notes = append(notes, fmt.Sprintf("Never looked at by method %s: %s to which no upper "+
			"site leads from the start page.", d.Result.Method, words.Plural(n, "site")))
	}
	return notes
}
