package inspect

import (
	"fmt"
	"io"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/satstore"
)

// Checked is what the check of a whole store found.
type Checked struct {
	Pages    int      `json:"pages"`
	Records  int      `json:"records"`
	Removed  int      `json:"removed"`
	Starts   int      `json:"starts"`
	Linked   int      `json:"linked"` // pages whose links are known
	Settings int      `json:"settings"`
	Damage   []damage `json:"damage"`
}

type damage struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	What   string `json:"what"`
}

// Check makes the result of a store's report.
func Check(found satstore.Report) *Checked {
	r := &Checked{found.Pages, found.Records, found.Removed, found.Starts, found.Linked, found.Settings, []damage{}}
	for _, d := range found.Damage {
		r.Add(d.Path, d.Offset, d.Error())
	}
	return r
}

// Add takes in damage to something beside the store.
func (r *Checked) Add(path string, offset int64, what string) {
	r.Damage = append(r.Damage, damage{path, offset, what})
}

// Verdict says whether the store is whole.
func (r *Checked) Verdict() string {
	if len(r.Damage) == 0 {
		return "all is whole"
	}
	return report.Plural(len(r.Damage), "damage")
}

// Text writes a line of what there is, and one for each damage.
func (r *Checked) Text(w io.Writer) error {
	_, err := fmt.Fprintf(
		w,
		"%s, %s, %d removed; links of %d, %s: %s\n",
		report.Plural(r.Pages, "page"),
		report.Plural(r.Records, "record"),
		r.Removed,
		r.Linked,
		report.Plural(r.Settings, "setting"),
		r.Verdict(),
	)
	for _, d := range r.Damage {
		if err == nil {
			_, err = fmt.Fprintln(w, d.What)
		}
	}
	return err
}
