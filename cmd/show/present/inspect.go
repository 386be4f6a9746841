package present

import (
	"fmt"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Inspected is the state of a store.
type Inspected struct {
	Clock   time.Time `json:"clock"` // everything due until then was handed out
	Pages   int       `json:"pages"`
	Records int       `json:"records"` // pages without the removed ones
	Oldest  *dueSpan  `json:"oldest"`  // null: nothing is due
	Due     []dueSpan `json:"due"`
	Disk    diskUse   `json:"disk"`
}

// dueSpan counts the records that are due within a time.
type dueSpan struct {
	Start   time.Time `json:"start"`
	Seconds int64     `json:"seconds"` // width
	Records int       `json:"records"`
	Bytes   int64     `json:"bytes"`
}

type diskUse struct {
	Bytes       int64 `json:"bytes"` // of records, index and log, without the catalogue
	Live        int64 `json:"live_bytes"`
	Garbage     int64 `json:"garbage_bytes"`
	Log         int64 `json:"log_bytes"`
	Files       int   `json:"files"`
	MemoryIndex int64 `json:"memory_index_bytes"`
}

// Inspect reads the state of a store.
func Inspect(store *satstore.Store) (*Inspected, error) {
	pending, err := store.Pending()
	if err != nil {
		return nil, err
	}
	s := store.Stats()
	r := &Inspected{
		Clock:   s.Clock,
		Pages:   s.Pages,
		Records: s.Records,
		Due:     []dueSpan{},
		Disk: diskUse{
			Bytes:       s.DiskBytes,
			Live:        s.LiveBytes,
			Garbage:     s.GarbageBytes,
			Log:         s.LogBytes,
			Files:       s.Files,
			MemoryIndex: s.IndexBytes,
		},
	}
	for _, d := range pending {
		if d.Records > 0 {
			r.Due = append(
				r.Due,
				dueSpan{d.Start, int64(d.Width / time.Second), d.Records, d.Bytes},
			)
		}
	}
	if len(r.Due) > 0 {
		r.Oldest = &r.Due[0]
	}
	return r, nil
}

// Page returns the state for people.
func (r *Inspected) Page() report.Page {
	return report.Page{Title: "recrawl: store", Finding: r.finding(), Sections: []report.Section{
		{Title: "Store", Tables: []report.Table{r.sizes(), r.histogram()}},
	}}
}

func (r *Inspected) finding() string {
	if r.Oldest == nil {
		return fmt.Sprintf("%s are known, and none is due.", words.Plural(r.Pages, "page"))
	}
	return fmt.Sprintf("%s are known; the oldest visit is due at %s.",
		words.Plural(r.Pages, "page"), words.UTC(r.Oldest.Start))
}

func (r *Inspected) sizes() report.Table {
	oldest := "nothing is due"
	if r.Oldest != nil {
		oldest = words.UTC(r.Oldest.Start)
	}
	d := r.Disk
	parts := []string{words.Megabytes(d.Live), words.Megabytes(d.Garbage),
		words.Megabytes(d.Log)}
	return report.Table{Title: "Store", Header: []string{"what", "value"}, Rows: [][]string{
		{"pages, also removed ones", words.Count(r.Pages)},
		{"records", words.Count(r.Records)},
		{"handed out until", words.UTC(r.Clock)},
		{"oldest due", oldest},
		{"on disk, without the catalogue", words.Megabytes(d.Bytes)},
		{"of these needed, garbage, log", strings.Join(parts, ", ")},
		{"files", words.Count(d.Files)},
		{"index in memory", words.Megabytes(d.MemoryIndex)},
	}}
}

// longestBar is the length of the longest bar, in characters.
const longestBar = 50

// histogram returns a bar for each span of time in which records are due.
func (r *Inspected) histogram() report.Table {
	t := report.Table{
		Title:  "Records by due time",
		Header: []string{"from (UTC)", "for", "records", "bytes", ""},
	}
	most := 0
	for _, d := range r.Due {
		most = max(most, d.Records)
	}
	for _, d := range r.Due {
		t.Rows = append(t.Rows, []string{
			d.Start.UTC().Format("2006-01-02 15:04"),
			words.Span(time.Duration(d.Seconds) * time.Second),
			fmt.Sprint(d.Records),
			words.Megabytes(d.Bytes),
			strings.Repeat("#", max(1, d.Records*longestBar/most)),
		})
	}
	return t
}
