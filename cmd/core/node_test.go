package core_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// nodeStatus is what node status --json prints.
type nodeStatus struct {
	Cluster      string
	Shards, Free int
	Budget       struct {
		PerDay         float64 `json:"per_day"`
		Spent, Granted int
	}
	Nodes []struct {
		Name, State, Started, Version, Trouble string
		Shards                                 int
		Clock                                  float64
	}
	List []struct {
		Shard                                                          int
		State, Error, Node                                             string
		Pages, Waiting, Visits, Sending, Dropped, Used, Granted, Epoch int
		Price, Delay                                                   float64
	}
}

// keptIn returns the present content of the archives below a directory.
func keptIn(t *testing.T, dir string) (text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if r, err := gzip.NewReader(f); err == nil { // otherwise it is still empty
			b, _ := io.ReadAll(r) // its end may not be written yet
			text += string(b)
		}
	}
	return text
}

// TestNode checks that a node crawls servers found by links, within the common budget, and
// continues at once after a kill.
func TestNode(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		if r.URL.Path == "/robots.txt" || r.URL.Path == "/sitemap.xml" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		asked[r.Host+r.URL.Path]++
		mu.Unlock()
		_, port, _ := strings.Cut(r.Host, ":")
		fmt.Fprintf(w, `<a href="/a">a</a> <a href="http://127.0.0.2:%s/b">b</a>`, port)
	}))
	everywhere, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	site.Listener.Close()
	site.Listener = everywhere
	site.Start()
	defer site.Close()
	_, port, _ := net.SplitHostPort(everywhere.Addr().String())
	first := "http://127.0.0.1:" + port
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(asked) }
	at, metrics, dir := freeAddress(t), freeAddress(t), t.TempDir()
	defer func() {
		if t.Failed() {
			t.Logf("asked: %v", asked)
		}
	}()
	args := []string{"node", "--data", "data", "--name", "one", "--shards", "4", "--listen", at,
		"--user-agent", contact, "--allow-private",
		"--delay", "20ms", "--budget", "2400", "--lease", "2s", "--adopt", "127.0.0.2",
		"--metrics", metrics, "--archive", "archive"}
	p := start(t, dir, nil, append(args, first+"/")...)
	eventually(t, "pages of both servers are visited", func() bool { return count() == 4 })
	recrawl(t, "node", "hint", "--listen", at, first+"/hinted").ok(t)
	eventually(t, "a hint is followed", func() bool { return count() == 5 })
	eventually(t, "the archive has the hinted page", func() bool {
		return strings.Contains(keptIn(t, filepath.Join(dir, "archive")),
			"WARC-Target-URI: "+first+"/hinted")
	})
	p.kill()
	p = start(t, dir, nil, args...)
	last := ""
	defer func() {
		if t.Failed() {
			t.Log(last)
		}
	}()
	eventually(t, "all shards run again, and the metrics say the same", func() bool {
		r := recrawl(t, "node", "status", "--listen", at, "--json")
		if last = r.stderr; r.code != 0 {
			return false
		}
		s, pages := decode[nodeStatus](t, r, true), 0
		last = fmt.Sprintf("status: %+v", s)
		for _, shard := range s.List {
			if pages += shard.Pages; shard.State != "running" {
				return false
			}
		}
		if s.Free > 0 || len(s.Nodes) != 1 || s.Nodes[0].State != "live" ||
			s.Budget.PerDay != 2400 || pages < 5 {
			return false
		}
		answer, err := http.Get("http://" + metrics + "/metrics")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		scraped, err := io.ReadAll(answer.Body)
		for _, want := range []string{`recrawl_node_shards{state="running"} 4`,
			`recrawl_node_shards{state="failed"} 0`, "recrawl_node_portable_shards 0",
			"recrawl_node_others 0", "recrawl_node_trouble 0", `recrawl_build_info{version="`,
			fmt.Sprintf("recrawl_node_known_pages %d\n", pages)} {
			if err != nil || !strings.Contains(string(scraped), want) {
				last += fmt.Sprintf("; metrics have no %s, %v:\n%s", want, err, scraped)
				return false
			}
		}
		return true
	})
	p.interrupt()
	if code := p.wait(); code != 130 {
		t.Errorf("exit code %d: %s", code, p.result().stderr)
	}
	recrawl(t, "node", "status", "--listen", at).refused(t, 1, "no node answers",
		"is a node running")
	recrawl(t, "node", "--data", "data", "--user-agent", contact, "--budget", "5/hour").refused(t,
		2, "fetches a day alone")
	recrawl(t, "node", "--data", "data", "--user-agent", contact, "--stores", "shared").refused(t,
		2, "unknown flag: --stores", "to shards/ in --data of each")
	recrawl(t, "node", "--data", "data", "--user-agent", contact, "--listen",
		"192.0.2.1:1").refused(t, 2, "without a token", "--token-file")
}
