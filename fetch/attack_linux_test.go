package fetch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/feeds"
	"github.com/recrawl/recrawl/fetch/fetchtest"
	"github.com/recrawl/recrawl/fetch/robots"
)

const (
	// attackMemory bounds the memory of a process that reads a hostile body, in bytes. A Go program
	// takes about 100 MB of it at its start.
	attackMemory = 512 << 20

	// attackTime bounds the processor time of one parser for one body on a slow machine. A fast one
	// takes at most a tenth of it.
	attackTime = 10 * time.Second

	attackName = "RECRAWL_TEST_ATTACK" // environment variable: the case that a child process reads
)

// TestAttacks gives each hostile body to every parser, in a process of its own that has
// 512 MB and no more.
func TestAttacks(t *testing.T) {
	t.Parallel() // its children work while other tests wait
	if testing.Short() {
		t.Skip("starts a process for each body")
	}
	if fetchtest.Largest != defaultMaxBody || fetchtest.LargestSource != defaultMaxSource {
		t.Fatal("the bodies are not as large as those that are read")
	}
	if info, ok := debug.ReadBuildInfo(); ok &&
		slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector alone needs more memory")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range fetchtest.Bodies {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel() // a child has its own memory, and is measured by its processor time
			child := exec.Command(self, "-test.run=^TestAttackChild$", "-test.v")
			child.Env = append(os.Environ(), attackName+"="+a.Name, "GOMEMLIMIT=256MiB",
				"GOGC=off") // garbage is collected when the memory is full
			out, err := child.CombinedOutput()
			for line := range strings.Lines(string(out)) {
				if strings.HasPrefix(line, "read: ") {
					t.Log(strings.TrimSpace(line))
				}
			}
			if err != nil {
				t.Errorf("%v: %.1000s", err, out)
			}
		})
	}
}

// TestAttackChild is the child process of TestAttacks, and nothing by itself.
func TestAttackChild(t *testing.T) {
	i := slices.IndexFunc(fetchtest.Bodies, func(a fetchtest.HostileBody) bool {
		return a.Name == os.Getenv(attackName)
	})
	if i < 0 {
		t.Skip("not a child of TestAttacks")
	}
	body := fetchtest.Bodies[i].Make()
	limit := syscall.Rlimit{Cur: attackMemory, Max: attackMemory}
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		t.Fatal(err)
	}
	began := processorTime()
	for _, p := range parsers {
		start := processorTime()
		p.read(t, body, fetchtest.Bodies[i].Kind)
		took := processorTime() - start
		fmt.Printf("read: %d octets by %s in %v\n", len(body), p.name, took.Round(time.Millisecond))
		if took > attackTime {
			t.Errorf("%s took %v", p.name, took)
		}
	}
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	fmt.Printf("read: all in %v, %d MB at most\n",
		(processorTime() - began).Round(time.Millisecond), usage.Maxrss>>10)
}

// processorTime returns the processor time of this process so far. Other work on the machine does
// not count.
func processorTime() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

const attackURL = "http://a.example/dir/page.html"

// parsers lists every parser of a server's answers.
var parsers = []struct {
	name string
	read func(t *testing.T, body []byte, kind string)
}{
	{"extract.HTML", func(_ *testing.T, body []byte, kind string) {
		extract.HTML(body, kind, attackURL, extract.Options{Agent: "recrawl"})
	}},
	{"extract.HTML with main", func(t *testing.T, body []byte, kind string) {
		p := extract.HTML(body, kind, attackURL, extract.Options{Agent: "recrawl", Main: true})
		if p.Digests.Main.IsZero() || len(p.Links) > extract.MaxLinks {
			t.Errorf("main %v, %d links", p.Digests.Main, len(p.Links))
		}
	}},
	{"source.Read", func(t *testing.T, body []byte, kind string) {
		listing, err := feeds.Read(body, kind, attackURL)
		if len(listing.Claims) > feeds.MaxEntries {
			t.Errorf("%d claims", len(listing.Claims))
		}
		if errors.Is(err, feeds.ErrNone) && len(listing.Claims) > 0 {
			t.Errorf("no listing, and %d claims", len(listing.Claims))
		}
	}},
	{"robots.Parse", func(_ *testing.T, body []byte, _ string) {
		rules := robots.Parse(body, "recrawl")
		for _, target := range []string{"/", "/dir/page.html?a=b", "/" + strings.Repeat("a", 2000),
			"/" + strings.Repeat("a/", 1000) + "?b"} {
			rules.Allowed(target)
		}
		rules.Delay()
	}},
}
