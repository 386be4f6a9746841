package filter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	mostProcesses = 64
	mostAnswer    = 64 << 10 // octets of a line
	mostSaid      = 2 << 10  // octets of standard error that are told
	endWithin     = 2 * time.Second
	firstPause    = time.Second
	lastPause     = time.Minute
)

// command asks a program: a page a line on standard input, a verdict a line on standard output.
type command struct {
	args    []string
	timeout time.Duration
	// free are the processes that judge no page; a nil one is to be begun.
	free chan *process

	mu       sync.Mutex
	failures int       // in a row
	rests    time.Time // before which none is begun
}

func newCommand(s *spec) (Filter, error) {
	timeout, err := s.timeout()
	if err != nil {
		return nil, err
	}
	if s.Processes < 0 || s.Processes > mostProcesses {
		return nil, fmt.Errorf("processes: want 1 to %d", mostProcesses)
	}
	if _, err := exec.LookPath(s.Command[0]); err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	c := &command{args: s.Command, timeout: timeout, free: make(chan *process, max(s.Processes, 1))}
	for range cap(c.free) {
		c.free <- nil
	}
	return c, nil
}

// Judge waits for a process that is free. The time of a page begins then.
func (c *command) Judge(ctx context.Context, p *Page) (v Verdict, err error) {
	line, err := json.Marshal(p)
	if err != nil {
		return v, err
	}
	var with *process
	select {
	case with = <-c.free:
	case <-ctx.Done():
		return v, ctx.Err()
	}
	defer func() { c.free <- with }()
	if with == nil {
		if with, err = c.begin(); err != nil {
			return v, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := with.ask(limited, append(line, '\n'))
	if err == nil {
		v, err = parseVerdict(answer)
	}
	switch {
	case err == nil:
		c.went(true)
		return v, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case limited.Err() != nil:
		err = fmt.Errorf("%s did not answer within %v", c.args[0], c.timeout)
	default:
		err = fmt.Errorf("%s: %w", c.args[0], err)
	}
	said := with.kill()
	with = nil
	if ctx.Err() == nil {
		c.went(false)
		if said != "" {
			err = fmt.Errorf("%w; it says: %s", err, said)
		}
	}
	return v, err
}

// went notes whether a page was judged, and when a process may be begun again.
func (c *command) went(well bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if well {
		c.failures = 0
		return
	}
	pause := lastPause
	if c.failures < 6 { // a second doubled so often is over the bound
		pause = firstPause << c.failures
	}
	c.failures++
	c.rests = time.Now().Add(pause)
}

// begin a process, unless one failed a moment ago.
func (c *command) begin() (*process, error) {
	c.mu.Lock()
	wait := time.Until(c.rests)
	c.mu.Unlock()
	if wait > 0 {
		return nil, fmt.Errorf("%s failed, and is begun again in %v", c.args[0], wait.Round(time.Second))
	}
	p := &process{cmd: exec.Command(c.args[0], c.args[1:]...), said: &tail{}}
	p.cmd.Stderr = p.said
	p.cmd.WaitDelay = endWithin
	ownGroup(p.cmd)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.pipe, p.out = in, out, bufio.NewReaderSize(out, mostAnswer)
	if err := p.cmd.Start(); err != nil {
		c.went(false)
		return nil, err
	}
	return p, nil
}

// Close ends the processes when they are free.
func (c *command) Close() (err error) {
	for range cap(c.free) {
		if p := <-c.free; p != nil {
			err = errors.Join(err, p.end())
		}
	}
	for range cap(c.free) {
		c.free <- nil
	}
	return err
}

// process is one of a command. It judges one page at a time.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	pipe io.Closer // of out
	out  *bufio.Reader
	said *tail
}

// ask hands over a line and takes one. After an error the process must be killed.
func (p *process) ask(ctx context.Context, line []byte) ([]byte, error) {
	type result struct {
		answer []byte
		err    error
	}
	done := make(chan result, 1)
	go func() {
		if _, err := p.in.Write(line); err != nil {
			done <- result{nil, err}
			return
		}
		answer, err := p.out.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = fmt.Errorf("its answer has more than %d octets", mostAnswer)
		} else if err == io.EOF {
			err = errors.New("it ended")
		}
		done <- result{answer, err}
	}()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-ctx.Done():
		// These end what the goroutine waits for, also where somebody else holds the pipes.
		killGroup(p.cmd)
		p.in.Close()
		p.pipe.Close()
		<-done
		return nil, ctx.Err()
	}
}

// kill ends the process, and returns the last that it said on standard error.
func (p *process) kill() (said string) {
	p.in.Close()
	killGroup(p.cmd)
	p.cmd.Wait() // its error is that it was killed
	return p.said.text()
}

// end lets the process end by itself, and kills it if it does not.
func (p *process) end() error {
	p.in.Close()
	timer := time.AfterFunc(endWithin, func() { killGroup(p.cmd) })
	defer timer.Stop()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("end %s: %w", p.cmd.Path, err)
	}
	return nil
}

// parseVerdict reads an answer.
func parseVerdict(line []byte) (v Verdict, err error) {
	var answer struct {
		Reject *bool   `json:"reject"`
		Score  float64 `json:"score"`
		Why    string  `json:"why"`
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Reject == nil {
		return v, fmt.Errorf(`it answers %.80q: want a line as {"reject": true, "score": 0.9, "why": "..."}`, bytes.TrimSpace(line))
	}
	return Verdict{*answer.Reject, answer.Score, answer.Why}, nil
}

// tail keeps the end of what is written.
type tail struct {
	mu  sync.Mutex
	end []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	t.end = t.end[max(len(t.end)-mostSaid, 0):]
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return printable(strings.TrimSpace(string(t.end)))
}
