package core_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFewDescriptors limits the file descriptors of a run at work (T10): no page is blamed, no
// visit is lost, and everything is visited with the rest of them.
func TestFewDescriptors(t *testing.T) {
	t.Parallel() // it waits more than it works
	const servers = 60
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	asked := map[string]bool{}
	site := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(200 * time.Millisecond)
		if r.URL.Path == "/robots.txt" || r.URL.Path == "/sitemap.xml" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		asked[r.Host+r.URL.Path] = true
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<a href=/a>a</a><a href=/b>b</a>")
	})}
	go site.Serve(listener)
	defer site.Close()
	visited := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(asked)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"run", "--data", data, "--user-agent", contact, "--allow-network",
		"127.3.0.0/16", "--allow-port", port,
		"--delay", "50ms", "--workers", "200", "--budget", "1000000", "--quiet"}
	for i := range servers {
		args = append(args, fmt.Sprintf("http://127.3.0.%d:%s/", i+1, port))
	}
	p := start(t, t.TempDir(), nil, args...)
	files, sockets := 0, 0
	eventually(t, "a third of the servers to be visited at once", func() bool {
		files, sockets = descriptors(t, p.cmd.Process.Pid)
		return sockets > servers/3
	})
	// most sockets are too many: none can be opened until visits end
	few := uint64(files + 8)
	if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: few, Max: few},
		nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "visits to all pages", func() bool { return visited() == 3*servers })
	p.interrupt()
	p.wait()
	for _, e := range readJournal(t, data) {
		if e.Outcome == "failed" {
			t.Errorf("%s is blamed: %s", e.URL, e.Detail)
		}
	}
	t.Logf("%d descriptors of %d", few, files+sockets)
}

// descriptors counts the file descriptors of a process.
func descriptors(t *testing.T, pid int) (files, sockets int) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	open, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		// A descriptor closed meanwhile has no name any more.
		if name, _ := os.Readlink(filepath.Join(dir, fd.Name())); strings.HasPrefix(name,
			"socket:") {
			sockets++
		} else {
			files++
		}
	}
	return files, sockets
}
