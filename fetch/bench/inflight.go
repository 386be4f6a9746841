package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// mostInFlight limits that memory, in bytes: 300 MB.
const mostInFlight = 300_000_000

// hold is how long a page stops in the middle of its body.
const hold = 10 * time.Second

// slowPerWorker is the number of pages in flight for each worker: the program lets 8 visits wait
// for slow servers, and some of them ask for robots.txt.
const slowPerWorker = 7

// InFlight is the memory of this program with many visits in flight and many known servers.
type InFlight struct {
	Wanted  int     `json:"wanted"`    // visits in flight
	Reached int64   `json:"in_flight"` // most that the servers counted
	Known   int     `json:"known_servers"`
	Visits  int64   `json:"visits"` // until the end
	Seconds float64 `json:"seconds"`
	Peak    int64   `json:"peak_memory_bytes"`
	Most    int64   `json:"most_memory_bytes"`
	Met     bool    `json:"met"` // the number was reached, within the limit of memory
}

// inFlight makes a store with many servers, and measures a run whose visits are delayed.
func (o *Options) inFlight(ctx context.Context, dir string) (v *InFlight, err error) {
	s, err := begin(ctx, o.Again, serverSpec{Servers: o.Known, Pages: 2, Hold: hold})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	dir = filepath.Join(dir, "in-flight")
	list := filepath.Join(dir, "urls")
	if err := writeList(list, o.Known, s.Plain); err != nil {
		return nil, err
	}
	o.Tick("in flight", 0, 2)
	if _, err := measure(ctx, command(ctx, o.Again, "import", "--quiet", "--data",
		filepath.Join(dir, "data"), list), nil); err != nil {
		return nil, err
	}
	if _, err := s.counts(); err != nil {
		return nil, err
	}
	o.Tick("in flight", 1, 2)
	const lasts = 5 * hold / 2
	stop := make(chan struct{})
	timer := time.AfterFunc(lasts, func() { close(stop) })
	defer timer.Stop()
	u, err := measure(ctx,
		command(ctx, o.Again, runArguments(dir, false, max(2, o.InFlight/slowPerWorker+1), day)...),
		stop)
	if err != nil {
		return nil, err
	}
	got, err := s.counts()
	if err != nil {
		return nil, err
	}
	o.Tick("in flight", 2, 2)
	return &InFlight{
		Wanted: o.InFlight, Reached: got.MostAtOnce, Known: o.Known, Visits: got.Pages,
		Seconds: u.Seconds, Peak: u.Peak,
		Most: mostInFlight, Met: got.MostAtOnce >= int64(o.InFlight) && u.Peak <= mostInFlight,
	}, nil
}

// writeList writes the start pages of servers.
func writeList(path string, servers int, port uint16) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for server := range servers {
		fmt.Fprintln(w, urlOf(server, 0, port))
	}
	return errors.Join(w.Flush(), f.Close())
}
