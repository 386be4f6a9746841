package repair

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
