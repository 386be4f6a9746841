package work

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/nodes"
	"github.com/recrawl/recrawl/planner/nodes/bus"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// The measurement of docs/nodes.md: 1, 2, 4 and 8 nodes, processes of their own, over pages that
// nobody serves. RECRAWL_NODES_SCALE=10s (a time for each) runs it. Where this process may make
// control groups, RECRAWL_NODES_SHARE=20 gives each node so many hundredths of a processor.

const (
	scaleShards = 32
	scaleHosts  = 1000
	scalePause  = 50 * time.Millisecond
	scaleFetch  = 50 * time.Millisecond // a visit takes
	scaleNode   = "RECRAWL_NODES_SCALE_NODE"
)

// far is a web in which each host has so many pages: page n leads to 2n+1 and 2n+2, and page 0 of
// each host to ten others.
type far struct {
	pages  int
	visits *atomic.Int64
	hosts  *atomic.Int64 // whose first page was visited
}

func farPage(host, n int) string { return fmt.Sprintf("http://s%d.example/%d", host, n) }

func (far) Locate(_ context.Context, url string) string { return sitegraph.ServerName(url) }
func (far) Permits(string) (bool, bool)                 { return true, true }
func (far) Recall(string, func(string) ([]byte, bool, error)) error {
	return nil
}
func (far) Keep(func(string, []byte) error) error { return nil }

func (w far) Fetch(ctx context.Context, r cycle.Request) (o sitegraph.Observation, err error) {
	if err := (cycle.WallClock{}).SleepUntil(ctx, time.Now().Add(scaleFetch)); err != nil {
		return o, err
	}
	w.visits.Add(1)
	var host, n int
	fmt.Sscanf(r.Record.URL, "http://s%d.example/%d", &host, &n)
	if n == 0 {
		w.hosts.Add(1)
	}
	o = sitegraph.Observation{Time: time.Now(), Outcome: sitegraph.OutcomeFetched, Status: 200, LinksKnown: true, Elapsed: scaleFetch,
		Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte(r.Record.URL))}}
	for _, next := range []int{2*n + 1, 2*n + 2} {
		if next < w.pages {
			o.Links = append(o.Links, farPage(host, next))
		}
	}
	for i := range 10 {
		if next := host*10 + i + 1; n == 0 && next < scaleHosts {
			o.Links = append(o.Links, farPage(next, 0))
		}
	}
	return o, nil
}

// TestScaleNode is a node of TestScale: its arguments are name, NATS server, directory.
func TestScaleNode(t *testing.T) {
	args := strings.Split(os.Getenv(scaleNode), " ")
	if len(args) != 3 {
		t.Skip("a part of TestScale")
	}
	ctx, stop := context.WithCancel(t.Context())
	b, err := bus.Open(ctx, bus.Settings{Cluster: "scale", NATS: args[1]}, args[0], t.TempDir(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	w := far{1 << 20, new(atomic.Int64), new(atomic.Int64)}
	go func() {
		in := bufio.NewReader(os.Stdin)
		for { // the other process asks, until it ends this one
			if _, err := in.ReadByte(); err != nil {
				stop()
				return
			}
			fmt.Fprintln(os.Stderr, w.visits.Load(), w.hosts.Load())
		}
	}()
	Run(ctx, []string{farPage(0, 0)}, Options{Name: args[0], Bus: b, Cluster: nodes.Cluster{Shards: scaleShards, PerDay: nodes.Unlimited},
		TTL: 20 * time.Second, Pause: scalePause, Round: time.Hour, Adopt: []string{"*"}, Dir: args[2], Able: func() error { return nil },
		Open: func(dir string) (*Parts, bool, error) {
			store, err := satstore.Open(dir, satstore.Options{})
			if err != nil {
				return nil, errors.Is(err, satstore.ErrInUse), err
			}
			corpus := planner.NewCorpus(sitegraph.NewGraph())
			if err := store.Restore(corpus.Graph, corpus.Remember); err != nil {
				return nil, false, errors.Join(err, store.Close())
			}
			return &Parts{Planner: planner.New(corpus, nil, planner.LiveOptions()), Store: store, Web: w, Close: store.Close,
				Journal: func([]cycle.Event) error { return nil },
				Loop:    cycle.Options{Workers: 256, Discover: true, Forecast: true, Pause: scalePause}}, false, nil
		}})
}

// usage is the processor time of a process group by now.
func usage(p *os.Process) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func TestScale(t *testing.T) {
	lasts, err := time.ParseDuration(os.Getenv("RECRAWL_NODES_SCALE"))
	if err != nil {
		t.Skip("RECRAWL_NODES_SCALE=10s measures 1, 2, 4 and 8 nodes")
	}
	share, _ := strconv.Atoi(os.Getenv("RECRAWL_NODES_SHARE"))
	for _, count := range []int{1, 2, 4, 8} {
		server, err := bus.Open(t.Context(), bus.Settings{Cluster: "scale", Listen: "127.0.0.1:0"}, "server", t.TempDir(), func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		var running []*exec.Cmd
		var ends []func()
		var asks []func() (visits, hosts int)
		for i := range count {
			name := fmt.Sprintf("n%d", i)
			c := exec.Command(os.Args[0], "-test.run", "^TestScaleNode$")
			c.Env = append(os.Environ(), scaleNode+"="+strings.Join([]string{name, "nats://" + server.Address(), filepath.Join(dir, "stores")}, " "))
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			from := bufio.NewReader(out)
			asks = append(asks, func() (visits, hosts int) {
				in.Write([]byte("?"))
				fmt.Fscanln(from, &visits, &hosts)
				return visits, hosts
			})
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if share > 0 {
				group := filepath.Join("/sys/fs/cgroup/cpu", "recrawl-"+name)
				if err := os.Mkdir(group, 0o755); err != nil && !os.IsExist(err) {
					t.Fatal(err)
				}
				for file, value := range map[string]int{"cpu.cfs_period_us": 20_000, "cpu.cfs_quota_us": share * 200, "cgroup.procs": c.Process.Pid} {
					if err := os.WriteFile(filepath.Join(group, file), []byte(strconv.Itoa(value)), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				ends = append(ends, func() { syscall.Rmdir(group) })
			}
			running = append(running, c)
			ends = append(ends, func() { in.Close(); c.Wait() })
		}
		visits := func() (visits, hosts int) {
			for _, ask := range asks {
				v, h := ask()
				visits, hosts = visits+v, hosts+h
			}
			return visits, hosts
		}
		eventually(t, "all hosts are known", func() bool {
			v, hosts := visits()
			t.Log(v, hosts)
			time.Sleep(time.Second)
			return hosts >= scaleHosts
		})
		cpu := func() (sum time.Duration) {
			for _, c := range running {
				sum += usage(c.Process)
			}
			return sum
		}
		before, _ := visits()
		began, used := time.Now(), cpu()
		time.Sleep(lasts)
		after, _ := visits()
		took := time.Since(began)
		n := float64(after - before)
		t.Logf("%d nodes: %.0f visits a second, %.0f us of processor time each", count, n/took.Seconds(),
			float64((cpu()-used).Microseconds())/n)
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i]()
		}
		server.Close()
	}
}
