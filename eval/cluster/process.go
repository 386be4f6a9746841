package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/nodes"
	"github.com/recrawl/recrawl/planner/nodes/bus"
	"github.com/recrawl/recrawl/planner/nodes/work"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// Argument as its only one makes the program call Serve.
const Argument = "bench-nodes-process"

// order is what a node is told to be.
type order struct {
	Name    string
	NATS    string
	Dir     string
	Shards  int
	Servers int
	Pages   int // of a server
	Known   int // of all, from the beginning
	Copies  int // that NATS keeps
	Visit   time.Duration
	Pause   time.Duration
}

// told is what a node says when it is asked.
type told struct {
	Visits, Servers int64
	Filled          int64         // pages that were made known at the beginning
	Filling         time.Duration // for how long that took, all shards together
	// By shard: when its first visit since a reset ended, and its last one; unix milliseconds,
	// 0: none.
	First, Last []int64
}

// What a node is told by a line, beside nothing: it says how far it is in any case.
const (
	resetLine = "reset" // First begins anew, after that
	visitLine = "visit" // visits begin, where pages are known from the beginning
	leaveLine = "leave" // it gives its shards away, and says how far it was once it has
)

// clusterName is that of all measurements: each has NATS servers of its own.
const clusterName = "bench"

// Serve is the work of a process that Measure starts: it reads from in what it is, is that, and
// says how far it is for each further line.
func Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read what to do: %w", err)
	}
	w := &web{begun: make(chan struct{})}
	if err := json.Unmarshal(line, &w.order); err != nil {
		return fmt.Errorf("read what to do: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	b, err := bus.Open(ctx, bus.Settings{Cluster: clusterName, NATS: w.NATS, Replicas: w.Copies},
		w.Name, "", func(error) {})
	if err != nil {
		return err
	}
	defer b.Close()
	w.first, w.last = make([]atomic.Int64, w.Shards), make([]atomic.Int64, w.Shards)
	say := json.NewEncoder(out)
	leaving := false // read when ctx is over
	go func() {
		defer stop()
		for !leaving {
			line, err := lines.ReadString('\n')
			if leaving = line == leaveLine+"\n"; err != nil || !leaving &&
				say.Encode(w.told()) != nil {
				return
			}
			switch line {
			case resetLine + "\n":
				for i := range w.first {
					w.first[i].Store(0)
				}
			case visitLine + "\n":
				w.begin.Do(func() { close(w.begun) })
			}
		}
	}()
	err = work.Run(ctx, []string{pageOf(0, 0)}, work.Options{Name: w.Name, Bus: b,
		Cluster: nodes.Cluster{Shards: w.Shards, PerDay: nodes.Unlimited},
		TTL:     20 * time.Second, Pause: w.Pause, Round: time.Hour,
		Adopt: []string{"*"}, Dir: w.Dir, Able: func() error { return nil }, Open: w.open,
		Note: func(format string, args ...any) {
			fmt.Fprintf(os.Stderr, w.Name+": "+format+"\n", args...)
		}})
	if ctx.Err() == nil {
		return err
	}
	if leaving {
		return say.Encode(w.told())
	}
	return nil
}

// told is how far the node is.
func (w *web) told() told {
	t := told{Visits: w.visits.Load(), Servers: w.known.Load(), Filled: w.filled.Load(),
		Filling: time.Duration(w.filling.Load()), First: make([]int64, w.Shards),
		Last: make([]int64, w.Shards)}
	for i := range w.Shards {
		t.First[i], t.Last[i] = w.first[i].Load(), w.last[i].Load()
	}
	return t
}

// workers are visits of a shard that are under way at a time.
const workers = 256

// open makes the parts of a shard.
func (w *web) open(dir string) (*work.Parts, bool, error) {
	store, err := satstore.Open(dir, satstore.Options{})
	if err != nil {
		return nil, errors.Is(err, satstore.ErrInUse), err
	}
	err = w.fill(dir, store)
	var file *scratch.File
	if err == nil {
		file, err = scratch.Open(dir)
	}
	if err != nil {
		return nil, false, errors.Join(err, store.Close())
	}
	corpus := planner.NewCorpus(sitegraph.NewGraphIn(file))
	err = store.Restore(corpus.Graph, corpus.Remember)
	corpus.Graph.Release()
	var rank planner.Policy // without pages that are known there are first visits alone
	if err == nil && w.Known > 0 {
		rank, err = policy.New(policy.Default, policy.Settings{Corpus: corpus, Mode: planner.Stream,
			PerDay: float64(w.Known) / float64(w.Shards), Alpha: 0.95})
	}
	if err != nil {
		return nil, false, errors.Join(err, store.Close())
	}
	return &work.Parts{Planner: planner.New(corpus, rank, planner.LiveOptions()), Store: store,
			Web: w, Close: store.Close,
			Journal: func([]cycle.Event) error { return nil },
			Loop: cycle.Options{Workers: workers, Discover: true, Forecast: true,
				Pause: w.Pause}},
		false, nil
}

