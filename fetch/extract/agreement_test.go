package extract

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// shared is the folder of the published data, relative to this one.
const shared = "../../../shared/data"

type version struct {
	url                string
	t                  int64
	body               []byte
	contentType        string
	bytes, text, main  string // digests of the history
	sameText, sameMain bool   // as in the earlier version
	first              bool
	links              []string // nil: not known
}

// readVersions calls f for the versions of a site whose whole content is known, in order of time,
// each with its digests from the history of that host.
func readVersions(t *testing.T, host string, f func(version)) {
	t.Helper()
	type line struct {
		URL, Digest, Text, Main string
		T                       int64
		Links                   []string
		Gone                    bool
	}
	known := map[string][]version{} // by address, in time order
	last := map[string]version{}
	readLines(t, filepath.Join(shared, "histories", host+".jsonl.gz"), func(raw []byte) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		if l.Gone {
			delete(last, l.URL)
			known[l.URL] = append(known[l.URL], version{t: l.T})
			return
		}
		prev, ok := last[l.URL]
		v := version{t: l.T, url: l.URL, bytes: l.Digest, text: l.Text, main: l.Main, first: !ok,
			links: l.Links}
		if v.text == "" {
			v.text = prev.text
		}
		if v.main == "" {
			v.main = prev.main
		}
		if v.links == nil {
			v.links = prev.links
		}
		v.sameText, v.sameMain = v.text == prev.text, v.main == prev.main
		last[l.URL] = v
		known[l.URL] = append(known[l.URL], v)
	})
	readLines(t, filepath.Join(shared, "sites", host+".jsonl.gz"), func(raw []byte) {
		var l struct {
			Path, Type, Body string
			Base64           string `json:"body_base64"`
			T                int64
		}
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		url := "http://" + host + strings.TrimSuffix(l.Path, "index.html")
		if c, err := sitegraph.Canonical(url); err == nil {
			url = c
		}
		// The window of the site starts later than its history: the version at that time counts.
		history := known[url]
		i := sort.Search(len(history), func(i int) bool { return history[i].t > l.T })
		if i == 0 || history[i-1].bytes == "" {
			return
		}
		v := history[i-1]
		v.body, v.contentType = []byte(l.Body), l.Type
		if l.Base64 != "" {
			v.body, _ = base64.StdEncoding.DecodeString(l.Base64)
		}
		f(v)
	})
}

func readLines(t *testing.T, name string, f func([]byte)) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Skipf("the published data is not here: %v", err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		f(in.Bytes())
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
}

// agreement counts how often our digests and those of the history change together.
type agreement struct {
	both, neither, onlyOurs, onlyTheirs int
}

func (a *agreement) add(ours, theirs bool) {
	switch {
	case ours && theirs:
		a.both++
	case ours:
		a.onlyOurs++
	case theirs:
		a.onlyTheirs++
	default:
		a.neither++
	}
}

func (a *agreement) share() float64 {
	return float64(a.both+a.neither) / float64(max(1, a.both+a.neither+a.onlyOurs+a.onlyTheirs))
}

// TestDigestsAgreeWithHistories compares consecutive versions of pages of real sites: their text
// and main text must differ when an independent program found a difference. RECRAWL_ALL=1 tests all
// four sites (about a minute).
func TestDigestsAgreeWithHistories(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a whole site")
	}
	hosts := []string{"devrel.jp"}
	if os.Getenv("RECRAWL_ALL") != "" {
		hosts = []string{"devrel.jp", "dplyr.tidyverse.org", "eddmann.com", "incubator.apache.org"}
	}
	for _, host := range hosts {
		t.Run(host, func(t *testing.T) {
			var text, main agreement
			var matched, exactText, exactMain, pages, sameLinks int
			prev := map[string]sitegraph.Digests{}
			readVersions(t, host, func(v version) {
				pages++
				if sitegraph.DigestOf(v.body).String() != v.bytes {
					delete(prev, v.url)
					return
				}
				matched++
				p := HTML(v.body, v.contentType, v.url, Options{Main: true})
				ours := p.Digests
				if ours.Text.String() == v.text {
					exactText++
				}
				if ours.Main.String() == v.main {
					exactMain++
				}
				if sameInServer(p.Links, v.links, host) {
					sameLinks++
				}
				if old, ok := prev[v.url]; ok && !v.first {
					text.add(old.Text != ours.Text, !v.sameText)
					main.add(old.Main != ours.Main, !v.sameMain)
				}
				prev[v.url] = ours
			})
			t.Logf("%d versions, %d with the same bytes, %d/%d equal text/main, %d equal "+
				"in-server links",
				pages, matched, exactText, exactMain, sameLinks)
			t.Logf("text: %.2f%% agree %+v", 100*text.share(), text)
			t.Logf("main: %.2f%% agree %+v", 100*main.share(), main)
			if text.share() < 0.98 || main.share() < 0.98 {
				t.Error("digests disagree with the history too often")
			}
		})
	}
}

// sameInServer compares URLs on the server itself, without endings: the history writes the URL that
// a static server would use.
func sameInServer(ours, theirs []string, host string) bool {
	keep := func(list []string) map[string]bool {
		set := map[string]bool{}
		for _, u := range list {
			if sitegraph.ServerName(u) == host {
				_, u, _ = strings.Cut(u, "://")
				u = strings.TrimSuffix(u, "index.html")
				set[strings.TrimSuffix(strings.TrimSuffix(u, "/"), ".html")] = true
			}
		}
		return set
	}
	return maps.Equal(keep(ours), keep(theirs))
}
