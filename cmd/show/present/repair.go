package present

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/recrawl/recrawl/satstore/repair"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// mostDamage bounds the damage that is named.
const mostDamage = 20

// RepairText writes what was kept and what was lost.
func RepairText(r *repair.Report, w io.Writer) error {
	fmt.Fprintf(w, "%s has %s, %d of them removed; links of %d, %s.\n", r.To,
		words.Plural(r.Pages, "page"), r.Removed, r.Linked,
		words.Plural(r.Settings, "setting"))
	if r.FromJournal > 0 {
		fmt.Fprintf(w, "%s of them were found in the journal alone.\n",
			words.Plural(r.FromJournal, "page"))
	}
	if !r.Any() {
		fmt.Fprintln(w, "Nothing was lost.")
	} else if r.Pages == 0 {
		fmt.Fprintln(w, "No page could be read.")
	} else {
		fmt.Fprintf(w, "Lost: %s, the last visits of %s, %s, %s.\n",
			words.Plural(r.Lost.Records, "record"), words.Plural(r.Lost.Visits, "page"),
			words.Plural(r.Lost.Links, "links list"),
			fmt.Sprintf("%d addresses", r.Lost.Addresses))
	}
	if r.Lost != (repair.Lost{}) {
		fmt.Fprintf(w, "%s names these pages.\n", filepath.Join(r.To, repair.LostName))
	}
	for _, list := range []struct {
		head  string
		lines []string
	}{{"damage: ", r.Damage}, {"not read: ", r.Unknown}} {
		for i, line := range list.lines {
			if i == mostDamage {
				fmt.Fprintf(w, "... and %d more\n", len(list.lines)-i)
				break
			}
			fmt.Fprintln(w, list.head+line)
		}
	}
	if len(r.Beside) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "Before you run with --data %s, move into it: %s.\n", r.To,
		strings.Join(r.Beside, ", "))
	return err
}
