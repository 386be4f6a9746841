package recorded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Histories reads the visits to each page from the journal, and the present links of the pages from
// the store. torn counts the unreadable lines of the journal.
func Histories(data string, tell directory.Func) (servers []*history.Server, torn int, err error) {
	store, err := satstore.Open(data, satstore.Options{ReadOnly: true, Progress: tell})
	if err != nil {
		return nil, 0, err
	}
	defer store.Close() // nothing was written
	graph, sources := sitegraph.NewGraph(), map[string]bool{}
	err = store.Restore(graph, func(r *sitegraph.Record) {
		if r.State == sitegraph.StateSource {
			sources[r.URL] = true
		}
	})
	if err != nil {
		return nil, 0, err
	}
	b := history.NewBuilder()
	torn, err = journal.Read(filepath.Join(data, "journal"), tell, func(e *journal.Entry) {
		if v, ok := versionOf(e); ok && !sources[e.URL] {
			b.See(e.URL, v)
		}
	})
	if err != nil {
		return nil, torn, err
	}
	for page := range sitegraph.PageID(graph.Pages()) {
		b.Link(graph.URL(page), urlsOf(graph, graph.Links(page)), urlsOf(graph, graph.Frames(page)))
	}
	return b.Servers(), torn, nil
}

// Export is the result of WriteHistories.
type Export struct {
	Servers  int `json:"servers"`
	Pages    int `json:"pages"`
	Versions int `json:"versions"`
	Torn     int `json:"torn"` // lines of the journal that a crash tore

	Dir string `json:"-"` // directory of the histories
}

// ErrNoVisits is returned for a journal without pages.
var ErrNoVisits = words.Hint(errors.New("no page in the journal"),
	"let run visit its pages first", words.ExitMisuse)

// WriteHistories writes the histories of a data directory into another one, which it makes if
// necessary. It fails with ErrNoVisits if there are none, and replaces no file.
func WriteHistories(
	data, dir string, tell directory.Func,
) (*Export, error) {
	servers, torn, err := Histories(data, tell)
	if err != nil {
		return nil, err
	}
	if len(servers) == 0 {
		return nil, fmt.Errorf("%w of %s", ErrNoVisits, data)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("directory of the histories: %w", err)
	}
	e := &Export{Servers: len(servers), Torn: torn, Dir: dir}
	for i, s := range servers {
		if err := tell.Report("histories", i, len(servers)); err != nil {
			return nil, err
		}
		if _, err := history.Save(dir, s); err != nil {
			return nil, err
		}
		e.Pages += len(s.Pages)
		e.Versions += s.Versions()
	}
	return e, nil
}

// versionOf returns the version that a visit saw, or false if it saw none.
func versionOf(e *journal.Entry) (v history.Version, ok bool) {
	v.T = e.Time.Unix()
	switch e.Verdict {
	case sitegraph.VerdictFirst.String(), sitegraph.VerdictChanged.String():
		v.Digests = sitegraph.Digests{Bytes: digest(e.Digest), Text: digest(e.Text),
			Main: digest(e.Main)}
		v.Size = e.Bytes
		return v, !v.Digests.Bytes.IsZero()
	case sitegraph.VerdictLeft.String():
		if v.Redirect = e.Redirect; v.Redirect == "" {
			v.Gone = true
		}
		return v, true
	}
	return v, false
}

// digest reads a digest of the journal, or returns zero.
func digest(text string) sitegraph.Digest {
	d, _ := sitegraph.ParseDigest(text) // an unreadable one is unknown
	return d
}

func urlsOf(g *sitegraph.Graph, pages []sitegraph.PageID) (urls []string) {
	for _, p := range pages {
		urls = append(urls, g.URL(p))
	}
	return urls
}
