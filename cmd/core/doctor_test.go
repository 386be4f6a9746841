package core

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
)

const agent = "mybot/1.0 (+https://example.org/bot)"

// of returns the result of a check by its name.
func of(t *testing.T, r *doctorResult, what string) doctorCheck {
	t.Helper()
	for _, c := range r.Checks {
		if c.What == what {
			return c
		}
	}
	t.Fatalf("no check of %s in %+v", what, r)
	return doctorCheck{}
}

func examine(t *testing.T, o doctorOptions) *doctorResult {
	t.Helper()
	r, err := examineAll(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Checks {
		if (c.Result == doctorOK) != (c.Do == "") || c.Found == "" {
			t.Errorf("%+v: what is not ok says what to do, what is ok does not", c)
		}
	}
	return r
}

// TestMachine checks that each fault fails, and that no file remains.
func TestMachine(t *testing.T) {
	dir := t.TempDir()
	future := filepath.Join(dir, "future")
	file := filepath.Join(future, "a")
	if err := os.MkdirAll(future, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	whole := doctorOptions{Data: filepath.Join(dir, "new", "crawl"), UserAgent: agent, Workers: 1,
		MaxBody: 1, Pause: time.Millisecond}
	change := func(f func(*doctorOptions)) doctorOptions {
		o := whole
		f(&o)
		return o
	}
	for _, c := range []struct {
		name, what, result string
		o                  doctorOptions
	}{
		{"whole", "data directory", doctorOK, whole},
		{"whole, contact", "contact", doctorOK, whole},
		{"no data", "data directory", doctorFail, change(func(o *doctorOptions) { o.Data = "" })},
		{"data is a file", "data directory", doctorFail,
			change(func(o *doctorOptions) { o.Data = file })},
		{"data within a file", "data directory", doctorFail,
			change(func(o *doctorOptions) { o.Data = filepath.Join(file, "x") })},
		{"no room", "data directory", doctorFail,
			change(func(o *doctorOptions) { o.MinFree = 1 << 60 })},
		{"little room in the archive", "archive", doctorFail,
			change(func(o *doctorOptions) { o.Archive, o.MinFree = dir, 1<<60 })},
		{"no agent", "contact", doctorFail, change(func(o *doctorOptions) { o.UserAgent = "" })},
		{"agent without contact", "contact", doctorFail,
			change(func(o *doctorOptions) { o.UserAgent = "mybot/1.0" })},
		{"files of the future", "clock and data", doctorFail,
			change(func(o *doctorOptions) { o.Data = future })},
		{"many workers", "file descriptors", doctorWarn,
			change(func(o *doctorOptions) { o.Workers = 1 << 40 })},
		{"large pages", "memory", doctorWarn,
			change(func(o *doctorOptions) { o.MaxBody = 1 << 50 })},
		{"open credentials", "credentials", doctorFail,
			change(func(o *doctorOptions) { o.Hosts, o.Credentials = 1, errors.New("mode 0644") })},
		{"closed credentials", "credentials", doctorOK,
			change(func(o *doctorOptions) { o.Hosts = 1 })},
		{"name server", "name server", doctorOK, change(func(o *doctorOptions) {
			o.Nameserver = "127.0.0.1:53"
		})},
		{"no name server", "name server", doctorFail,
			change(func(o *doctorOptions) { o.Nameserver = "dns" })},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := examine(t, c.o)
			if got := of(t, r, c.what); got.Result != c.result &&
				!strings.Contains(got.Found, "not known") {
				t.Errorf("%+v, want %s", got, c.result)
			}
			ready := strings.HasPrefix(r.Finding(), "Ready")
			if ready != (r.Count(doctorFail) == 0) {
				t.Errorf("%d failures, and %q", r.Count(doctorFail), r.Finding())
			}
		})
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".recrawl-doctor*")); err != nil ||
		len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestDoctorSeeds checks that a list which run refuses is a failed check.
func TestDoctorSeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"none.txt": seedsText,
		"faulty.txt": "example.org server\nhttps://example.org/ site\n",
		"seeds.txt":  "https://example.org/ hops 2\nhttps://example.com/\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]doctorCheck{
		"none.txt": {"", doctorFail, "none.txt has no start page yet",
			"enter the pages in none.txt: "},
		"faulty.txt": {"", doctorFail, "faulty.txt is no list of seeds; line 1: ",
			"each line has a URL"},
		"missing.txt": {"", doctorFail, "open missing.txt", "--seeds FILE"},
		"seeds.txt":   {"", doctorOK, "seeds.txt has 2 start pages", ""},
	} {
		got := of(t, examine(t, doctorOptions{UserAgent: agent, Seeds: name}), "start pages")
		if got.Result != want.Result || !strings.Contains(got.Found, want.Found) ||
			!strings.Contains(got.Do, want.Do) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestServers checks that named servers are asked like by run, and that their clocks are compared.
func TestServers(t *testing.T) {
	mux := http.NewServeMux()
	robots := 0
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		robots++
		_, _ = w.Write([]byte("User-agent: *\nDisallow: /private/\n"))
	})
	page := func(date time.Time) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", date.UTC().Format(http.TimeFormat))
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<p>Hello"))
		}
	}
	mux.HandleFunc("/error", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	})
	mux.HandleFunc("/now", page(time.Now()))
	mux.HandleFunc("/early", page(time.Now().Add(-time.Hour)))
	server := httptest.NewServer(mux)
	defer server.Close()
	client, err := fetch.New(fetch.Options{UserAgent: agent, AllowPrivate: true,
		Interval: time.Millisecond, Capture: true})
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(server.URL, "http://")
	o := doctorOptions{UserAgent: agent, Data: t.TempDir(), Client: client, Pause: time.Millisecond}
	for path, want := range map[string][2]string{
		"/now": {doctorOK, doctorOK}, "/early": {doctorOK, doctorWarn}, "/private/": {doctorWarn,
			doctorOK}, "/error": {doctorFail, doctorOK},
	} {
		o.Servers = []string{server.URL + path}
		r := examine(t, o)
		if got := of(t, r, host); got.Result != want[0] {
			t.Errorf("%s: %+v, want %s", path, got, want[0])
		}
		if path == "/private/" {
			continue // robots.txt was asked for before: nothing shows the time
		}
		if got := of(t, r, "clock of "+host); got.Result != want[1] {
			t.Errorf("%s: %+v, want %s", path, got, want[1])
		}
	}
	o.Servers = []string{server.URL + "/error"}
	if got := of(t, examine(t, o), host); !strings.Contains(got.Found, "status 500") ||
		!strings.Contains(got.Do, "another page of this server") {
		t.Errorf("status 500: %+v", got)
	}
	if robots != 1 {
		t.Errorf("robots.txt was asked for %d times", robots)
	}
	strict, err := fetch.New(fetch.Options{UserAgent: agent, Interval: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	refused := o
	for address, flag := range map[string]string{"http://127.0.0.1/": "--allow-private",
		server.URL + "/now": "--allow-"} {
		refused.Client, refused.Servers = strict, []string{address}
		name := strings.Split(address, "/")[2]
		if got := of(t, examine(t, refused), name); got.Result != doctorFail ||
			!strings.Contains(got.Found, flag) {
			t.Errorf("%s without %s: %+v", address, flag, got)
		}
	}
	server.Close()
	o.Servers = []string{server.URL + "/now"}
	if got := of(t, examine(t, o), host); got.Result != doctorFail {
		t.Errorf("no server is there: %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := examineAll(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
