package recorded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/fetch/archive/captures"
	"github.com/recrawl/recrawl/sitegraph"
)

const capturedTop = "https://h.example/"

// made writes captures as histories and reads them back.
func made(t *testing.T, all []captures.Capture) (*CapturedHistories, []*history.Server, string) {
	t.Helper()
	dir := t.TempDir()
	r := write(t, all, dir, nil)
	servers, err := history.ReadFiles(t.Context(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, servers, dir
}

func write(t *testing.T, all []captures.Capture, dir string, want error) *CapturedHistories {
	t.Helper()
	sorter, err := captures.NewSorter(filepath.Join(dir, "import.sort"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if err := sorter.Add(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	r, err := WriteCaptured(t.Context(), sorter, dir, nil)
	if !errors.Is(err, want) {
		t.Fatalf("%v, want %v", err, want)
	}
	if err := sorter.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

func told(url string, at uint32, content string) captures.Capture {
	return captures.Capture{URL: url, Time: at, Kind: captures.KindFetched, Status: 200,
		Payload: sitegraph.PayloadDigest("sha1", content)}
}

func body(url string, at uint32, content string, links ...string) captures.Capture {
	c := told(url, at, content)
	c.Digests = sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte(content)),
		Text: sitegraph.DigestOf([]byte(content)), Main: sitegraph.DigestOf([]byte("main"))}
	c.Links, c.LinksKnown, c.Size = links, true, 7
	return c
}

// TestVersions checks that versions begin where the content differs, and that pages end, return and
// move.
func TestVersions(t *testing.T) {
	a, moved := capturedTop+"a", captures.Capture{URL: capturedTop + "m", Time: 300,
		Kind: captures.KindMoved,
		To:   capturedTop + "a"}
	r, servers, dir := made(t, []captures.Capture{
		// a revisit between
		body(capturedTop, 100, "x", a, capturedTop+"m"), told(capturedTop, 200,
			"x"), body(capturedTop, 300, "y", a),
		body(a, 100, "a"), {URL: a, Time: 150, Kind: captures.KindUnchanged},
		{URL: a, Time: 200, Kind: captures.KindGone}, body(a, 300, "a"),
		body(capturedTop+"m", 100, "m"), moved,
		{URL: capturedTop + "never", Time: 100, Kind: captures.KindGone},
	})
	if r.Servers != 1 || r.Pages != 3 || r.Versions != 7 || len(r.Unlinked) != 0 ||
		len(servers) != 1 {
		t.Fatalf("%+v", r)
	}
	s := servers[0]
	if v := s.Page(capturedTop).Versions; len(v) != 2 || v[1].T != 300 || len(v[0].Links) != 2 ||
		len(v[1].Links) != 1 || v[0].Digests.Main.IsZero() || v[0].Size != 7 {
		t.Errorf("%+v", v)
	}
	if v := s.Page(a).Versions; len(v) != 3 || !v[1].Gone || v[2].Gone {
		t.Errorf("%+v", v)
	}
	if v := s.Page(capturedTop + "m").Versions; len(v) != 2 || v[1].Redirect != a {
		t.Errorf("%+v", v)
	}
	write(t, []captures.Capture{body(capturedTop, 100, "x")}, dir, fs.ErrExist)
	write(t, []captures.Capture{{URL: capturedTop, Kind: captures.KindListed}}, t.TempDir(),
		ErrNoCaptures)
}

// TestWithoutBodies checks that without bodies the top page links to all pages, even if it was
// never captured.
func TestWithoutBodies(t *testing.T) {
	for _, first := range []string{capturedTop, capturedTop + "b"} {
		r, servers, dir := made(t, []captures.Capture{told(first, 100, "x"),
			told(capturedTop+"a", 100, "a"), told(capturedTop+"a", 200, "b"), told(capturedTop+"c",
				300, "c")})
		s := servers[0]
		if p := s.Page(capturedTop); len(r.Unlinked) != 1 || p == nil || len(p.Versions) != 1 ||
			p.Versions[0].T != 100 || len(p.Versions[0].Links) < 2 {
			t.Errorf("%+v, top %+v", r, p)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}

// TestMixed checks that a page with and without bodies in its captures has versions by digests of
// one kind.
func TestMixed(t *testing.T) {
	_, servers, _ := made(t, []captures.Capture{body(capturedTop, 100, "x"),
		told(capturedTop, 200, "y"),
		body(capturedTop, 300, "y")})
	v := servers[0].Page(capturedTop).Versions
	if len(v) != 2 || v[1].T != 200 {
		t.Errorf("%+v", v)
	}
	_, servers, _ = made(t, []captures.Capture{body(capturedTop, 100, "x"),
		told(capturedTop, 200, "z"),
		body(capturedTop, 300, "y")})
	for _, v := range servers[0].Page(capturedTop).Versions {
		if !v.Digests.Text.IsZero() {
			t.Errorf("%+v", v)
		}
	}
}
