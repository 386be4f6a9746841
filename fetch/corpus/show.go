package corpus

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/sitegraph"
)

// Page is the state of a page in the corpus, and its reason.
type Page struct {
	URL      string                `json:"url"`
	Selected bool                  `json:"selected"`
	Rule     filter.SelectionRule  `json:"rule,omitempty"` // rule that leaves it out
	Why      string                `json:"why,omitempty"`
	Facts    filter.SelectionFacts `json:"facts"`
	Outside  bool                  `json:"linked_from_outside"`
	Changed  time.Time             `json:"changed"`
	Verified time.Time             `json:"verified"`
	File     string                `json:"file"` // place of the capture
	Offset   int64                 `json:"offset"`
	Document *Document             `json:"document,omitempty"`

	XML []byte `json:"-"` // the document in the standard format; empty if left out
}

// UnknownError is returned for a page that the corpus does not have.
type UnknownError struct{ URL string }

func (e *UnknownError) Error() string { return "the archive has no page at " + e.URL }

// Hint returns what to do.
func (e *UnknownError) Hint() string {
	return "corpus build adds the pages of the archive; a page that is gone or was removed is " +
		"not there"
}

// Find looks up a page by its URL, or by its identifier in the index.
func (c *Corpus) Find(text string) (*Page, error) {
	if id, err := strconv.ParseUint(text, 10, 64); err == nil {
		url, err := c.Identified(id)
		if err == nil && url == "" {
			err = &UnknownError{"identifier " + text}
		}
		if err != nil {
			return nil, err
		}
		return c.Page(url)
	}
	url, err := sitegraph.Canonical(text)
	if err != nil {
		return nil, err
	}
	return c.Page(url)
}

// Page looks up a page by its canonical URL.
func (c *Corpus) Page(url string) (*Page, error) {
	r, err := loadRow(c.db, url)
	if err == nil && (r == nil || r.Gone) {
		err = &UnknownError{url}
	}
	if err != nil {
		return nil, err
	}
	p := &Page{URL: url, Selected: r.Judged && r.Verdict.Rule == "", Rule: r.Verdict.Rule,
		Why: r.Verdict.Why, Facts: r.Facts,
		Changed: r.Changed, Verified: r.Verified, File: r.Last.File, Offset: r.Last.Offset}
	if p.Outside, err = outside(c.db, url); err != nil || r.Document == nil {
		return p, err
	}
	paths := c.containerPaths(r.Document.Container)
	if p.XML, err = ReadContainer(c.fs, paths[0], r.Document.XML); err != nil {
		return nil, err
	}
	p.Document, err = ParseXML(p.XML)
	return p, err
}

// Identified returns the URL of an identifier in the index, or "".
func (c *Corpus) Identified(id uint64) (string, error) {
	url, err := get(c.db, identifierKey(id))
	return string(url), err
}

// Summary counts the content of a corpus.
type Summary struct {
	Directory string         `json:"directory"`
	Pages     int            `json:"pages"`
	Selected  int            `json:"selected"`
	LeftOut   map[string]int `json:"left_out"` // pages by rule
	Blogs     int            `json:"blogs"`    // of the selected pages
	Languages map[string]int `json:"languages"`
	Domains   []Domain       `json:"domains"` // [NICT table 2], the largest first
	Largest   Server         `json:"largest"`
}

// Domain is a top-level domain.
type Domain struct {
	Name    string `json:"name"`
	Servers int    `json:"servers"`
	Pages   int    `json:"pages"`
}

// Server is the one with the most pages.
type Server struct {
	Name  string `json:"name"`
	Pages int    `json:"pages"`
}

// Summary counts the pages.
func (c *Corpus) Summary() (*Summary, error) {
	s := &Summary{Directory: c.dir, LeftOut: map[string]int{}, Languages: map[string]int{},
		Domains: []Domain{}}
	domains, here := map[string]*Domain{}, Server{}
	err := each(c.db, []byte{keyRow}, func(url string, value []byte) (bool, error) {
		var r row
		if err := json.Unmarshal(value, &r); err != nil {
			return false, err
		}
		if !r.Judged {
			return true, nil
		}
		s.Pages++
		if r.Verdict.Rule != "" {
			s.LeftOut[string(r.Verdict.Rule)]++
			return true, nil
		}
		s.Selected++
		s.Languages[cmp.Or(r.Facts.Language, "unknown")]++
		if r.Facts.Blog {
			s.Blogs++
		}
		server := sitegraph.ServerName(url)
		name := topLevel(server)
		d := domains[name]
		if d == nil {
			d = &Domain{Name: name}
			domains[name] = d
		}
		if server != here.Name { // pages of a server are adjacent, except for its schemes
			d.Servers++
			here = Server{Name: server}
		}
		d.Pages++
		if here.Pages++; here.Pages > s.Largest.Pages {
			s.Largest = here
		}
		return true, nil
	})
	for _, d := range domains {
		s.Domains = append(s.Domains, *d)
	}
	slices.SortFunc(s.Domains, func(a, b Domain) int {
		return cmp.Or(b.Pages-a.Pages, strings.Compare(a.Name, b.Name))
	})
	return s, err
}

// topLevel returns the last part of a host's name.
func topLevel(server string) string {
	host, _, _ := strings.Cut(server, ":")
	return host[strings.LastIndexByte(host, '.')+1:]
}
