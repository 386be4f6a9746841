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

// Settings are those of a build that the user makes.
type Settings struct {
	filter.SelectionOptions

	Annotate []string // program that annotates documents, with its arguments
	Unit     int      // pages of a unit of the index
	Garbage  float64  // share of deleted identifiers, from which units are built anew
}

// Options are what a build works with.
type Options struct {
	Settings
	Archive *archive.Reader
	Filters *filter.Set // nil: none
	// Documents are the forms of documents that are pages, as Show shows them.
	Documents extract.Forms
	Show      extract.Show
	// Annotator is asked for each document; nil: nobody is.
	Annotator Annotator
	// Progress is told how much is done of a stage of the build; nil: nobody is.
	Progress func(stage string, done int)
}

// version is that of what documents and facts are made by; raise it where they change.
const version = 1

// fingerprints of the settings that facts and documents depend on, and of those that verdicts do.
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

// Result is what a build did.
type Result struct {
	Directory  string         `json:"directory"`
	Captures   int            `json:"captures"` // new ones
	Read       int            `json:"read"`     // pages whose content was read
	Unreadable int            `json:"unreadable"`
	Gone       int            `json:"gone"`
	Judged     int            `json:"judged"`  // pages
	Written    int            `json:"written"` // documents
	Withdrawn  int            `json:"withdrawn"`
	Moved      int            `json:"moved"` // documents whose containers were written anew
	Pages      int            `json:"pages"` // of the archive, in all
	Selected   int            `json:"selected"`
	LeftOut    map[string]int `json:"left_out"` // pages by rule
	Containers int            `json:"containers"`
	Bytes      int64          `json:"bytes"`     // of them
	Indexed    int            `json:"indexed"`   // versions that got an identifier
	Deleted    int            `json:"deleted"`   // identifiers
	Collected  int            `json:"collected"` // pages whose units were built anew
	Sets       int            `json:"sets"`      // that were published
	Notes      []string       `json:"notes"`

	// CollectionSeconds is how long that took.
	CollectionSeconds float64 `json:"collection_seconds"`
}

// mostNotes bounds what is told of pages that cannot be read.
const mostNotes = 20

func (r *Result) note(format string, args ...any) {
	if len(r.Notes) < mostNotes {
		r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
	}
}
