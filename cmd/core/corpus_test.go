package core_test

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
)

type corpusResult struct {
	Directory                                                                            string
	Captures, Read, Unreadable, Gone, Judged, Written, Withdrawn, Moved, Pages, Selected int
	LeftOut                                                                              map[string]int `json:"left_out"`
	Containers                                                                           int
	Indexed, Deleted, Collected, Sets                                                    int
	CollectionSeconds                                                                    float64 `json:"collection_seconds"`
	Bytes                                                                                int64
	Notes                                                                                []string
}

type corpusSummary struct {
	Directory              string
	Pages, Selected, Blogs int
	LeftOut                map[string]int `json:"left_out"`
	Languages              map[string]int
	Domains                []struct {
		Name           string
		Servers, Pages int
	}
	Largest struct {
		Name  string
		Pages int
	}
}

type searchResults struct {
	Query             string
	Set, Pages, Total int
	Terms             []struct {
		Term  string
		Pages int
	}
	Hits []struct {
		ID                            uint64
		URL, Title, Snippet, Language string
		Marks                         [][2]int
		Changed, Verified             time.Time
		Score                         float64
	}
	Seconds float64
}

type removalResult struct {
	Rules          []string
	Pages, Deleted int
	Archive        *struct {
		Records, Others, Files int
		Octets                 int64
	}
	Never bool
}

