package timetravel

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/robots"
	"github.com/recrawl/recrawl/sitegraph"
)

func md5Of(b []byte) string {
	sum := md5.Sum(b)
	return hex.EncodeToString(sum[:])
}

// TestHistoriesAgreeWithHTTP checks guarantee 6: at every time, each URL mentioned anywhere is over
// HTTP what the history says. The client knows the web only from its answers.
func TestHistoriesAgreeWithHTTP(t *testing.T) {
	web := small()
	servers, err := Histories(context.Background(), web,
		HistoryOptions{Agent: "recrawl", Main: true})
	if err != nil {
		t.Fatal(err)
	}
	l := serveLab(t, web)
	byName := map[string]*history.Server{}
	for _, s := range servers {
		byName[s.Name] = s
	}
	urls := map[string]bool{"http://a.example/": true, "http://b.example/": true,
		"http://a.example/data.html": true,
		"http://a.example/feed.xml":  true}
	alive := 0
	for before := 0; before != len(urls); { // earlier times also have URLs of later ones
		before = len(urls)
		for _, now := range []int64{99, 100, 101, 199, 200, 201, 299, 300, 1000} {
			l.now.Store(now)
			for url := range urls {
				want := l.visit(url, urls)
				if want.Alive() {
					alive++
				}
				got := history.Version{Gone: true}
				if p := byName[sitegraph.ServerName(url)].Page(url); p != nil && p.At(now) != nil {
					got = *p.At(now)
					got.T = 0
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s at %d: history %+v, HTTP %+v", url, now, got, want)
				}
			}
		}
	}
	if alive < 30 {
		t.Errorf("only %d visits saw a page", alive)
	}
	for _, s := range servers {
		for _, p := range s.Pages {
			if !urls[p.URL] {
				t.Errorf("%s is in the history, and nobody links to it", p.URL)
			}
		}
		var b bytes.Buffer
		if err := history.Write(&b, s); err != nil {
			t.Fatal(err)
		}
		if again, err := history.Read(&b, s.Name); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%s written and read: %v, %+v", s.Name, err, again)
		}
	}
}

// visit requests a page like a crawler, and notes the URLs that the answer mentions.
func (l *lab) visit(url string, mentioned map[string]bool) history.Version {
	gone := history.Version{Gone: true}
	host := sitegraph.ServerName(url)
	path := strings.TrimPrefix(url, "http://"+host)
	if r, body := l.ask("GET", host, "/robots.txt"); r.StatusCode == 200 &&
		!robots.Parse([]byte(body), "recrawl").Allowed(path) {
		return gone
	}
	r, body := l.ask("GET", host, path)
	switch {
	case r.StatusCode == 301:
		resolver, err := sitegraph.NewResolver(url)
		if err != nil {
			l.t.Fatal(err)
		}
		target, ok := resolver.Resolve(r.Header.Get("Location"))
		if !ok {
			l.t.Fatalf("%s redirects to %q", url, r.Header.Get("Location"))
		}
		mentioned[target] = true
		return history.Version{Redirect: target}
	case r.StatusCode != 200 || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html"):
		return gone
	}
	page := extract.HTML([]byte(body), r.Header.Get("Content-Type"), url,
		extract.Options{Agent: "recrawl", Main: true})
	for _, link := range page.Links {
		mentioned[link] = true
	}
	return history.Version{Digests: page.Digests, Size: int64(len(body)), Links: page.Links,
		Frames:     page.Frames,
		LinksKnown: true, FramesKnown: true}
}

func TestHistories(t *testing.T) {
	servers, err := Histories(context.Background(), small(),
		HistoryOptions{Agent: "recrawl", Main: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(servers) != 2 || servers[0].Name != "a.example" || servers[0].T0 != 100 {
		t.Fatalf("got %+v", servers)
	}
	var got []string
	for _, p := range servers[0].Pages {
		line := p.URL
		for i := range p.Versions {
			v := &p.Versions[i]
			switch {
			case v.Gone:
				line += " gone"
			case v.Redirect != "":
				line += " to " + v.Redirect
			default:
				line += " page"
			}
		}
		got = append(got, strings.TrimPrefix(line, "http://a.example"))
	}
	slices.Sort(got)
	want := []string{
		"/ page page",
		"/b to http://a.example/b/ gone to http://a.example/b/",
		"/b/ page gone page",
		"/c.html page",
		"/c?q=1 to http://a.example/c.html?q=1",
		"/c.html?q=1 page",
		"/d/ page",
		"/d/index.html to http://a.example/d/",
		"/data.html page", // from 300 on
		"/secret/ page gone",
		"/x%20y.html page page", // the same bytes in another charset are another text
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	frames := servers[0].Page("http://a.example/d/").At(200)
	if !slices.Equal(frames.Frames, []string{"http://a.example/c.html"}) || !frames.FramesKnown {
		t.Errorf("frames %+v", frames)
	}
}

func TestHistoriesStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Histories(ctx, small(), HistoryOptions{}); err == nil {
		t.Error("an ended context is no error")
	}
}

// FuzzEscape checks that paths of files and URLs translate into each other, for any bytes in a
// name.
func FuzzEscape(f *testing.F) {
	f.Add("/a b/%41/\u00fc?#\xff")
	f.Fuzz(func(t *testing.T, name string) {
		escaped := escape(name)
		if got := unescape(escaped); got != name {
			t.Fatalf("%q became %q and then %q", name, escaped, got)
		}
		if strings.ContainsAny(escaped, "?# \"<>\\") {
			t.Fatalf("%q became %q", name, escaped)
		}
		if name == "" || strings.HasSuffix(name, "/") {
			return // no file
		}
		w := NewStatic()
		w.Put("h", "/"+name, time.Unix(1, 0), html, nil)
		for _, path := range w.Paths("h") {
			if r := w.Resource("h", path, time.Unix(1, 0)); r.Status != 200 {
				t.Fatalf("%q is not found at %q", name, path)
			}
		}
	})
}
