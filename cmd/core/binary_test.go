package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster"
	"github.com/recrawl/recrawl/cmd/core"
	labs "github.com/recrawl/recrawl/cmd/lab"
	"github.com/recrawl/recrawl/cmd/search"
	"github.com/recrawl/recrawl/fetch/fetchtest"
)

// These tests run the program itself, as users do: with arguments, files, signals, exit codes,
// output, and requests at a web server.

// patience limits waits for expected events. It only determines how long a failing test hangs.
const patience = 5 * time.Minute

const contact = "e2e/1.0 (+https://example.org/bot)"

// asProgram in the environment makes a process of the test binary the program, because the binary
// contains all of it and need not be linked twice.
const asProgram = "TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	core.Parts = []*core.Part{cluster.Part, search.Part, labs.Part}
	asNamed(filepath.Base(os.Args[0]))
	if os.Getenv(asProgram) != "" {
		core.MainOfAll()
	}
	// Heaps are small, and collecting their garbage took a quarter of the time. Commands in this
	// process leave the collector unchanged if the variable is set; start removes it.
	os.Setenv("GOGC", "400")
	debug.SetGCPercent(400)
	// Linux counts the memory of this process also as peak memory of processes that it starts.
	debug.SetMemoryLimit(700 << 20)
	fetchtest.MoreAtOnce(5)
	m.Run()
}

// freeAddress returns an address of loopback without a listener.
func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	return free.Addr().String()
}

// program is a call of the binary.
type program struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{}
}

// environment returns the environment of the tests without variables of the program, and with that
// of the collector.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "RECRAWL_") || strings.HasPrefix(v, "COLUMNS=") ||
			strings.HasPrefix(v, "GOGC=")
	})
	return append(env, asProgram+"=1")
}

// binary returns the program, which the environment may name.
func binary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// start starts the program in dir with extra variables in its environment.
func start(t *testing.T, dir string, env []string, args ...string) *program {
	t.Helper()
	p := &program{t: t, ended: make(chan struct{})}
	p.cmd = exec.Command(binary(t), args...)
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.Env = append(environment(), env...)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait() // the process state has the error
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// wait waits for the end; the exit code is -1 after a signal.
func (p *program) wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.cmd.Process.Kill()
		<-p.ended
		p.t.Fatalf("recrawl %v did not end within %v\n%s", p.cmd.Args[1:], patience, &p.stderr)
	}
	return p.cmd.ProcessState.ExitCode()
}

// kill ends the program with SIGKILL. It must still be running.
func (p *program) kill() {
	p.t.Helper()
	p.cmd.Process.Kill()
	<-p.ended
	if status := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
		p.t.Fatalf("recrawl %v ended by itself with exit code %d\n%s",
			p.cmd.Args[1:], status.ExitStatus(), &p.stderr)
	}
}

// interrupt sends SIGINT, like Ctrl-C, after which the program ends in order.
func (p *program) interrupt() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatalf("interrupt recrawl %v: %v\n%s", p.cmd.Args[1:], err, &p.stderr)
	}
	if code := p.wait(); code != 130 {
		p.t.Fatalf("recrawl %v: exit code %d after SIGINT, want 130\n%s",
			p.cmd.Args[1:], code, &p.stderr)
	}
}

// result is the output of an ended call.
type result struct {
	args           []string
	code           int
	stdout, stderr string
}

func (p *program) result() result {
	p.t.Helper()
	code := p.wait()
	return result{p.cmd.Args[1:], code, p.stdout.String(), p.stderr.String()}
}

// recrawl runs the program in a new directory.
func recrawl(t *testing.T, args ...string) result {
	t.Helper()
	return recrawlIn(t, t.TempDir(), nil, args...)
}

// recrawlIn runs the program with less garbage collection than usual, which saves a tenth of the
// time.
func recrawlIn(t *testing.T, dir string, env []string, args ...string) result {
	t.Helper()
	return start(t, dir, append([]string{"GOGC=400"}, env...), args...).result()
}

// ok checks for exit code 0.
func (r result) ok(t *testing.T) result {
	t.Helper()
	return r.exit(t, 0)
}

func (r result) exit(t *testing.T, code int) result {
	t.Helper()
	if r.code != code {
		t.Fatalf("recrawl %v: exit code %d, want %d\nstdout: %s\nstderr: %s",
			r.args, r.code, code, r.stdout, r.stderr)
	}
	return r
}

// refused checks for a refusal: the code, one error line with each of the words, a hint, and no
// standard output.
func (r result) refused(t *testing.T, code int, words ...string) result {
	t.Helper()
	r.exit(t, code)
	for _, fault := range faults(r.stdout, r.stderr, words) {
		t.Errorf("recrawl %v: %s", r.args, fault)
	}
	return r
}

// faults returns what the outputs of a refusal lack.
func faults(stdout, stderr string, words []string) (all []string) {
	if stdout != "" {
		all = append(all, fmt.Sprintf("refused, and printed %q", stdout))
	}
	message, hint, ok := strings.Cut(stderr, "recrawl: hint: ")
	if !ok || strings.TrimSpace(hint) == "" {
		all = append(all, fmt.Sprintf("no hint in %q", stderr))
	}
	if !strings.HasPrefix(message, "recrawl: error: ") {
		all = append(all, fmt.Sprintf("standard error begins with %q", message))
	}
	for _, word := range words {
		if !strings.Contains(stderr, word) {
			all = append(all, fmt.Sprintf("%q is not in %q", word, stderr))
		}
	}
	return all
}

// decode reads printed JSON; with strict, unknown fields are an error.
func decode[T any](t *testing.T, r result, strict bool) T {
	t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(r.stdout))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(&v); err != nil {
		t.Fatalf("recrawl %v printed no such JSON: %v\n%s", r.args, err, r.stdout)
	}
	if d.More() {
		t.Fatalf("recrawl %v printed more than one value\n%s", r.args, r.stdout)
	}
	return v
}

// eventually asks until the answer is yes.
func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, errors.New("out of patience"))
	defer cancel()
	for !yes() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, context.Cause(ctx))
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func writeFile(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
