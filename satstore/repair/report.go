package repair

// Report lists what a repair kept and lost.
type Report struct {
	Data     string `json:"data"`
	To       string `json:"to"`
	Pages    int    `json:"pages"`
	Removed  int    `json:"removed"` // of the pages
	Linked   int    `json:"linked"`
	Settings int    `json:"settings"`
	// FromJournal counts additional pages that only the journal had.
	FromJournal int      `json:"from_journal"`
	Lost        Lost     `json:"lost"`
	Damage      []string `json:"damage"` // the damages that were found
	// Unknown lists parts of the catalogue that could not be read. Lost has their lost links and
	// addresses; lost settings and marks of start pages are unknown.
	Unknown []string `json:"unknown"`
	// Beside lists files in the damaged store's directory that do not belong to the store, and are
	// useful for the new one.
	Beside []string `json:"beside"`
}

// Lost counts losses of the pages named in LOST.
type Lost struct {
	Records   int `json:"records"`   // their pages begin afresh, except those without an address
	Addresses int `json:"addresses"` // these pages are removed
	Links     int `json:"links"`     // the next visit finds them again
	Visits    int `json:"visits"`    // pages whose last visits are lost: the journal has them
}

// Any reports whether anything was lost, or may be.
func (r *Report) Any() bool {
	return r.Lost != Lost{} || len(r.Unknown) > 0 || r.Pages == 0 && len(r.Damage) > 0
}
