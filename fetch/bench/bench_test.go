package bench

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/recrawl/recrawl/fetch/extract"
)

// TestMain makes the test binary the server process, and the clients other than the program.
func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{Argument}) {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	servers = 5
	pages   = 6
)

func kindOf(name string) Kind {
	return Kinds[slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })]
}

func started(t *testing.T, spec serverSpec) *serving {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("127.0.0.0/8 has its addresses on Linux only")
	}
	s, err := begin(t.Context(), []string{os.Args[0]}, spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.end(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestPages checks size and links of a page, that all pages are found from the first, and that gzip
// makes them as small as real pages.
func TestPages(t *testing.T) {
	const many, port = 45, 81
	numbers, all, err := documents(servers, many, port)
	if err != nil {
		t.Fatal(err)
	}
	reached, size, fast := map[int]bool{0: true}, 0, 0
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		d := all[queue[0]]
		size += len(d.plain)
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		z.Write(d.plain)
		z.Close()
		fast += packed.Len()
		if len(d.plain) < 20_000 || len(d.plain) > 24_000 ||
			bytes.Count(d.plain, []byte("<a ")) != linksPerPage {
			t.Errorf("page %d: %d octets, %d links",
				queue[0], len(d.plain), bytes.Count(d.plain, []byte("<a ")))
		}
		page := extract.HTML(d.plain, "text/html", urlOf(2, queue[0], port), extract.Options{})
		for _, link := range page.Links {
			at, path, _ := strings.Cut(strings.TrimPrefix(link, "http://"), "/")
			to, err := netip.ParseAddrPort(at)
			if err != nil {
				to = netip.AddrPortFrom(netip.MustParseAddr(at), 80)
			}
			number, ok := numbers["/"+path]
			if serverAt(to.Addr()) < 0 || serverAt(to.Addr()) >= servers || !ok {
				t.Errorf("page %d links to %s, which is not there", queue[0], link)
			}
			if serverAt(to.Addr()) == 2 && !reached[number] {
				reached[number] = true
				queue = append(queue, number)
			}
		}
	}
	if len(reached) != many {
		t.Errorf("%d of %d pages are found from the first", len(reached), many)
	}
	if share := float64(fast) / float64(size); share < 0.29 || share > 0.35 {
		t.Errorf("gzip makes pages %.3f of their size; real ones 0.29 to 0.35", share)
	}
}

// TestAddresses checks that each server has its own address, and each address its server.
func TestAddresses(t *testing.T) {
	seen := map[netip.Addr]bool{}
	for n := range 90_000 {
		a := addressOf(n)
		if !a.IsLoopback() || seen[a] || serverAt(a) != n {
			t.Fatalf("server %d: %v, which is of %d, known %v", n, a, serverAt(a), seen[a])
		}
		seen[a] = true
	}
	for _, text := range []string{"127.0.0.1", "127.1.0.0", "127.1.0.201", "127.1.200.1",
		"10.1.0.1"} {
		if n := serverAt(netip.MustParseAddr(text)); n != -1 {
			t.Errorf("%s is server %d", text, n)
		}
	}
}

// TestClients checks that clients get each page once, as the server process counts, and that their
// use is measured.
func TestClients(t *testing.T) {
	s := started(t, serverSpec{Servers: servers, Pages: pages})
	o := &Options{Settings: Settings{Servers: servers, Pages: pages, Parallel: 4},
		Again: []string{os.Args[0]}}
	for _, name := range []string{Raw, RawNew, Colly} {
		spent, err := o.turn(t.Context(), s, kindOf(name), t.TempDir(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if spent.CPU <= 0 || spent.Seconds <= 0 || spent.Served.CPU <= 0 {
			t.Errorf("%s used nothing: %+v", name, spent)
		}
		if robots := spent.Served.Robots; (robots == servers) != (name == Colly) {
			t.Errorf("%s asked %d servers for robots.txt", name, robots)
		}
		if opened := spent.Served.Connections; (opened == servers*pages) != (name == RawNew) {
			t.Errorf("%s made %d connections for %d pages", name, opened, servers*pages)
		}
	}
}

// TestIncomplete checks that a client which misses pages, or fails, gives no figure.
func TestIncomplete(t *testing.T) {
	s := started(t, serverSpec{Servers: servers, Pages: pages})
	o := &Options{Settings: Settings{Servers: servers - 1, Pages: pages, Parallel: 4},
		Again: []string{os.Args[0]}}
	if _, err := o.turn(t.Context(), s, kindOf(Raw), t.TempDir(), 0); err != nil {
		t.Fatal(err) // all pages of fewer servers
	}
	idle := &Options{Settings: o.Settings, Again: []string{"true"}}
	var incomplete *IncompleteError
	if _, err := idle.turn(t.Context(), s, kindOf(Raw), t.TempDir(), 0); !errors.As(err,
		&incomplete) || incomplete.Got.Distinct != 0 {
		t.Errorf("a client that asked for nothing: %v", err)
	}
	more := &Options{Settings: o.Settings, Again: o.Again}
	more.Servers = servers + 1
	if _, err := more.turn(t.Context(), s, kindOf(Raw), t.TempDir(), 0); err == nil ||
		!strings.Contains(err.Error(), "404") {
		t.Errorf("a client that got 404: %v", err)
	}
}

// TestMeasure checks that a process can be interrupted, that its memory and time are measured, and
// that the end of the context is an error.
func TestMeasure(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc")
	}
	stop := make(chan struct{})
	time.AfterFunc(100*time.Millisecond, func() { close(stop) })
	u, err := measure(t.Context(), exec.Command("sleep", "60"), stop)
	if err != nil || u.Peak < 100_000 || u.Seconds < 0.1 || u.Seconds > 10 {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := measure(t.Context(), exec.Command("sh", "-c", "echo what is wrong >&2; exit 3"),
		nil); err == nil || !strings.Contains(err.Error(), "what is wrong") {
		t.Errorf("a process that failed: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := measure(ctx, exec.CommandContext(ctx, "sleep", "60"), nil); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("a process that was given up: %v", err)
	}
}

// TestSum checks that ratios are taken within rounds, so that a round slowed by other work changes
// none.
func TestSum(t *testing.T) {
	runs := map[string][]Spent{}
	for _, k := range Kinds {
		for _, noise := range []float64{1, 2, 1} {
			runs[k.Name] = append(runs[k.Name], Spent{CPU: noise, Seconds: 4, Peak: int64(noise)})
		}
	}
	for i := range runs[Ours] {
		runs[Ours][i].CPU /= 2
	}
	r := &Result{Pages: 100}
	r.sum(runs)
	for _, c := range r.Clients {
		want := Ratio{1, 1, 1}
		if c.Name == Ours {
			want = Ratio{0.5, 0.5, 0.5}
		}
		if c.ToColly != want || c.Peak != 2 || c.PagesPerSecond != 25 {
			t.Errorf("%+v, want ratio %v", c, want)
		}
	}
	if q := r.Requirements[0]; q.Of != Ours || q.To != Colly || !q.Met {
		t.Errorf("half of colly's: %+v", q)
	}
	if q := r.Requirements[1]; q.Met || math.Abs(q.Ratio.Median-1) > 1e-9 {
		t.Errorf("as much as colly's: %+v", q)
	}
}

// TestRoundFor checks that a further run begins with a period that is long enough.
func TestRoundFor(t *testing.T) {
	for took, want := range map[float64]time.Duration{0: 5 * time.Second, 5: 10 * time.Second,
		59: time.Minute, 4000: time.Hour} {
		if got := roundFor(took); got != want || day%got != 0 {
			t.Errorf("%v s: %v, want %v", took, got, want)
		}
	}
}
