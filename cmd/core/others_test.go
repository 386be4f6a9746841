package core_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestRunOthers checks that links to other servers are written once, also over two runs, and that
// import accepts the list.
func TestRunOthers(t *testing.T) {
	t.Parallel()
	var pages atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && !strings.HasPrefix(r.URL.Path, "/p") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", text)
		fmt.Fprintf(w, "<p>%s<a href='https://a.example/'>a</a>", r.URL)
		for i := range 5 {
			fmt.Fprintf(w, "<a href='/p%d'>p</a><a href='https://b.example/%d'>b</a>", i, i)
		}
		pages.Add(1)
	}))
	defer web.Close()
	u, err := url.Parse(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "others.txt")
	want := []string{"https://a.example/"}
	for i := range 5 {
		want = append(want, fmt.Sprintf("https://b.example/%d", i))
	}
	for _, data := range []string{"first", "second"} {
		pages.Store(0)
		p := start(t, dir, nil, "run", "--data", filepath.Join(dir, data), "--others", file,
			"--user-agent", contact, "--unlimited",
			"--allow-network", "127.0.0.0/8", "--allow-port", u.Port(), "--delay", "1ms", "--quiet",
			web.URL+"/")
		for end := time.Now().Add(time.Minute); pages.Load() < 3 && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		p.interrupt() // the links of the first page were noted before the third was requested
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err, p.stderr.String())
		}
		got := strings.Fields(string(b))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("after the %s run: %q\nwant %q", data, got, want)
		}
	}
	if r := decode[importRun](t, recrawl(t, "import", "--set", filepath.Join(dir, "set"), "--json",
		file).ok(t), true); r.New != len(want) || r.BadLines > 0 {
		t.Errorf("import: %d new, %d bad", r.New, r.BadLines)
	}
	if c := recrawl(t, "check", "--set", file+".seen").ok(t); !strings.Contains(c.stdout,
		"6 fingerprints") {
		t.Errorf("check: %s", c.stdout)
	}
}
