package repair

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/recrawl/recrawl/internal/words"
)

// Report is what a repair kept and lost.
type Report struct {
	Data     string `json:"data"`
	To       string `json:"to"`
	Pages    int    `json:"pages"`
	Removed  int    `json:"removed"` // of the pages
	Linked   int    `json:"linked"`
	Settings int    `json:"settings"`
	// FromJournal are pages, beside those, that were known to the journal alone.
	FromJournal int      `json:"from_journal"`
	Lost        Lost     `json:"lost"`
	Damage      []string `json:"damage"` // as far as it was found
	// Unknown are parts of the catalogue that could not be read. What was lost with them of links
	// and addresses is in Lost; of settings and marks of start pages it is not known.
	Unknown []string `json:"unknown"`
	// Beside is what lies in the damaged store's directory, is not of the store, and is of use to
	// the new one.
	Beside []string `json:"beside"`
}

// Lost counts what was lost, of pages that LOST names.
type Lost struct {
	Records   int `json:"records"`   // their pages begin afresh, but for those without an address
	Addresses int `json:"addresses"` // these pages are removed
	Links     int `json:"links"`     // the next visit finds them again
	Visits    int `json:"visits"`    // the last ones of so many pages: the journal has them
}

// Any reports whether anything was lost, or may be.
func (r *Report) Any() bool {
	return r.Lost != Lost{} || len(r.Unknown) > 0 || r.Pages == 0 && len(r.Damage) > 0
}

// mostLines bounds the damage that Text names.
const mostLines = 20

// Text writes what was kept, and what was lost.
func (r *Report) Text(w io.Writer) error {
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
	if r.Lost != (Lost{}) {
		fmt.Fprintf(w, "%s names these pages.\n", filepath.Join(r.To, LostName))
	}
	for _, list := range []struct {
		head  string
		lines []string
	}{{"damage: ", r.Damage}, {"not read: ", r.Unknown}} {
		for i, line := range list.lines {
			if i == mostLines {
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
