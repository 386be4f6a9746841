package core_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var townFor = flag.Duration("town", 0, "how long TestTown crawls; 0: not at all")

// TestTown crawls 2,000 servers with 200,000 pages for the time of -town, in rounds of a minute
// and, in parallel, of an hour, each with three kills:
//
//	go test ./cmd/core -run '^TestTown$' -v -town 1h -timeout 2h
//
// The requests at the servers are checked: none too early, no page twice in a round except those in
// flight at a kill, and none beyond the budget. The store has all pages that acknowledged ones link
// to.
func TestTown(t *testing.T) {
	if *townFor == 0 {
		t.Skip("takes as long as you say: -town 1h -timeout 2h")
	}
	for _, of := range []struct {
		round  time.Duration
		budget int // of an hour
	}{
		{time.Minute, 120_000}, // a sixth of what the pauses allow
		{time.Hour, 480_000},   // used up within the hour
	} {
		t.Run(of.round.String(), func(t *testing.T) {
			t.Parallel()
			crawlTown(t, of.round, of.budget)
		})
	}
}

const (
	townServers = 2000
	townPages   = 100
	townDelay   = 10 * time.Second
	// A server has another page each townBirths.
	townBirths = 5 * time.Minute
	// workers of run, unless it is told otherwise.
	townWorkers = 64
)

func crawlTown(t *testing.T, round time.Duration, budget int) {
	town := newTown(t)
	w := &witness{t: t, asked: town.seen, workers: townWorkers,
		dir: filepath.Join(t.TempDir(), "data"), round: round,
		journal: map[string][]byte{}, pages: map[string]*acknowledged{},
		starts: map[int]time.Time{}}
	args := []string{"run", "--data", w.dir, "--user-agent", contact, "--allow-network",
		"127.0.0.0/8", "--allow-port", town.port, "--delay",
		townDelay.String(), "--round", round.String(), "--budget", fmt.Sprintf("%d/hour", budget),
		"--workers", fmt.Sprint(townWorkers), "--quiet"}
	for s := range townServers {
		args = append(args, town.url(s, "/"))
	}
	const parts = 4
	for part := range parts {
		end := town.begun.Add(*townFor * time.Duration(part+1) / parts)
		w.runs = append(w.runs, time.Now())
		before := len(town.seen())
		p := start(t, t.TempDir(), nil, args...)
		// its round may have no budget left
		for len(town.seen()) == before && time.Since(w.runs[part]) < 2*time.Hour {
			time.Sleep(10 * time.Millisecond)
		}
		t.Logf("process %d: first visit %.1f s after its start",
			part+1, time.Since(w.runs[part]).Seconds())
		for time.Now().Before(end) {
			time.Sleep(min(time.Until(end), 5*time.Minute))
			t.Logf("%v: %d requests, %d MiB", time.Since(town.begun).Round(time.Second),
				len(town.seen()), resident(t, p.cmd.Process.Pid)>>10)
		}
		if part < parts-1 {
			p.kill()
		} else {
			p.interrupt()
			t.Log(p.stdout.String())
		}
		t.Log(p.stderr.String())
		w.look()
	}
	for _, e := range w.lines { // rounds begin at full minutes and hours
		if at, ok := w.starts[e.Round]; !ok || e.Time.Before(at) {
			w.starts[e.Round] = e.Time.Truncate(round)
		}
	}
	w.judge()
	town.judgeTimes(t, round, budget)
	town.judgePages(t, w)
}

// judgeTimes checks the requests at the servers: pauses, and requests in a round and in an hour.
func (town *town) judgeTimes(t *testing.T, round time.Duration, budget int) {
	town.mu.Lock()
	defer town.mu.Unlock()
	if len(town.early) > 0 {
		t.Errorf("%d requests too early, as %s", len(town.early), town.early[0])
	}
	rounds, hours, most := map[time.Time]int{}, map[time.Time]int{}, 0
	for _, r := range town.requests {
		rounds[r.at.Truncate(round)]++
		hours[r.at.Truncate(time.Hour)]++
	}
	for at, n := range rounds {
		most = max(most, n)
		// A visit in flight at the end of its round counts there, and its request may come a moment
		// later.
		if granted := int(float64(budget) * round.Hours()); n > granted+townWorkers {
			t.Errorf("%d requests in the round of %v, %d are granted", n, at, granted)
		}
	}
	for at, n := range hours {
		if n > budget {
			t.Errorf("%d requests in the hour of %v, %d are granted", n, at, budget)
		}
	}
	t.Logf("%d requests for pages and %d for robots.txt, shortest pause %v; at most %d in one of "+
		"%d rounds; hours: %v",
		len(town.requests), town.robots, town.shortest, most, len(rounds), hours)
}

