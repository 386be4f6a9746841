package inside

import (
	"net/url"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// Address has the parts of an address as the program reads it.
type Address struct {
	Given     string `json:"given"`
	Canonical string `json:"canonical"` // the form by which a page is known
	// without sessions and campaign marks, as in links
	Tidy   string `json:"tidy"`
	Server string `json:"server"` // scheme, host and port; servers take turns
	Robots string `json:"robots"` // the robots.txt for it
	Target string `json:"target"` // the part that robots.txt judges
	Key    string `json:"key"`    // in an index of captures
	Page   bool   `json:"page"`   // true: a link to it is followed; false: for example an image
	Trap   string `json:"trap"`   // why a link to it is not followed; "": it is
}

// ReadAddress reads an address by its canonical form. Dates far from now are traps.
func ReadAddress(given, canonical string, now time.Time) (*Address, error) {
	u, err := url.Parse(canonical)
	if err != nil {
		return nil, err
	}
	a := &Address{Given: given, Canonical: canonical, Tidy: sitegraph.Tidy(canonical),
		Server: u.Scheme + "://" + u.Host,
		Target: u.RequestURI(), Key: archive.SURT(canonical), Page: extract.IsPage(canonical)}
	a.Robots = a.Server + "/robots.txt"
	bounds := sitegraph.DefaultBounds
	if refusal := bounds.Refuse(canonical, now); refusal != sitegraph.RefusedNot {
		a.Trap = refusal.String()
	}
	return a, nil
}

// Finding describes the address.
func (a *Address) Finding() string {
	switch {
	case a.Trap != "":
		return "Links to it are not taken: " + a.Trap + "."
	case !a.Page:
		return "Links to it are not followed, because its ending is that of a file without a page."
	}
	return "A page is known as " + a.Canonical
}

// Tables returns the parts for people.
func (a *Address) Tables() []report.Table {
	return []report.Table{{Title: a.Given, Rows: [][]string{
		{"known as", a.Canonical}, {"as a link", a.Tidy}, {"server", a.Server},
		{"robots.txt", a.Robots},
		{"judged there", a.Target}, {"in an index", a.Key},
	}}}
}
