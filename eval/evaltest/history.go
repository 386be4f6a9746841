package evaltest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
)

// Gone returns a version that begins the absence of the page.
func Gone(t int64) history.Version { return history.Version{T: t, Gone: true} }

// Page returns a page with versions in order of time.
func Page(url string, versions ...history.Version) *history.Page {
	return &history.Page{URL: url, Versions: versions}
}

// Server returns a server with its pages in the order that history.NewServer requires.
func Server(name string, t0 int64, pages ...*history.Page) *history.Server {
	slices.SortStableFunc(pages, func(p, q *history.Page) int {
		return int(p.Versions[0].T - q.Versions[0].T)
	})
	return history.NewServer(name, t0, pages)
}

// JSON returns a value as indented JSON.
func JSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
