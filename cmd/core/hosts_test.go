package core_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// served is a server at an address of loopback, with its requests.
type served struct {
	at string // address:port
	mu sync.Mutex
	// asked has the requests, at their times in when.
	asked []*http.Request
	when  []time.Time
}

func serveAt(t *testing.T, address string, handler http.HandlerFunc) *served {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Skipf("this machine has no %s: %v", address, err)
	}
	s := &served{at: listener.Addr().String()}
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked, s.when = append(s.asked, r), append(s.when, time.Now())
		s.mu.Unlock()
		handler(rw, r)
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return s
}

func (s *served) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.asked...)
}

// TestSettingsOfServers checks that settings of single servers come from the file. Their secrets go
// to their servers alone, and are in no output of run.
func TestSettingsOfServers(t *testing.T) {
	t.Parallel()
	pages := func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" || r.URL.Path == "/sitemap.xml" {
			rw.WriteHeader(404)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, `<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>`)
	}
	quick, slow, other := serveAt(t, "127.4.0.1", pages), serveAt(t, "127.4.0.2", pages),
		serveAt(t, "127.4.0.3", pages)
	dir := t.TempDir()
	secret := writeFile(t, filepath.Join(dir, "secret"), "user: me\npassword: geheim\n")
	if err := os.Chmod(secret, 0o644); err != nil {
		t.Fatal(err)
	}
	config := writeFile(t, filepath.Join(dir, "recrawl.yaml"), fmt.Sprintf(`
user-agent: "%s"
allow-private: true
delay: 300ms
round: 3s
rounds: 2
hosts:
  - match: %s
    delay: 50ms
    headers: {X-Key: geheim2}
    credentials: %s
    plain-http: true
  - match: 127.4.0.2
    delay: 700ms
    headers: {X-Key: geheim2}
`, contact, quick.at, secret))
	args := []string{"run", "--config", config, "--data", "data", "--archive", "kept",
		"--unlimited",
		"http://" + quick.at + "/", "http://" + slow.at + "/", "http://" + other.at + "/"}
	recrawlIn(t, dir, nil, args...).refused(t, 2, secret, "mode 0644", "chmod 600 "+secret)
	if len(quick.requests())+len(other.requests()) > 0 {
		t.Error("requests were sent though the credentials are refused")
	}
	if err := os.Chmod(secret, 0o600); err != nil {
		t.Fatal(err)
	}
	// A first round near its end could stop between the start pages and their links.
	time.Sleep(time.Until(time.Now().Truncate(3 * time.Second).Add(3 * time.Second)))
	r := recrawlIn(t, dir,
		[]string{"HTTP_PROXY=http://127.0.0.1:1", "http_proxy=http://127.0.0.1:1"}, args...)
	if r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	for _, s := range []*served{quick, slow, other} {
		for _, request := range s.requests() {
			user, password, _ := request.BasicAuth()
			got := user + ":" + password + " " + request.Header.Get("X-Key")
			want := ": "
			if s == quick {
				want = "me:geheim geheim2"
			}
			if got != want {
				t.Errorf("%s%s got %q, want %q", request.Host, request.URL, got, want)
			}
		}
	}
	for s, least := range map[*served]time.Duration{quick: 50 * time.Millisecond,
		slow: 700 * time.Millisecond, other: 300 * time.Millisecond} {
		for i := range s.when {
			if i > 0 && s.when[i].Sub(s.when[i-1]) < least-20*time.Millisecond {
				t.Errorf("%s: %v between two requests, want %v",
					s.at, s.when[i].Sub(s.when[i-1]), least)
			}
		}
	}
	if q, o := len(quick.when), len(other.when); q < 6 || q <= len(slow.when) || o < 3 {
		t.Errorf("%d requests to the quick server, %d to the slow one, %d to the other",
			q, len(slow.when), o)
	}
	everything := r.stdout + r.stderr
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == secret || path == config {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		content, err := io.ReadAll(f)
		if everything += string(content); errors.Is(err, io.EOF) {
			err = nil
		}
		return err
	})
	for _, word := range []string{"geheim", "bWU6Z2VoZWlt"} {
		if strings.Contains(everything, word) {
			t.Errorf("%q is in what run wrote", word)
		}
	}
	if shown := showArchive(t, dir); strings.Contains(shown, "geheim") ||
		strings.Contains(shown, "bWU6") || !strings.Contains(shown, "X-Key: (withheld)") {
		t.Errorf("the archive has the secrets, or not the requests: %.2000s", shown)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// showArchive returns the content of the WARC files in a directory "kept" as text.
func showArchive(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "kept", "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archive: %v", err)
	}
	var all strings.Builder
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err == nil {
			_, err = io.Copy(&all, z)
		}
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}