// process is a node that was started.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *json.Decoder
	group string // its control group; "": none
}

// begin starts a node. Settings of the user do not hold in it.
func begin(again []string, o order, share int) (*process, error) {
	c := exec.Command(again[0], append(again[1:len(again):len(again)], Argument)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "RECRAWL_") {
			c.Env = append(c.Env, v)
		}
	}
	c.Stderr = os.Stderr
	p := &process{cmd: c}
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, json.NewDecoder(out)
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("begin a node: %w", err)
	}
	if share > 0 {
		if p.group, err = pin(o.Name, c.Process.Pid, share); err != nil {
			p.end()
			return nil, err
		}
	}
	if err := json.NewEncoder(in).Encode(o); err != nil {
		p.end()
		return nil, fmt.Errorf("begin a node: %w", err)
	}
	return p, nil
}

// pin gives a process so many hundredths of a processor, by a control group of version 1 or 2.
func pin(name string, pid, share int) (group string, err error) {
	const period = 20_000 // microseconds: short, so that a node is seldom still for long
	root, files := "/sys/fs/cgroup",
		map[string]string{"cpu.max": fmt.Sprintf("%d %d", share*period/100, period)}
	if _, err := os.Stat("/sys/fs/cgroup/cpu"); err == nil {
		root, files = "/sys/fs/cgroup/cpu",
			map[string]string{"cpu.cfs_period_us": strconv.Itoa(period),
				"cpu.cfs_quota_us": strconv.Itoa(share * period / 100)}
	}
	group = filepath.Join(root, fmt.Sprintf("recrawl-bench-%d-%s", os.Getpid(), name))
	if err := os.Mkdir(group, 0o755); err != nil {
		return "", fmt.Errorf("a share of a processor needs a control group: %w", err)
	}
	for file, value := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(group, file), []byte(value), 0o644))
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(group, "cgroup.procs"),
		[]byte(strconv.Itoa(pid)), 0o644))
	if err != nil {
		return "", errors.Join(fmt.Errorf("a share of a processor needs a control group: %w", err),
			syscall.Rmdir(group))
	}
	return group, nil
}

// fleet are the nodes of a measurement, by name.
type fleet map[string]*process

// begin begins the node of a number.
func (all fleet) begin(o *Options, nats begun, dir string, number int) (err error) {
	name := fmt.Sprint("n", number)
	all[name], err = begin(o.Again, order{
		Name: name, NATS: "nats://" + nats[number%o.Copies].Address(),
		Dir: filepath.Join(dir, name), Shards: o.Shards, Servers: o.Servers, Pages: pages,
		Known: o.Pages, Copies: o.Copies,
		Visit: o.Visit, Pause: o.Visit}, o.Share)
	if err != nil {
		delete(all, name)
	}
	return err
}

func (all fleet) end() {
	for _, p := range all {
		p.end()
	}
}

// ask tells all nodes a line and asks how far they are, and adds that up: First has the earliest
// first visit of a shard, and Last the latest one. used is their processor time.
func (all fleet) ask(line string, shards int) (sum told, used time.Duration, err error) {
	sum.First, sum.Last = make([]int64, shards), make([]int64, shards)
	for _, p := range all {
		t, err := p.ask(line)
		if err != nil {
			return sum, 0, err
		}
		used += cpuOf(p.cmd.Process.Pid)
		sum.Visits, sum.Servers = sum.Visits+t.Visits, sum.Servers+t.Servers
		sum.Filled, sum.Filling = sum.Filled+t.Filled, sum.Filling+t.Filling
		for i := range shards {
			if sum.First[i] == 0 || t.First[i] > 0 && t.First[i] < sum.First[i] {
				sum.First[i] = t.First[i]
			}
			sum.Last[i] = max(sum.Last[i], t.Last[i])
		}
	}
	return sum, used, nil
}

// ask asks a node how far it is, and tells it a line.
func (p *process) ask(line string) (t told, err error) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return t, fmt.Errorf("a node has ended: %w", err)
	}
	if err := p.out.Decode(&t); err != nil {
		return t, fmt.Errorf("a node has ended: %w", err)
	}
	return t, nil
}

// cpuOf is the processor time of a process by now; 0 where that is not known.
func cpuOf(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond // ticks of Linux
}

// end ends a node by force: what it has is thrown away, and the others need not have its shards.
func (p *process) end() {
	p.cmd.Process.Kill() // an error: it has ended
	p.cmd.Wait()         // its state is that it was killed
	if p.group != "" {
		for range 50 { // the kernel takes a moment
			if syscall.Rmdir(p.group) == nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}
