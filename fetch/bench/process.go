package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/satstore/machine"
)

const (
	maxSaid   = 64 << 10              // octets kept of a process's output
	lookEvery = 20 * time.Millisecond // time between looks at a process's memory
)

// tail keeps the last written octets.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	n, err := t.Buffer.Write(p)
	if extra := t.Len() - maxSaid; extra > 0 {
		t.Next(extra)
	}
	return n, err
}

// used is the use of a process until its end.
type used struct {
	Seconds float64 // from start to end
	CPU     float64 // seconds, user and system
	Peak    int64   // bytes of resident memory
}

// command returns a process of this program, without the user's settings for other runs.
func command(ctx context.Context, again []string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, again[0], append(again[1:len(again):len(again)], args...)...)
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "RECRAWL_") {
			c.Env = append(c.Env, setting)
		}
	}
	c.WaitDelay = 10 * time.Second
	return c
}

// measure runs a process to its end, and drops its standard output. Closing stop, which may be nil,
// interrupts the process, which may then end with an error.
func measure(ctx context.Context, c *exec.Cmd, stop <-chan struct{}) (used, error) {
	var said tail
	c.Stderr = &said
	began := time.Now()
	if err := c.Start(); err != nil {
		return used{}, fmt.Errorf("begin a process: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	u, stopped := used{}, false
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			u.Peak = max(u.Peak, peakOf(c.Process.Pid))
		case <-stop:
			stop, stopped = nil, true
			c.Process.Signal(os.Interrupt) // it may have ended
		case err := <-ended:
			u.Seconds = time.Since(began).Seconds()
			u.CPU = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
			if ctx.Err() != nil {
				return u, ctx.Err()
			}
			if err != nil && !(stopped && errors.As(err, new(*exec.ExitError))) {
				return u, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args[1:min(len(c.Args), 3)], " "),
					err, strings.TrimSpace(said.String()))
			}
			return u, nil
		}
	}
}

// peakOf returns the peak of a process's resident memory in bytes, or 0 after its end.
func peakOf(pid int) int64 {
	return machine.Field("/proc/"+strconv.Itoa(pid)+"/status", "VmHWM:") << 10
}

// ordered makes a process execute an order.
func ordered(c *exec.Cmd, o order) error {
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	c.Stdin = bytes.NewReader(append(line, '\n'))
	return nil
}

// serving is a running server process.
type serving struct {
	ports
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *json.Decoder
	said tail
	cpu  float64 // as last reported
}

// begin starts a server process. It ends with end, or with this process.
func begin(ctx context.Context, again []string, spec serverSpec) (*serving, error) {
	s := &serving{cmd: command(context.WithoutCancel(ctx), again, Argument)}
	s.cmd.Stderr = &s.said
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = json.NewDecoder(out)
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("begin the server process: %w", err)
	}
	err = json.NewEncoder(s.in).Encode(order{Server: &spec})
	if err == nil {
		err = s.out.Decode(&s.ports)
	}
	if err == nil {
		_, err = s.counts()
	}
	if err != nil {
		return nil, errors.Join(s.lost(err), s.end())
	}
	return s, nil
}

func (s *serving) lost(err error) error {
	return fmt.Errorf("the server process: %w\n%s", err, strings.TrimSpace(s.said.String()))
}

// counts returns the requests since the last call.
func (s *serving) counts() (v Served, err error) {
	if _, err = io.WriteString(s.in, "\n"); err == nil {
		err = s.out.Decode(&v)
	}
	if err != nil {
		return v, s.lost(err)
	}
	v.CPU, s.cpu = v.CPU-s.cpu, v.CPU
	return v, nil
}

// end ends the process.
func (s *serving) end() error {
	s.in.Close()
	if err := s.cmd.Wait(); err != nil {
		return s.lost(err)
	}
	return nil
}
