package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Argument as the only one makes the program call Serve.
const Argument = "bench-fetch-process"

const userAgent = "recrawl-bench/1.0 (+http://127.0.0.1/)"

// ErrSystem is returned on systems other than Linux.
var ErrSystem = errors.New("bench fetch needs the addresses and the processes of Linux")

// IncompleteError is the error of a client that did not get each page exactly once.
type IncompleteError struct {
	Client string
	Want   int // pages, each once
	Got    Served
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("client %s asked for %d pages of %d, and got %d in full and %d as not "+
		"modified", e.Client,
		e.Got.Distinct, e.Want, e.Got.Pages, e.Got.Unmodified)
}

// Hint returns what to do.
func (e *IncompleteError) Hint() string {
	return "measure again, not over midnight UTC, when a planning period ends; fewer --servers and " +
		"--pages need fewer ports and less time"
}

// ExitCode returns the exit status of the command.
func (e *IncompleteError) ExitCode() int { return words.ExitFailed }

// Settings of a measurement.
type Settings struct {
	Servers  int    // addresses that serve pages
	Pages    int    // of each
	Rounds   int    // repetitions
	Parallel int    // pages at a time
	InFlight int    // visits for the measurement of memory; 0: none
	Known    int    // servers that are known then
	Dir      string // "": the one for temporary files
	HTML     string // file of a report; "": none
}

// Options configure a measurement.
type Options struct {
	Settings
	Again []string // starts this program, without arguments
	// Tick gets the progress; it may be nil.
	Tick func(what string, done, total int)
}

// Run makes a measurement.
func Run(ctx context.Context, o Options) (r *Result, err error) {
	if runtime.GOOS != "linux" {
		return nil, ErrSystem
	}
	if o.Tick == nil {
		o.Tick = func(string, int, int) {}
	}
	dir, err := os.MkdirTemp(o.Dir, "recrawl-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r = &Result{Servers: o.Servers, Pages: o.Servers * o.Pages, Rounds: o.Rounds,
		Parallel: o.Parallel, Processors: runtime.GOMAXPROCS(0)}
	r.Load[0] = machine.LoadAverage()
	runs, err := o.rounds(ctx, dir, r)
	if err != nil {
		return nil, err
	}
	if o.InFlight > 0 {
		if r.InFlight, err = o.inFlight(ctx, dir); err != nil {
			return nil, err
		}
	}
	r.Load[1] = machine.LoadAverage()
	r.sum(runs)
	return r, nil
}

// rounds lets all clients take turns.
func (o *Options) rounds(ctx context.Context, dir string, r *Result) (
	runs map[string][]Spent, err error) {
	s, err := begin(ctx, o.Again, serverSpec{Servers: o.Servers, Pages: o.Pages})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	runs = make(map[string][]Spent)
	for round := range o.Rounds {
		below := filepath.Join(dir, strconv.Itoa(round))
		for i, k := range Kinds {
			o.Tick("rounds", round*len(Kinds)+i, o.Rounds*len(Kinds))
			took := 0.0
			if before := runs[k.after]; k.after != "" {
				took = before[len(before)-1].Seconds
			}
			spent, err := o.turn(ctx, s, k, below, took)
			if err != nil {
				return nil, err
			}
			runs[k.Name] = append(runs[k.Name], spent)
		}
		if err := os.RemoveAll(below); err != nil {
			return nil, err
		}
	}
	o.Tick("rounds", o.Rounds*len(Kinds), o.Rounds*len(Kinds))
	_, all, err := documents(o.Servers, o.Pages, s.Plain)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		r.PageBytes += float64(len(d.plain)) / float64(len(all))
		r.GzipBytes += float64(len(d.packed)) / float64(len(all))
	}
	return runs, nil
}

// turn measures one client once. took is the time of the client whose directory it uses, in
// seconds.
func (o *Options) turn(ctx context.Context, s *serving, k Kind, dir string, took float64) (
	Spent, error) {
	port := s.Plain
	if k.packed {
		port = s.Packed
	}
	c := command(ctx, o.Again, Argument)
	if k.after != "" {
		round := roundFor(took)
		if err := (fetch.WallClock{}).SleepUntil(ctx,
			time.Now().Truncate(round).Add(round)); err != nil {
			return Spent{}, err
		}
		c = command(ctx, o.Again, runArguments(filepath.Join(dir, k.after), k.archived, o.Parallel,
			round)...)
	} else if k.ours {
		args := runArguments(filepath.Join(dir, k.Name), k.archived, o.Parallel, day)
		if k.stored {
			args = append(args, "--archive-gzip=false")
		}
		for server := range o.Servers {
			args = append(args, urlOf(server, 0, port))
		}
		c = command(ctx, o.Again, args...)
	} else if err := ordered(c,
		order{Client: &clientSpec{Kind: k.Name, Servers: o.Servers, Pages: o.Pages, Port: port,
			Parallel: o.Parallel}}); err != nil {
		return Spent{}, err
	}
	u, err := measure(ctx, c, nil)
	if err != nil {
		return Spent{}, err
	}
	got, err := s.counts()
	if err != nil {
		return Spent{}, err
	}
	want := o.Servers * o.Pages
	full, unmodified := int64(want), int64(0)
	if k.after != "" {
		full, unmodified = 0, full
	}
	if got.Pages != full || got.Unmodified != unmodified || got.Distinct != int64(want) {
		return Spent{}, &IncompleteError{k.Name, want, got}
	}
	return Spent{Seconds: u.Seconds, CPU: u.CPU, Peak: u.Peak, Served: got}, nil
}

const day = 24 * time.Hour

// roundFor returns a planning period long enough to ask for all pages again. A page is asked for
// once in a period, so a further run must begin with a new one.
func roundFor(took float64) time.Duration {
	for _, seconds := range []int{5, 10, 15, 20, 30, 60, 120, 300, 600, 1200} {
		if took < float64(seconds) {
			return time.Duration(seconds) * time.Second
		}
	}
	return time.Hour
}

// runArguments returns the arguments of a run that asks once for all known pages.
func runArguments(dir string, archived bool, workers int, round time.Duration) []string {
	args := []string{"run", "--data", filepath.Join(dir, "data"), "--user-agent", userAgent,
		"--allow-private", "--delay", "0",
		"--unlimited", "--round", round.String(), "--rounds", "1", "--workers",
		strconv.Itoa(workers), "--json", "--quiet"}
	if archived {
		args = append(args, "--archive", filepath.Join(dir, "archive"))
	}
	return args
}
