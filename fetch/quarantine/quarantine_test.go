package quarantine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/extract"
)

// TestMain makes the test binary a reading process if its first argument names a parser.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if read := ways[os.Args[1]]; read != nil {
			if err := Serve(os.Stdin, os.Stdout, read); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

var eaten [][]byte

// ways are parsers for tests.
var ways = map[string]func(context.Context, fetch.Reading) (fetch.Content, error){
	"well":     fetch.Read,
	"measured": measured,
	"eats memory": func(context.Context, fetch.Reading) (fetch.Content, error) {
		for {
			eaten = append(eaten, bytes.Repeat([]byte("x"), 1<<20))
		}
	},
	"takes for ever": func(context.Context, fetch.Reading) (fetch.Content, error) { select {} },
	"ends": func(context.Context, fetch.Reading) (fetch.Content, error) {
		os.Exit(7)
		panic("unreachable")
	},
	"says much and ends": func(context.Context, fetch.Reading) (fetch.Content, error) {
		fmt.Fprint(os.Stderr, strings.Repeat("x", 1<<20))
		os.Exit(7)
		panic("unreachable")
	},
	"fails": func(context.Context, fetch.Reading) (fetch.Content, error) {
		return fetch.Content{}, fmt.Errorf("no such page")
	},
}

const url = "http://a.example/page"

// suspecting returns a register with urls as suspects, as after a death of the process.
func suspecting(t *testing.T, urls ...string) (r *Register, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "underway")
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		r.Begin(url)
	}
	return again(t, r, path), path
}

// again closes a register without ending its visits, and opens it.
func again(t *testing.T, r *Register, path string) *Register {
	t.Helper()
	r.Close()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func reader(t *testing.T, way string, r *Register) *Reader {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	reader := NewReader(self, way)
	reader.Register = r
	return reader
}

// TestReadApart checks that reading apart gives the same result, and ends the suspicion.
func TestReadApart(t *testing.T) {
	set, err := extract.ParseRules("rules.yaml",
		[]byte("rules: [{prefix: '*', ignore: nav, ignore-text: x, json: {ignore: $.a}}]"))
	if err != nil {
		t.Fatal(err)
	}
	for name, reading := range map[string]fetch.Reading{
		"page with a rule": {ContentType: "text/html", Page: extract.Options{Rule: set.For(url)},
			Body: []byte(`<nav>n</nav><p>xy`)},
		"JSON with a rule": {ContentType: "application/json",
			Page: extract.Options{Rule: set.For(url)}, Body: []byte(`{"a": 1, "b": 2}`)},
		"page": {ContentType: "text/html",
			Page: extract.Options{Agent: "test", RobotsTags: []string{"noindex"}, Main: true},
			Body: []byte(
				`<title>x</title><nav>n</nav><a href=a>a<frame src=b><link rel=canonical href=c>`)},
		"empty page": {},
		"sitemap": {Source: true, ContentType: "text/xml",
			Body: []byte(
				`<urlset><url><loc>http://a.example/x</loc><lastmod>2024-01-01T10:00:00+02:00</lastmod></url><url><loc>/y`)},
		"no source": {Source: true, Body: []byte("x")},
	} {
		reading.URL = url
		want, err := fetch.Read(t.Context(), reading)
		if err != nil {
			t.Fatal(err)
		}
		register, path := suspecting(t, url)
		got, err := reader(t, "well", register).Read(t.Context(), reading)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: apart %+v, %v; here %+v", name, got, err, want)
		}
		if n := again(t, register, path).Suspects(); n != 0 {
			t.Errorf("%s: still %d suspects", name, n)
		}
	}
}

// TestReadApartDies checks that the death of a reading process is an error of that reading alone,
// and that the page stays a suspect.
func TestReadApartDies(t *testing.T) {
	for _, c := range []struct{ way, want string }{
		{"eats memory", "reading the body takes more than 256 MB of memory"},
		{"takes for ever", "reading the body takes longer than 1s"},
		{"ends", "the reading process died: exit status 7"},
		{"says much and ends", "the reading process died: exit status 7"},
	} {
		t.Run(c.way, func(t *testing.T) {
			register, path := suspecting(t, url)
			reader := reader(t, c.way, register)
			switch c.way {
			case "eats memory":
				if !limitsMemory {
					t.Skip("memory is not limited here")
				}
				// on a busy machine the collector is slow near the limit
				reader.Time = time.Minute
			case "takes for ever":
				reader.Time = time.Second
			}
			ended := register.Begin(url)
			_, err := reader.Read(t.Context(), fetch.Reading{URL: url, Body: []byte("x")})
			ended()
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if n := again(t, register, path).Suspects(); n != 1 {
				t.Errorf("%d suspects", n)
			}
		})
	}
}

// TestReadApartFails checks that an error of the parser is returned, and ends the suspicion.
func TestReadApartFails(t *testing.T) {
	register, _ := suspecting(t, url)
	_, err := reader(t, "fails", register).Read(t.Context(), fetch.Reading{URL: url})
	if err == nil || err.Error() != "no such page" || register.Suspects() != 0 {
		t.Errorf("error %v, %d suspects", err, register.Suspects())
	}
}

// TestReadHere checks that other pages are not read apart: the command would end the process.
func TestReadHere(t *testing.T) {
	register, _ := suspecting(t, url)
	if _, err := reader(t, "ends", register).Read(t.Context(),
		fetch.Reading{URL: url + "2"}); err != nil {
		t.Error(err)
	}
	if _, err := reader(t, "ends", nil).Read(t.Context(), fetch.Reading{URL: url}); err != nil {
		t.Error(err)
	}
}

// TestReadGivenUp checks that a stopped run does not wait for a reading.
func TestReadGivenUp(t *testing.T) {
	register, _ := suspecting(t, url)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := reader(t, "takes for ever", register).Read(ctx, fetch.Reading{URL: url})
	if err != context.Canceled || register.Suspects() != 1 {
		t.Errorf("error %v, %d suspects", err, register.Suspects())
	}
}
