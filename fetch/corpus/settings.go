package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
)

// Settings are the user's settings for a build.
type Settings struct {
	filter.SelectionOptions

	Annotate []string // program that annotates documents, with its arguments
	Unit     int      // pages of an index unit
	Garbage  float64  // share of deleted identifiers at which units are rebuilt
}

// Options configure a build.
type Options struct {
	Settings
	Archive *archive.Reader
	Filters *filter.Set // nil: none
	// Documents are the forms of documents that count as pages, in the form of Show.
	Documents extract.Forms
	Show      extract.Show
	// Annotator annotates each document, or is nil.
	Annotator Annotator
	// Progress gets the number of pages done in a stage of the build, or is nil.
	Progress func(stage string, done int)
}

// version of the code that makes documents and facts; raise it when they change.
const version = 1

// fingerprints returns the fingerprints of the settings for facts and documents, and for verdicts.
func (o *Options) fingerprints() (reading, judging string, err error) {
	sum := func(parts ...any) string {
		h := sha256.New()
		for _, part := range parts {
			text, bad := json.Marshal(part)
			if bad != nil {
				err = bad
			}
			fmt.Fprintf(h, "%s\n", text)
		}
		return hex.EncodeToString(h.Sum(nil)[:8])
	}
	reading = sum(version, o.Filters.Fingerprint(), o.Annotate, o.Documents)
	return reading, sum(o.Settings.SelectionOptions), err
}

// Result is the result of a build.
type Result struct {
	Directory  string         `json:"directory"`
	Captures   int            `json:"captures"` // new captures
	Read       int            `json:"read"`     // pages whose content was read
	Unreadable int            `json:"unreadable"`
	Gone       int            `json:"gone"`
	Judged     int            `json:"judged"`  // pages
	Written    int            `json:"written"` // documents
	Withdrawn  int            `json:"withdrawn"`
	Moved      int            `json:"moved"` // documents in rewritten containers
	Pages      int            `json:"pages"` // pages of the archive
	Selected   int            `json:"selected"`
	LeftOut    map[string]int `json:"left_out"` // pages by rule
	Containers int            `json:"containers"`
	Bytes      int64          `json:"bytes"`     // size of the documents
	Indexed    int            `json:"indexed"`   // versions with a new identifier
	Deleted    int            `json:"deleted"`   // identifiers
	Collected  int            `json:"collected"` // pages in rebuilt units
	Sets       int            `json:"sets"`      // published sets
	Notes      []string       `json:"notes"`

	// CollectionSeconds is the duration of the collection.
	CollectionSeconds float64 `json:"collection_seconds"`
}

// mostNotes limits the notes about unreadable pages.
const mostNotes = 20

func (r *Result) note(format string, args ...any) {
	if len(r.Notes) < mostNotes {
		r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
	}
}