// capturesOf makes an archive of pages: bodies by URL.
func capturesOf(t *testing.T, dir string, at time.Time, pages ...[2]string) {
	t.Helper()
	a, err := archive.Open(dir, archive.Options{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pages {
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html; "+
			"charset=utf-8\r\nContent-Length: %d\r\n\r\n", len(p[1]))
		when := at.Add(time.Duration(i) * time.Second)
		x := fetch.Exchange{URL: p[0], Address: netip.MustParseAddr("127.0.0.1"), Began: when,
			Ended: when, Status: 200,
			Request: []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), Response: []byte(head + p[1])}
		if err := a.Put(&archive.Visit{URL: p[0], Time: when}, []fetch.Exchange{x}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCorpus makes a corpus from an archive, updates it, and looks inside.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	captures, corpus := filepath.Join(dir, "warc"), filepath.Join(dir, "corpus")
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	text := strings.Repeat("The river rose in the night and fell in the morning. ", 6)
	capturesOf(t, captures, noon,
		[2]string{"http://a.example/", "<title>River</title><p>" + text + `<a href="/b">More</a>`},
		[2]string{"http://a.example/b", "<p>short"})
	first := decode[corpusResult](t, recrawl(t, "corpus", "build", "--archive", captures, "--out",
		corpus, "--json").ok(t), true)
	if first.Captures != 2 || first.Selected != 1 || first.LeftOut["small"] != 1 ||
		first.Written != 1 {
		t.Errorf("%+v", first)
	}
	capturesOf(t, captures, noon.Add(time.Hour),
		[2]string{"http://a.example/b", "<p>" + strings.Repeat("Bread is better on the second "+
			"day than on the first. ", 6)})
	second := decode[corpusResult](t, recrawl(t, "corpus", "build", "--archive", captures,
		"--corpus", corpus, "--json").ok(t), true)
	if second.Captures != 1 || second.Selected != 2 || second.Written != 1 {
		t.Errorf("%+v", second)
	}
	sum := decode[corpusSummary](t,
		recrawl(t, "corpus", "show", "--corpus", corpus, "--json").ok(t), true)
	if sum.Selected != 2 || sum.Largest.Name != "a.example" || sum.Domains[0].Pages != 2 {
		t.Errorf("%+v", sum)
	}
	shown := recrawl(t, "corpus", "show", "--corpus", corpus, "http://a.example/").ok(t)
	for _, part := range []string{"it is selected", `<StandardFormat Uri="http://a.example/"`,
		"<RawString>River</RawString>"} {
		if !strings.Contains(shown.stdout, part) {
			t.Errorf("no %q in\n%s", part, shown.stdout)
		}
	}
	found := decode[searchResults](t, recrawl(t, "search", "--corpus", corpus, "--json",
		"--changed", "2026-01-31", "second", "day").ok(t), true)
	if found.Total != 1 || found.Pages != 2 || found.Hits[0].URL != "http://a.example/b" ||
		!found.Hits[0].Changed.Equal(noon.Add(time.Hour)) {
		t.Errorf("%+v", found)
	}
	if more := recrawl(t, "search", "--corpus", corpus, `"more river"`,
		"more").ok(t); !strings.Contains(more.stdout, "0 of 2 pages") {
		t.Errorf("%s", more.stdout)
	}
	byID := recrawl(t, "corpus", "show", "--corpus", corpus, fmt.Sprint(found.Hits[0].ID)).ok(t)
	if !strings.Contains(byID.stdout, `Uri="http://a.example/b"`) {
		t.Errorf("%s", byID.stdout)
	}
	recrawl(t, "corpus", "show", "--corpus", corpus, "99").refused(t, 2, "identifier 99")
	weighed := decode[struct {
		By              string
		Searches, Seeds int
		Pages           []struct {
			URL    string
			Weight float64
		}
	}](t, recrawl(t, "corpus", "weigh", "--corpus", corpus, "--draw", "40", "--json").ok(t), true)
	if len(weighed.Pages) != 2 || weighed.Searches != 40 ||
		weighed.Pages[0].Weight+weighed.Pages[1].Weight != 2 {
		t.Errorf("%+v", weighed)
	}
	list := writeFile(t, filepath.Join(dir, "weights.tsv"),
		recrawl(t, "corpus", "weigh", "--corpus", corpus, "--by", "trust", "--seeds",
			"http://a.example/$").ok(t).stdout)
	if text := readFile(t, list); !strings.Contains(text, "\thttp://a.example/b\n") {
		t.Errorf("%s", text)
	}
	recrawl(t, "corpus", "weigh", "--corpus", corpus, "--by", "trust").refused(t, 2,
		"no page of the seeds")
	stream := []string{"eval", fourServers(t), "--protocol", "stream", "--weeks", "3", "--policy",
		"sites", "--search-lag", "48h", "--weights", list}
	if text := recrawl(t, append(stream, "--wide")...).ok(t).stdout; !strings.Contains(text,
		"search results") {
		t.Errorf("%s", text)
	}
	writeFile(t, list, "much http://a.example/\n")
	recrawl(t, stream...).refused(t, 2, "weights.tsv: line 1", "corpus weigh")
	gone := decode[removalResult](t, recrawl(t, "corpus", "remove", "--corpus", corpus, "--archive",
		captures, "--json", "http://a.example/b$").ok(t), true)
	if gone.Pages != 1 || gone.Deleted != 1 || gone.Never || gone.Archive == nil ||
		gone.Archive.Records != 6 || gone.Archive.Files != 1 {
		t.Errorf("%+v", gone)
	}
	if after := recrawl(t, "search", "--corpus", corpus, "second",
		"day").ok(t); !strings.Contains(after.stdout, "0 of 1 pages") {
		t.Errorf("%s", after.stdout)
	}
	whole := decode[struct {
		Documents, Units int
		Damage           []string
	}](t, recrawl(t, "corpus", "check", "--corpus", corpus, "--json").ok(t), true)
	if whole.Documents != 1 || len(whole.Damage) != 0 {
		t.Errorf("%+v", whole)
	}
	recrawl(t, "corpus", "remove", "--corpus", corpus, "a.example/b").refused(t, 2,
		"neither a server")
	recrawl(t, "search", "--corpus", corpus, "-x").refused(t, 2)
	recrawl(t, "search", "--corpus", captures, "x").refused(t, 2, "no index")
	recrawl(t, "corpus", "show", "--corpus", corpus, "http://a.example/none").refused(t, 2,
		"has no page")
	recrawl(t, "corpus", "show", "--corpus", filepath.Join(dir, "none")).refused(t, 2,
		"there is no corpus")
	recrawl(t, "corpus", "build", "--archive", captures).refused(t, 2, "no corpus given")
}
