package present

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Checked is the result of the check of a whole store.
type Checked struct {
	Pages    int      `json:"pages"`
	Records  int      `json:"records"`
	Removed  int      `json:"removed"`
	Starts   int      `json:"starts"`
	Linked   int      `json:"linked"` // pages whose links are known
	Settings int      `json:"settings"`
	Set      *Set     `json:"set"` // set of addresses; nil: none
	Damage   []damage `json:"damage"`
	Warnings []string `json:"warnings"` // on what is undamaged but looks wrong
	alone    bool     // there is no store, and only the set was verified
}

// Set is the exact set of seen addresses.
type Set struct {
	Fingerprints uint64 `json:"fingerprints"`
	Runs         int    `json:"runs"`
	Pages        uint64 `json:"pages"` // pages of the store that the set has; 0 for a set without a store
}

type damage struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	What   string `json:"what"`
}

// Check makes the result from the report of a store.
func Check(found satstore.Report) *Checked {
	r := &Checked{
		Pages: found.Pages, Records: found.Records, Removed: found.Removed, Starts: found.Starts,
		Linked: found.Linked, Settings: found.Settings, Damage: []damage{}, Warnings: []string{},
	}
	for _, what := range found.Ahead {
		r.Warnings = append(r.Warnings, what+": a crash cut its commit short, or the log was cut "+
			"behind it; the next run goes on without it")
	}
	r.behind(found.Behind)
	for _, d := range found.Damage {
		r.Add(d.Path, d.Offset, d.Error())
	}
	return r
}

// CheckAlone makes the result of the check of a set without a store.
func CheckAlone() *Checked {
	return &Checked{Damage: []damage{}, Warnings: []string{}, alone: true}
}

// Add adds damage to a file beside the store.
func (r *Checked) Add(path string, offset int64, what string) {
	r.Damage = append(r.Damage, damage{path, offset, what})
}

// behind warns of visits in the journal that the store lacks. The journal gets a line after the
// commit of its visit. So the log of the store was cut, which does not always differ from a torn
// end, or an older copy replaced it.
func (r *Checked) behind(visits map[string]time.Time) {
	if len(visits) == 0 {
		return
	}
	first := ""
	for url, t := range visits {
		if d := t.Compare(visits[first]); first == "" || d < 0 || d == 0 && url < first {
			first = url
		}
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf(
		"the journal has later visits of %s than the store, the first of them of %s at %s: the "+
			"store is older than its journal, and these visits are lost",
		words.Plural(len(visits), "page"), first, visits[first].UTC().Format(time.RFC3339)))
}

// Verdict says whether the store is whole.
func (r *Checked) Verdict() string {
	if len(r.Damage) == 0 {
		return "all is whole"
	}
	return words.Plural(len(r.Damage), "damage")
}

// finding says in a sentence whether everything is whole.
func (r *Checked) finding() string {
	what := "the store"
	switch {
	case r.alone:
		what = "the set of addresses"
	case r.Set != nil:
		what = "the store and its set of addresses"
	}
	if len(r.Damage) > 0 {
		return fmt.Sprintf("%s found in %s.", r.Verdict(), what)
	}
	return fmt.Sprintf("Every byte of %s was read, and %s.", what, r.Verdict())
}

// Text writes a sentence with the result, a line on the pages, a line on the set of addresses, and
// a line for each damage.
func (r *Checked) Text(w io.Writer) error {
	lines := []string{r.finding()}
	if !r.alone {
		lines = append(lines, fmt.Sprintf("%s, %s, %d removed; links of %d, %s",
			words.Plural(r.Pages, "page"), words.Plural(r.Records, "record"), r.Removed, r.Linked,
			words.Plural(r.Settings, "setting")))
	}
	if s := r.Set; s != nil {
		line := fmt.Sprintf("addresses seen: %s in %s",
			words.Plural(int(s.Fingerprints), "fingerprint"), words.Plural(s.Runs, "run"))
		if !r.alone {
			line += fmt.Sprintf(", of the first %s", words.Plural(int(s.Pages), "page"))
		}
		lines = append(lines, line)
	}
	for _, d := range r.Damage {
		lines = append(lines, d.What)
	}
	for _, w := range r.Warnings {
		lines = append(lines, "warning: "+w)
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}
