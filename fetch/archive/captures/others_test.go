package captures

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// othersWARC returns the folder with WARC files of other writers beside the module. Without it the
// test is skipped.
func othersWARC(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "..", "shared", "data", "warc")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the WARC files of other writers are not there: %v", err)
	}
	return dir
}

// TestOthersWARC reads the sound parts of files of other writers.
func TestOthersWARC(t *testing.T) {
	dir := othersWARC(t)
	for name, want := range map[string]struct{ captures, bodies, bad int64 }{
		"example.warc.gz":                     {2, 1, 0}, // and a revisit
		"example.warc":                        {2, 1, 0},
		"example-iana.org-chunked.warc":       {1, 1, 0},
		"example-resource.warc.gz":            {1, 1, 0},
		"example-wget-bad-target-uri.warc.gz": {1, 1, 0}, // brackets around URLs
		"post-test.warc.gz":                   {0, 0, 0}, // JSON alone
	} {
		f, all, err := readAll(t, filepath.Join(dir, name), Options{Main: true, Links: true})
		if err != nil || f.Captures != want.captures || f.WithBody != want.bodies ||
			f.BadCount != want.bad {
			t.Errorf("%s: %+v, %v; want %+v", name, f, err, want)
		}
		for _, c := range all {
			if c.Kind == KindFetched && c.Payload.IsZero() || c.hasBody() != c.LinksKnown {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

// TestDamagedWARC checks that reading continues after a damaged record.
func TestDamagedWARC(t *testing.T) {
	path := filepath.Join(othersWARC(t), "example.warc.gz")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := readAll(t, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(whole); at += 97 {
		broken := append([]byte{}, whole...)
		broken[at] ^= 0xff
		f, _, err := readAll(t, fileOf(t, "b.warc", string(broken)), Options{})
		if err == nil && f.Read < all.Read-3 {
			t.Errorf("damaged at %d: %d of %d records were read: %+v", at, f.Read, all.Read, f)
		}
	}
}

// TestWget checks that WARC files of wget show which pages changed, vanished or stayed the same.
func TestWget(t *testing.T) {
	wget, err := exec.LookPath("wget")
	if err != nil {
		t.Skip("wget is not installed")
	}
	var round atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/robots.txt", r.URL.Path == "/gone" && round.Load() > 0:
			http.NotFound(w, r)
		case r.URL.Path == "/changing":
			w.Write([]byte("<main>" + string(rune('a'+round.Load())) + "</main>"))
		default:
			w.Write([]byte(`<a href="/changing">c</a> <a href="/gone">g</a> <a href="/same">s</a>`))
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	var all []Capture
	for n, args := range [][]string{{"--warc-cdx"}, {"--warc-cdx", "--warc-dedup=0.cdx"}} {
		round.Store(int32(n))
		name := string(rune('0' + n))
		cmd := exec.Command(wget,
			append([]string{"-q", "-r", "--no-proxy", "-P", "mirror" + name, "--warc-file=" + name,
				server.URL + "/"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		// 8: some page was missing
		if exit := (*exec.ExitError)(nil); err != nil &&
			!(asExit(err, &exit) && exit.ExitCode() == 8) {
			t.Fatalf("%v: %s", err, out)
		}
		f, found, err := readAll(t, filepath.Join(dir, name+".warc.gz"), Options{Links: true})
		if err != nil || f.BadCount > 0 {
			t.Fatalf("%+v, %v", f, err)
		}
		for i := range found {
			found[i].Time += uint32(n) // both may be in the same second
		}
		all = append(all, found...)
		if f, told, err := readAll(t, filepath.Join(dir, name+".cdx"), Options{}); err != nil ||
			f.Format != CDX || n == 0 && len(told) != len(found) {
			t.Errorf("%+v, %d of %d captures, %v", f, len(told), len(found), err)
		}
	}
	of := map[string][]Capture{}
	for _, c := range all {
		of[c.URL] = append(of[c.URL], c)
	}
	for path, want := range map[string]struct {
		last Kind
		same bool
	}{"/": {KindFetched, true}, "/changing": {KindFetched, false}, "/same": {KindFetched, true},
		"/gone": {KindGone, false}} {
		c := of[server.URL+path]
		if len(c) != 2 || c[0].Kind != KindFetched || !c[0].hasBody() || c[1].Kind != want.last ||
			(c[0].Payload == c[1].Payload) != want.same {
			t.Errorf("%s: %+v", path, c)
		}
	}
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*to = e
	return ok
}