// judgePages checks the pages that the last acknowledged copy of each start page links to.
func (town *town) judgePages(t *testing.T, w *witness) {
	lost, linked := 0, 0
	for s := range townServers {
		a := w.pages[town.url(s, "/")]
		if a == nil {
			t.Errorf("the start page of server %d was never acknowledged", s)
			continue
		}
		// A page is sent a moment before its visit ends.
		for i := range town.size(a.last.Time.Add(-5 * time.Second)) {
			linked++
			if _, ok := w.records[town.url(s, townPath(i))]; !ok {
				lost++
			}
		}
	}
	t.Logf("%d pages are linked, %d of them are not in the store, which has %d",
		linked, lost, len(w.records))
	if lost > 0 {
		t.Errorf("%d of %d linked pages are lost", lost, linked)
	}
}

// town is many servers behind one listener, each at an address of 127.0.0.0/8. Their pages change
// every one to 512 minutes.
type town struct {
	port  string
	begun time.Time

	mu       sync.Mutex
	ended    map[string]time.Time // by server: end of its last answer
	requests []request            // for pages
	robots   int
	early    []string
	shortest time.Duration
}

func newTown(t *testing.T) *town {
	t.Helper()
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	town := &town{begun: time.Now(), ended: map[string]time.Time{}, shortest: time.Hour}
	_, town.port, _ = net.SplitHostPort(listener.Addr().String())
	server := &http.Server{Handler: town}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return town
}

func (town *town) url(server int, path string) string {
	return fmt.Sprintf("http://127.30.%d.%d:%s%s", server/200, server%200+1, town.port, path)
}

func townPath(i int) string { return fmt.Sprintf("/part-%d/page-%d.html", i/20, i) }

// size returns the number of pages of a server besides its start page.
func (town *town) size(now time.Time) int { return townPages + int(now.Sub(town.begun)/townBirths) }

func (town *town) seen() []request {
	town.mu.Lock()
	defer town.mu.Unlock()
	return town.requests[:len(town.requests):len(town.requests)]
}

func (town *town) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address := r.Context().Value(http.LocalAddrContextKey).(net.Addr).String()
	now, page := time.Now(), int(0)
	isStart := r.URL.Path == "/"
	_, err := fmt.Sscanf(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/'):], "/page-%d.html",
		&page)
	isPage := isStart || err == nil && r.URL.Path == townPath(page) && page < town.size(now)
	town.arrive(address, r.URL.Path, now, isPage)
	defer town.leave(address)
	if !isPage {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<title>%s of %s</title>", r.URL.Path, address)
	if isStart {
		for i := range town.size(now) {
			fmt.Fprintf(w, "<a href='%s'>x</a>\n", townPath(i))
		}
		return
	}
	h := fnv.New32a()
	fmt.Fprint(h, address, r.URL.Path)
	every := time.Minute << (h.Sum32() % 10)
	fmt.Fprintf(w, "<p>What is here changes each %v, and has changed %d times so far.</p>",
		every, now.Sub(town.begun)/every)
}

func (town *town) arrive(address, path string, now time.Time, isPage bool) {
	town.mu.Lock()
	defer town.mu.Unlock()
	if last, ok := town.ended[address]; ok {
		pause := now.Sub(last)
		town.shortest = min(town.shortest, pause)
		if pause < townDelay-2*time.Millisecond {
			town.early = append(town.early, fmt.Sprintf("%s%s %v after the answer before, at %v",
				address, path, pause, now.Sub(town.begun)))
		}
	}
	if path == "/robots.txt" {
		town.robots++
		return
	}
	status := http.StatusOK
	if !isPage {
		status = http.StatusNotFound
	}
	town.requests = append(town.requests,
		request{url: "http://" + address + path, at: now, status: status})
}

func (town *town) leave(address string) {
	town.mu.Lock()
	defer town.mu.Unlock()
	town.ended[address] = time.Now()
}
