package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/bench/present"
)

func (p *program) inspectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect --data DIRECTORY",
		Short: "When the pages of a store are due, and what it takes on disk",
		Long: `inspect shows a store's records by due time, hours near its clock and days far from it, the
oldest due, and the sizes of its files. Nothing is written. The directory must not be in use:
recrawl checkpoint makes a copy while run goes on.`,
		Example: "  recrawl inspect --data crawl\n  recrawl inspect --data crawl --json | jq .due[0]",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.inspect()
		},
	}
	addSettings(cmd)
	return cmd
}

// inspectResult is what --json prints.
type inspectResult struct {
	Clock   time.Time `json:"clock"` // all that was due until then was handed out
	Pages   int       `json:"pages"`
	Records int       `json:"records"` // pages without those removed
	Oldest  *dueSpan  `json:"oldest"`  // null: nothing is due
	Due     []dueSpan `json:"due"`
	Disk    diskUse   `json:"disk"`
}

type dueSpan struct {
	Start   time.Time `json:"start"`
	Seconds int64     `json:"seconds"` // width
	Records int       `json:"records"`
	Bytes   int64     `json:"bytes"`
}

type diskUse struct {
	Bytes       int64 `json:"bytes"` // of records, index and log; without the catalogue
	Live        int64 `json:"live_bytes"`
	Garbage     int64 `json:"garbage_bytes"`
	Log         int64 `json:"log_bytes"`
	Files       int   `json:"files"`
	MemoryIndex int64 `json:"memory_index_bytes"`
}

// openStore opens the store of --data for reading.
func (p *program) openStore() (*satstore.Store, error) {
	if p.config.Data == "" {
		return nil, errNoData
	}
	return satstore.Open(p.config.Data, satstore.Options{ReadOnly: true})
}

func (p *program) inspect() error {
	store, err := p.openStore()
	if err != nil {
		return err
	}
	defer store.Close() // nothing was written
	pending, err := store.Pending()
	if err != nil {
		return err
	}
	s := store.Stats()
	r := inspectResult{Clock: s.Clock, Pages: s.Pages, Records: s.Records, Due: []dueSpan{},
		Disk: diskUse{s.DiskBytes, s.LiveBytes, s.GarbageBytes, s.LogBytes, s.Files, s.IndexBytes}}
	for _, d := range pending {
		if d.Records > 0 {
			r.Due = append(r.Due, dueSpan{d.Start, int64(d.Width / time.Second), d.Records, d.Bytes})
		}
	}
	if len(r.Due) > 0 {
		r.Oldest = &r.Due[0]
	}
	return p.publish(r, r.page(), "")
}

func (r *inspectResult) page() report.Page {
	oldest := "nothing is due"
	if r.Oldest != nil {
		oldest = inUTC(r.Oldest.Start)
	}
	about := report.Table{Title: "Store", Header: []string{"what", "value"}, Rows: [][]string{
		{"pages, removed ones too", report.Count(r.Pages)}, {"records", report.Count(r.Records)},
		{"handed out until", inUTC(r.Clock)}, {"oldest due", oldest},
		{"on disk, without the catalogue", present.Megabytes(r.Disk.Bytes)}, {"of it needed, garbage, log", present.Megabytes(r.Disk.Live) + ", " + present.Megabytes(r.Disk.Garbage) + ", " + present.Megabytes(r.Disk.Log)},
		{"files", report.Count(r.Disk.Files)}, {"index in memory", present.Megabytes(r.Disk.MemoryIndex)},
	}}
	return report.Page{Title: "recrawl: store", Sections: []report.Section{{Title: "Store", Tables: []report.Table{about, r.histogram()}}}}
}

// histogramBar is the length of the longest bar, in characters.
const histogramBar = 50

// histogram has a bar for each span of time in which records are due.
func (r *inspectResult) histogram() report.Table {
	t := report.Table{Title: "Records by due time", Header: []string{"from (UTC)", "for", "records", "bytes", ""}}
	most := 0
	for _, d := range r.Due {
		most = max(most, d.Records)
	}
	for _, d := range r.Due {
		bar := strings.Repeat("#", max(1, d.Records*histogramBar/most))
		t.Rows = append(t.Rows, []string{d.Start.UTC().Format("2006-01-02 15:04"), (time.Duration(d.Seconds) * time.Second).String(), fmt.Sprint(d.Records), present.Megabytes(d.Bytes), bar})
	}
	return t
}
