package history

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestRoundTrip checks guarantee 2: a written history is read back equal. A failing case prints its
// seed.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		s := randomServer(rand.New(rand.NewPCG(seed, 1)))
		var b, again bytes.Buffer
		if err := Write(&b, s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := Write(&again, s); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Fatalf("seed %d: written twice differs, %v", seed, err)
		}
		got, err := Read(&b, "f")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !reflect.DeepEqual(got, s) {
			t.Fatalf("seed %d: got %+v, want %+v", seed, got, s)
		}
	}
}

func randomServer(r *rand.Rand) *Server {
	urls := []string{"", "a", "b/", "c?x=1&y=<z>", "\u00fc", "q\"uote", "back\\slash", "d\x01",
		"e\u2028", "f"}
	address := func() string { return "http://h:80/" + urls[r.IntN(len(urls))] }
	list := func() []string {
		var l []string
		for range r.IntN(4) {
			l = append(l, address())
		}
		return l
	}
	some := func() sitegraph.Digest { return sitegraph.DigestOf([]byte{byte(r.IntN(3))}) }
	var pages []*Page
	t := int64(r.IntN(100))
	first := t
	for i := range 1 + r.IntN(len(urls)-1) {
		p := &Page{URL: "http://h:80/" + urls[i]}
		now := t
		for range 1 + r.IntN(5) {
			v := Version{T: now}
			switch r.IntN(5) {
			case 0:
				v.Gone = true
			case 1:
				v.Redirect = address()
			default:
				v.Digests.Bytes, v.Size = some(), int64(r.IntN(3))
				if r.IntN(2) == 0 {
					v.Digests.Text, v.Digests.Main = some(), some()
				}
				if v.LinksKnown = r.IntN(3) > 0; v.LinksKnown {
					v.Links = list()
				}
				if v.FramesKnown = r.IntN(3) > 0; v.FramesKnown {
					v.Frames = list()
				}
			}
			p.Versions = append(p.Versions, v)
			now += int64(r.IntN(3))
		}
		pages = append(pages, p)
		t += int64(r.IntN(2))
	}
	return NewServer("h:80", first, pages)
}

// TestWriteRefuses checks that a history that could not be read back equal is not written.
func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	good := Version{T: 1, Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf(nil)}}
	at := func(t int64) Version { v := good; v.T = t; return v }
	page := func(url string, v ...Version) *Page { return &Page{URL: url, Versions: v} }
	var long []string
	for i := range 1 << 20 {
		long = append(long, fmt.Sprintf("http://h/%020d", i))
	}
	for name, c := range map[string]struct {
		pages []*Page
		want  string
	}{
		"no pages":       {nil, "no pages"},
		"no versions":    {[]*Page{page("http://h/")}, "no versions"},
		"another server": {[]*Page{page("http://g/", good)}, "another server"},
		"twice": {[]*Page{page("http://h/", good), page("http://h/", good)},
			"there twice"},
		"not first": {[]*Page{page("http://h/", at(2))}, "out of order"},
		"pages order": {[]*Page{page("http://h/", good), page("http://h/a", at(3)),
			page("http://h/b", at(2))}, "out of order"},
		"versions order": {[]*Page{page("http://h/", good, at(3), at(2))}, "out of order"},
		"no digest":      {[]*Page{page("http://h/", Version{T: 1})}, "without digest"},
		"gone with size": {[]*Page{page("http://h/", Version{T: 1, Gone: true, Size: 1})},
			"no page and has a content"},
		"gone, moved": {[]*Page{page("http://h/", Version{T: 1, Gone: true, Redirect: "x"})},
			"both gone"},
		"unknown links": {[]*Page{page("http://h/",
			Version{T: 1, Digests: good.Digests, Links: []string{"x"}})}, "not known"},
		"bad utf-8": {[]*Page{page("http://h/\xff", good)}, "UTF-8"},
		"line too long": {[]*Page{page("http://h/",
			Version{T: 1, Digests: good.Digests, Links: long, LinksKnown: true})}, "longer than"},
	} {
		err := Write(&bytes.Buffer{}, NewServer("h", 1, c.pages))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := Write(full{}, NewServer("h", 1, []*Page{page("http://h/", good)})); err == nil {
		t.Error("a full disk is no error")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }
